"""Writes the classes of messages and records from their declarations (`controller/wire/messages`).

`python -m tools.messages` writes `controller/core/rpc/` and the records in `controller/core/log/`;
`tests/wire/test_written_classes.py` compares them.
"""

import re
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from kraftsim.controller.wire.messages import declared
from kraftsim.controller.wire.messages.glossary import GLOSSARY
from kraftsim.controller.wire.messages.grammar import (
    UNNAMED,
    Declaration,
    DeclaredField,
    DeclaredStruct,
    constants,
    read_struct,
    sides,
)

ROOT = Path(__file__).parents[1]
CORE = ROOT / "controller" / "core"
COLUMNS = 100
_TYPES = {
    "bool": "bool",
    "string": "str",
    "bytes": "bytes",
    "float64": "float",
    "uuid": "Uuid",
    "records": "Sequence[Batch]",
}
_ZEROS = {"bool": "False", "string": '""', "bytes": 'b""', "float64": "0.0", "uuid": "ZERO_UUID"}
_WORDS = {"null": "None", "true": "True", "false": "False"}
_SENDERS = ("NOBODY", "NO_CLIENT", "Requester", "TelemetryClient")
_BASES = {"api": "Request", "record": "Record", "control": "ControlRecord", "data": "Structure"}


def written() -> dict[Path, str]:
    """Returns the text of every file that is written from declarations."""
    files = {_path(subject): _module(subject) for subject in declared.TEXTS}
    return _formatted(files | {CORE / "rpc" / "__init__.py": _package()})


def _formatted(files: dict[Path, str]) -> dict[Path, str]:
    """Returns the files as the formatter writes them."""
    with tempfile.TemporaryDirectory() as folder:
        copies = {path: Path(folder, f"{path.parent.name}_{path.name}") for path in files}
        for path, text in files.items():
            copies[path].write_text(text)
        config = str(ROOT / "pyproject.toml")
        subprocess.run(
            [sys.executable, "-m", "ruff", "format", "--quiet", "--config", config, folder],
            check=True,
        )
        return {path: copy.read_text() for path, copy in copies.items()}


def _path(subject: str) -> Path:
    folder = "log" if subject in declared.LOG_SUBJECTS else "rpc"
    return CORE / folder / f"{subject}.py"


class _Class:
    """A class to write; `arrays` are the arrays of structures of a response, by field."""

    def __init__(self, struct: DeclaredStruct, base: str, key: int | None, comment: str) -> None:
        self.name, self.fields = struct.name, struct.fields or ()
        self.base, self.key = base, key
        self.comment = struct.comment or comment
        self.response = self.name.removesuffix("Request") + "Response"
        self.arrays = {
            field.name: _class_name(field.type)
            for field in self.fields
            if isinstance(field.type, DeclaredStruct)
            and field.is_array
            and field.type.name != UNNAMED
        }

    def text(self, *, in_response: bool) -> str:
        names = [field.name for field in self.fields]
        lines = [f"class {self.name}({self.base}):", *_docstring(self.comment, self.fields), ""]
        lines.append(f"    __slots__ = {_tuple([repr(name) for name in names])}")
        if self.key is not None:
            lines.append(f"    api_key: ClassVar[int] = {self.key}")
        if self.base == "Request":
            lines.append(f"    RESPONSE: ClassVar[type[Response]] = {self.response}")
        if in_response and self.arrays:
            inside = ", ".join(f'"{field}": {name}' for field, name in self.arrays.items())
            lines.append(f"    ELEMENTS: ClassVar[Mapping[str, type[Structure]]] = {{{inside}}}")
        if names:
            lines += ["", *_init(self.fields)]
        return "\n".join(lines)


def _docstring(comment: str, fields: tuple[DeclaredField, ...]) -> list[str]:
    first, _, rest = comment.partition(". ")
    first = first if first.endswith(".") else f"{first}."
    lines = _wrapped(first, "    ", '"""')
    if rest:
        lines += ["", *_wrapped(rest, "    ")]
    described = [(field.name, _comment(field)) for field in fields]
    if any(text for _, text in described):
        lines.append("")
        for name, text in described:
            lines += _wrapped(f"{name}: {text}", "    ", rest="        ")
    if len(lines) == 1 and len(lines[0]) + 3 <= COLUMNS:
        return [lines[0] + '"""']
    return [*lines, '    """']


