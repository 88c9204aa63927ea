"""The command line. `up`, `controller` and `agent` run services; most other verbs are operations.

Exit codes are those of `kraftsim.errors.EXIT_CODES`. An unknown word is an error that names the
nearest valid word. Heavy modules are imported only by the verbs that need them.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any, NoReturn, TypeAlias

from ..errors import FAILED, GOOD, INTERRUPTED, USAGE, CommandError
from ..printable import printable
from . import help_texts
from .campaign.verbs import add_campaign_verbs
from .explain_verb import add_explain
from .follow_verb import add_follow
from .output import add_output, is_data, print_data
from .scenario.verbs import add_scenario_verbs
from .service_verbs import add_controller, add_services

SubParsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"

# The help texts of verbs that have verbs of their own.
GROUPS = {
    "broker": "list, show, add, stop, kill, pause, resume, restart, mute and deafen brokers",
    "cluster": "show the cluster; Kafka's kafka-cluster: list, unregister, decommission brokers",
    "controller": "list, show, kill, start, pause and resume controllers; run one as a process",
    "log": "read the metadata log",
    "quorum": "show the quorum, transfer its leadership, add and remove voters",
    "request": "list and count the requests of clients",
    "topic": "list and show topics",
}


class Parser(argparse.ArgumentParser):
    """An argparse parser without abbreviations, whose errors name the nearest valid word."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Prints the error with the nearest valid word, and exits with USAGE."""
        wrong, _, choices = message.partition("choose from")
        valid = [word.strip(" ,')") for word in choices.split()]
        quoted = wrong.split("'")  # argparse quotes words, but not numbers
        near = _nearest(quoted[1], valid) if len(quoted) > 1 else None
        self._refuse(message, near)

    def parse_known_args(  # type: ignore[override]  # argparse's own has overloads of namespaces
        self,
        args: Sequence[str] | None = None,
        namespace: argparse.Namespace | None = None,
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parses known arguments as argparse does, but raises the error of an unknown option here.

        This is the parser of the verb, so the error can name the nearest option of the verb.
        """
        parsed, unknown = super().parse_known_args(args, namespace)
        if unknown:
            options = [action for action in self._option_string_actions if action.startswith("--")]
            near = _nearest(unknown[0].partition("=")[0], options)
            self._refuse(f"unrecognized arguments: {' '.join(unknown)}", near)
        return parsed, unknown

    def _refuse(self, message: str, near: str | None) -> NoReturn:
        hint = f" (did you mean {near!r}?)" if near else ""
        print(printable(f"{self.prog}: {message}{hint}"), file=sys.stderr)
        print(f"try: {self.prog} --help", file=sys.stderr)
        sys.exit(USAGE)


def _nearest(word: str, valid: Sequence[str]) -> str | None:
    """Returns the valid word that `word` begins, else the most similar one, else None."""
    longer = [name for name in valid if len(word) > len("--") and name.startswith(word)]
    return next(iter(longer or get_close_matches(word, valid, n=1)), None)


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit code."""
    try:
        arguments = build_parser().parse_args(argv)
        run: Callable[[argparse.Namespace], int] = arguments.run
        return run(arguments)
    except CommandError as error:
        _print_error(error)
        return error.exit_code
    except ValueError as error:
        _print_error(error)
        return USAGE
    except BrokenPipeError:
        return GOOD  # the reader of stdout, such as head, has exited
    except OSError as error:
        _print_error(error)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED


def _print_error(error: Exception) -> None:
    print(printable(f"kraftsim: {error}", keeps="\n"), file=sys.stderr)


def build_parser() -> argparse.ArgumentParser:
    """Returns the parser of the whole command line."""
    parser = Parser(
        prog="kraftsim", description="Run, control and test a simulated Kafka KRaft control plane."
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    parser.set_defaults(run=_without_verb(parser))
    verbs: SubParsers = parser.add_subparsers(metavar="VERB", parser_class=Parser)
    add_services(verbs)
    _add_storage(verbs)
    groups = _add_operations(verbs)
    add_controller(groups["controller"])
    add_follow(verbs)
    scenario = add_scenario_verbs(verbs, Parser)
    scenario.set_defaults(run=_help_of(scenario))
    add_explain(verbs)
    campaign = add_campaign_verbs(verbs, Parser)
    campaign.set_defaults(run=_help_of(campaign))
    return parser


def _without_verb(parser: argparse.ArgumentParser) -> Callable[[argparse.Namespace], int]:
    def run(arguments: argparse.Namespace) -> int:
        if arguments.version:
            from ..http.openapi import package_version

            print(f"kraftsim {package_version()}")
            return GOOD
        parser.print_help(sys.stderr)
        return USAGE

    return run


def _add_storage(verbs: SubParsers) -> None:
    storage = verbs.add_parser("storage", help="make ids as Kafka's kafka-storage does")
    storage.set_defaults(run=_help_of(storage))
    storage_verbs = storage.add_subparsers(metavar="VERB", parser_class=Parser)
    uuid = storage_verbs.add_parser(
        "random-uuid", help="print a random id for a cluster or a directory"
    )

    add_output(uuid)

    def run(arguments: argparse.Namespace) -> int:
        from random import SystemRandom

        from kraftsim.controller.core.uuid import random_uuid, uuid_text

        text = uuid_text(random_uuid(SystemRandom().random))
        if is_data(arguments):
            print_data(arguments, {"id": text})
        else:
            print(text)
        return GOOD

    uuid.set_defaults(run=run)


def _add_operations(verbs: SubParsers) -> dict[str, SubParsers]:
    """Adds the verbs for a running cluster and returns the verbs of each noun."""
    from .cluster_verbs import COMMANDS

    groups: dict[str, SubParsers] = {}
    for command in COMMANDS:
        family = verbs
        if len(command.words) == 2:
            group = command.words[0]
            if group not in groups:
                parent = verbs.add_parser(group, help=GROUPS[group])
                parent.set_defaults(run=_help_of(parent))
                groups[group] = parent.add_subparsers(metavar="VERB", parser_class=Parser)
            family = groups[group]
        parser = family.add_parser(command.words[-1], help=command.help, description=command.help)
        parser.add_argument("--url", metavar="URL", help=help_texts.URL)
        add_output(parser)
        parser.add_argument("--utc", action="store_true", help=help_texts.UTC)
        command.add_arguments(parser)
        parser.set_defaults(run=command.run)
    return groups


def _help_of(parser: argparse.ArgumentParser) -> Callable[[argparse.Namespace], int]:
    def run(_: argparse.Namespace) -> int:
        parser.print_help(sys.stderr)
        return USAGE

    return run
