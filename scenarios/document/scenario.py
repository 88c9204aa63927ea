"""A scenario: its cluster, its steps and its claims.

A plan (a scenario expanded for one seed) has the same types: every amount is drawn, and chaos is
replaced by steps. Only selectors are still evaluated during the run.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated

from kraftsim.controller.core.profile import DEFAULT_PROFILE, PROFILES
from kraftsim.simulation.own_process import check_name

from ..claims import Expect
from ..language.amounts import Amount
from ..language.constraints import Bare, OneOf
from ..language.reading import Path, Problem, expect_keys, read, words_of
from ..language.schema import Schema, SchemaOf
from ..language.selectors import Selector
from ..language.spelling import as_written
from .calm import Calm
from .caption import Caption
from .cluster_shape import ClusterShape
from .network_shape import NetworkShape
from .own_node import OwnNode
from .step import Step
from .swarm import Chaos
from .sweep import Sweep, cells, values_of

SCHEMA = "kraftsim/scenario/1"
EVERYTHING, MIXED, MESSAGES = "everything", "mixed", "messages"
DRAWS = ("", EVERYTHING, MIXED, MESSAGES)
_FIVE_SECONDS, _HALF_A_MINUTE = Amount(fixed_us=5_000_000), Amount(fixed_us=30_000_000)
_MINUTE, _HOUR = Amount(fixed_us=60_000_000), Amount(fixed_us=3_600_000_000)
_A_CORE = Calm()


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """The durations of a run's phases.

    `warmup` begins once every broker is unfenced. `run` follows; `at` of a step counts from its
    begin. `calm` begins when the nodes of the `calm:` block are healed. `limit` bounds the
    virtual time of all phases.
    """

    warmup: Amount = _FIVE_SECONDS
    run: Amount = _MINUTE
    calm: Amount = _HALF_A_MINUTE
    limit: Amount = _HOUR


@dataclass(frozen=True, slots=True)
class Binding:
    """The nodes that a `$name` of `let` stands for, selected when the run begins."""

    nodes: Selector

    @staticmethod
    def from_document(value: object, path: Path) -> "Binding":
        """Reads the selector of the nodes."""
        return Binding(Selector.from_document(value, path))

    @staticmethod
    def to_schema(of: SchemaOf) -> Schema:
        """Returns the schema of a selector."""
        return of(Selector)

    def to_document(self) -> object:
        """Returns the document from which `from_document` reads an equal value."""
        return self.nodes.to_document()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """A seed whose run must not change.

    `digest` is the digest of the run, and `plan` the file of the seed's plan, beside the
    scenario file. In a sweep, `cell` names the values of one cell (`[pause=9s]`).
    """

    seed: int
    digest: str = ""
    plan: str = ""
    cell: Annotated[tuple[str, ...], Bare()] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A scenario file: the cluster, the steps that change it, and the claims.

    With `draw: everything` each seed draws its own release, cluster, configuration, network, steps
    and calm, which the file then leaves out. With `draw: mixed` it draws a release for each node
    too, and upgrades of controllers; with `draw: messages` clients that write to topics. `nodes`
    run code of your own, by name.
    """

    schema: Annotated[str, OneOf((SCHEMA,))]
    name: str
    claim: str
    cluster: ClusterShape = field(default_factory=ClusterShape)
    title: str = ""
    tags: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()
    profile: Annotated[str, OneOf(tuple(PROFILES))] = DEFAULT_PROFILE.name
    time: Times = Times()
    config: Mapping[str, object] = field(default_factory=dict)
    network: NetworkShape = field(default_factory=NetworkShape)
    nodes: Mapping[str, OwnNode] = field(default_factory=dict)
    let: Mapping[str, Binding] = field(default_factory=dict)
    sweep: Sweep = field(default_factory=dict)
    include: Annotated[tuple[str, ...], Bare()] = ()
    do: tuple[Step, ...] = ()
    chaos: Chaos | None = None
    draw: Annotated[str, OneOf(DRAWS)] = ""
    calm: Calm = _A_CORE
    expect: Expect = field(default_factory=Expect)
    smoke: Mapping[str, object] = field(default_factory=dict)
    mutants: tuple[str, ...] = ()
    pins: tuple[Pin, ...] = ()
    lesson: tuple[Caption, ...] = ()

    @property
    def cell(self) -> tuple[str, ...]:
        """The sweep values of this scenario, as in `pause=9s`; empty without a sweep."""
        return values_of(self.sweep)

    @property
    def own_pins(self) -> tuple[Pin, ...]:
        """The pins that apply to this scenario: of its cell, and without a cell."""
        return tuple(pin for pin in self.pins if pin.cell in ((), self.cell))


def read_cells(document: object) -> tuple[Scenario, ...]:
    """Reads a document and returns its scenarios: one, or one for each cell of its sweep.

    Raises Problem for a mistake, with its position in the document.
    """
    return tuple(_read_cell(cell) for cell in cells(document))


def read_scenario(document: object) -> Scenario:
    """Reads a document that stands for one scenario; raises Problem if it has several cells."""
    found = read_cells(document)
    if len(found) > 1:
        message = f"expected a sweep with one cell, got {len(found)} cells: choose one with --cell"
        raise Problem(("sweep",), message)
    return found[0]


def _read_cell(words: Mapping[str, object]) -> Scenario:
    try:
        return _read(words)
    except Problem as problem:
        if "sweep" not in words:
            raise
        cell = as_written(words["sweep"])
        raise Problem(problem.path, f"{problem.what} (in the cell {cell} of the sweep)") from None


def _read(words: Mapping[str, object]) -> Scenario:
    expect_keys(words, tuple(words_of(Scenario)), ())
    if "schema" not in words:
        raise Problem(("schema",), f"expected {SCHEMA!r}, got no schema")
    scenario: Scenario = read(Scenario, words)
    if scenario.include:
        raise Problem(
            ("include",), "expected no include, because this scenario does not come from a file"
        )
    _expect_ids_apart(scenario.do)
    _expect_names_of_hosts(scenario.nodes)
    return scenario


def _expect_names_of_hosts(nodes: Iterable[str]) -> None:
    """Raises Problem for a node whose name no host can have."""
    for name in nodes:
        try:
            check_name(name)
        except ValueError as error:
            raise Problem(("nodes", name), str(error)) from None


def _expect_ids_apart(steps: tuple[Step, ...]) -> None:
    """Raises Problem if two steps have the same id, because reports name steps by their ids."""
    ids: set[str] = set()
    for number, step in enumerate(steps):
        if step.id in ids:
            message = f"expected an id that no other step has, got {step.id!r}"
            raise Problem(("do", number, "id"), message)
        ids |= {step.id} if step.id else set()