def _wrapped(text: str, indent: str, first: str = "", rest: str = "") -> list[str]:
    return textwrap.wrap(
        text,
        COLUMNS - 3,
        initial_indent=indent + first,
        subsequent_indent=rest or indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _comment(field: DeclaredField) -> str:
    return comment_of(field).rstrip(".")


def comment_of(field: DeclaredField) -> str:
    """Returns what a field is: its comment, that of its name, or that of its structure."""
    if field.comment:
        return field.comment
    if field.name in GLOSSARY:
        return GLOSSARY[field.name]
    return _struct_comment(field.type) if isinstance(field.type, DeclaredStruct) else ""


def _struct_comment(struct: DeclaredStruct) -> str:
    if struct.comment or struct.fields is not None:
        return struct.comment
    return declared.shared_struct(struct.name).comment


def _tuple(items: list[str]) -> str:
    inside = ", ".join(items).replace("'", '"')
    return f"({inside},)" if len(items) == 1 else f"({inside})"


def _init(fields: tuple[DeclaredField, ...]) -> list[str]:
    parameters = [f"{field.name}: {_type(field)}{_default(field)}" for field in fields]
    body = [f"        self.{field.name}: Final = {field.name}" for field in fields]
    return [f"    def __init__(self, *, {', '.join(parameters)}) -> None:", *body]


def _type(field: DeclaredField) -> str:
    kind = field.type
    if isinstance(kind, str):
        name = _TYPES.get(kind, kind if not field.is_sent else "int")
    elif kind.name == UNNAMED:
        assert kind.fields is not None
        name = _type(kind.fields[0])
    else:
        name = _class_name(kind)
    name = f"tuple[{name}, ...]" if field.is_array else name
    return f"{name} | None" if field.is_optional else name


def _default(field: DeclaredField) -> str:
    text = field.default
    if field.is_required:
        return ""
    if text in _WORDS:
        return f" = {_WORDS[text]}"
    if field.is_array:
        return f" = ({text},)" if text else " = ()"
    if isinstance(field.type, DeclaredStruct):
        return f" = {_class_name(field.type)}()"
    return f" = {text or _ZEROS.get(field.type, '0')}"


def _classes(subject: str) -> Iterator[tuple[_Class, bool]]:
    """Yields the classes of a subject, parts before the whole, and whether responses have them."""
    in_responses = _names_in_responses()
    for declaration in declared.of_subject(subject):
        if declaration.sort == "struct" and declaration.model != declaration.name:
            continue  # its class is that of another structure
        for struct, base, key, comment in _wholes(declaration):
            for part in _parts(struct):
                if part is struct:
                    yield (
                        _Class(part, base, key, comment),
                        base == "Response" or part.name in in_responses,
                    )
                else:
                    inside = f"A part of {struct.name}."
                    yield _Class(part, "Structure", None, inside), part.name in in_responses


def _wholes(
    declaration: Declaration,
) -> Iterator[tuple[DeclaredStruct, str, int | None, str]]:
    if declaration.sort == "api":
        request, response = sides(declaration)
        name = declaration.name
        title = f"{name} ({declaration.key})." if declaration.key >= 0 else f"{name}."
        yield request.struct, "Request", declaration.key, title
        yield response.struct, "Response", None, f"The reply to a {name} request."
        return
    struct = read_struct(declaration.model, declaration.body)
    key = declaration.key if declaration.sort in ("record", "control") else None
    yield struct, _BASES.get(declaration.sort, "Structure"), key, declaration.name


def _parts(struct: DeclaredStruct) -> Iterator[DeclaredStruct]:
    for field in struct.fields or ():
        kind = field.type
        if isinstance(kind, DeclaredStruct) and kind.fields is not None and kind.name != UNNAMED:
            yield from _parts(kind)
    yield struct


@cache
def _names_in_responses() -> set[str]:
    """Returns the names of the structures that responses have inside."""
    names: set[str] = set()

    def note(struct: DeclaredStruct) -> None:
        for field in struct.fields or ():
            if isinstance(field.type, DeclaredStruct):
                inside = field.type
                if inside.fields is None:
                    inside = declared.shared_struct(inside.name)
                names.add(inside.name)
                note(inside)

    for api in declared.of_sort("api"):
        note(sides(api)[1].struct)
    return names


def _module(subject: str) -> str:
    text = declared.TEXTS[subject]
    pieces = [
        f"{name} = {value}" + (f"  # {comment}" if comment else "")
        for name, value, comment in constants(text)
    ]
    constant_lines = "\n".join(pieces)
    classes = [item.text(in_response=in_response) for item, in_response in _ordered(subject)]
    body = "\n\n\n".join(([constant_lines] if constant_lines else []) + classes)
    return "\n".join([_head(subject), *_import_lines(subject, body), "", body, ""])


def _ordered(subject: str) -> list[tuple[_Class, bool]]:
    """Returns the classes of a subject so that each comes after those that it names."""
    waiting = list(_classes(subject))
    own = {item.name for item, _ in waiting}
    ordered: list[tuple[_Class, bool]] = []
    while waiting:
        missing = {item.name for item, _ in waiting}
        for pair in waiting:
            needed = (_named(pair[0]) | {pair[0].response}) & own - {pair[0].name}
            if not needed & missing:
                ordered.append(pair)
                waiting.remove(pair)
                break
        else:
            raise ValueError(f"{subject}: expected no circle of structures, got {sorted(missing)}")
    return ordered


def _named(item: _Class) -> set[str]:
    names = set()
    for field in item.fields:
        if isinstance(field.type, DeclaredStruct):
            names.add(_class_name(field.type))
    return names


def _class_name(struct: DeclaredStruct) -> str:
    declaration = declared.SHARED_STRUCTS.get(struct.name)
    return struct.name if declaration is None else declaration.model


def _head(subject: str) -> str:
    module = f"controller/wire/messages/{subject}.py"
    return (
        f'"""Classes of {subject.replace("_", " ")}. Generated by `python -m tools.messages` from\n'
        f"`{module}`; do not edit.\n"
        '"""\n\nfrom __future__ import annotations\n'
    )


def _import_lines(subject: str, body: str) -> list[str]:
    lines = []
    if "Mapping[" in body or "Sequence[" in body:
        names = ", ".join(name for name in ("Mapping", "Sequence") if f"{name}[" in body)
        lines.append(f"from collections.abc import {names}")
    typing = [name for name in ("ClassVar", "Final") if name in body]
    typing = (["TYPE_CHECKING"] if "Sequence[Batch]" in body else []) + typing
    if typing:
        lines += [f"from typing import {', '.join(typing)}"]
    lines.append("")
    bases = [
        name
        for name in ("ControlRecord", "Record", "Request", "Response", "Structure")
        if f"({name}):" in body or f"[type[{name}]]" in body or f", type[{name}]]" in body
    ]
    if subject in declared.LOG_SUBJECTS:  # whose base other modules import from here
        lines += [f"from ..message import {name} as {name}" for name in bases]
    elif bases:
        lines.append(f"from ..message import {', '.join(bases)}")
    uuids = [name for name in ("ZERO_UUID", "Uuid") if name in _words(body)]
    if uuids:
        lines.append(f"from ..uuid import {', '.join(uuids)}")
    lines += _shared_imports(subject)
    senders = [name for name in _SENDERS if name in _words(body)]
    if senders:
        lines.append(f"from .senders import {', '.join(senders)}")
    if "Sequence[Batch]" in body:
        lines += ["", "if TYPE_CHECKING:", "    from ..log.batch import Batch"]
    return lines


def _words(body: str) -> set[str]:
    return set(re.findall(r"\w+", body))


def _shared_imports(subject: str) -> list[str]:
    needed: dict[str, set[str]] = {}
    for item, _ in _classes(subject):
        for name in _named(item):
            declaration = declared.SHARED_STRUCTS.get(name)
            if declaration is not None and declaration.subject != subject:
                needed.setdefault(declaration.subject, set()).add(name)
    return [
        f"from .{other} import {', '.join(sorted(names))}"
        for other, names in sorted(needed.items())
    ]


def _package() -> str:
    lines = [
        '"""Requests and responses of Kafka\'s APIs, without versions, under Kafka\'s names.',
        "",
        "Generated by `python -m tools.messages`; do not edit. A field that a version lacks has",
        "its default. Enumerations are integers, so that an unknown error code is preserved.",
        '"""',
        "",
        "from ..message import Request as Request",
        "from ..message import Response as Response",
    ]
    requests: list[str] = []
    for subject in declared.TEXTS:
        if subject not in declared.LOG_SUBJECTS and subject not in declared.ON_DEMAND:
            names = sorted(item.name for item, _ in _classes(subject))
            lines += [f"from .{subject} import {name} as {name}" for name in names]
            requests += sorted(item.name for item, _ in _classes(subject) if item.base == "Request")
    lines += ["", f"REQUESTS: tuple[type[Request], ...] = ({', '.join(requests)})"]
    lines.append('"""The requests of all subjects but those that are read on demand."""')
    return "\n".join([*lines, ""])


def main() -> None:
    """Writes the files."""
    for path, text in written().items():
        path.write_text(text)


if __name__ == "__main__":
    main()
