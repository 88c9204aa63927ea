"""Writes docs/configuration.md: every configuration of a node, its checks and its effect.

`python -m tools.configuration_page` writes the page; tests/kraftsim/test_references.py fails if the
page differs from the result.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from kraftsim.configuration.names import (
    DRAFT_NAMES,
    OF_BROKERS,
    OF_THE_NODE,
    OF_ZOOKEEPER,
    REMOVED,
    SETTINGS,
    own_keys,
    reason,
    setting_name,
)
from kraftsim.configuration.policies import POLICIES
from kraftsim.controller.core.configs.configuration import RELEASES
from kraftsim.controller.core.configs.node_definitions import (
    REQUIRED,
    Definition,
    definitions,
)
from kraftsim.controller.core.profile import KIP_631
from kraftsim.controller.core.settings import LEAST

PAGE = Path(__file__).resolve().parent.parent / "docs" / "configuration.md"
SHOWN_MAX = 60  # characters of a default or of valid values
INTRODUCTION = """\
# Configurations of a node

Written by `python -m tools.configuration_page` from the table of configurations; do not edit this
page. Names, types, defaults and valid values are those of the released jars of Kafka 3.9.1, 4.1.1,
4.3.1 and 4.4.0; `--profile` chooses the release.

- `--config FILE` reads a Kafka `.properties` file, in the syntax and the encoding (ISO 8859-1) of
  `java.util.Properties`; a line without separator is refused. `kraftsim up`, `kraftsim controller
  run` and `kraftsim agent` have the option.
- `--set KEY=VALUE` changes one configuration and takes precedence over the file; repeat it for
  several.
- `Cluster(settings={"broker.session.timeout.ms": 3000})`, and `settings` of the pytest marker, take
  the same names, also with underscores.

An invalid value is refused with the message of Kafka 4.3.1. A file with `process.roles` must
describe a whole node: then kraftsim also checks the roles, the quorum and the listeners as Kafka
does. A name that Kafka does not know is ignored with a warning if it is in a file, as by Kafka, and
refused with the nearest name in `--set` and `settings`, or if it begins with `kraftsim.`. A
configuration that Kafka knows and kraftsim does not simulate is accepted, and a line of the log
says why it has no effect, and which classes of Kafka read it. There is no line for what Kafka
ignores too in such a process: [effects.md](effects.md) lists both.

Releases: a range such as `3.9-4.1` names the first and the last of the four releases.
"""
EFFECT_TITLE = """\
## With an effect

kraftsim also refuses values that Kafka accepts, but with which no cluster works: below the minimum
in the column *least*."""
NODE_TITLE = """\
## Of the node

`kraftsim controller run --config FILE` takes its id, its static voters and its listeners from the
file; a controller has one listener, plaintext, of any name. `kraftsim agent` takes its id, its
controllers, its rack and its listeners, which are plaintext, of any number and name; each further
broker of the process has the next ports.

`kraftsim up --config FILE` takes the names, the ports and the advertised addresses of listeners
from the file of a whole node, which are those of its first broker and its first controller. All
are bound at one host, that of the listener PLAINTEXT, which each broker has; options take
precedence, and a line of the log names a listener that is bound at another host than its own. Ids,
directories and voters it chooses itself, and says that these configurations have no effect.

Every command refuses a file with a listener of SSL, SASL_PLAINTEXT or SASL_SSL: in its place it
could only open a port for everybody."""
BROKERS_TITLE = """\
## Of brokers

A broker takes these from its property file, and the defaults of topics by which it keeps its logs,
such as `log.retention.ms`."""
REFUSED_TITLE = """\
## Refused, with what to set instead

Kafka 4 ignores these names with a warning. kraftsim refuses them: a cluster that runs with other
settings than its file says is a poor test."""
POLICIES_TITLE = """\
## Policies

Kafka loads a Java class for each of these configurations; kraftsim calls a function of Python,
`MODULE:FUNCTION`. The function gets a `NewTopic` or an `AlteredConfigs`
(`kraftsim.controller.core.policies`) after every other check, also for requests that only validate,
and returns None, or the text with which the request is refused (POLICY_VIOLATION). A function that
raises refuses with UNKNOWN_SERVER_ERROR, as a class of Kafka. The configurations of a new topic are
asked about too.

```python
def three_replicas(topic):
    if topic.replication_factor != 3:
        return f"{topic.name}: expected 3 replicas, got {topic.replication_factor}"
```"""
DRAFT_TITLE = f"""\
## Names of KIP-631

