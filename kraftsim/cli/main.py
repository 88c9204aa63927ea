"""The command line. `up`, `controller` and `agent` run services; most other verbs are operations.

Exit codes are those of `kraftsim.errors.EXIT_CODES`. An unknown word is an error that names the
nearest valid word. Heavy modules are imported only by the verbs that need them.
"""

import argparse
import os
import sys
from importlib import import_module

from ..errors import FAILED, GOOD, INTERRUPTED, USAGE, CommandError
from ..printable import printable
from .verb_table import ADDERS, OPERATIONS_ADDER, VERBS

TYPE_CHECKING = False  # importing typing takes a third of the time of `kraftsim --help`
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, NoReturn


class HelpFormatter(argparse.HelpFormatter):
    """A formatter of help texts; argparse's own imports shutil for each option that is added."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


def _columns() -> int:
    """Returns the width of the terminal: COLUMNS, else that of stdout, else 80."""
    columns = os.environ.get("COLUMNS", "")
    try:
        return (
            int(columns) if columns.isdecimal() and int(columns) else os.get_terminal_size().columns
        )
    except OSError:
        return 80  # stdout is no terminal


class Parser(argparse.ArgumentParser):
    """An argparse parser without abbreviations, whose errors name the nearest valid word."""

    def __init__(self, **options: "Any") -> None:
        super().__init__(**options, formatter_class=HelpFormatter, allow_abbrev=False)

    def error(self, message: str) -> "NoReturn":
        """Prints the error with the nearest valid word, and exits with USAGE."""
        wrong, _, choices = message.partition("choose from")
        valid = [word.strip(" ,')") for word in choices.split()]
        quoted = wrong.split("'")  # argparse quotes words, but not numbers
        near = _nearest(quoted[1], valid) if len(quoted) > 1 else None
        self._refuse(message, near)

    def parse_known_args(  # type: ignore[override]  # argparse's own has overloads of namespaces
        self, args: "Sequence[str] | None" = None, namespace: argparse.Namespace | None = None
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

    def _refuse(self, message: str, near: str | None) -> "NoReturn":
        hint = f" (did you mean {near!r}?)" if near else ""
        print(printable(f"{self.prog}: {message}{hint}"), file=sys.stderr)
        print(f"try: {self.prog} --help", file=sys.stderr)
        sys.exit(USAGE)


OWN_WORDS = {  # for words of Kafka's and other tools
    "describe": ("show", "get", "list"),
    "get": ("show",),
    "show": ("get", "describe"),
    "alter": ("set",),
    "delete": ("remove",),
    "remove": ("delete",),
}


def _nearest(word: str, valid: "Sequence[str]") -> str | None:
    """Returns kraftsim's word for `word`, else a valid word that it begins, else a similar one."""
    from kraftsim.scenarios.language.suggestions import near_words

    own = next((name for name in OWN_WORDS.get(word, ()) if name in valid), None)
    if own is not None:
        return own
    return next(iter(near_words(word, valid)), None) if word.strip("-") else None


def main(
    argv: "Sequence[str] | None" = None, before_verb: "Callable[[bool], None]" = lambda _: None
) -> int:
    """Runs the command line and returns the exit code.

    Once the arguments are parsed, `before_verb` is called with whether the verb runs a service,
    which handles signals and garbage by itself.
    """
    words = sys.argv[1:] if argv is None else argv
    try:
        arguments = build_parser(_verb_in(words)).parse_args(words)
        before_verb(arguments.is_service)
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
        _print_error(_without_number(error))
        return FAILED
    except KeyboardInterrupt:
        print("kraftsim: interrupted", file=sys.stderr)
        return INTERRUPTED


def _without_number(error: OSError) -> Exception:
    """Returns the error as people read it: the file, and what happened to it."""
    if error.filename is None or error.strerror is None:
        return error
    return CommandError(f"{error.filename}: {error.strerror.lower()}")


def _print_error(error: Exception) -> None:
    print(printable(f"kraftsim: {error}", keeps="\n"), file=sys.stderr)


def _verb_in(words: "Sequence[str]") -> str:
    """Returns the first word that is not an option, or "" if there is none."""
    return next((word for word in words if not word.startswith("-")), "")


def build_parser(verb: str | None = None) -> "Parser":
    """Returns the parser of the whole command line.

    With `verb`, a word of the command line, the parser is for this verb only; if the word is no
    verb, for the names and help texts of all verbs.
    """
    parser = Parser(
        prog="kraftsim", description="Run, control and test a simulated Kafka KRaft control plane."
    )
    parser.add_argument("--version", action="store_true", help="print the version and exit")
    parser.set_defaults(run=_without_verb(parser), is_service=False, build_parser=build_parser)
    subparsers = parser.add_subparsers(metavar="VERB", prog=parser.prog)
    for name in [verb] if verb in VERBS else VERBS:
        verb_parser = subparsers.add_parser(name, help=VERBS[name])
        verb_parser.set_defaults(run=_help_of(verb_parser))
        if verb is None or verb == name:
            _add_arguments(verb_parser, name)
    return parser


def _add_arguments(parser: "argparse.ArgumentParser", verb: str) -> None:
    module, _, function = ADDERS.get(verb, OPERATIONS_ADDER).partition(":")
    getattr(import_module(f".{module}", __package__), function)(parser)


def _without_verb(parser: argparse.ArgumentParser) -> "Callable[[argparse.Namespace], int]":
    def run(arguments: argparse.Namespace) -> int:
        if arguments.version:
            from .. import machine_code
            from ..http.openapi import package_version

            suffix = " (compiled)" if machine_code.is_used() else ""
            print(f"kraftsim {package_version()}{suffix}")
            return GOOD
        parser.print_help(sys.stderr)
        return USAGE

    return run


def _help_of(parser: argparse.ArgumentParser) -> "Callable[[argparse.Namespace], int]":
    def run(_: argparse.Namespace) -> int:
        parser.print_help(sys.stderr)
        return USAGE

    return run
