"""Writes docs/effects.md: which fields of requests and configurations act, and which do not.

`python -m tests.walk.page` writes the page; tests/walk/test_page.py fails if the page differs
from the result. The tests of tests/walk prove the verdicts.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from kraftsim.configuration.names import OF_THE_NODE, OF_ZOOKEEPER, REMOVED, SETTINGS, setting_name
from kraftsim.configuration.policies import POLICIES
from kraftsim.controller.core.api_row import REFUSE, STORE
from kraftsim.controller.core.apis import ROWS
from kraftsim.controller.core.configs.node_definitions import definitions_of
from kraftsim.controller.core.profile import DEFAULT_PROFILE
from tests.walk import verdicts
from tests.walk.fields import fields_of

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "effects.md"
_UNANSWERED = (None, REFUSE, STORE)
INTRODUCTION = """\
# Effects of fields and configurations

Written by `python -m tests.walk.page`; do not edit this page. The tests in `tests/walk` change
each field of a request, and each setting of a node, to other legal values, and look for a
difference in replies, messages, records or warnings. A value that only DescribeConfigs shows does
not count as an effect.

- *Acts*: a test fails if the value is ignored.
- *Kafka ignores it too*: no class of the released jars that handles the request reads the field.
- *Refused*: the request, or the property file, gets an error that says so.
- *Warning*: the value is accepted, and a line of the log says why it has no effect.
- *Open*: the value has an effect in Kafka and none in kraftsim, and nothing says so yet."""
FIELDS_TITLE = "## Fields of requests: Kafka ignores them too"
OPEN_TITLE = "## Fields of requests: open"
WARNING_TITLE = """\
## Configurations with a warning

[configuration.md](configuration.md#without-an-effect) has the reason of each."""


def render() -> str:
    """Returns the text of the page."""
    configurations = _configurations()
    blocks = [
        INTRODUCTION,
        _counts(_fields(), configurations),
        FIELDS_TITLE,
        _rows("source", verdicts.IGNORED),
        OPEN_TITLE,
        _rows("what Kafka does", verdicts.OPEN),
        WARNING_TITLE,
        ", ".join(f"`{name}`" for name in configurations["warning"]) + ".",
    ]
    return "\n\n".join(blocks) + "\n"


def _fields() -> Mapping[str, list[str]]:
    """Returns the paths of the fields by verdict."""
    found: dict[str, list[str]] = {"acts": [], "ignored": [], "refused": [], "open": []}
    for row in ROWS.values():
        is_refused = row.controller in _UNANSWERED and row.broker in _UNANSWERED
        for path in sorted(fields_of(row.name)):
            found["refused" if is_refused else _verdict(path)].append(path)
    return found


def _verdict(path: str) -> str:
    if path in verdicts.IGNORED:
        return "ignored"
    return "open" if path in verdicts.OPEN else "acts"


def _configurations() -> Mapping[str, list[str]]:
    """Returns the configurations of a node of the newest release by verdict."""
    found: dict[str, list[str]] = {"acts": [], "refused": [], "warning": []}
    for name in sorted(definitions_of(DEFAULT_PROFILE.topic_configs)):
        if name in (*OF_THE_NODE, *POLICIES) or setting_name(name) in SETTINGS:
            found["acts"].append(name)
        elif name in (*OF_ZOOKEEPER, *REMOVED):
            found["refused"].append(name)
        else:
            found["warning"].append(name)
    return found


def _counts(fields: Mapping[str, list[str]], configurations: Mapping[str, list[str]]) -> str:
    def line(name: str, counted: Mapping[str, list[str]]) -> str:
        verdict = ("acts", "ignored", "refused", "warning", "open")
        cells = [str(len(counted.get(key, ()))) for key in verdict]
        return f"| {name} | {' | '.join(cells)} |"

    release = DEFAULT_PROFILE.topic_configs
    return "\n".join(
        (
            "| | acts | Kafka ignores it too | refused | warning | open |",
            "| --- | --- | --- | --- | --- | --- |",
            line("fields of requests", fields),
            line(f"configurations of a node ({release})", configurations),
        )
    )


def _rows(title: str, rows: Mapping[str, str]) -> str:
    return "\n".join(_lines(title, rows))


def _lines(title: str, rows: Mapping[str, str]) -> Iterator[str]:
    yield f"| field | {title} |"
    yield "| --- | --- |"
    for path, text in sorted(rows.items()):
        yield f"| `{path}` | {text} |"


if __name__ == "__main__":
    PAGE.write_text(render(), "utf-8")
