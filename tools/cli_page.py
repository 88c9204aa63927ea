"""Writes docs/cli.md: every verb of the command line, from its parsers and the operations.

`python -m tools.cli_page` writes the page; tests/kraftsim/test_references.py fails if the page
differs from the result.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path

from kraftsim.cli.main import build_parser
from kraftsim.errors import EXIT_CODES
from kraftsim.operations.table import OPERATIONS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "cli.md"
INTRODUCTION = """\
# The command line

Written by `python -m tools.cli_page` from the parsers of `kraftsim` and its table of operations;
do not edit this page. [http.md](http.md) lists the same operations in HTTP.

- Nouns are singular, the verb follows: `kraftsim broker list`, `kraftsim broker kill 2`. HTTP and
  Python use the same nouns and verbs.
- Options are not abbreviated. An unknown word or option is refused with the nearest one.
- Text is for people: it can change between releases. On a terminal it fits its width: lines wrap,
  and tables leave out columns on the right, shorten times and cut texts, but no numbers
  (`--output wide` prints every column; in a pipe or a file nothing is cut). States have colours
  (unless `NO_COLOR` is set), and times are local clock times. Programs use `--json`, which prints
  an object (`events`, `follow` and `scenario run`: an object per line; `scenario list` and
  `scenario mutants`: a list).
- Lists are read in pages: `--from` takes the `next` of the page before, which `--json` prints, and
  which text names in a line on stderr if a page follows. `events --json` prints events only: the
  next page begins at the `seq` of the last event plus one.
- `source <(kraftsim completion bash)` completes words and options in this shell; the same with zsh,
  and in fish `kraftsim completion fish | source`.
- Control characters in names are printed as escape sequences, such as `\\x1b`.

Options that many verbs have:

"""
COMMON = ("--url", "--output", "--json")  # described once
EXIT_TITLE = """\
## Exit codes

If several apply, 1 has precedence over 3: a campaign that is unfinished and has a failed run exits
with 1. A campaign of which a file is missing or was changed exits with 2, whatever its runs.
SIGTERM ends a service (`up`, `agent`, `controller run`) with 0 once its arguments are parsed, about
60 ms after the start; before that, and in every other verb, the signal itself ends the process.
Ctrl-C ends a service with 0 too once the service has printed its addresses. Ctrl-C ends every other
verb, and a service that still starts, with one line and 130; a further Ctrl-C is ignored for 5 s,
in which the verb cleans up. Until Python has reached the first line of kraftsim, about 20 ms after
the start, Ctrl-C is handled by Python: the process ends with no message, by the signal, or with
Python's traceback. In its last milliseconds, Python frees memory, and Ctrl-C changes nothing.

| code | meaning |
|---|---|"""

Verb = tuple[tuple[str, ...], argparse.ArgumentParser, str]


def render() -> str:
    """Returns the page."""
    verbs = list(_verbs(build_parser(), ()))
    common = {
        action.option_strings[0]: _described(action)
        for _, parser, _ in verbs
        for action in parser._actions
        if action.option_strings and action.option_strings[0] in COMMON
    }
    lines = [INTRODUCTION + "\n".join(common[name] for name in COMMON) + "\n"]
    groups = dict.fromkeys(words[0] for words, _, _ in verbs)
    for group in groups:
        lines.append(f"## {group}\n")
        lines += [_verb(verb, set(common.values())) for verb in verbs if verb[0][0] == group]
    lines.append(EXIT_TITLE)
    lines += [f"| {code} | {meaning} |" for code, meaning in EXIT_CODES.items()]
    return "\n".join(lines) + "\n"


def _verbs(parser: argparse.ArgumentParser, words: tuple[str, ...]) -> Iterator[Verb]:
    """Yields the words, the parser and the help text of every verb that has no verbs of its own."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            helps = {listed.dest: listed.help or "" for listed in action._choices_actions}
            for word, subparser in action.choices.items():
                named = (*words, word)
                below = list(_verbs(subparser, named))
                yield from below or [(named, subparser, helps[word])]


def _verb(verb: Verb, common: set[str]) -> str:
    """Returns a verb with its arguments and options, without those in `common`."""
    words, parser, text = verb
    actions = [action for action in parser._actions if not isinstance(action, argparse._HelpAction)]
    places = [action for action in actions if not action.option_strings]
    own = [action for action in actions if _described(action) not in common]
    command = " ".join(["kraftsim", *words, *(_place(action) for action in places)])
    lines = [f"**`{command}`**: {text}.{_twins(words)}\n"]
    lines += [_described(action) for action in own]
    return "\n".join(lines).rstrip("\n") + "\n"


def _twins(words: tuple[str, ...]) -> str:
    """Returns the same operation in HTTP and Python, if the verb is an operation."""
    for operation in OPERATIONS:
        if operation.words == words:
            return f" `{operation.method} {operation.path}`, `kraft.{operation.python}`."
    return ""


def _place(action: argparse.Action) -> str:
    name = str(action.metavar or action.dest)
    many = {"*": f"[{name} ...]", "+": f"{name} [{name} ...]", "?": f"[{name}]"}
    return many.get(str(action.nargs), name)


def _described(action: argparse.Action) -> str:
    """Returns an argument or an option as an item of a list."""
    name = _place(action)
    if action.option_strings:
        takes_value = action.nargs != 0
        value = f" {action.metavar or _choices(action)}" if takes_value else ""
        name = ", ".join(f"{option}{value}" for option in action.option_strings)
    required = " (required)" if action.required and action.option_strings else ""
    return f"- `{name}`: {(action.help or '').replace('|', 'or')}{required}"


def _choices(action: argparse.Action) -> str:
    if action.choices is not None:
        return "{" + ",".join(str(choice) for choice in action.choices) + "}"
    return action.dest.upper()


if __name__ == "__main__":
    PAGE.write_text(render(), "utf-8")
