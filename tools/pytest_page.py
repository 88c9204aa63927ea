"""Writes docs/pytest.md: fixtures, arguments of the marker and options of the pytest plugin.

`python -m tools.pytest_page` writes the page; tests/kraftsim/test_references.py fails if the page
differs from the result. tests/docs runs its examples.
"""

import argparse
import ast
from collections.abc import Iterator
from inspect import Parameter, signature
from pathlib import Path
from re import sub
from typing import Any

from kraftsim import pytest_plugin
from kraftsim.api.cluster import Cluster
from kraftsim.cli.main import build_parser
from kraftsim.testing.processes import OPTIONS
from kraftsim.testing.requested import DEFAULTS, OF_THE_PLUGIN

PAGE = Path(__file__).resolve().parent.parent / "docs" / "pytest.md"
INTRODUCTION = """\
# The pytest plugin

Written by `python -m tools.pytest_page` from the plugin; do not edit this page.
[The tutorial](tutorial-fleet-tool.md) introduces it, [service.md](service.md#time) has the clocks.

pytest finds the fixtures once kraftsim is installed. A blocking test takes `kraft_sync`:

```python
import pytest


@pytest.mark.kraft(brokers=4)
def test_a_killed_broker_is_fenced(kraft_sync):
    kraft_sync.brokers.kill(2)
    kraft_sync.wait(broker=2, state="fenced")
```
"""
FIXTURES = "\n## Fixtures\n"
MARKER = """
## The marker

`@pytest.mark.kraft(...)` may stand at a function, a class or a module (`pytestmark`); the nearest
marker has precedence. An unknown argument fails the test and names the nearest one.

| argument | default | meaning |
|---|---|---|"""
PROCESS = f"""
`kraft_proc` takes `seed`, {", ".join(f"`{name}`" for name in OPTIONS)}.
It refuses the others, unless the test has a cluster in its own process too.
"""
OPTIONS_TITLE = "\n## Options of pytest\n"
REST = """
## Share a cluster

With `scope="module"` or `scope="session"` the tests whose markers describe the same cluster share
it; it is reset before each of them, and a late call of an earlier test is refused. Asynchronous
tests must share an event loop too:

```python
import pytest

pytestmark = [pytest.mark.kraft(scope="module"), pytest.mark.asyncio(loop_scope="module")]


async def test_a_topic_is_created(kraft):
    await kraft.topics.create("orders")


async def test_another_test_does_not_see_it(kraft):
    assert await kraft.topics.list() == []
```

## What fails a test

A test that passes by itself fails nevertheless if

- a property was broken that Kafka always keeps (S1 to S30): of the quorum, its log, registrations,
  leases, partitions or replies. It is watched in `kraft`, `kraft_sync` and `kraft_factory`, from
  the start or reset of the cluster on, until it goes back to a snapshot;
- a fault of `kraft_faults` had no effect (`kraft_faults.add(action=..., ...)` affects one request
  unless `count` is given; with the words of a scenario file it affects all);
- it left connections or tasks behind.

`may_break`, `may_miss` and `may_leak` in the marker allow that. This test expects its own fault to
have no effect:

```python
def test_a_tool_unregisters_no_broker(kraft_sync, kraft_faults):
    unregistered = kraft_faults.add(api="UnregisterBroker", action="drop", may_miss=True)
    kraft_sync.clock.advance("1m")
    assert unregistered.hits == 0
```

The report of a failed test has a section `kraftsim`: seed, time, last events and faults with their
hits of each cluster, broken properties, and the command that repeats the test with its seed.

`--kraft-explore=200` runs a test with 200 seeds. If a seed fails after the test has added faults,
the test is run again with that seed while faults are left out, at most some thirty times. The
section then names the faults that the failure needs, and the command that repeats exactly that:

```
shrunk: needs 1 of 3 faults: 2: rpc.drop: {count: -1, api: BrokerHeartbeat, broker: 2}
repeat: pytest 'test_tool.py::test_fence[seed 5]' --kraft-explore=1 --kraft-seed=5 --kraft-faults=2
```

A fault that is left out has no hits, and `wait` of its handle returns at once.

## Runners

| runner | fixtures |
|---|---|
| pytest alone | `kraft_sync`, `kraft_proc` |
| pytest-asyncio 1.1 or later, strict and auto | all; `kraft` runs on the loop of the test |
| anyio on asyncio | all; a cluster of a session needs the fixture `anyio_backend` with that scope |
| anyio on trio | `kraft_sync` in a thread, `kraft_proc`; `kraft` and `kraft_factory` are refused |
| `unittest.TestCase`, `IsolatedAsyncioTestCase` | `kraft_sync`, `kraft_proc`, as below |
| pytest-xdist | all; every process has clusters of its own, and the same verdicts |

```python
from unittest import TestCase

import pytest


@pytest.mark.kraft(brokers=2)
class FencingTest(TestCase):
    @pytest.fixture(autouse=True)
    def cluster(self, kraft_sync):
        self.kraft = kraft_sync

    def test_a_restarted_broker_is_unfenced(self):
        self.kraft.brokers.restart(2)
        self.kraft.wait(broker=2, state="unfenced")
```

## Types

`kraft` is a `kraftsim.Cluster`. `kraft_sync` is a `kraftsim.BlockingCluster`, which has the methods
of `Cluster` without `await`:

```python
from kraftsim import BlockingCluster


def test_an_unfenced_broker_is_registered(kraft_sync: BlockingCluster) -> None:
    assert {"registered", "unfenced"} <= kraft_sync.brokers.states_of(1)
```

Without fixtures, as in `unittest`, a script or a notebook, `with BlockingCluster(brokers=3) as
kraft:` starts such a cluster and ends it with the block.
"""
# What no option of `kraftsim up` describes in the words of Python.
TEXTS = {
    "racks": "racks of the brokers, in turn",
    "log_dirs": "log directories of each broker",
    "retention_bytes": "bytes of messages that the brokers hold in all; then the oldest make room",
    "profiles": 'profiles of nodes of another release by id, such as `{3002: "kafka-4.3"}`',
    "settings": 'Kafka settings of the nodes, such as `{"broker.session.timeout.ms": 5000}`',
    "token": "bearer token of the HTTP service",
}


