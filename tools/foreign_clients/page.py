"""Writes docs/clients.md: what foreign clients get for each of their calls.

`python -m tools.foreign_clients.page` writes the page from tests/interop/foreign/recorded, which
`python -m tests.interop.foreign.record` writes; tests/interop/test_foreign_clients.py runs the
clients, compares with the records, and fails if the page is stale.
"""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from textwrap import fill

from tools.foreign_clients.calls import (
    CONTROL_PLANE,
    DATA_PLANE,
    DIFFERENT_FROM_A_BROKER,
    FALSE_RESULTS,
    NEVER_ENDING,
    OLDEST,
    is_false_result,
)
from tools.foreign_clients.kgo import LONG, PASSING, WAITING

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "clients.md"
RECORDED = ROOT / "tests" / "interop" / "foreign" / "recorded"
BROKER = "released-4.3.1"
CLIENTS = (
    ("java-3.9.1", "Java 3.9.1"),
    ("java-4.1.1", "Java 4.1.1"),
    ("java-4.3.1", "Java 4.3.1"),
    ("franz-go", "franz-go kadm"),
    ("sarama", "Sarama"),
    ("kafka-go", "kafka-go"),
    ("kafkajs", "kafkajs"),
    ("kcat", "kcat"),
    ("confluent-kafka", "confluent-kafka"),
    ("kafka-python", "kafka-python"),
    ("aiokafka", "aiokafka"),
)
JAVA = ("java-3.9.1", "java-4.1.1", "java-4.3.1")  # their versions are in their titles
WIDTH = 100
RESULT, ERROR = "result", "error: "
FALSE, EXPLAINED = "(result)", " +"
SHORT_NAMES = {
    "CLUSTER_AUTHORIZATION_FAILED": "cluster authorization",
    "DELEGATION_TOKEN_REQUEST_NOT_ALLOWED": "token not allowed",
    "ELECTION_NOT_NEEDED": "election not needed",
    "POLICY_VIOLATION": "policy violation",
    "SECURITY_DISABLED": "security disabled",
    "TOPIC_AUTHORIZATION_FAILED": "topic authorization",
    "TRANSACTIONAL_ID_AUTHORIZATION_FAILED": "transactional id authorization",
}
INTRODUCTION = """\
# Foreign clients

Written by `python -m tools.foreign_clients.page` from what the suite records; do not edit it.

`tests/interop/test_foreign_clients.py` lets each client make each of its calls once to
`kraftsim up --profile kafka-4.3`. Each call must end in time, its outcome must be the recorded one,
and after a result the cluster itself must show the change: the topic exists, the configuration is
set, the replica is moved, the broker is unregistered. The suite also fails if a client has a method
that is neither called nor known to send no request of its own.

- **result**: the call succeeded, and the cluster shows it.
- A name is the error of Kafka that the client reports; *an error in italics* is the client's own.
- An empty cell: the client has no such method.

{versions}
"""
VERSIONS = """\
Versions: {versions}. They are pinned in `tests/interop/foreign` (`go/go.mod`,
`node/package-lock.json`, `toolchains.py`) and `requirements.txt`; a client whose toolchain is
missing is skipped.
"""
DATA_PLANE_INTRODUCTION = """\
kraftsim stores messages, but has no groups and no transactions, and refuses what needs them at once
([data-plane.md](data-plane.md)). Lists of groups and transactions are empty. With **+** the client
shows the text that kraftsim has neither; other replies have no room for it, or it is lost.
"""


FALSE_INTRODUCTION = f"""\
`{FALSE}` is false. With acks=0 a client never asks whether a message was written, so it reports
success also if the broker has refused it; kraftsim warns once, counts such requests in `/metrics`,
and `kraftsim doctor` shows them. Also:
"""
RETRIES = """\
- kafka-go's `Reader` and Sarama's `ConsumerGroup` report the refusal of a group after ten seconds,
  Sarama's transactional producer after five: they retry first. All other calls end within three.
"""
OLDEST_INTRODUCTION = """\
By hand, each library also wrote twenty records and read them by assignment in an old version, at
`kraftsim up --profile kafka-4.3` and at a released 4.3.1, with the same outcome but for the row of
Java. kafkajs reads in groups only, so that it reads nothing here; neither does
`kafka-verifiable-consumer`.
"""
BESIDE_A_BROKER = """\
The Java client 4.3.1 makes the same calls to a released cluster of 4.3.1 (a broker and a controller
in one process). Of the calls of the control plane, {same} have the same outcome there, refusals
included. {rest}
"""
KGO_INTRODUCTION = """\
franz-go tests its client against the brokers that the environment names. `make soak` compiles these
tests from the pinned module and runs them at three brokers of `kraftsim up`
(`tests/interop/test_kgo.py`); the gate leaves out the *long* ones. Of the tests of package kgo that
talk to a broker these pass, at a released 4.3.1 too:
"""
KGO_WAITING = "The others wait for what kraftsim does not have:\n"


