"""The command line. `up`, `controller` and `agent` run services; most other verbs are operations.

Exit codes: 0 success, 1 failure or refusal, 2 usage, 130 interrupted. An unknown word is an error
that names the nearest valid word. Heavy modules are imported only by the verbs that need them.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import NoReturn

from kraftsim.controller.core.profile import DEFAULT_PROFILE, PROFILES

from ..errors import FAILED, GOOD, INTERRUPTED, USAGE, CommandError, UsageError
from .campaign.verbs import add_campaign_verbs
from .follow_verb import add_follow
from .scenario.verbs import add_scenario_verbs

OTHER_PROFILES = "or " + ", ".join(name for name in PROFILES if name != DEFAULT_PROFILE.name)
METADATA_VERSION = "level of a new cluster, such as 4.3-IV0; the profile's newest unless given"


class Parser(argparse.ArgumentParser):
    """An argparse parser whose errors name the nearest valid word."""

    def error(self, message: str) -> NoReturn:
        """Prints the error with the nearest valid word, and exits with USAGE."""
        wrong, _, choices = message.partition("choose from")
        words = [word.strip(" ,')") for word in choices.split()]
        quoted = wrong.split("'")  # argparse quotes words, but not numbers
        near = get_close_matches(quoted[1], words, n=1) if words and len(quoted) > 1 else []
        self._refuse(message, near)

    def parse_known_args(  # type: ignore[override]  # argparse's own has overloads of namespaces
        self,
        args: Sequence[str] | None = None,
        namespace: argparse.Namespace | None = None,
    ) -> tuple[argparse.Namespace, list[str]]:
        """Reports an unknown option from the parser of the verb, which knows the verb's options."""
        given, unknown = super().parse_known_args(args, namespace)
        if unknown:
            options = [one for one in self._option_string_actions if one.startswith("--")]
            near = get_close_matches(unknown[0].partition("=")[0], options, n=1)
            self._refuse(f"unrecognized arguments: {' '.join(unknown)}", near)
        return given, unknown

    def _refuse(self, message: str, near: Sequence[str]) -> NoReturn:
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        print(f"{self.prog}: {message}{hint}", file=sys.stderr)
        print(f"try: {self.prog} --help", file=sys.stderr)
        sys.exit(USAGE)