def render() -> str:
    """Returns the page."""
    lines = [INTRODUCTION, FIXTURES.lstrip("\n"), *_fixtures(), MARKER, *_arguments(), PROCESS]
    return "\n".join([*lines, OPTIONS_TITLE.lstrip("\n"), *_options()]) + "\n" + REST


def _fixtures() -> Iterator[str]:
    """Yields each public fixture with its docstring."""
    tree = ast.parse(Path(pytest_plugin.__file__).read_text("utf-8"))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            is_fixture = any("fixture" in ast.unparse(each) for each in node.decorator_list)
            if is_fixture and not node.name.startswith("_"):
                text = " ".join((ast.get_docstring(node) or "").split())
                yield f"- `{node.name}`: {text}"


def _arguments() -> Iterator[str]:
    """Yields a row for each argument of the marker: those of the plugin, and of `Cluster`."""
    for name, (default, text) in OF_THE_PLUGIN.items():
        yield f"| `{name}` | `{default!r}` | {text} |"
    helps = dict(_helps())
    for name, parameter in signature(Cluster).parameters.items():
        text = TEXTS.get(name) or helps[name]
        yield f"| `{name}` | `{_default(name, parameter)}` | {text} |"


def _default(name: str, parameter: Parameter) -> str:
    return repr(DEFAULTS.get(name, parameter.default))


def _helps() -> Iterator[tuple[str, str]]:
    """Yields the arguments of `Cluster` that `kraftsim up` has as options, and their texts."""
    (verbs,) = (
        action
        for action in build_parser()._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    for action in verbs.choices["up"]._actions:
        text = (action.help or "").partition(" (default")[0]
        yield action.dest, sub(", default [^)]*", "", text).replace("|", "or")


class _Options:
    """Takes the place of pytest's parser, and of its group."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def getgroup(self, *_: str) -> "_Options":
        return self

    def addoption(self, name: str, *, help: str, metavar: str = "", **_: Any) -> None:
        self.lines.append(f"- `{f'{name} {metavar}'.strip()}`: {help}")


def _options() -> list[str]:
    options: Any = _Options()
    pytest_plugin.pytest_addoption(options)
    lines: list[str] = options.lines
    return lines


if __name__ == "__main__":
    PAGE.write_text(render(), "utf-8")
