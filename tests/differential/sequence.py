"""A sequence of requests, and the file that holds one.

A request's body is JSON with Kafka's field names. An object with one key that begins with "$" is a
symbol (`symbols.py`): each side resolves it from its own history, because epochs and topic ids
differ between two controllers that behave alike.
"""

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from tests.differential.settings import USUAL, Start

Body = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ask:
    """One request, `api` by its name without "Request": "BrokerHeartbeat"."""

    api: str
    version: int
    body: Body

    def to_json(self) -> Body:
        return {"api": self.api, "version": self.version, "body": self.body}


@dataclass(frozen=True, slots=True)
class Silence:
    """Time passes, in seconds; only the brokers of `heartbeats` go on sending heartbeats. Each of
    `farewells` sends a last one, some time after the other, and wants to be fenced or not."""

    seconds: float
    heartbeats: tuple[int, ...] = ()
    farewells: tuple[tuple[int, bool], ...] = ()

    def to_json(self) -> Body:
        farewells = [list(farewell) for farewell in self.farewells]
        silence = {"seconds": self.seconds, "heartbeats": list(self.heartbeats)}
        return {"silence": silence | {"farewells": farewells}}


Step = Ask | Silence


@dataclass(frozen=True, slots=True)
class Sequence:
    """`cleanup` takes away what the steps made, and is compared too. `start` is the state of both
    sides before the first step."""

    name: str
    steps: tuple[Step, ...]
    cleanup: tuple[Step, ...] = ()
    start: Start = USUAL

    @property
    def every_step(self) -> tuple[Step, ...]:
        return self.steps + self.cleanup

    def with_steps(self, steps: tuple[Step, ...]) -> "Sequence":
        return replace(self, steps=steps)


def write(sequence: Sequence, path: Path, **about: object) -> None:
    document = {
        "name": sequence.name,
        **about,
        **asdict(sequence.start),
        "steps": [step.to_json() for step in sequence.steps],
        "cleanup": [step.to_json() for step in sequence.cleanup],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=1) + "\n", "utf-8")


def read(path: Path) -> Sequence:
    document = json.loads(path.read_text("utf-8"))
    return Sequence(
        name=document["name"],
        steps=tuple(_step(step) for step in document["steps"]),
        cleanup=tuple(_step(step) for step in document["cleanup"]),
        start=Start.of(document),
    )


def _step(document: Body) -> Step:
    if "silence" in document:
        silence = document["silence"]
        farewells = tuple((broker_id, want_fence) for broker_id, want_fence in silence["farewells"])
        return Silence(silence["seconds"], tuple(silence["heartbeats"]), farewells)
    return Ask(document["api"], document["version"], document["body"])
