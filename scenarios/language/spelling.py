"""Formats a part of a document in one line, as a user would write it in the file."""

import json
import re
from collections.abc import Mapping

_PLAIN = re.compile(r"[A-Za-z$_/][A-Za-z0-9$_./#-]*( [A-Za-z0-9$_./#-]+)*")
SHORT = 80  # characters of a wrong value in an error
_NO_TEXTS = ("true", "false", "null")  # texts that YAML would read as other values


def as_written(document: object) -> str:
    """Returns the document in one line."""
    match document:
        case Mapping():
            inside = (f"{_text(str(key))}: {as_written(item)}" for key, item in document.items())
            return f"{{{', '.join(inside)}}}"
        case list() | tuple():
            return f"[{', '.join(as_written(item) for item in document)}]"
        case str():
            return _text(document)
        case _:
            return json.dumps(document, default=str)


def in_short(document: object) -> str:
    """Returns the document in one line, cut off after 80 characters."""
    text = as_written(document)
    return text if len(text) <= SHORT else f"{text[:SHORT]}..."


def _text(text: str) -> str:
    """Returns a text without quotes if YAML reads it as the same text, otherwise with quotes."""
    is_bare = _PLAIN.fullmatch(text) or re.fullmatch(r"-?\d+(\.\d+)?(us|ms|s|m|h)", text)
    return text if is_bare and text not in _NO_TEXTS else json.dumps(text, ensure_ascii=False)
