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

pytest finds the fixtures once kraftsim is installed.

## Blocking code

`kraft_sync` has a cluster whose time stands until the test, or a client, waits for it:

```python
import pytest


@pytest.mark.kraft(brokers=4)
def test_a_killed_broker_is_fenced(kraft_sync):
    kraft_sync.brokers.kill(2)
    kraft_sync.wait(broker=2, state="fenced")
```

Clients and tools in any language connect to `kraft_sync.bootstrap_servers`. A request that needs
time, and one that a client repeats because of its error, let time pass:

```python
import pytest
from kafka import KafkaAdminClient
from kafka.admin import NewTopic


@pytest.mark.kraft(controllers=3)
def test_a_topic_is_created_although_the_leader_was_killed(kraft_sync):
    admin = KafkaAdminClient(bootstrap_servers=kraft_sync.bootstrap_servers)
    kraft_sync.controllers.kill(kraft_sync.quorum.leader()["leaderId"])
    admin.create_topics([NewTopic("orders", 6, 3)])  # returns once another controller leads
    assert kraft_sync.topics.describe("orders")["topicId"]
    admin.close()
```

## Asynchronous code

With `loop="simulated"` the test, its client and the cluster share one virtual time. An hour takes
seconds, and one seed repeats everything ([simulated-loop.md](simulated-loop.md)):

```python
import asyncio

import pytest
from aiokafka import AIOKafkaProducer


@pytest.mark.asyncio
@pytest.mark.kraft(loop="simulated", seed=7)
async def test_a_producer_survives_a_failover(kraft):
    await kraft.topics.create("orders", partitions=1, replication_factor=3)
    async with AIOKafkaProducer(bootstrap_servers=kraft.bootstrap_servers) as producer:
        await producer.send_and_wait("orders", b"first")
        (partition,) = (await kraft.topics.describe("orders"))["partitions"]
        await kraft.brokers.kill(partition["leader"])
        await asyncio.sleep(3600)
        assert (await producer.send_and_wait("orders", b"second")).offset == 1
```

## A tool that sleeps by itself

Within `kraft_sync.patch_sleep()`, `time.sleep` of the process lets the time of the cluster pass.
[sleeping-tools.md](sleeping-tools.md) has tools in processes of their own:

```python
import time

import pytest
from kafka import KafkaAdminClient


def is_fenced(servers, broker_id, limit_s):  # the tool: it looks each second, until its time-out
    admin = KafkaAdminClient(bootstrap_servers=servers)
    end_s = time.monotonic() + limit_s
    try:
        while time.monotonic() < end_s:
            brokers = admin.describe_cluster()["brokers"]
            if any(b["broker_id"] == broker_id and b["is_fenced"] for b in brokers):
                return True
            time.sleep(1)
        return False
    finally:
        admin.close()


@pytest.fixture
def sleeping(kraft_sync):
    with kraft_sync.patch_sleep():
        yield kraft_sync


def test_the_tool_sees_that_a_broker_is_fenced(sleeping, kraft_faults):
    kraft_faults.add(api="BrokerHeartbeat", broker=2, action="drop", count=-1)
    assert is_fenced(sleeping.bootstrap_servers, 2, limit_s=60)
    assert not is_fenced(sleeping.bootstrap_servers, 3, limit_s=60)
```

## What repeats

| | `loop="simulated"` | the clock `auto` of `kraft_sync` and `kraft_proc` |
|---|---|---|
"""
REPEATS = (
    ("code under test", "asyncio code of the test's process", "any language, any process"),
    (
        "connections",
        "of the simulated network: `net.*` faults cut and delay them",
        "real sockets: faults of requests (`rpc.*`) act on what is sent",
    ),
    (
        "time stops",
        "at the earliest timer of anybody: cluster, client, test",
        "where the test waits, or a client: for a response, or by repeating an error",
    ),
    (
        "time-outs of a client",
        "in virtual time",
        "in real time; within `patch_sleep()` by what it slept",
    ),
    (
        "one seed repeats",
        "the cluster, the messages, and each step of the code under test",
        "what the cluster draws (ids, placements, elections), not when a request arrives",
    ),
    (
        "a poll without a sleep or an error",
        "time creeps on",
        "time stands still: `clock.advance`, or the clock `skipping`",
    ),
    (
        "threads, subprocesses, blocking calls",
        "`asyncio.to_thread` works, what asyncio has of the others is refused",
        "work",
    ),
)
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
- the code of one of its nodes raised something (`node_failed`);
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

Halves of the faults are left out first. An equal failure of a further seed is only tried without
any fault. The end of the session shows equal failures once, the one with the fewest faults, and
counts:

```
test_it.py::test_it: 17 of 20 seeds fail; 17 need no fault; shortest: seed 5; pass: 4, 15, 19
```

## Chaos

`chaos=True` in the marker lets random faults strike the cluster while the test runs: those that a
swarm of scenarios draws ([hunting.md](hunting.md)), from the seed of the test. The loop
`simulated` repeats the test with them ([simulated-loop.md](simulated-loop.md)), so a seed is a
whole history.

```python
import asyncio

import pytest


@pytest.mark.asyncio
@pytest.mark.kraft(brokers=4, controllers=3, loop="simulated", chaos=True, seed=7)
async def test_a_topic_survives_five_minutes(kraft):
    await kraft.topics.create("orders", partitions=3, replication_factor=3)
    await asyncio.sleep(300)
    await kraft.chaos.end()
    described = await kraft.topics.describe("orders")
    assert all(len(partition["isr"]) == 3 for partition in described["partitions"])
```

`await kraft.chaos.end()` ends every fault, starts every process that is down, also one that the
test has stopped, and waits until a controller leads, no registered broker is fenced and every ISR
is full. After `timeout` (two minutes of the cluster's time) it raises TimeoutError with what is
missing. Without a call, the faults go on until the end of the test.

`chaos={"verbs": ["net.*"], "budget": {"brokers": 2}}` narrows the faults. What acts, within which
bounds, and outside of pytest: [simulated-loop.md](simulated-loop.md#random-faults). The report of a
failure lists the faults with their times; `--kraft-faults=chaos-3,chaos-8` names random ones.

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
    repeats = "".join(f"| {' | '.join(row)} |\n" for row in REPEATS)
    lines = [
        INTRODUCTION + repeats,
        FIXTURES.lstrip("\n"),
        *_fixtures(),
        MARKER,
        *_arguments(),
        PROCESS,
    ]
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
