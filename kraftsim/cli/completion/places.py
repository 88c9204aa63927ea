"""The places of the command line at which a word can follow, read from its parsers."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

KnownValues = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Place:
    """What can follow some words of the command line, such as `broker kill`.

    `followers` and `options` map words to help texts. `values` has the known values of each option
    that takes one, none if any value may follow. `takes_files` is True if an argument of the verb
    can be the name of a file.
    """

    words: str
    followers: Mapping[str, str]
    options: Mapping[str, str]
    values: Mapping[str, Sequence[str]]
    takes_files: bool


def places(parser: argparse.ArgumentParser, known: KnownValues) -> list[Place]:
    """Returns every place, from the first word of the command line on."""
    return [_place(words, node, known) for words, node in _nodes(parser, "")]


def _nodes(
    parser: argparse.ArgumentParser, words: str
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    """Yields the words of each place, and the parser of what follows."""
    yield words, parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for word, subparser in action.choices.items():
                yield from _nodes(subparser, f"{words} {word}".strip())


def _place(words: str, parser: argparse.ArgumentParser, known: KnownValues) -> Place:
    arguments = [action for action in parser._actions if not action.option_strings]
    options = [action for action in parser._actions if action.option_strings]
    return Place(
        words,
        followers={word: text for action in arguments for word, text in _words(action, known)},
        options={
            option: action.help or ""
            for action in options
            for option in action.option_strings
            if option.startswith("--")
        },
        values={
            option: _choices(action) or known.get(action.option_strings[-1], ())
            for action in options
            if action.nargs is None  # the option takes exactly one value
            for option in action.option_strings
        },
        takes_files=any(action.choices is None for action in arguments),
    )


def _words(action: argparse.Action, known: KnownValues) -> Iterator[tuple[str, str]]:
    """Yields the words that can stand for an argument, with their help texts."""
    if isinstance(action, argparse._SubParsersAction):
        yield from ((listed.dest, listed.help or "") for listed in action._choices_actions)
    else:
        values = _choices(action) or known.get(str(action.metavar), ())
        yield from ((value, action.help or "") for value in values)


def _choices(action: argparse.Action) -> tuple[str, ...]:
    return tuple(str(choice) for choice in action.choices or ())
