"""Reads a recording, and names the line of the first mistake in a file that is none."""

import json
from base64 import b64decode
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeVar

from kraftsim.controller.wire.json.json_reading import JsonError, from_json
from kraftsim.scenarios.language.suggestions import nearest

from ..errors import UsageError
from .journal_marks import MARK_CHARS, JournalMarks
from .recorder import Input
from .recording import Recording
from .writing import API_BY_NAME, FORMAT

T = TypeVar("T")
Line = Mapping[str, object]


class _Wrong(ValueError):
    """A line that no recording has: what was expected, and what is there."""


def read_recording(path: Path) -> Recording:
    """Reads a recording; raises UsageError, with file and line, if the file is none."""
    try:
        texts = path.read_text("utf-8").splitlines()
    except UnicodeDecodeError:
        raise UsageError(f"{path}: expected a recording, got bytes that are no UTF-8") from None
    if len(texts) < 2:
        raise UsageError(f"{path}: expected a header and an end, got {len(texts)} lines")
    number = 1
    try:
        header = _header(texts[0])
        inputs: list[Input] = []
        for number, text in enumerate(texts[1:-1], 2):  # noqa: B007  # the error names it
            inputs.append(_input(_line(text), inputs[-1].t_us if inputs else 0))
        number = len(texts)
        end = _line(texts[-1])
        return Recording(
            version=_field(header, "version", str),
            options=_field(header, "options", dict),
            ports=_field(header, "ports", dict),
            gaps=_field(header, "gaps", list),
            inputs=inputs,
            end_us=_time(end, "end_us", inputs[-1].t_us if inputs else 0),
            events=_marks(end),
        )
    except _Wrong as wrong:
        raise UsageError(f"{path}:{number}: {wrong}") from None


def _header(text: str) -> Line:
    header = _line(text)
    if header.get("format") != FORMAT:
        written = f", written by kraftsim {header.get('version')!s:.64}"
        raise _Wrong(
            f"format: expected {FORMAT!r}, got {header.get('format')!r:.64}"
            f"{written if 'version' in header else ''}: record the run again"
        )
    for name, kind in (("version", str), ("options", dict), ("ports", dict), ("gaps", list)):
        _field(header, name, kind)
    return header


def _line(text: str) -> Line:
    try:
        line = json.loads(text)
    except (ValueError, RecursionError):
        raise _Wrong(f"expected a JSON object, got {text[:64]!r}") from None
    if not isinstance(line, dict):
        raise _Wrong(f"expected a JSON object, got {text[:64]!r}")
    return line


def _field(line: Line, name: str, kind: type[T]) -> T:
    value = line.get(name)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        expected = {dict: "an object", str: "a text", list: "a list", int: "a whole number"}
        raise _Wrong(f"{name}: expected {expected.get(kind, 'true or false')}, got {value!r:.64}")
    return value


def _time(line: Line, name: str, earliest_us: int) -> int:
    t_us = _field(line, name, int)
    if t_us < earliest_us:
        raise _Wrong(f"{name}: expected at least {earliest_us}, as on the line before, got {t_us}")
    return t_us


def _input(line: Line, earliest_us: int) -> Input:
    t_us = _time(line, "t_us", earliest_us)
    if "verb" in line:
        arguments = json.dumps(_field(line, "arguments", dict))
        return Input(t_us, "verb", _field(line, "verb", str), arguments)
    if "listener" in line:
        frame = _frame(_field(line, "frame", str))
        return Input(t_us, "frame", _field(line, "listener", str), frame, _field(line, "turn", int))
    if "api" in line:
        return _request(line, t_us)
    raise _Wrong(f"expected verb, listener or api, got {', '.join(_keys(line)) or 'nothing'}")


def _keys(line: Line) -> Iterator[str]:
    return (key for key in line if key != "t_us")


def _frame(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except ValueError:
        raise _Wrong(f"frame: expected base64, got {text[:64]!r}") from None


def _request(line: Line, t_us: int) -> Input:
    name = _field(line, "api", str)
    if name not in API_BY_NAME:
        raise _Wrong(f"api: expected {nearest(name, API_BY_NAME)}, got {name!r}")
    try:
        request = from_json(API_BY_NAME[name].request, _field(line, "request", dict))
    except JsonError as error:
        raise _Wrong(f"request: {error}") from None
    return Input(t_us, "request", "", request, bypasses=_field(line, "bypasses", bool))


def _marks(end: Line) -> JournalMarks:
    marks = _field(end, "marks", str)
    if len(marks) % MARK_CHARS:
        raise _Wrong(f"marks: expected a multiple of {MARK_CHARS} characters, got {len(marks)}")
    return JournalMarks(_field(end, "first_event", int), marks, _field(end, "digest", str))
