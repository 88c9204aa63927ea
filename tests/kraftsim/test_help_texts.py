"""Help texts are phrases: a verb's begins with a small letter, and none ends with a full stop."""

import argparse
from collections.abc import Iterator

from kraftsim.cli.cluster_verbs import COMMANDS
from kraftsim.cli.main import build_parser
from kraftsim.cli.verb_table import ADDERS, VERBS


def texts(parser: argparse.ArgumentParser) -> Iterator[tuple[str, bool, str]]:
    """Yields each help text with its place and whether it is that of a verb."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for listed in action._choices_actions:
                yield f"{parser.prog} {listed.dest}", True, listed.help or ""
            for verb in action.choices.values():
                yield from texts(verb)
        else:
            yield f"{parser.prog} {action.dest}", False, action.help or ""


def test_every_verb_and_option_has_a_phrase_as_its_help_text() -> None:
    wrong = [
        f"{place}: {text!r}"
        for place, is_verb, text in texts(build_parser())
        if not text or text.endswith(".") or (is_verb and text[0].isupper())
    ]

    assert wrong == []


def test_the_command_line_does_not_show_queries_of_http() -> None:
    assert [place for place, _, text in texts(build_parser()) if "=false" in text] == []


def test_the_table_of_verbs_has_every_operation_with_its_help_text() -> None:
    operations = {command.words[0] for command in COMMANDS}
    single = {command.words[0]: command.help for command in COMMANDS if len(command.words) == 1}

    assert operations == VERBS.keys() - ADDERS.keys()
    assert single == {verb: VERBS[verb] for verb in single}


# Services print addresses for shells.
WITHOUT_OUTPUT = {
    "kraftsim up",
    "kraftsim agent",
    "kraftsim controller run",
}


def leaves(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yields the parsers of the verbs that have no verbs of their own."""
    groups = [item for item in parser._actions if isinstance(item, argparse._SubParsersAction)]
    if not groups:
        yield parser
    for group in groups:
        for verb in group.choices.values():
            yield from leaves(verb)


def test_every_verb_that_prints_has_the_option_output() -> None:
    without = {
        verb.prog
        for verb in leaves(build_parser())
        if not {"--output", "--json"} <= set(verb._option_string_actions)
    }

    assert without == WITHOUT_OUTPUT


def test_no_verb_accepts_an_abbreviated_option() -> None:
    assert [verb.prog for verb in leaves(build_parser()) if verb.allow_abbrev] == []