The profile `{KIP_631.name}` also takes the names in the text of KIP-631; its defaults are
`broker.session.timeout.ms={KIP_631.settings.broker_session_timeout_ms}` and
`broker.heartbeat.interval.ms={KIP_631.settings.broker_heartbeat_interval_ms}`. In every other
profile they are refused with the shipped name."""


def render() -> str:
    """Returns the text of the page."""
    blocks = [INTRODUCTION, EFFECT_TITLE, _with_effect(), "## Of kraftsim only", _own(), NODE_TITLE]
    blocks += [_table(("key", "type", "default", "valid values", "releases"), _rows(OF_THE_NODE))]
    blocks += [BROKERS_TITLE]
    blocks += [_table(("key", "type", "default", "valid values", "releases"), _rows(OF_BROKERS))]
    blocks += [
        POLICIES_TITLE,
        _table(("key", "type", "default", "valid values", "releases"), _rows(POLICIES)),
    ]
    blocks += [REFUSED_TITLE, _refused(), DRAFT_TITLE, _pairs("draft", DRAFT_NAMES)]
    return "\n\n".join(block.strip("\n") for block in (*blocks, *_without_effect())) + "\n"


def _with_effect() -> str:
    keys = [key for key in _sorted(_in_files()) if setting_name(key.name) in SETTINGS]
    rows = [(*_cells(key), str(LEAST.get(setting_name(key.name), ""))) for key in keys]
    return _table(("key", "type", "default", "valid values", "releases", "least"), rows)


def _own() -> str:
    return _table(
        ("key", "type", "default", "valid values"), [_cells(key)[:4] for key in own_keys().values()]
    )


def _refused() -> str:
    names = {name + ("*" if name.endswith(".") else ""): to for name, to in OF_ZOOKEEPER.items()}
    return _pairs("key", names | dict(REMOVED))


def _pairs(title: str, names: Mapping[str, str]) -> str:
    return _table((title, "set instead"), [(f"`{name}`", to) for name, to in names.items()])


def _without_effect() -> Iterator[str]:
    """Yields a table of the configurations that are accepted only, for each reason."""
    keys = [key for key in _in_files() if _is_accepted_only(key)]
    yield "## Without an effect"
    for why, group in groupby(sorted(keys, key=_reason), key=_reason):
        rows = [_cells(key) for key in _sorted(group)]
        yield f"### {why[0].upper()}{why[1:]}"
        yield _table(("key", "type", "default", "valid values", "releases"), rows)


def _is_accepted_only(key: Definition) -> bool:
    """True unless the key sets something, is the node's, or is refused."""
    starts = (*OF_ZOOKEEPER, *OF_THE_NODE, *OF_BROKERS, *POLICIES)
    return setting_name(key.name) not in SETTINGS and not any(
        key.name == start or (start.endswith(".") and key.name.startswith(start))
        for start in starts
    )


def _reason(key: Definition) -> str:
    return reason(key.name)


def _in_files() -> list[Definition]:
    """Returns what property files may have, a definition once if only its change differs."""
    found: dict[tuple[object, ...], Definition] = {}
    for key in definitions():
        if not key.is_rate:
            columns = key.name, key.type_name, key.default, key.valid
            known = found.get(columns, key)
            found[columns] = replace(
                key,
                since=min(known.since, key.since, key=RELEASES.index),
                until=max(known.until, key.until, key=RELEASES.index),
            )
    return list(found.values())


def _rows(names: Iterable[str]) -> list[tuple[str, ...]]:
    return [_cells(key) for key in _sorted(_in_files()) if key.name in names]


def _sorted(keys: Iterable[Definition]) -> list[Definition]:
    return sorted(keys, key=lambda key: (key.name, key.since))


def _cells(key: Definition) -> tuple[str, ...]:
    releases = "" if (key.since, key.until) == (RELEASES[0], RELEASES[-1]) else _range(key)
    default = REQUIRED if key.is_required else _short(key.default or "")
    default = f"`{default}`" if default else ""
    return f"`{key.name}`", key.type_name.lower(), default, _short(key.valid), releases


def _range(key: Definition) -> str:
    return key.since if key.since == key.until else f"{key.since}-{key.until}"


def _short(text: str) -> str:
    return text if len(text) <= SHOWN_MAX else f"{text[:SHOWN_MAX]}..."


def _table(titles: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [titles, ("---",) * len(titles), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


if __name__ == "__main__":
    PAGE.write_text(render(), "utf-8")
