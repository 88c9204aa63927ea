"""Which requests a verb of rpc.* affects: words that all of them have."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Annotated, ClassVar

from kraftsim.controller.core.node_id import Kind, NodeId, broker_node, numbers_of
from kraftsim.controller.core.rpc import REQUESTS, BrokerRegistrationRequest
from kraftsim.controller.core.uuid import uuid_text
from kraftsim.controller.time.timeline import NEVER_US
from kraftsim.simulation.causes import Causes
from kraftsim.simulation.event_row import EventRow
from kraftsim.simulation.requests.aim import UNLIMITED, Aim, Condition, When
from kraftsim.simulation.requests.arrival import Arrival
from kraftsim.simulation.requests.hit_log import HitLog
from kraftsim.simulation.requests.rule import RequestRule

from ..language.amounts import Amount, in_order
from ..language.constraints import Between, OneOf
from ..language.selectors import Selector
from ..stage.stage import Effects, Stage, Undo
from .request_words import EVERY_API, Apis, Epoch
from .verb import Verb

REQUESTS_MAX = 1_000_000_000  # largest number of a request
KINDS = {kind.__name__.removesuffix("Request"): kind for kind in REQUESTS}
LISTENERS = {"broker": Kind.BROKER, "controller": Kind.CONTROLLER}
Listener = Annotated[str, OneOf(tuple(LISTENERS))]
REQUEST, REPLY = "request", "reply"
Direction = Annotated[str, OneOf((REQUEST, REPLY))]


@dataclass(frozen=True, slots=True, kw_only=True)
class Requests(Verb):
    """Selects requests, and how many of them the fault affects.

    All words that are given must match. `broker` is the broker that sent the request or that it
    is about, or else the broker whose listener it reached; `controller` is the controller that
    it reached. `incarnation` is the incarnation id of a registration. `client_id` and
    `versions` match only requests that came over a socket. `from` and `until` are times since
    the begin of the fault, from which on and before which it affects requests. It skips the first
    `after` of these requests, then affects each `every`-th of them with probability `p`, until it
    has affected `count` (default -1: any number). After the time `for` it ends.
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
    from_: Amount | None = None
    until: Amount | None = None
    count: Annotated[int, Between(UNLIMITED, REQUESTS_MAX)] = UNLIMITED
    after: Annotated[int, Between(0, REQUESTS_MAX)] = 0
    every: Annotated[int, Between(1, REQUESTS_MAX)] = 1
    p: Annotated[float, Between(0, 1)] = 1.0
    for_: Amount | None = None

    def __post_init__(self) -> None:
        if self.count == 0:
            raise ValueError("expected a count of 1 or more, or -1 for any number, got 0")
        if self.from_ is not None and self.until is not None:
            in_order("from", self.from_, "until", self.until)

    @property
    def is_about_replies(self) -> bool:
        """True if the fault waits for the replies of the requests, and affects these."""
        return False

    @property
    def hits_max(self) -> int | None:
        return None if self.count == UNLIMITED else self.count

    def rule(self, stage: Stage, aim: Aim, fault_id: str) -> RequestRule:
        """Returns the rule that carries out the fault."""
        raise NotImplementedError(self.word)

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        causes = stage.world.journal.causes
        notes = HitNotes(stage.log, causes, causes.doing if self.is_cause else None)
        aim = Aim(
            fault_id=fault_id,
            kinds=frozenset(KINDS[name] for name in self.api.names),
            conditions=tuple(self._conditions(stage)),
            predicate=stage.predicate,
            is_about_replies=self.is_about_replies,
            when=self._when(stage, fault_id),
            on_hit=notes.note,
        )
        rule, rules = self.rule(stage, aim, fault_id), stage.world.request_rules
        rules.add(rule)
        return lambda: rule.hits, partial(rules.remove, rule)

    def _when(self, stage: Stage, fault_id: str) -> When:
        timeline = stage.world.timeline
        now_us = timeline.now_us
        return When(
            timeline=timeline,
            draw=stage.world.streams.draw_of(f"fault/{fault_id}"),
            from_us=now_us if self.from_ is None else now_us + self.from_.us,
            until_us=NEVER_US if self.until is None else now_us + self.until.us,
            count=self.count,
            after=self.after,
            every=self.every,
            probability=self.p,
        )

    def _conditions(self, stage: Stage) -> Iterator[Condition]:
        """Yields a condition for each word that is given, the most selective first."""
        if self.broker is not None:
            brokers = numbers_of(self._targets(stage, self.broker))
            yield Condition("broker", _broker_of, frozenset(brokers))
        if self.epoch is not None:
            yield self.epoch.condition(stage.world)
        if self.incarnation is not None:
            yield Condition("incarnation", _incarnation_of, frozenset((self.incarnation,)))
        if self.client_id is not None:
            yield Condition("client_id", _client_of, frozenset((self.client_id,)))
        if self.controller is not None:
            controllers = self._targets(stage, self.controller)
            yield Condition("controller", _receiver_of, frozenset(controllers))
        if self.versions:
            yield Condition("versions", _version_of, frozenset(self.versions))
        if self.listener is not None:
            yield Condition("listener", _listener_of, frozenset((LISTENERS[self.listener],)))

    def _targets(self, stage: Stage, selector: Selector) -> tuple[NodeId, ...]:
        """Returns the nodes of the selector, which are targets of a fault that changes anything."""
        return stage.targets(selector) if self.is_cause else stage.nodes(selector)


@dataclass(frozen=True, slots=True, kw_only=True)
class Directed(Requests):
    """Selects requests or, with `direction: reply`, the replies of requests that were handled."""

    direction: Direction = REQUEST

    @property
    def is_about_replies(self) -> bool:
        return self.direction == REPLY


@dataclass(slots=True, eq=False)
class HitNotes:
    """Notes the hits of a fault; `begun` is the row that becomes the cause of what brokers do."""

    log: HitLog
    causes: Causes
    begun: EventRow | None

    def note(self, kind: str, arrival: Arrival) -> None:
        """Notes a hit."""
        self.log.note(kind, arrival.request, arrival.receiver, arrival.broker_id)
        if self.begun is not None and arrival.broker_id >= 0:
            self.causes.note_fault(self.begun, (broker_node(arrival.broker_id),))


def _broker_of(arrival: Arrival) -> int:
    return arrival.broker_id


def _incarnation_of(arrival: Arrival) -> str | None:
    request = arrival.request
    if isinstance(request, BrokerRegistrationRequest):
        return uuid_text(request.incarnation_id)
    return None


def _client_of(arrival: Arrival) -> str | None:
    return arrival.client_id


def _receiver_of(arrival: Arrival) -> NodeId:
    return arrival.receiver


def _version_of(arrival: Arrival) -> int | None:
    return arrival.version


def _listener_of(arrival: Arrival) -> Kind:
    return arrival.receiver.kind
