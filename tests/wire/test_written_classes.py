"""The classes of messages and records are those that their declarations make."""

from collections.abc import Iterator

import pytest

from kraftsim.controller.wire.messages import declared
from kraftsim.controller.wire.messages.glossary import GLOSSARY
from kraftsim.controller.wire.messages.grammar import (
    Declaration,
    DeclaredField,
    DeclaredStruct,
    declarations,
    read_struct,
    sides,
)
from tools.messages import comment_of, written


def structs(declaration: Declaration) -> tuple[DeclaredStruct, ...]:
    if declaration.sort == "api":
        return tuple(side.struct for side in sides(declaration))
    return (read_struct(declaration.model, declaration.body),)


def fields_of(struct: DeclaredStruct) -> Iterator[DeclaredField]:
    for field in struct.fields or ():
        yield field
        if isinstance(field.type, DeclaredStruct):
            yield from fields_of(field.type)


def every_field() -> Iterator[DeclaredField]:
    for subject, text in declared.TEXTS.items():
        for declaration in declarations(text, subject):
            for struct in structs(declaration):
                yield from fields_of(struct)


def test_the_classes_in_the_tree_are_those_of_the_declarations() -> None:
    differing = [
        path.name for path, text in written().items() if path.read_text(encoding="utf-8") != text
    ]

    assert differing == [], "python -m tools.messages"


def test_every_field_says_what_it_is() -> None:
    assert [field.name for field in every_field() if not comment_of(field)] == []


def test_the_glossary_has_no_name_that_no_field_has() -> None:
    assert GLOSSARY.keys() - {field.name for field in every_field()} == set()


@pytest.mark.parametrize("text", ["a:int32 b?c:string", "a:int32 b", "a:"])
def test_a_text_that_is_no_field_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected a field"):
        read_struct("Example", text)
