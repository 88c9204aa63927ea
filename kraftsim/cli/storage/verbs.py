"""`kraftsim storage ...`: ids, and formatted log directories, as Kafka's `kafka-storage`."""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import FAILED, GOOD
from ...printable import printable
from ..output import add_output, is_data, print_data
from .feature_verbs import add_feature_verbs
from .format_verb import add_format

if TYPE_CHECKING:
    from ...files.log_directories import Storage


def add_storage(storage: argparse.ArgumentParser) -> None:
    """Adds the verbs of `storage` to its parser."""
    verbs = storage.add_subparsers(metavar="VERB")
    uuid = verbs.add_parser("random-uuid", help="print a random id for a cluster or a directory")
    add_output(uuid)
    uuid.set_defaults(run=_random_uuid)
    info = verbs.add_parser(
        "info", help="show for which cluster and node the log directories of Kafka are formatted"
    )
    info.add_argument(
        "-c",
        "--config",
        metavar="FILE",
        type=Path,
        required=True,
        help="Kafka's properties file of the node, with log.dirs",
    )
    add_output(info)
    info.set_defaults(run=_info)
    add_format(verbs)
    add_feature_verbs(verbs)


def _random_uuid(arguments: argparse.Namespace) -> int:
    from random import SystemRandom

    from kraftsim.controller.core.uuid import random_uuid, uuid_text

    text = uuid_text(random_uuid(SystemRandom().random))
    if is_data(arguments):
        print_data(arguments, {"id": text})
    else:
        print(text)
    return GOOD


def _info(arguments: argparse.Namespace) -> int:
    """Prints what `kafka-storage info` prints; returns FAILED if there is a problem."""
    from ...files.log_directories import directories_of, read_storage
    from ...files.properties import read_properties

    storage = read_storage(directories_of(read_properties(arguments.config)))
    if is_data(arguments):
        document = {
            "directories": storage.directories,
            "metadata": storage.metadata,
            "problems": storage.problems,
        }
        print_data(arguments, document)
    else:
        for line in info_lines(storage):
            print(printable(line))
    return FAILED if storage.problems else GOOD


def info_lines(storage: "Storage") -> Iterator[str]:
    """Yields the lines of `kafka-storage info`."""
    if storage.directories:
        yield _heading("Found log director", storage.directories, "y", "ies")
        yield from (f"  {directory}" for directory in storage.directories)
        yield ""
    if storage.metadata is not None:
        pairs = ", ".join(f"{key}={value}" for key, value in sorted(storage.metadata.items()))
        yield f"Found metadata: {{{pairs}}}"
        yield ""
    if storage.problems:
        yield _heading("Found problem", storage.problems, "", "s")
        yield from (f"  {problem}" for problem in storage.problems)
        yield ""


def _heading(start: str, items: list[str], one: str, several: str) -> str:
    return f"{start}{one if len(items) == 1 else several}:"
