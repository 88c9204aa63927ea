"""Properties of refused requests, S13 to S15 (rules 9.3, 9.29, 9.30, 9.44)."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.log import records as r
from kraftsim.controller.core.rpc import BrokerHeartbeatRequest, BrokerRegistrationRequest
from kraftsim.controller.core.uuid import Uuid
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

from ..oracles.active_logs import OfActiveLogs
from ..oracles.breach_words import differing, words
from ..oracles.property import Broken, Kinds, Property
from ..oracles.tenure import fenced_by

Soft = tuple[object, ...]
SOFT = ("fenced", "metadata_offset", "shutdown_offset")  # after the time of the last contact
Subject = BrokerRegistrationRequest | BrokerHeartbeatRequest
REQUESTS_MAX = 4_000  # requests whose copies are remembered; enough for minutes of a busy cluster


class _Untouched(OfActiveLogs):
    """Base of properties that compare a broker's soft state before and after a request.

    The only effect of a refused request is a reply. So the state is compared at the next event,
    unless another step of the controller came in between.
    """

    kinds: ClassVar[Kinds] = (BrokerRegistrationRequest, BrokerHeartbeatRequest)

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._before: tuple[Node, int, Soft, Subject] | None = None

    def expects(self, node: Node, request: Subject) -> bool:
        """Returns True if this request must not change any state."""
        raise NotImplementedError

    def changed(self, request: Subject, effect: str) -> None:
        """Called when the request has written a record or changed soft state (`effect`)."""
        raise Broken(f"{words(request)} has an effect: {effect}")

    def next_step(self, node: Node, turn: Turn) -> None:
        before = self._before
        if before is None:
            return
        if before[0] is not node or turn.is_plain:
            self.settle()
            return
        self._before = None
        for batch in turn.persist:
            for record in batch.records:
                if _is_of(record, before[3]):
                    self.changed(before[3], words(record))

    def arrived(self, message: Message) -> None:
        self.settle()
        request = message.request
        if not isinstance(request, Subject):
            return
        process = self.world.controller_of(message.receiver)
        if process is None or not process.is_running or not process.node.is_active:
            return
        node, broker_id = process.node, request.broker_id
        if self.expects(node, request):
            self._before = node, broker_id, _soft(node, broker_id), request
            self.await_step()

    def replied(self, message: Message) -> None:
        self.settle()

    def finished(self) -> None:
        self.settle()

    def settle(self) -> None:
        """Compares the soft state now with the soft state before the last request."""
        before, self._before = self._before, None
        if before is None or before[0].active is None:
            return
        node, broker_id, was, request = before
        now = _soft(node, broker_id)
        if now != was:
            self.changed(
                request, f"the soft state of broker {broker_id}: {_change_words(was, now)}"
            )


def _soft(node: Node, broker_id: int) -> Soft:
    leases = node.leases
    liveness = leases.liveness.get(broker_id)
    contact_ms = leases.contact_ms(broker_id)
    if liveness is None:
        return (contact_ms,)
    return (
        contact_ms,
        liveness.fenced,
        liveness.metadata_offset,
        liveness.controlled_shutdown_offset,
    )


def _change_words(was: Soft, now: Soft) -> str:
    """Returns in what two soft states differ; times of contacts count from each other."""
    then, since = was[0], now[0]
    moved = ""
    if isinstance(then, int) and isinstance(since, int) and then != since:
        moved = f"its last contact moved by {since - then} ms"
    before, after = differing(*(dict(zip(SOFT, of, strict=False)) for of in (was[1:], now[1:])))
    changed = f"{before} became {after}" if before else ""
    return " and ".join(filter(None, (moved, changed))) or "its lease began or ended"


def _is_of(record: Any, request: Subject) -> bool:
    """Returns True if this request may have written the record.

    A fence does not count, because an expired lease may have caused it.
    """
    if isinstance(request, BrokerRegistrationRequest):
        incarnation_id: Uuid | None = getattr(record, "incarnation_id", None)
        return incarnation_id == request.incarnation_id
    is_change = isinstance(record, r.BrokerRegistrationChangeRecord | r.UnfenceBrokerRecord)
    is_its_own = request.broker_id in (getattr(record, "broker_id", -1), getattr(record, "id", -1))
    return is_change and is_its_own and fenced_by(record) is None


class ForeignClusterLeavesNoTrace(_Untouched):
    """Checks that registrations with another cluster id change nothing."""

    number = "S13"
    name = "foreign-cluster-leaves-no-trace"
    claim = "A registration for another cluster writes no record and changes no soft state."

    def expects(self, node: Node, request: Subject) -> bool:
        if not isinstance(request, BrokerRegistrationRequest):
            return False
        is_foreign = request.cluster_id != self.world.topology.cluster_id
        self.exercised += is_foreign
        return is_foreign


@dataclass(slots=True)
class _Copies:
    """The copies of one request: how many arrived, their effects, and the replies with errors.

    `refused_by_faults` counts further copies, which the controller did not get.
    """

    request: Subject
    arrived: int = 0
    refused_by_faults: int = 0
    changed: dict[int, str] = field(default_factory=dict)
    refusals: dict[int, Message] = field(default_factory=dict)


class RefusedChangesNothing(_Untouched):
    """Checks that requests whose reply is an error change nothing.

    If a request arrives twice, one copy may be refused and the other not, and a reply does not
    name its copy. So refusals and effects are counted: if there are more of them than copies, a
    refused copy has had an effect.
    """

    number = "S14"
    name = "refused-changes-nothing"
    claim = "A refused registration or heartbeat writes no record and changes no soft state."

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._copies: dict[int, _Copies] = {}

    def expects(self, node: Node, request: Subject) -> bool:
        return True

    def changed(self, request: Subject, effect: str) -> None:
        copies = self._of(request)
        copies.changed[copies.arrived] = effect

    def arrived(self, message: Message) -> None:
        super().arrived(message)
        if isinstance(message.request, Subject):
            self._of(message.request).arrived += 1

    def replied(self, message: Message) -> None:
        super().replied(message)
        if isinstance(message.request, Subject):
            self._judge(message)

    def stopped(self, message: Message) -> None:
        is_answered = message.reply is not None and not message.is_reply
        if is_answered and isinstance(message.request, Subject):
            self._of(message.request).refused_by_faults += 1

    def _of(self, request: Subject) -> _Copies:
        """Returns the copies of a request; of more than 4,000 requests the oldest is dropped."""
        copies = self._copies.get(id(request))
        if copies is None:
            if len(self._copies) == REQUESTS_MAX:
                del self._copies[next(iter(self._copies))]
            copies = self._copies[id(request)] = _Copies(request)
        return copies

    def _judge(self, message: Message) -> None:
        reply = message.reply
        code = reply.code if isinstance(reply, ApiError) else getattr(reply, "error_code", 0)
        if reply is None or code in (ErrorCode.NONE, ErrorCode.NOT_CONTROLLER):
            return  # done, or the outcome is unknown (9.30)
        self.exercised += 1
        copies = self._copies.get(id(message.request))
        if copies is None:
            return  # the oldest requests are forgotten
        copies.refusals[id(message)] = message  # copies of one reply count once
        known = copies.arrived + copies.refused_by_faults
        if len(copies.refusals) + len(copies.changed) > known:
            effects = "; ".join(copies.changed.values())
            raise Broken(
                f"{words(message.request)} is refused with {ErrorCode(code).name} and has an "
                f"effect: {effects}"
            )


class StaleEpochIsPowerless(_Untouched):
    """Checks that heartbeats with an epoch that is not the registered epoch change nothing."""

    number = "S15"
    name = "stale-epoch-powerless"
    claim = "A heartbeat with another epoch than the registered one changes nothing."

    def expects(self, node: Node, request: Subject) -> bool:
        if not isinstance(request, BrokerHeartbeatRequest):
            return False
        log = self.active_logs.of(node)
        if log is None:
            return False
        known = log.shadow.broker(request.broker_id)
        is_stale = known is None or known["broker_epoch"] != request.broker_epoch
        self.exercised += is_stale
        return is_stale


CLASSES: tuple[type[Property], ...] = (
    ForeignClusterLeavesNoTrace,
    RefusedChangesNothing,
    StaleEpochIsPowerless,
)
