"""The parsers of the verbs for a running cluster, from the commands of `cluster_verbs.py`."""

import argparse

from . import help_texts
from .cluster_verbs import COMMANDS, Command
from .output import add_output
from .service_verbs import add_controller


def add_operations(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of a verb, or the verbs of a group; `parser` is the verb's or group's."""
    verb = parser.prog.rpartition(" ")[2]
    commands = [command for command in COMMANDS if command.words[0] == verb]
    if commands[0].words == (verb,):
        _add_arguments(parser, commands[0])
        return
    verbs = parser.add_subparsers(metavar="VERB")
    for command in commands:
        subparser = verbs.add_parser(command.words[-1], help=command.help, description=command.help)
        _add_arguments(subparser, command)
    if verb == "controller":
        add_controller(verbs)


def _add_arguments(parser: argparse.ArgumentParser, command: Command) -> None:
    parser.add_argument("--url", metavar="URL", help=help_texts.URL)
    add_output(parser)
    if command.has_times:
        parser.add_argument("--utc", action="store_true", help=help_texts.UTC)
    command.add_arguments(parser)
    parser.set_defaults(run=command.run, utc=False)
