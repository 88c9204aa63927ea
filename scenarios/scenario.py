"""A scenario: who is there, what is done to them, and what is claimed (design 4.5).

The same types before and after expansion: an expanded scenario has every amount drawn, every swarm
written out as steps, and nothing left to chance but what selectors find while it runs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kraftsim.controller.core.profile import PROFILES

from .amounts import Amount
from .calm import Calm
from .conditions import Condition
from .reading import Path, Problem, document_of, expect_keys, mapping, read, within
from .selectors import Selector
from .swarm import Chaos
from .verbs import VERBS, Verb
from .words import nearest

SCHEMA = "kraftsim/scenario/1"
TRIGGERS = ("at", "after", "every", "when")
CONTROLLERS_MAX, BROKERS_MAX = 9, 2999  # more voters than anybody runs; ids below theirs
PARTITIONS_MAX = 10_000  # of one topic: as many records as Kafka takes in one operation
TIMES_MAX = 10_000  # of one step: what comes more often is a fault that lasts
STEP_WORDS = (*TRIGGERS, "until", "times", "id", "say")


_FIVE_SECONDS, _HALF_A_MINUTE = Amount(fixed_us=5_000_000), Amount(fixed_us=30_000_000)
_MINUTE, _HOUR = Amount(fixed_us=60_000_000), Amount(fixed_us=3_600_000_000)
_A_CORE = Calm()
_HALF_A_MS, _FIVE_MS = Amount(fixed_us=500), Amount(fixed_us=5_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicShape:
    partitions: int = 1
    replication: int = 3

    def __post_init__(self) -> None:
        within("partitions", self.partitions, 1, PARTITIONS_MAX)
        within("replication", self.replication, 1, BROKERS_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterShape:
    """Ids run from 3000 and from 1; racks are given out in turn. `metadata_version` is what the
    cluster begins with; None: the newest that its release knows."""

    controllers: int = 3
    brokers: int = 3
    racks: tuple[str, ...] = ()
    topics: Mapping[str, TopicShape] = field(default_factory=dict)
    metadata_version: int | None = None

    def __post_init__(self) -> None:
        within("controllers", self.controllers, 1, CONTROLLERS_MAX)
        within("brokers", self.brokers, 1, BROKERS_MAX)


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """`warmup` begins once every broker is unfenced; `at` counts from the begin of `run`; `calm`
    begins with the core healed (`Calm`); `limit` bounds all of it."""

    warmup: Amount = _FIVE_SECONDS
    run: Amount = _MINUTE
    calm: Amount = _HALF_A_MINUTE
    limit: Amount = _HOUR


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkShape:
    """One message takes `low` to `high`, evenly; `loss` is the part that is lost."""

    low: Amount = _HALF_A_MS
    high: Amount = _FIVE_MS
    loss: float = 0.0

    def __post_init__(self) -> None:
        within("loss", self.loss, 0, 1)


@dataclass(frozen=True, slots=True)
class Step:
    """One trigger, one verb. `at` is a time of the run, `after` counts from the step before,
    `every` repeats until `until` or so many `times`, `when` waits for a condition."""

    verb: Verb
    word: str
    trigger: str
    amount: Amount | None = None
    when: Condition | None = None
    until: Amount | None = None
    times: int | None = None
    id: str = ""
    say: str = ""

    @staticmethod
    def from_document(value: object, path: Path) -> "Step":
        words = mapping(value, path)
        verbs = [one for one in words if one not in STEP_WORDS]
        triggers = [one for one in words if one in TRIGGERS]
        if len(verbs) != 1 or verbs[0] not in VERBS:
            wrong = next((one for one in verbs if one not in VERBS), None)
            if wrong is not None:
                raise Problem(
                    (*path, wrong), f"unknown word {wrong!r}: expected {nearest(wrong, VERBS)}"
                )
            raise Problem(path, f"expected one verb, got {', '.join(verbs) or 'none'}")
        if len(triggers) != 1:
            raise Problem(path, f"expected one of {', '.join(TRIGGERS)}, got {triggers}")
        (word,), (trigger,) = verbs, triggers
        is_when = trigger == "when"
        return Step(
            verb=read(VERBS[word], words[word] or {}, (*path, word)),
            word=word,
            trigger=trigger,
            amount=None if is_when else read(Amount, words[trigger], (*path, trigger)),
            when=read(Condition, words["when"], (*path, "when")) if is_when else None,
            until=read(Amount, words["until"], (*path, "until")) if "until" in words else None,
            times=_times(words.get("times"), (*path, "times")),
            id=read(str, words.get("id", ""), (*path, "id")),
            say=read(str, words.get("say", ""), (*path, "say")),
        )

    def to_document(self) -> object:
        document: dict[str, object] = {}
        if self.when is not None:
            document["when"] = self.when.to_document()
        elif self.amount is not None:
            document[self.trigger] = self.amount.to_document()
        for word in ("until", "times", "id", "say"):
            if getattr(self, word):
                document[word] = document_of(getattr(self, word))
        return document | {self.word: document_of(self.verb)}


def _times(value: object, path: Path) -> int | None:
    times: int | None = read(int | None, value, path)
    if times is not None and not 1 <= times <= TIMES_MAX:
        raise Problem(path, f"expected 1 to {TIMES_MAX} times, got {times}")
    return times


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
class LeadsTo:
    """Whenever `if` begins to hold, `then` holds at some time within `within`."""

    if_: Condition
    then: Condition
    within: Amount


@dataclass(frozen=True, slots=True, kw_only=True)
class Expect:
    """`always`: names of properties, or all that hold in the profile; `never`: conditions that must
    not come about; `sometimes`: ones that must; `calm`: what holds at the end; `fails_with`: the
    property that this scenario is known to break."""

    always: tuple[str, ...] = ("all",)
    never: tuple[Condition, ...] = ()
    sometimes: tuple[Condition, ...] = ()
    leads_to: tuple[LeadsTo, ...] = ()
    calm: tuple[Condition, ...] = ()
    fails_with: str | None = None


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
    schema: str
    name: str
    claim: str
    cluster: ClusterShape = ClusterShape()
    title: str = ""
    tags: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()
    profile: str = "kafka-4.3"
    time: Times = Times()
    config: Mapping[str, object] = field(default_factory=dict)
    network: NetworkShape = NetworkShape()
    let: Mapping[str, Binding] = field(default_factory=dict)
    do: tuple[Step, ...] = ()
    chaos: Chaos | None = None
    calm: Calm = _A_CORE
    expect: Expect = Expect()
    smoke: Mapping[str, object] = field(default_factory=dict)
    mutants: tuple[str, ...] = ()
    pins: tuple[Pin, ...] = ()
    lesson: tuple[Caption, ...] = ()


def read_scenario(document: object) -> Scenario:
    """Problem names the place in the document, and the nearest word that would be known there."""
    words = mapping(document, ())
    expect_keys(words, tuple(Scenario.__dataclass_fields__), ())
    if words.get("schema") != SCHEMA:
        raise Problem(("schema",), f"expected {SCHEMA!r}, got {words.get('schema')!r}")
    scenario: Scenario = read(Scenario, _listed(words))
    if scenario.profile not in PROFILES:
        what = f"expected {nearest(scenario.profile, PROFILES)}, got {scenario.profile!r}"
        raise Problem(("profile",), what)
    return scenario


def _listed(words: Mapping[str, object]) -> Mapping[str, object]:
    """`always: all` is the list of one word."""
    expect = words.get("expect")
    if isinstance(expect, Mapping) and isinstance(expect.get("always"), str):
        return {**words, "expect": {**expect, "always": [expect["always"]]}}
    return words
