"""A YAML file means the same, and is refused in the same words, with libyaml and without it."""

import pytest
import yaml

from kraftsim.errors import UsageError
from kraftsim.files.scenario_files import library
from kraftsim.files.yaml_document import parsed

TEXTS = {
    "plain": "on: true\nno: 1:30\ndate: 2001-01-01\nnumbers: [012, 0x1f, 1e3, .5, ~]\n",
    "quoted": "a: \"\\u00e9\\x41\"\nb: 'it''s'\nc: |\n  x\n  y\nd: >-\n  q\n  r\n",
    "alias": "a: &x [1, {b: 2}]\nc: *x\n",
    "empty": "",
    "comment": "# only\n",
    "other lines": "a: 1\r\nb: 2\r\n",
    "byte order mark": "\ufeffa: 1",
    "tab that starts a value": "a:\tb",
    "tab that starts a line": "\tb: 1",
    "two documents": "a: 1\n---\nb: 2",
    "unknown alias": "a: *y",
    "itself": "a: &x [*x]",
    "open list": "[" * 20,
    "open text": "a: 'x",
    "tag": "a: !!python/object:os.system x",
    "control character": "a: \x07",
    "key twice": "a: 1\na: 2",
    "list as key": "? [a]\n: b",
    "two colons": "a: b: c",
    "deep": "[" * 100 + "]" * 100,
}


def outcome(text: str) -> tuple[object, object]:
    try:
        document = parsed(text, "file.yaml")
    except UsageError as error:
        return str(error), None
    return document.value, document.lines


@pytest.mark.slow
@pytest.mark.skipif(not yaml.__with_libyaml__, reason="PyYAML has no libyaml here")
def test_libyaml_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    of_library = {path.name: path.read_text("utf-8") for path in library().values()}
    with_libyaml = {name: outcome(text) for name, text in (of_library | TEXTS).items()}
    monkeypatch.setattr(yaml, "__with_libyaml__", False)

    assert with_libyaml == {name: outcome(text) for name, text in (of_library | TEXTS).items()}


@pytest.mark.parametrize("text", ["[" * 500_000, "- " * 500_000 + "x"])
def test_nesting_without_end_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"recursion|nesting"):
        parsed(text, "file.yaml")
