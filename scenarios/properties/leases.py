"""Properties of leases and fencing, S18 to S24 (rules 9.12 to 9.17).

Contacts are recorded when heartbeats arrive, on the receiver's clock. Only S22 and S24, which check
the controller's own leases, read them.
"""

from typing import Any, ClassVar

from sortedcontainers import SortedList

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.leases import NO_OFFSET, Liveness
from kraftsim.controller.core.log import records as r
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.rpc import BrokerHeartbeatRequest, BrokerHeartbeatResponse
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

from ..oracles.active_logs import OfActiveLogs
from ..oracles.breach_words import registration_words, seconds_words, words
from ..oracles.committed import OfTheCommittedLog
from ..oracles.property import Broken, Kinds, Property
from ..oracles.shadow import Key
from ..oracles.tenure import OfTenures, Tenure, fenced_by, unfenced_by


class NoEarlyFence(OfTenures):
    """Checks at each fence that a session has passed since the broker's last contact."""

    number = "S18"
    name = "no-early-fence"
    claim = "A lease expires only when a whole session timeout has passed since the last contact."

    def appended(self, tenure: Tenure, record: Any, offset: int) -> None:
        broker_id = fenced_by(record)
        known = None if broker_id is None else tenure.brokers.get(broker_id)
        if known is None or self._is_requested(tenure, known):
            return
        self.exercised += 1
        if known.contact_ms is None:
            return
        silent_ms = self.world.clock_ms(tenure.node) - known.contact_ms
        if silent_ms < self.session_ms:
            raise Broken(
                f"broker {broker_id} is fenced at offset {offset} after {silent_ms} ms without "
                f"contact, expected at least {self.session_ms} ms"
            )

    def _is_requested(self, tenure: Tenure, known: Any) -> bool:
        """Returns True if a heartbeat requests a fence or a shutdown, which is granted at once.

        Any heartbeat ends a controlled shutdown that began before, also a late one (rule 2.13).
        """
        if not self.is_decided_now(known):
            return False
        return self._is_shutting_down(tenure, known.broker_id) or any(
            heartbeat.want_fence or heartbeat.want_shut_down for heartbeat in known.heartbeats
        )

    def _is_shutting_down(self, tenure: Tenure, broker_id: int) -> bool:
        log = self.active_logs.of(self.world.controllers[tenure.node.number].node)
        fact = None if log is None else log.shadow.broker(broker_id)
        return fact is not None and fact["in_controlled_shutdown"]


