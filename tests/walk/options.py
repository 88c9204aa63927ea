"""The verbs of the command line with their options, and what a line of it does."""

import argparse
import io
import os
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kraftsim.cli.main import build_parser, main

SHARED = ("--url", "--output", "--json", "--utc")  # of all verbs for a running cluster


@cache
def parsers() -> Mapping[str, argparse.ArgumentParser]:
    """Returns the parser of each verb, by the words of the verb."""
    return dict(_verbs((), build_parser()))


def _verbs(
    words: tuple[str, ...], parser: argparse.ArgumentParser
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    actions: list[Any] = parser._actions
    groups = [action for action in actions if isinstance(action, argparse._SubParsersAction)]
    if not groups:
        yield " ".join(words), parser
    for group in groups:
        for word, inner in group.choices.items():
            yield from _verbs((*words, word), inner)


def options_of(parser: argparse.ArgumentParser) -> set[str]:
    """Returns the options of a verb by their long names, and its arguments by theirs."""
    actions: list[Any] = parser._actions
    names = {a.option_strings[-1] if a.option_strings else a.dest for a in actions}
    return names - {"--help"}


class Shell:
    """Runs lines in this process; TMP in a line stands for a folder of its own."""

    def __init__(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, folders: Path
    ) -> None:
        self._capsys, self._monkeypatch, self._folders = capsys, monkeypatch, folders
        self._number = 0
        self.in_new_folder()

    def in_new_folder(self) -> None:
        """Goes on in an empty folder."""
        self._number += 1
        self.folder = self._folders / f"folder-{self._number}"
        self.folder.mkdir()
        self._monkeypatch.chdir(self.folder)

    def run(self, line: str, stdin: bytes = b"") -> tuple[int, str, str]:
        """Runs a line; returns its exit code, stdout and stderr, with TMP for the folder."""
        words = [word.replace("TMP", str(self.folder)) for word in line.split()]
        code: Any
        with _stdin(self._monkeypatch, stdin):
            try:
                code = main(words)
            except SystemExit as end:
                code = end.code
        out, err = self._capsys.readouterr()
        return code, *(text.replace(str(self.folder), "TMP") for text in (out, err))

    def files(self) -> list[tuple[str, bytes]]:
        """Returns the files of the folder with their content."""
        found = sorted(path for path in self.folder.rglob("*") if path.is_file())
        return [(str(path.relative_to(self.folder)), path.read_bytes()) for path in found]


class _stdin:  # a context manager that reads as a word
    """Gives a program its standard input."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
        self._monkeypatch, self._data = monkeypatch, data

    def __enter__(self) -> None:
        reading, writing = os.pipe()
        os.write(writing, self._data)
        os.close(writing)
        self._file = io.TextIOWrapper(io.FileIO(reading), "utf-8")
        self._before = sys.stdin
        sys.stdin = self._file

    def __exit__(self, *_: object) -> None:
        sys.stdin = self._before
        self._file.close()