@dataclass(frozen=True, slots=True)
class Recorded:
    """The outcomes of a client by call, and the calls whose refusal it explains."""

    version: str
    outcomes: Mapping[str, str]
    explained: Collection[str]


def recorded(name: str) -> Recorded:
    """Returns the record of a client."""
    document = json.loads((RECORDED / f"{name}.json").read_text("utf-8"))
    outcomes = {call: row["outcome"] for call, row in document["calls"].items()}
    explained = {call for call, row in document["calls"].items() if row.get("explained")}
    return Recorded(document["version"], outcomes, explained)


def render() -> str:
    """Returns the page."""
    records = {name: recorded(name) for name, _ in CLIENTS}
    named = (f"{title} {records[name].version}" for name, title in CLIENTS if name not in JAVA)
    versions = fill(VERSIONS.format(versions=", ".join(named)), WIDTH)
    parts = (
        _table("Control plane", "", CONTROL_PLANE, records),
        _table("Data plane", DATA_PLANE_INTRODUCTION, DATA_PLANE, records),
        _exceptions(),
        _oldest(),
        _beside_a_broker(records["java-4.3.1"]),
        _tests_of_kgo(),
    )
    return "\n".join([INTRODUCTION.format(versions=versions), *chain(*parts)]) + "\n"


def _table(
    title: str, text: str, calls: Sequence[str], records: Mapping[str, Recorded]
) -> Iterator[str]:
    yield f"## {title}\n"
    if text:
        yield text
    yield from _head("call", *(title for _, title in CLIENTS))
    for call in calls:
        yield _row([call, *(_cell(name, call, records[name]) for name, _ in CLIENTS)])
    yield ""


def _cell(name: str, call: str, record: Recorded) -> str:
    outcome = record.outcomes.get(call, "")
    if outcome == RESULT and is_false_result(name, call):
        return FALSE
    if outcome.startswith(ERROR):
        return f"*{outcome.removeprefix(ERROR).split(':')[0]}*"
    return SHORT_NAMES.get(outcome, outcome) + (EXPLAINED if call in record.explained else "")


def _exceptions() -> Iterator[str]:
    yield "## What cannot be helped\n"
    yield FALSE_INTRODUCTION
    for (name, call), reason in [*FALSE_RESULTS.items(), *NEVER_ENDING.items()]:
        yield f"- {dict(CLIENTS)[name]}, {call}: {reason}."
    yield RETRIES


def _oldest() -> Iterator[str]:
    yield "## Old versions\n"
    yield OLDEST_INTRODUCTION
    yield from _head("client", "version", "produce", "consume by assignment")
    yield from (_row(row) for row in OLDEST)
    yield ""


def _beside_a_broker(ours: Recorded) -> Iterator[str]:
    broker = recorded(BROKER)
    rows = [(call, ours.outcomes[call], broker.outcomes[call]) for call in ours.outcomes]
    same = sum(own == theirs for call, own, theirs in rows if call in CONTROL_PLANE)
    rest = "The rest:" if DIFFERENT_FROM_A_BROKER else "None differs."
    yield "## Beside a released broker\n"
    yield BESIDE_A_BROKER.format(same=same, rest=rest)
    if DIFFERENT_FROM_A_BROKER:
        yield from _head("call", "kraftsim", "released broker", "why")
        for call, own, theirs in rows:
            if call in DIFFERENT_FROM_A_BROKER:
                yield _row([call, own, theirs, DIFFERENT_FROM_A_BROKER[call]])
        yield ""
    yield "Calls of the data plane that a broker answers otherwise:\n"
    yield from _head("call", "kraftsim", "released broker")
    for call, own, theirs in rows:
        if call in DATA_PLANE and own != theirs:
            yield _row([call, own, theirs])


def _tests_of_kgo() -> Iterator[str]:
    yield "\n## franz-go's own tests\n"
    yield KGO_INTRODUCTION
    yield from _head("test", "at the broker", "")
    yield from (
        _row([name, does, "long" if name in LONG else ""]) for name, does in PASSING.items()
    )
    yield ""
    yield KGO_WAITING
    yield from _head("test", "needs")
    yield from (_row([name, needs]) for name, needs in WAITING.items())


def _head(*columns: str) -> Iterator[str]:
    yield _row(columns)
    yield "|" + "---|" * len(columns)


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    PAGE.write_text(render(), "utf-8")
    print(f"docs/{PAGE.name}: {len(CLIENTS)} clients")
