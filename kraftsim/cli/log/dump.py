"""`kraftsim log dump`: prints files of a metadata log, kraftsim's or Kafka's, or a running log.

What Kafka's `kafka-dump-log --cluster-metadata-decoder` prints of a record is printed here, too.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from kraftsim.controller.wire.json.document import Document

from ...errors import FAILED, GOOD, CommandError, Unreachable, UsageError
from ...http.client import service_url
from ...printable import printable
from ..output import is_data, print_item
from ..terminal import clock_text

if TYPE_CHECKING:
    from kraftsim.pipeline.live.log import KraftLogError


def add_dump_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `log dump`."""
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        type=Path,
        help=(
            "a segment (.log), a snapshot (.checkpoint) or bootstrap.checkpoint, kraftsim's or "
            "Kafka's, or a log directory"
        ),
    )
    parser.add_argument(
        "--live",
        action="store_true",
        help="print the committed log of the running cluster at --url, up to its present end",
    )


def dump_log(arguments: argparse.Namespace) -> int:
    """Runs `log dump`; returns FAILED if a file is damaged, after the records before the damage."""
    if arguments.live == bool(arguments.files):
        got = "both" if arguments.live else "neither"
        raise UsageError(f"log dump: expected FILE or --live, got {got}")
    if arguments.live:
        return _dump_live(arguments)
    if arguments.url is not None:
        raise UsageError("--url: expected --live with it")
    files = list(chain.from_iterable(map(_files_of, arguments.files)))
    return max([_dump_file(arguments, file) for file in files])


def _dump_live(arguments: argparse.Namespace) -> int:
    from kraftsim.pipeline.live.http_log import HttpLog
    from kraftsim.pipeline.live.log import KraftLogError, NoAnswer

    log = HttpLog(service_url(arguments.url))
    try:
        extent = log.extent()
        _print_records(arguments, log.records(extent.start_offset, extent.end.offset))
    except NoAnswer as error:
        raise Unreachable(str(error)) from None
    except KraftLogError as error:
        raise CommandError(str(error)) from None
    return GOOD


def _files_of(path: Path) -> list[Path]:
    """Returns the file, or the segments of a log directory; raises UsageError if there is none."""
    from kraftsim.pipeline.live.log import NoLog
    from kraftsim.pipeline.live.segments import segment_files

    try:
        return segment_files(path)
    except NoLog as error:
        raise UsageError(str(error)) from None


def _dump_file(arguments: argparse.Namespace, file: Path) -> int:
    """Prints the records of a file; prints the error of a damaged file and returns FAILED."""
    from kraftsim.pipeline.live.log_file import DamagedFile, LogFile

    try:
        _print_records(arguments, LogFile(file).records())
    except DamagedFile as error:
        _print_damage(error)
        return FAILED
    return GOOD


def _print_damage(error: "KraftLogError") -> None:
    sys.stdout.flush()
    print(printable(f"kraftsim: {error}; the records before it were printed"), file=sys.stderr)


def _print_records(arguments: argparse.Namespace, records: Iterator[Document]) -> None:
    for record in records:
        if is_data(arguments):
            print_item(arguments, record)
        else:
            print(_line(record, utc=arguments.utc))


def _line(record: Document, *, utc: bool) -> str:
    """Returns the line of a record for people."""
    timestamp_ms = record["timestamp"]
    assert isinstance(timestamp_ms, int), record
    return printable(
        f"offset {record['offset']:<8} epoch {record['epoch']:<4} "
        f"{clock_text(timestamp_ms, utc=utc)}  {record['type']} version {record['version']}  "
        f"{json.dumps(record['data'], ensure_ascii=False)}"
    )
