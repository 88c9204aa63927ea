"""Writes docs/effects.md: which fields of requests and configurations act, and which do not.

`python -m tests.walk.page` writes the page; tests/walk/test_page.py fails if the page differs
from the result. The tests of tests/walk prove the verdicts.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields
from pathlib import Path

from kraftsim.configuration.effects import NODE, reason_in_file, reason_without_effect
from kraftsim.configuration.names import (
    OF_BROKERS,
    OF_THE_NODE,
    OF_ZOOKEEPER,
    REMOVED,
    SETTINGS,
    setting_name,
)
from kraftsim.configuration.policies import POLICIES
from kraftsim.configuration.readers import is_ignored, readers
from kraftsim.configuration.roles import CONTROLLER
from kraftsim.controller.core.api_row import LOG, REFUSE, STORE
from kraftsim.controller.core.apis import ROWS
from kraftsim.controller.core.configs.group_configs import GROUP_CONFIGS
from kraftsim.controller.core.configs.metrics_configs import METRICS_CONFIGS
from kraftsim.controller.core.configs.node_definitions import definitions_of
from kraftsim.controller.core.configs.resources import RESOURCES
from kraftsim.controller.core.configs.topic_table import TOPIC_CONFIGS
from kraftsim.controller.core.profile import DEFAULT_PROFILE
from kraftsim.options import ClusterOptions
from tests.walk import verdicts
from tests.walk.fields import fields_of
from tests.walk.options import options_of, parsers
from tests.walk.test_python_arguments import CASES as ARGUMENTS
from tests.walk.tested_options import PLUGIN

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "effects.md"
_RELEASE = DEFAULT_PROFILE.topic_configs
_DYNAMIC: Mapping[str, Collection[str]] = {
    "topic": TOPIC_CONFIGS[_RELEASE],
    "group": GROUP_CONFIGS[_RELEASE],
    "broker": [name for name, key in definitions_of(_RELEASE).items() if key.is_dynamic],
    "client-metrics": METRICS_CONFIGS,
}
_UNANSWERED = (None, LOG, REFUSE, STORE)
INTRODUCTION = """\
# Effects of fields, configurations and options

Written by `python -m tests.walk.page`; do not edit this page. The tests in `tests/walk` change
each field of a request, each setting of a node and each option to other legal values, and look for
a difference in replies, messages, records, output, files or warnings. A value that only
DescribeConfigs shows does not count as an effect.

`python -m tests.released.key_readers` lists which classes of 4.4.0 read a configuration, and which
of them an active controller has initialized after some 1,200 random requests: a class that was
never initialized has executed no method. A broker counts as running every other class but those of
TLS and SASL that no process with plaintext listeners has initialized. `kraftsim` has the list too,
so that a process is silent about what Kafka ignores in it, and names in each warning the classes of
Kafka whose part it does not have.

- *Acts*: a test fails if the value is ignored.
- *Kafka ignores it too*: no class of the released jars that handles the request reads the field;
  no class that runs in such a process reads the configuration.
- *Refused*: the request, or the property file, gets an error that says so.
- *Warning*: the value is accepted, and a line of the log says why it has no effect.
- *Open*: the value has an effect in Kafka and none in kraftsim, and nothing says so yet; of an
  option, no test compares a line with it and one without it."""
OPTIONS_TITLE = """\
## Options and arguments

A line of each verb is run with and without an option, and what it prints, which files it writes
and what the cluster shows then is compared; an option of a verb for a cluster is a parameter of
HTTP and an argument in Python, too. Of `up`, `agent`, `controller run` and `campaign run` the
described process is compared; of verbs that use Spark, the session that they ask for. `--config` of
Kafka's `kafka-cluster` has a warning."""
FIELDS_TITLE = "## Fields of requests: Kafka ignores them too"
OPEN_TITLE = "## Fields of requests: open"
IGNORED_TITLE = """\
## Configurations that Kafka's controllers ignore too

The classes run in brokers."""
IGNORED_BY_NODES_TITLE = """\
## Configurations that Kafka ignores too, in brokers and controllers

Without a listener of TLS or SASL, which kraftsim refuses; classes read those of `ssl.` and `sasl.`
that are loaded for such a listener alone. No class reads the others."""
DYNAMIC_TITLE = """\
## Dynamic configurations with a warning

The metadata log keeps them and DescribeConfigs shows them, as in Kafka, whose brokers use them.
The cluster, the active controller or the process of the brokers says once for each configuration
that it has no effect, and why."""
WARNING_TITLE = """\
## Configurations of controllers with a warning

[configuration.md](configuration.md#without-an-effect) has the reason of each."""
OTHERS_TITLE = """\
## Configurations of brokers with a warning

Beside those of controllers with a warning:"""


