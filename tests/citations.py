"""Finds what texts of the tree cite: rules by their number, documents by their name.

A rule is cited as `rule 2.12`, `rules 4.34 to 4.36`, `(5.57)` or at the start of a docstring.
Numbers in parentheses count in comments and strings of Python only: code has arguments such as 0.5.
"""

import io
import os
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WRITTEN = {".py", ".md", ".toml", ".yaml", ".sql", ".java", ".js", ".css", ".html", ""}
GENERATED = {"build", "dist", "__pycache__"}

_NUMBER = r"(?:0A|10|\d)\.\d{1,2}[a-z]?(?![\w.]*\d)"
_LIST = rf"{_NUMBER}(?:(?:, and |, | and | to | or |-){_NUMBER})*"
_NAMED = re.compile(rf"\b[Rr]ules?:? ({_LIST})")
_BARE = re.compile(rf"\(({_LIST})[):;,]|[;,] ({_LIST})\)|\"\"\"({_LIST}):")
_SECTION = re.compile(r"\b[Ss]ections? ((?:0A|\d+)[A-Z]?)\b(?! to \d+[A-Z])")
_DOCUMENT = re.compile(r"[\w./-]+\.md\b")
_PLACE = re.compile(r"\b([a-z]+(?:\.md)?) (?:[a-h]|\d)\.\d{1,2}\b(?!\.\d)")
_DESIGNS = {"interop", "design", "chaos", "independent"}


@dataclass(frozen=True, slots=True)
class Citation:
    path: str
    line: int
    cited: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.cited}"


def texts() -> Iterator[tuple[str, str]]:
    """Path and text of each file that people write, but for this search and its test."""
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [folder for folder in folders if folder[0] != "." and folder not in GENERATED]
        for name in names:
            path = Path(folder, name)
            if path.suffix in WRITTEN and path.stem not in ("citations", "test_citations"):
                yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


def rules(path: str, text: str) -> Iterator[Citation]:
    for line, number in _matches(_NAMED, text, _NUMBER):
        yield Citation(path, line, number)
    if path.endswith((".md", ".toml", ".yaml")):
        bare = [(1, text)]
    elif path.endswith(".py") and _BARE.search(text):  # else it need not be parsed
        bare = list(_prose(text))
    else:
        bare = []
    for first, part in bare:
        for line, number in _matches(_BARE, part, _NUMBER):
            yield Citation(path, first + line - 1, number)


def sections(path: str, text: str) -> Iterator[Citation]:
    for match in _SECTION.finditer(text):
        yield Citation(path, _line(text, match), match[1])


def documents(path: str, text: str) -> Iterator[Citation]:
    """Names of documents, such as `docs/bugs.md`."""
    if ".md" not in text:  # else every word is tried
        return
    for match in _DOCUMENT.finditer(text):
        yield Citation(path, _line(text, match), match[0])


def places(path: str, text: str) -> Iterator[Citation]:
    """Places in documents that are no documents of the tree, such as `design 4.3`."""
    for match in _PLACE.finditer(text):
        if match[1].removesuffix(".md") in _DESIGNS:
            yield Citation(path, _line(text, match), match[0])


def exists(citation: Citation) -> bool:
    """True if the cited document is named from the root, from docs/, or from the citing file."""
    homes = (ROOT, ROOT / "docs", (ROOT / citation.path).parent)
    return any((home / citation.cited).is_file() for home in homes)


def _matches(pattern: re.Pattern[str], text: str, inner: str) -> Iterator[tuple[int, str]]:
    for match in pattern.finditer(text):
        for number in re.findall(inner, match[0]):
            yield _line(text, match), number


def _prose(text: str) -> Iterator[tuple[int, str]]:
    """Comments and strings of a Python module, each with its first line."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING):
            yield token.start[0], token.string


def _line(text: str, match: re.Match[str]) -> int:
    return text.count("\n", 0, match.start()) + 1
