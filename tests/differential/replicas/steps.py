"""What a sequence does to its topic, which has one partition; `to_json` and `of_json` are its file.

Sequences that are judged side by side have the same faults at the same places.
"""

from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Write:
    """A Produce request of one batch, to the leader."""

    acks: int
    timeout_ms: int
    records: int

    def to_json(self) -> Json:
        return {"acks": self.acks, "timeoutMs": self.timeout_ms, "records": self.records}

    @classmethod
    def of_json(cls, document: Json) -> "Write":
        return cls(document["acks"], document["timeoutMs"], document["records"])


@dataclass(frozen=True, slots=True)
class Reassign:
    """`replicas` of None cancels."""

    replicas: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Elect:
    is_unclean: bool


@dataclass(frozen=True, slots=True)
class Configure:
    name: str
    value: str


Ask = Reassign | Elect | Configure


@dataclass(frozen=True, slots=True)
class Fault:
    """`paused` is stopped before the writes of the step; then come the acts, such as
    ("kill", 3), ("end", 1), ("start", 3), ("resume", 2)."""

    paused: int | None
    acts: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Step:
    """Requests of one topic, and a fault of the brokers that its writes see."""

    writes: tuple[Write, ...] = ()
    ask: Ask | None = None
    fault: Fault | None = None

    def to_json(self) -> Json:
        found: Json = {}
        match self.ask:
            case Reassign(replicas):
                found["reassign"] = None if replicas is None else list(replicas)
            case Elect(is_unclean):
                found["elect"] = "unclean" if is_unclean else "preferred"
            case Configure(name, value):
                found["configure"] = {name: value}
        if self.fault is not None:
            found["fault"] = {
                "paused": self.fault.paused,
                "acts": [list(a) for a in self.fault.acts],
            }
        if self.writes:
            found["writes"] = [write.to_json() for write in self.writes]
        return found

    @classmethod
    def of_json(cls, document: Json) -> "Step":
        return cls(
            tuple(Write.of_json(write) for write in document.get("writes", ())),
            _ask_of(document),
            _fault_of(document),
        )


def _ask_of(document: Json) -> Ask | None:
    if "reassign" in document:
        replicas = document["reassign"]
        return Reassign(None if replicas is None else tuple(replicas))
    if "elect" in document:
        return Elect(document["elect"] == "unclean")
    if "configure" in document:
        ((name, value),) = document["configure"].items()
        return Configure(name, value)
    return None


def _fault_of(document: Json) -> Fault | None:
    if "fault" not in document:
        return None
    fault = document["fault"]
    return Fault(fault["paused"], tuple((verb, broker) for verb, broker in fault["acts"]))


@dataclass(frozen=True, slots=True)
class Sequence:
    """A topic with its replicas and configurations, and what happens to it."""

    name: str
    replicas: tuple[int, ...]
    configs: tuple[tuple[str, str], ...]
    steps: tuple[Step, ...]

    def to_json(self) -> Json:
        return {
            "name": self.name,
            "replicas": list(self.replicas),
            "configs": dict(self.configs),
            "steps": [step.to_json() for step in self.steps],
        }

    @classmethod
    def of_json(cls, document: Json) -> "Sequence":
        return cls(
            document["name"],
            tuple(document["replicas"]),
            tuple(document["configs"].items()),
            tuple(Step.of_json(step) for step in document["steps"]),
        )