def render() -> str:
    """Returns the text of the page."""
    of_nodes, of_controllers = _configurations(NODE), _configurations((CONTROLLER,))
    others = [name for name in of_nodes["warning"] if name not in of_controllers["warning"]]
    blocks = [
        INTRODUCTION,
        _counts(
            {
                "fields of requests": _fields(),
                f"configurations of a controller ({_RELEASE})": of_controllers,
                **{
                    f"dynamic configurations: {kind} ({_RELEASE})": _dynamic(kind, names)
                    for kind, names in _DYNAMIC.items()
                },
                f"configurations of a node that is a broker too ({_RELEASE})": of_nodes,
                **options(),
            }
        ),
        OPTIONS_TITLE,
        FIELDS_TITLE,
        _rows("source", verdicts.IGNORED),
        OPEN_TITLE,
        _rows("what Kafka does", verdicts.OPEN),
        IGNORED_TITLE,
        _rows("class", _readers(of_controllers["ignored"], of_nodes["ignored"]), "configuration"),
        IGNORED_BY_NODES_TITLE,
        _listed(of_nodes["ignored"]),
        DYNAMIC_TITLE,
        *(
            _warned_of(kind, warned)
            for kind, names in _DYNAMIC.items()
            if (warned := _dynamic(kind, names)["warning"])
        ),
        WARNING_TITLE,
        _listed(of_controllers["warning"]),
        OTHERS_TITLE,
        _listed(others),
    ]
    return "\n\n".join(blocks) + "\n"


def options() -> Mapping[str, Mapping[str, list[str]]]:
    """Returns the options of verbs, the arguments in Python and those of pytest, by verdict."""
    found: dict[str, list[str]] = {"acts": [], "warning": []}
    for words, parser in parsers().items():
        for option in sorted(options_of(parser)):
            is_warned = words.startswith("cluster ") and option == "--config"
            found["warning" if is_warned else "acts"].append(f"{words} {option}")
    return {
        "options and arguments of the command line": found,
        "arguments of `Cluster` and its parts, beside them": {
            "acts": [*ARGUMENTS, *(option.name for option in fields(ClusterOptions))]
        },
        "options and arguments of the plugin of pytest": {"acts": [*PLUGIN]},
    }


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


def _configurations(roles: Collection[str]) -> Mapping[str, list[str]]:
    """Returns the configurations of a process with these roles, of the newest release."""
    found: dict[str, list[str]] = {"acts": [], "ignored": [], "refused": [], "warning": []}
    for name in sorted(definitions_of(DEFAULT_PROFILE.topic_configs)):
        found[_verdict_in_file(name, roles)].append(name)
    return found


def _verdict_in_file(name: str, roles: Collection[str]) -> str:
    if name in (*OF_ZOOKEEPER, *REMOVED):
        return "refused"
    if is_ignored(name, roles):
        return "ignored"
    is_acting = setting_name(name) in SETTINGS or name in (*OF_THE_NODE, *OF_BROKERS, *POLICIES)
    return "acts" if is_acting or reason_in_file(name, roles) is None else "warning"


def _dynamic(kind: str, names: Collection[str]) -> Mapping[str, list[str]]:
    """Returns the dynamic configurations of a kind of resource by verdict."""
    acting = {*verdicts.DYNAMIC_ACTING[kind], *verdicts.AT_BROKERS.get(kind, ())}
    found: dict[str, list[str]] = {
        **{"acts": [], "ignored": [], "refused": [], "warning": [], "open": []}
    }
    for name in sorted(names):
        if name in verdicts.DYNAMIC_REFUSED[kind]:
            found["refused"].append(name)
        elif reason_of_dynamic(kind, name) is not None:
            found["warning"].append(name)
        elif kind == "broker" and is_ignored(name, NODE):
            found["ignored"].append(name)
        else:
            found["acts" if name in acting else "open"].append(name)
    return found


def reason_of_dynamic(kind: str, name: str) -> str | None:
    """Returns why a line of the log says that a dynamic configuration has no effect."""
    return reason_without_effect(DEFAULT_PROFILE, RESOURCES[kind], name)


def _warned_of(kind: str, names: list[str]) -> str:
    """Returns a paragraph for each reason."""
    by_reason: dict[str, list[str]] = {}
    for name in names:
        by_reason.setdefault(str(reason_of_dynamic(kind, name)), []).append(name)
    return "\n\n".join(
        f"Of a {kind}, because {why}: {_listed(of_it)}" for why, of_it in by_reason.items()
    )


def _readers(names: list[str], in_nodes: list[str]) -> Mapping[str, str]:
    return {name: ", ".join(readers()[name].brokers) for name in names if name not in in_nodes}


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) + "."


def _counts(counted: Mapping[str, Mapping[str, list[str]]]) -> str:
    def line(name: str, of: Mapping[str, list[str]]) -> str:
        verdict = ("acts", "ignored", "refused", "warning", "open")
        cells = [str(len(of.get(key, ()))) for key in verdict]
        return f"| {name} | {' | '.join(cells)} |"

    return "\n".join(
        (
            "| | acts | Kafka ignores it too | refused | warning | open |",
            "| --- | --- | --- | --- | --- | --- |",
            *(line(name, of) for name, of in counted.items()),
        )
    )


def _rows(title: str, rows: Mapping[str, str], subject: str = "field") -> str:
    return "\n".join(_lines(title, rows, subject))


def _lines(title: str, rows: Mapping[str, str], subject: str) -> Iterator[str]:
    yield f"| {subject} | {title} |"
    yield "| --- | --- |"
    for path, text in sorted(rows.items()):
        yield f"| `{path}` | {text} |"


if __name__ == "__main__":
    PAGE.write_text(render(), "utf-8")