def main(words: Sequence[str] | None = None) -> int:
    """Runs the command line and returns the exit code."""
    try:
        given = build_parser().parse_args(words)
        run: Callable[[argparse.Namespace], int] = given.run
        return run(given)
    except CommandError as error:
        print(f"kraftsim: {error}", file=sys.stderr)
        return USAGE if isinstance(error, UsageError) else FAILED
    except ValueError as error:
        print(f"kraftsim: {error}", file=sys.stderr)
        return USAGE
    except BrokenPipeError:
        return GOOD  # the reader of stdout, such as head, has exited
    except OSError as error:
        print(f"kraftsim: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED


def build_parser() -> argparse.ArgumentParser:
    """Returns the parser of the whole command line."""
    parser = Parser(prog="kraftsim", description="A simulated Kafka KRaft control plane.")
    parser.add_argument("--version", action="store_true", help="print the version")
    parser.set_defaults(run=_without_verb(parser))
    verbs: argparse._SubParsersAction[argparse.ArgumentParser] = parser.add_subparsers(
        metavar="VERB", parser_class=Parser
    )
    _add_up(verbs)
    _add_controller(verbs)
    _add_agent(verbs)
    _add_storage(verbs)
    _add_operations(verbs)
    add_follow(verbs)
    for parent in (add_scenario_verbs(verbs, Parser), add_campaign_verbs(verbs, Parser)):
        parent.set_defaults(run=_help_of(parent))
    return parser


def _without_verb(parser: argparse.ArgumentParser) -> Callable[[argparse.Namespace], int]:
    def run(given: argparse.Namespace) -> int:
        if given.version:
            from ..http.openapi import package_version

            print(f"kraftsim {package_version()}")
            return GOOD
        parser.print_help(sys.stderr)
        return USAGE

    return run


def _add_up(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    up = verbs.add_parser(
        "up",
        help="run a controller, simulated brokers and HTTP",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    up.add_argument("--controllers", type=int, default=1, metavar="N", help="voters; ids from 3000")
    up.add_argument("--brokers", type=int, default=3, metavar="N", help="ids from 1")
    up.add_argument("--cluster-id", metavar="ID", help="drawn unless given")
    up.add_argument("--profile", default=DEFAULT_PROFILE.name, metavar="P", help=OTHER_PROFILES)
    up.add_argument("--metadata-version", metavar="V", help=METADATA_VERSION)
    up.add_argument("--clock", default="real", metavar="CLOCK", help="or virtual, scaled:K")
    up.add_argument("--seed", type=int, metavar="N", help="repeats every draw of ids and places")
    up.add_argument("--rack", action="append", default=[], help="given to the brokers in turn")
    up.add_argument("--host", default="127.0.0.1", metavar="H", help="where the listeners bind")
    up.add_argument("--advertised-host", metavar="H", help="what clients are told; --host")
    up.add_argument("--kafka-port", type=int, default=9092, metavar="P", help="the first; 0: any")
    up.add_argument("--controller-port", type=int, default=9990, metavar="P", help="0: any")
    up.add_argument("--http-port", type=int, default=8090, metavar="P", help="0: any")
    up.add_argument("--config", metavar="FILE", help="a Kafka .properties file")
    up.add_argument("--ready-file", metavar="FILE", help="the addresses, once every broker serves")

    def run(given: argparse.Namespace) -> int:
        from ..commands.up import run_up

        return run_up(given)

    up.set_defaults(run=run)


def _add_controller(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    one = verbs.add_parser("controller", help="run one controller of a quorum as a process")
    one.add_argument("--node-id", type=int, required=True, metavar="ID")
    one.add_argument("--cluster-id", required=True, metavar="ID")
    one.add_argument(
        "--voters", required=True, metavar="ID@HOST:PORT:DIRECTORY,...", help="the first quorum"
    )
    one.add_argument("--directory-id", metavar="D", help="as --voters says; another: no voter yet")
    one.add_argument("--listen", metavar="HOST:PORT", help="where --voters says, unless given")
    one.add_argument(
        "--profile",
        default=DEFAULT_PROFILE.name,
        metavar="P",
        help=f"{OTHER_PROFILES} (default {DEFAULT_PROFILE.name})",
    )
    one.add_argument("--metadata-version", metavar="V", help=METADATA_VERSION)
    one.add_argument("--config", metavar="FILE", help="a Kafka .properties file")
    one.add_argument("--ready-file", metavar="FILE", help="the address, once it listens")

    def run(given: argparse.Namespace) -> int:
        from ..commands.controller import run_controller

        return run_controller(given)

    one.set_defaults(run=run)


def _add_agent(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    agent = verbs.add_parser("agent", help="run simulated brokers against a controller's address")
    agent.add_argument("--controller", required=True, metavar="HOST:PORT,...")
    agent.add_argument("--cluster-id", required=True, metavar="ID")
    agent.add_argument("--count", type=int, default=1, metavar="N", help="up to 1000")
    agent.add_argument("--first-id", type=int, default=1001, metavar="ID")
    agent.add_argument("--rack", action="append", default=[], help="given to the brokers in turn")
    agent.add_argument("--kafka-port", type=int, metavar="P", help="the first facade's; 0: any")
    agent.add_argument("--config", metavar="FILE", help="a Kafka .properties file")

    def run(given: argparse.Namespace) -> int:
        from ..commands.agent import run_agents

        return run_agents(given)

    agent.set_defaults(run=run)


def _add_storage(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    storage = verbs.add_parser("storage", help="ids, as Kafka's own tool makes them")
    storage.set_defaults(run=_help_of(storage))
    words = storage.add_subparsers(metavar="VERB", parser_class=Parser)
    uuid = words.add_parser("random-uuid", help="print an id for a cluster or a directory")

    def run(_: argparse.Namespace) -> int:
        from random import SystemRandom

        from kraftsim.controller.core.uuid import random_uuid, uuid_text

        print(uuid_text(random_uuid(SystemRandom().random)))
        return GOOD

    uuid.set_defaults(run=run)


def _add_operations(verbs: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    from .cluster_verbs import COMMANDS

    groups: dict[str, argparse._SubParsersAction[argparse.ArgumentParser]] = {}
    for command in COMMANDS:
        where = verbs
        if len(command.words) == 2:
            group = command.words[0]
            if group not in groups:
                parent = verbs.add_parser(group, help=f"{group} verbs")
                parent.set_defaults(run=_help_of(parent))
                groups[group] = parent.add_subparsers(metavar="VERB", parser_class=Parser)
            where = groups[group]
        parser = where.add_parser(command.words[-1], help=command.help, description=command.help)
        parser.add_argument("--url", metavar="URL", help="default: KRAFTSIM_HTTP, else port 8090")
        parser.add_argument("--json", action="store_true", help="print JSON")
        command.add_arguments(parser)
        parser.set_defaults(run=command.run)


def _help_of(parser: argparse.ArgumentParser) -> Callable[[argparse.Namespace], int]:
    def run(_: argparse.Namespace) -> int:
        parser.print_help(sys.stderr)
        return USAGE

    return run