class NoLateFence(OfTenures):
    """Checks that silent brokers are fenced in time.

    Brokers are sorted by the times of their contacts, as in the controller, so only the first
    broker has to be checked.
    """

    number = "S19"
    name = "no-late-fence"
    claim = (
        "Under one active controller a silent broker is fenced after a session and a check "
        "interval."
    )

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._bounds_ms: dict[int, int] = {}
        self._orders: dict[int, SortedList[tuple[int, int]]] = {}
        self._paused: set[int] = set()

    def began(self, node: Node, tenure: Tenure) -> None:
        checks = tenure.profile.expiry_checks_per_session
        check_ms = 1 if checks is None else max(1, self.session_ms // checks)
        self._bounds_ms[tenure.node.number] = self.session_ms + check_ms + 1
        unfenced = [b for b, known in tenure.brokers.items() if not known.fenced]
        self._orders[tenure.node.number] = SortedList((tenure.began_ms, b) for b in unfenced)

    def appended(self, tenure: Tenure, record: Any, offset: int) -> None:
        if (unfenced := unfenced_by(record)) is not None:
            now_ms = self.world.clock_ms(tenure.node)
            self._orders[tenure.node.number].add((now_ms, unfenced))
            self.exercised += 1

    def controller_changed(self, node_id: int, state: ProcessState) -> None:
        """Excludes paused controllers from the check, because they cannot fence brokers."""
        super().controller_changed(node_id, state)
        (self._paused.add if state is ProcessState.PAUSED else self._paused.discard)(node_id)

    def led(self, node: Node, turn: Turn) -> None:
        tenure = self.tenures.get(node.config.node_id)
        if tenure is None or tenure.node.number in self._paused:
            return
        began_ms: int | None = tenure.began_ms
        if tenure.profile.expiry_checks_per_session is None:
            began_ms = (
                tenure.first_contact_ms
            )  # 3.9 checks no lease before the first contact (2.41)
        bound_ms = self._bounds_ms[tenure.node.number]
        if began_ms is not None and began_ms + bound_ms < self.world.clock_ms(tenure.node):
            self._examine(tenure, self._orders[tenure.node.number])

    def _examine(self, tenure: Tenure, order: "SortedList[tuple[int, int]]") -> None:
        now_ms, bound_ms = self.world.clock_ms(tenure.node), self._bounds_ms[tenure.node.number]
        while order and order[0][0] + bound_ms < now_ms:
            _, broker_id = order.pop(0)
            known = tenure.brokers.get(broker_id)
            if known is None or known.fenced or known.contact_ms is None:
                continue
            if known.contact_ms + bound_ms < now_ms:
                raise Broken(
                    f"broker {broker_id} is not fenced {now_ms - known.contact_ms} ms after its "
                    f"last contact, expected at most {bound_ms} ms"
                )
            order.add((known.contact_ms, broker_id))


class FenceBeforeReuse(OfTheCommittedLog):
    """Checks that only unfenced brokers get new partitions or become leaders."""

    number = "S20"
    name = "fence-before-reuse"
    claim = "No record makes a fenced broker lead or counts it as live until it is unfenced."

    def done(self, batch: Batch, touched: set[Key]) -> None:
        for record in batch.records:
            if isinstance(record, r.PartitionRecord):
                self._check(record, record.leader, record.isr)
            elif isinstance(record, r.PartitionChangeRecord) and record.leader >= 0:
                self._check(record, record.leader, ())

    def _check(self, record: Any, leader: int, isr: tuple[int, ...]) -> None:
        self.exercised += 1
        for broker_id in {leader, *isr} - {r.NO_LEADER}:
            known = self.shadow.broker(broker_id)
            if known is None or known["fenced"]:
                raise Broken(
                    f"{words(record)} uses broker {broker_id}, which is {registration_words(known)}"
                )


class UnfenceNeedsCatchUp(OfTenures):
    """Compares each unfence with the heartbeats that may have caused it."""

    number = "S21"
    name = "unfence-needs-catch-up"
    claim = (
        "A broker is unfenced only by its own heartbeat, which has reached its registration's "
        "offset"
        " and asks for neither a fence nor a shutdown."
    )

    def appended(self, tenure: Tenure, record: Any, offset: int) -> None:
        broker_id = unfenced_by(record)
        known = None if broker_id is None else tenure.brokers.get(broker_id)
        if known is None:
            return
        self.exercised += 1
        fitting = [
            heartbeat
            for heartbeat in known.heartbeats
            if heartbeat.current_metadata_offset >= known.register_offset
            and not (heartbeat.want_fence or heartbeat.want_shut_down)
        ]
        if not fitting or not self.is_decided_now(known):
            raise Broken(
                f"broker {broker_id}, registered at offset {known.register_offset}, is unfenced "
                f"at offset {offset} after the heartbeats: {words(known.heartbeats)}"
            )


class LeasesAreRebuilt(OfTenures):
    """Checks the leases of a controller that has just become active."""

    number = "S22"
    name = "leases-are-rebuilt"
    claim = (
        "A new active controller gives a whole session to unfenced brokers and none to fenced ones."
    )

    def began(self, node: Node, tenure: Tenure) -> None:
        self.exercised += bool(tenure.brokers)
        for broker_id, known in tenure.brokers.items():
            contact_ms = node.leases.contact_ms(broker_id)
            expected = None if known.fenced else tenure.began_ms
            if contact_ms != expected:
                raise Broken(
                    f"{tenure.node} becomes active, and takes broker {broker_id} for "
                    f"{_lease_words(contact_ms, tenure.began_ms)}, expected "
                    f"{_lease_words(expected, tenure.began_ms)}"
                )


def _lease_words(contact_ms: int | None, began_ms: int) -> str:
    """Returns which lease a controller gives, by the contact from which the lease counts."""
    if contact_ms is None:
        return "a broker without a lease"
    ago_ms = began_ms - contact_ms
    return f"one that sent a heartbeat {ago_ms} ms ago" if ago_ms else "one with a whole session"


class BeliefOverlap(Property):
    """Measures how long brokers act as unfenced after the log has fenced them (`zombie_us`).

    Kafka does not promise that the time is 0, so scenarios claim this property only by name.
    """

    number = "S23"
    name = "belief-overlap"
    claim = "No broker acts as unfenced while the committed log has it fenced."
    always = False
    kinds: ClassVar[Kinds] = (BrokerHeartbeatRequest,)

    def __init__(self, world: World) -> None:
        super().__init__(world)
        # broker id -> epoch in which the broker was last unfenced by a reply
        self._believing: dict[int, int] = {}
        self._since_us: dict[int, int] = {}
        self._past_us = 0
        self._end_offset = 0

    @property
    def zombie_us(self) -> int:
        """Microseconds for which brokers acted as unfenced after their fence, over all brokers."""
        now_us = self.world.timeline.now_us
        return self._past_us + sum(now_us - since_us for since_us in self._since_us.values())

    def replied(self, message: Message) -> None:
        request, reply = message.request, message.reply
        if not isinstance(request, BrokerHeartbeatRequest):
            return
        if isinstance(reply, BrokerHeartbeatResponse) and not reply.error_code:
            if not reply.is_fenced:
                self._believing[request.broker_id] = request.broker_epoch
            else:
                self._disabuse(request.broker_id)
        elif isinstance(reply, ApiError | BrokerHeartbeatResponse) and _is_stale(reply):
            self._disabuse(request.broker_id)

    def broker_changed(self, broker_id: int, state: ProcessState) -> None:
        if state is ProcessState.NOT_RUNNING:
            self._disabuse(broker_id)

    def committed(self, node_id: int, batch: Batch) -> None:
        if batch.base_offset < self._end_offset:
            return
        self._end_offset = batch.last_offset + 1
        for record in batch.records:
            if (unfenced := unfenced_by(record)) is not None:
                self._settle(unfenced)
            elif (ended := _ends_lease(record, self._believing)) is not None:
                self.exercised += 1
                self._since_us.setdefault(ended, self.world.timeline.now_us)

    def finished(self) -> None:
        if self.zombie_us:
            raise Broken(
                f"brokers acted as unfenced for {seconds_words(self.zombie_us)} after their leases "
                "had expired"
            )

    def _disabuse(self, broker_id: int) -> None:
        self._believing.pop(broker_id, None)
        self._settle(broker_id)

    def _settle(self, broker_id: int) -> None:
        since_us = self._since_us.pop(broker_id, None)
        if since_us is not None:
            self._past_us += self.world.timeline.now_us - since_us


def _is_stale(reply: ApiError | BrokerHeartbeatResponse) -> bool:
    code = reply.code if isinstance(reply, ApiError) else reply.error_code
    return code == 77


def _ends_lease(record: Any, believing: dict[int, int]) -> int | None:
    """Returns the broker whose lease the record ends, if that broker acts as unfenced.

    `believing` maps such brokers to their epochs.
    """
    broker_id = fenced_by(record)
    if broker_id is None and isinstance(record, r.UnregisterBrokerRecord | r.RegisterBrokerRecord):
        broker_id = record.broker_id
        if believing.get(broker_id) == record.broker_epoch and isinstance(
            record, r.RegisterBrokerRecord
        ):
            return None  # the same incarnation registers again
    return broker_id if broker_id in believing else None


class ShutdownLaw(OfActiveLogs):
    """Checks the offset and the end of each controlled shutdown."""

    number = "S24"
    name = "shutdown-law"
    claim = (
        "The offset of a controlled shutdown is that of its last record. It is set once in a"
        " controller's tenure, unless the broker registers again, and only a new incarnation is"
        " active again."
    )
    kinds: ClassVar[Kinds] = (BrokerHeartbeatRequest,)

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._offsets: dict[tuple[int, int], tuple[tuple[int, ...], int]] = {}

    def read(self, record: Any, offset: int) -> None:
        if isinstance(record, r.RegisterBrokerRecord):
            known = self.shadow.broker(record.broker_id)
            if known is not None and known["in_controlled_shutdown"]:
                self.exercised += 1
                amends = known["incarnation_id"] == record.incarnation_id
                if amends and not record.in_controlled_shutdown:
                    raise Broken(f"{words(record)} takes back the shutdown")

    def wrote_news(self, node: Node, turn: Turn) -> None:
        """Checks the offset of a shutdown whose records this step wrote (rule 2.28)."""
        active = node.active
        if active is None:
            return
        for batch in turn.persist:
            for record in batch.records:
                if (
                    isinstance(record, r.BrokerRegistrationChangeRecord)
                    and record.in_controlled_shutdown == r.IN_CONTROLLED_SHUTDOWN
                ):
                    key = node.config.node_id, record.broker_id
                    liveness = active.state.leases.liveness.get(record.broker_id)
                    self._check_offset(key, liveness, batch.last_offset)

    def _check_offset(
        self, key: tuple[int, int], liveness: Liveness | None, last_offset: int
    ) -> None:
        _, known = self._offsets.get(key, ((), NO_OFFSET))
        if known != NO_OFFSET or liveness is None:
            return  # the shutdown began before metadata.version had its flag
        self.exercised += 1
        offset = liveness.controlled_shutdown_offset
        if offset != last_offset:
            raise Broken(f"broker {key[1]} has shutdown offset {offset}, expected {last_offset}")

    def arrived(self, message: Message) -> None:
        """Checks the state after the earlier heartbeats, before the next heartbeat is handled."""
        request = message.request
        if not isinstance(request, BrokerHeartbeatRequest):
            return
        process = self.world.controller_of(message.receiver)
        active = None if process is None else process.node.active
        if active is None:
            return
        broker_id, epoch = request.broker_id, request.broker_epoch
        log = None if process is None else self.active_logs.of(process.node)
        broker = None if log is None else log.shadow.broker(broker_id)
        if broker is not None and broker["broker_epoch"] == epoch:
            liveness = active.state.leases.liveness[broker_id]
            tenure = active.epoch, epoch, broker["register_offset"]  # which forgets it (1.32)
            self._check((message.receiver.number, broker_id), tenure, liveness)

    def _check(self, key: tuple[int, int], tenure: tuple[int, ...], liveness: Liveness) -> None:
        offset = liveness.controlled_shutdown_offset
        known_tenure, known = self._offsets.get(key, (tenure, NO_OFFSET))
        if known_tenure == tenure and known != NO_OFFSET:
            self.exercised += 1
            if offset != known and (offset != NO_OFFSET or not liveness.fenced):
                raise Broken(f"broker {key[1]} has shutdown offset {offset}, and {known} before")
        self._offsets[key] = tenure, offset


CLASSES: tuple[type[Property], ...] = (
    NoEarlyFence,
    NoLateFence,
    FenceBeforeReuse,
    UnfenceNeedsCatchUp,
    LeasesAreRebuilt,
    BeliefOverlap,
    ShutdownLaw,
)
