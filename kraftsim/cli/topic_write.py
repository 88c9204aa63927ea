"""`kraftsim topic write`: the lines of stdin become records of a topic."""

import argparse
import os
import sys
from collections.abc import Iterator
from itertools import chain

from ..errors import GOOD, UsageError
from ..http.client import call, service_url
from ..operations.topics import WRITE_TOPIC
from .arguments.parameters import add_argument
from .held_notice import held_notice
from .tables import print_document

READ_BYTES = 65536  # of stdin at a time, so that lines are written as they come
LINE_BYTES_MAX = 1024 * 1024  # a longer line does not fit in the body of a request
LINES = "lines"


def add_write_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `topic write`: those of its operation without the lines."""
    for parameter in WRITE_TOPIC.parameters:
        if parameter.name != LINES:
            add_argument(parser, WRITE_TOPIC, parameter)


def write_topic(arguments: argparse.Namespace) -> int:
    """Writes the lines of stdin as they come, then prints where they are.

    The first call has no lines, so that a topic that does not exist is refused before stdin is
    read. Returns the exit code.
    """
    given = {
        parameter: getattr(arguments, parameter.name)
        for parameter in WRITE_TOPIC.parameters
        if getattr(arguments, parameter.name, None) is not None
    }
    WRITE_TOPIC.check(lines=[], **{parameter.name: value for parameter, value in given.items()})
    values = {parameter.json_name: value for parameter, value in given.items()}
    url = service_url(arguments.url)
    first, counts = dict[int, int](), dict[int, int]()
    for lines in chain([[]], _lines_of(sys.stdin.fileno())):
        with held_notice(url):
            document = call(url, WRITE_TOPIC.method, WRITE_TOPIC.path, values | {LINES: lines})
        partitions = document["written"]
        assert isinstance(partitions, list), type(partitions)
        for written in partitions:
            number = written["partition"]
            first.setdefault(number, written["baseOffset"])
            counts[number] = counts.get(number, 0) + written["records"]
    rows = [
        {"partition": number, "baseOffset": first[number], "records": counts[number]}
        for number in sorted(first)
    ]
    print_document(arguments, {"written": rows})
    return GOOD


def _lines_of(descriptor: int) -> Iterator[list[str]]:
    """Yields the lines that have come, without their ends, as soon as a read has whole ones."""
    rest, number = b"", 1
    while data := os.read(descriptor, READ_BYTES):
        *whole, rest = (rest + data).split(b"\n")
        if len(rest) > LINE_BYTES_MAX:
            raise UsageError(
                f"stdin:{number + len(whole)}: expected a line of at most {LINE_BYTES_MAX} bytes"
            )
        if whole:
            yield [_text(line, place) for place, line in enumerate(whole, number)]
            number += len(whole)
    if rest:
        yield [_text(rest, number)]


def _text(line: bytes, number: int) -> str:
    """Returns a line as text; the error does not show it, because it may be a secret."""
    try:
        return line.removesuffix(b"\r").decode()
    except UnicodeDecodeError:
        raise UsageError(f"stdin:{number}: expected a line in UTF-8") from None
