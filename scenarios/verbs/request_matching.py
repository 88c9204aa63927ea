"""Which requests a verb of rpc.* affects: words that all of them have."""

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, get_args

from kraftsim.controller.core.node_id import Kind, NodeId, broker_node, numbers_of
from kraftsim.controller.core.rpc import BrokerRegistrationRequest, Request
from kraftsim.controller.core.uuid import uuid_text
from kraftsim.simulation.requests.arrival import Arrival
from kraftsim.simulation.requests.rules import UNLIMITED, Concerns, RequestRule, When

from ..conditions.occurrences import MessageName
from ..language.amounts import Amount
from ..language.constraints import Bare, Between, OneOf
from ..language.reading import Path, Problem, read
from ..language.schema import SWEPT, Schema, SchemaOf, any_of
from ..language.selectors import Selector
from ..language.suggestions import nearest
from ..stage.stage import Effects, Stage, Undo
from .verb import Verb

REQUESTS_MAX = 1_000_000_000  # largest number of a request
KINDS = {kind.__name__.removesuffix("Request"): kind for kind in get_args(Request)}
EPOCHS = ("stale", "current", "future")
LISTENERS = {"broker": Kind.BROKER, "controller": Kind.CONTROLLER}
Names = Annotated[tuple[MessageName, ...], Bare()]
Listener = Annotated[str, OneOf(tuple(LISTENERS))]


@dataclass(frozen=True, slots=True)
class Epoch:
    """The broker epoch of a request: a number, or stale, current or future.

    The words compare it with the epoch of the broker's committed registration.
    """

    value: int | str

    @staticmethod
    def from_document(value: object, path: Path) -> "Epoch":
        """Reads a number or a word; raises Problem for anything else."""
        if isinstance(value, str) and value not in EPOCHS:
            raise Problem(path, f"expected a number or {nearest(value, EPOCHS)}, got {value!r}")
        if isinstance(value, bool) or not isinstance(value, int | str):
            raise Problem(path, f"expected a number or {', '.join(EPOCHS)}, got {value!r}")
        return Epoch(value)

    @staticmethod
    def to_schema(of: SchemaOf) -> Schema:
        """Returns the schema of both forms."""
        return any_of({"type": "integer"}, {"enum": list(EPOCHS)}, SWEPT)

    def to_document(self) -> object:
        """Returns the number or the word, as in the file."""
        return self.value

    def is_of(self, arrival: Arrival, stage: Stage) -> bool:
        """Returns True if the request has this epoch; a request without an epoch has none."""
        epoch = arrival.epoch
        if epoch is None or not isinstance(self.value, str):
            return epoch == self.value
        broker = stage.world.committed.brokers.get(arrival.broker_id)
        if broker is None:
            return False
        difference = epoch - broker.broker_epoch
        return EPOCHS[(difference > 0) - (difference < 0) + 1] == self.value


@dataclass(frozen=True, slots=True)
class Apis:
    """The APIs of requests: a name, a list of names, or an empty list for every API."""

    names: tuple[str, ...] = ()

    @staticmethod
    def from_document(value: object, path: Path) -> "Apis":
        """Reads a name or a list of names; raises Problem for an unknown name."""
        return Apis(read(Names, value, path))

    @staticmethod
    def to_schema(of: SchemaOf) -> Schema:
        """Returns the schema of both forms."""
        return of(Names)

    def to_document(self) -> object:
        """Returns the only name, or the list of names."""
        return self.names[0] if len(self.names) == 1 else list(self.names)


EVERY_API = Apis()


@dataclass(frozen=True, slots=True, kw_only=True)
class Requests(Verb):
    """Selects requests, and how many of them the fault affects.

    All words that are given must match. `broker` is the broker that sent the request or that it
    is about, or else the broker whose listener it reached; `controller` is the controller that
    it reached. `incarnation` is the incarnation id of a registration. `client_id` and
    `versions` match only requests that came over a socket. The fault skips the first `after`
    requests, then affects each `every`-th of them with probability `p`, until it has affected
    `count` (default -1: any number).
    """

    is_cause: ClassVar[bool] = True

    api: Apis = EVERY_API
    broker: Selector | None = None
    controller: Selector | None = None
    epoch: Epoch | None = None
    incarnation: str | None = None
    client_id: str | None = None
    listener: Listener | None = None
    versions: tuple[int, ...] = ()
    count: Annotated[int, Between(UNLIMITED, REQUESTS_MAX)] = UNLIMITED
    after: Annotated[int, Between(0, REQUESTS_MAX)] = 0
    every: Annotated[int, Between(1, REQUESTS_MAX)] = 1
    p: Annotated[float, Between(0, 1)] = 1.0
    for_: Amount | None = None

    def __post_init__(self) -> None:
        if self.count == 0:
            raise ValueError("expected a count of 1 or more, or -1 for any number, got 0")

    def rule(self, stage: Stage, fault_id: str, *of_rule: Any) -> RequestRule:
        """Returns the rule that carries out the fault; `of_rule` are arguments of every rule."""
        raise NotImplementedError(self.word)

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        brokers = None if self.broker is None else self._targets(stage, self.broker)
        concerns = self._concerns(stage)
        when = When(
            count=self.count,
            after=self.after,
            every=self.every,
            probability=self.p,
            stream=stage.stream(f"fault/{fault_id}"),
        )
        kinds = [KINDS[name] for name in self.api.names]
        named = None if brokers is None else frozenset(numbers_of(brokers))
        causes = stage.world.journal.causes
        begun = causes.doing

        def on_hit(arrival: Arrival) -> None:
            if self.is_cause and begun is not None and arrival.broker_id >= 0:
                causes.note_fault(begun, (broker_node(arrival.broker_id),))

        rule = self.rule(stage, fault_id, kinds, named, concerns, when, on_hit)
        rules = stage.world.request_rules
        rules.add(rule)
        return lambda: rule.hits, lambda: rules.remove(rule)

    def _concerns(self, stage: Stage) -> Concerns:
        """Returns a function that returns True if all words but `api` and `broker` match."""
        tests: list[Concerns] = []
        if self.controller is not None:
            tests.append(_reaches(frozenset(self._targets(stage, self.controller))))
        if self.epoch is not None:
            epoch = self.epoch
            tests.append(lambda arrival: epoch.is_of(arrival, stage))
        if self.incarnation is not None:
            tests.append(lambda arrival: _incarnation_of(arrival) == self.incarnation)
        if self.client_id is not None:
            tests.append(lambda arrival: arrival.client_id == self.client_id)
        if self.listener is not None:
            kind = LISTENERS[self.listener]
            tests.append(lambda arrival: arrival.receiver.kind is kind)
        if self.versions:
            tests.append(lambda arrival: arrival.version in self.versions)
        if len(tests) < 2:  # the usual cases cost no loop
            return tests[0] if tests else _any
        return lambda arrival: all(test(arrival) for test in tests)

    def _targets(self, stage: Stage, selector: Selector) -> tuple[NodeId, ...]:
        """Returns the nodes of the selector, which are targets of a fault that changes anything."""
        return stage.targets(selector) if self.is_cause else stage.nodes(selector)


def _incarnation_of(arrival: Arrival) -> str | None:
    request = arrival.request
    if isinstance(request, BrokerRegistrationRequest):
        return uuid_text(request.incarnation_id)
    return None


def _any(arrival: Arrival) -> bool:
    return True


def _reaches(controllers: frozenset[NodeId]) -> Concerns:
    return lambda arrival: arrival.receiver in controllers
