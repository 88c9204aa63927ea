"""A sequence of requests; `files.py` reads and writes it.

A request's body is JSON with Kafka's field names. An object with one key that begins with "$" is a
symbol (`symbols.py`): each side resolves it from its own history, because epochs and topic ids
differ between two controllers that behave alike.
"""

from dataclasses import dataclass, replace
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
