"""A scenario: who is there, what is done to them, and what is claimed (design 4.5).

The same types before and after expansion: an expanded scenario has every amount drawn, every swarm
written out as steps, and nothing left to chance but what selectors find while it runs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from kraftsim.controller.core.profile import PROFILES

from .amounts import Amount
from .calm import Calm
from .claims import Expect
from .cluster_shape import ClusterShape
from .constraints import OneOf
from .network_shape import NetworkShape
from .reading import Path, Problem, expect_keys, mapping, read, words_of
from .selectors import Selector
from .step import Step
from .swarm import Chaos

SCHEMA = "kraftsim/scenario/1"
_FIVE_SECONDS, _HALF_A_MINUTE = Amount(fixed_us=5_000_000), Amount(fixed_us=30_000_000)
_MINUTE, _HOUR = Amount(fixed_us=60_000_000), Amount(fixed_us=3_600_000_000)
_A_CORE = Calm()


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """`warmup` begins once every broker is unfenced; `at` counts from the begin of `run`; `calm`
    begins with the core healed (`Calm`); `limit` bounds all of it."""

    warmup: Amount = _FIVE_SECONDS
    run: Amount = _MINUTE
    calm: Amount = _HALF_A_MINUTE
    limit: Amount = _HOUR


@dataclass(frozen=True, slots=True)
class Binding:
    """What `$name` means: nodes, drawn when the run begins, or an amount."""

    nodes: Selector

    @staticmethod
    def from_document(value: object, path: Path) -> "Binding":
        return Binding(Selector.from_document(value, path))

    def to_document(self) -> object:
        return self.nodes.to_document()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """A seed whose run is known: `digest` is what it gave when it was pinned, `plan` the file that
    has its plan, beside this one (`drift.py`)."""

    seed: int
    digest: str = ""
    plan: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caption:
    """Said in the story after the first event of the kind `on`; what is said of a fault stands at
    its step."""

    say: str
    on: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    schema: Annotated[str, OneOf((SCHEMA,))]
    name: str
    claim: str
    cluster: ClusterShape = field(default_factory=ClusterShape)
    title: str = ""
    tags: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()
    profile: Annotated[str, OneOf(tuple(PROFILES))] = "kafka-4.3"
    time: Times = Times()
    config: Mapping[str, object] = field(default_factory=dict)
    network: NetworkShape = field(default_factory=NetworkShape)
    let: Mapping[str, Binding] = field(default_factory=dict)
    do: tuple[Step, ...] = ()
    chaos: Chaos | None = None
    calm: Calm = _A_CORE
    expect: Expect = field(default_factory=Expect)
    smoke: Mapping[str, object] = field(default_factory=dict)
    mutants: tuple[str, ...] = ()
    pins: tuple[Pin, ...] = ()
    lesson: tuple[Caption, ...] = ()


def read_scenario(document: object) -> Scenario:
    """Problem names the place in the document, and the nearest word that would be known there."""
    words = mapping(document, ())
    expect_keys(words, tuple(words_of(Scenario)), ())
    if "schema" not in words:
        raise Problem(("schema",), f"expected {SCHEMA!r}, got nothing")
    scenario: Scenario = read(Scenario, words)
    _expect_ids_apart(scenario.do)
    return scenario


def _expect_ids_apart(steps: tuple[Step, ...]) -> None:
    """By its id a step is known in what is told of it: two of one id would be told as one."""
    seen: set[str] = set()
    for number, step in enumerate(steps):
        if step.id in seen:
            what = f"expected an id of its own, got {step.id!r}, which another step has"
            raise Problem(("do", number, "id"), what)
        seen |= {step.id} if step.id else set()
