"""`kraftsim storage format`: formats the log directories of a node, as `kafka-storage format`."""

import argparse
from pathlib import Path

from kraftsim.controller.core.profile import DEFAULT_PROFILE

from ...errors import GOOD
from ...printable import printable
from .. import help_texts
from ..output import add_output, is_data, print_data


def add_format(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Adds `format` to the verbs of `storage`."""
    parser = verbs.add_parser("format", help="format the log directories of a node for a cluster")
    parser.add_argument("-t", "--cluster-id", required=True, metavar="ID", help="id of the cluster")
    parser.add_argument(
        "-c",
        "--config",
        metavar="FILE",
        type=Path,
        required=True,
        help="Kafka's properties file of the node, with log.dirs",
    )
    _add_voters(parser)
    _add_content(parser)
    parser.add_argument(
        "-g",
        "--ignore-formatted",
        action="store_true",
        help="skip directories that are formatted already, instead of failing",
    )
    add_output(parser)
    parser.set_defaults(run=_format)


def _add_voters(parser: argparse.ArgumentParser) -> None:
    group = parser.add_mutually_exclusive_group()
    group.add_argument(
        "-s",
        "--standalone",
        action="store_true",
        help="make this controller the only voter of a new dynamic quorum (KIP-853)",
    )
    group.add_argument(
        "-N",
        "--no-initial-controllers",
        action="store_true",
        help="format a node that joins an existing dynamic quorum",
    )
    group.add_argument(
        "-I",
        "--initial-controllers",
        metavar="ID@HOST:PORT:DIRECTORY,...",
        help="voters of a new dynamic quorum; the same for each of its nodes",
    )


def _add_content(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-r",
        "--release-version",
        metavar="V",
        help="metadata.version or release whose features the cluster begins with, such as "
        "4.3-IV0 or 4.3 (default: the newest of --profile)",
    )
    parser.add_argument(
        "-f",
        "--feature",
        action="append",
        default=[],
        metavar="NAME=LEVEL",
        help="level of one feature that the cluster begins with; may be repeated",
    )
    parser.add_argument(
        "-S",
        "--add-scram",
        action="append",
        default=[],
        metavar="CREDENTIAL",
        help="SCRAM credential that the cluster begins with, such as "
        "'SCRAM-SHA-256=[name=alice,password=secret]'; may be repeated",
    )
    parser.add_argument(
        "--profile", default=DEFAULT_PROFILE.name, metavar="P", help=help_texts.PROFILE
    )


def _format(arguments: argparse.Namespace) -> int:
    """Prints what `kafka-storage format` prints."""
    import time
    from random import SystemRandom

    from ...files.properties import read_properties
    from ...releases import profile_of
    from ...storage.format_request import FormatRequest
    from ...storage.formatter import apply, decide

    random = SystemRandom().random
    request = FormatRequest(
        cluster_id=arguments.cluster_id,
        release=arguments.release_version,
        features=tuple(arguments.feature),
        scram=tuple(arguments.add_scram),
        standalone=arguments.standalone,
        no_initial_controllers=arguments.no_initial_controllers,
        initial_controllers=arguments.initial_controllers,
        ignore_formatted=arguments.ignore_formatted,
    )
    profile = profile_of(arguments.profile)
    formatting = decide(profile, read_properties(arguments.config), request, random)
    lines = list(apply(formatting, time.time_ns() // 1_000_000, random))
    if is_data(arguments):
        document = {
            "clusterId": formatting.cluster_id,
            "nodeId": formatting.node.node_id,
            "directories": list(formatting.directories),
            "features": dict(formatting.levels),
        }
        print_data(arguments, document)
    else:
        for line in lines:
            print(printable(line))
    return GOOD
