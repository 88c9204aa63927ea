"""Reads a Kafka `.properties` file, in the syntax and the encoding of java.util.Properties.

Kafka's services and tools read a stream of bytes, which Java takes for ISO 8859-1: another
character is written as an escape sequence, such as the six characters backslash, u20ac. Every byte
is a character, so that no file is refused for its bytes.
"""

import re
from collections.abc import Iterator
from pathlib import Path

FILE_BYTES_MAX = 1024 * 1024
_ENCODING = "iso-8859-1"
_SPACE = " \t\f"
_KEY = re.compile(r"((?:\\.|[^\\=: \t\f])*)[ \t\f]*([=:])?[ \t\f]*", re.DOTALL)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.|$)", re.DOTALL)
_LETTERS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}


def read_properties(path: Path) -> dict[str, str]:
    """Reads the key-value pairs of the file; ValueError with file and line for an invalid line."""
    if path.exists() and not path.is_file():  # a pipe or a device might never end
        raise ValueError(f"{path}: expected a regular file")
    if path.stat().st_size > FILE_BYTES_MAX:
        raise ValueError(f"{path}: expected at most {FILE_BYTES_MAX} bytes")
    pairs: dict[str, str] = {}
    for number, line in _logical_lines(path.read_bytes().decode(_ENCODING)):
        match = _KEY.match(line)
        assert match is not None, line
        value = line[match.end() :]
        if match[2] is None and not value:  # Java takes the line for a key with an empty value
            raise ValueError(f"{path}:{number}: expected key=value, got {line!r}")
        try:
            pairs[_unescaped(match[1])] = _unescaped(value)
        except ValueError as error:
            raise ValueError(f"{path}:{number}: {error}") from None
    return pairs


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yields each line with its number; a line that ends with a backslash goes on in the next."""
    pending, first = "", 0
    for number, raw in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        line = raw.lstrip(_SPACE)
        if not pending and (not line or line[0] in "#!"):
            continue
        first = first or number
        trailing = len(line) - len(line.rstrip("\\"))
        pending += line[:-1] if trailing % 2 else line
        if trailing % 2 == 0:
            yield first, pending
            pending, first = "", 0
    if pending:
        yield first, pending


def _unescaped(text: str) -> str:
    def character(match: re.Match[str]) -> str:
        letter = match[1]
        if letter == "u":
            raise ValueError("expected four hexadecimal digits after \\u")
        if letter.startswith("u"):
            return chr(int(letter[1:], 16))
        return _LETTERS.get(letter, letter)

    unescaped = _ESCAPE.sub(character, text)
    if unescaped is text or unescaped.isascii():
        return unescaped
    # two escape sequences make one character beyond U+FFFF, as in Java's UTF-16
    return unescaped.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
