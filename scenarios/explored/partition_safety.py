"""Checks every step of the controller of a partition, by the records that the step wrote.

The state of the partition is replayed here from its records, and not read from the image.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.log import records as r
from kraftsim.controller.core.rpc import (
    AlterPartitionRequest,
    BrokerHeartbeatRequest,
    BrokerRegistrationRequest,
    ElectLeadersRequest,
)

from ..explore.lone import Answer, Arrival
from ..explore.quorum_safety import Violation
from .partition_life import PartitionLife

MIN_ISR = 2
RECOVERING = 1
Replies = Sequence[tuple[Arrival, Answer]]


class Kept(NamedTuple):
    """What records say of the partition: its leader, ISR, ELR and epochs."""

    leader: int = -1
    isr: tuple[int, ...] = ()
    elr: tuple[int, ...] = ()
    last_known: tuple[int, ...] = ()
    is_recovering: bool = False

    def after(self, record: Any) -> "Kept":
        """Returns the state after a record of the partition."""
        if isinstance(record, r.PartitionRecord):
            return Kept(record.leader, record.isr)
        leader = self.leader if record.leader == r.NO_LEADER_CHANGE else record.leader
        recovery = record.leader_recovery_state
        return Kept(
            leader,
            self.isr if record.isr is None else record.isr,
            _or(record.eligible_leader_replicas, self.elr),
            _or(record.last_known_elr, self.last_known),
            self.is_recovering if recovery == r.NO_RECOVERY_CHANGE else recovery == RECOVERING,
        )


def _or(new: tuple[int, ...] | None, old: tuple[int, ...]) -> tuple[int, ...]:
    return old if new is None else new


class Before(NamedTuple):
    """What the checks compare with the state after a step."""

    end_offset: int
    kept: Kept
    epochs: dict[int, int]
    in_session: frozenset[int]
    partition_epoch: int

    @staticmethod
    def of(life: PartitionLife) -> "Before":
        """Returns the present state of a controller."""
        brokers = life.node.latest.brokers
        return Before(
            life.node.log.end_offset,
            _replayed(life, life.node.log.end_offset),
            {number: broker.broker_epoch for number, broker in brokers.items()},
            frozenset(number for number in brokers if life.is_in_session(number)),
            life.partition.partition_epoch,
        )


def check(before: Before, event: str, life: PartitionLife, replies: Replies) -> None:
    """Raises `Violation` if the step broke a rule."""
    written = [record for offset, record in _records(life) if offset >= before.end_offset]
    asked = life.asked if event.startswith("hears") else None
    kept = before.kept
    for record in written:
        if isinstance(record, r.PartitionRecord | r.PartitionChangeRecord):
            kept = _checked(kept, kept.after(record), asked)
        if event == "looks_at_the_leases" and _fences(record, before.in_session):
            raise Violation("S18", f"{record} fences a broker within its session")
    _check_active(kept, _standing(life), life)
    if isinstance(asked, BrokerRegistrationRequest) and written:
        _check_unclean(before, asked, kept)
    if isinstance(asked, AlterPartitionRequest | BrokerHeartbeatRequest):
        _check_stale(before, asked, written, replies)


def _fences(record: Any, brokers: frozenset[int]) -> bool:
    is_fence = isinstance(record, r.BrokerRegistrationChangeRecord) and record.fenced == r.FENCE
    return is_fence and record.broker_id in brokers


def _checked(before: Kept, after: Kept, asked: Any) -> Kept:
    """Checks one change of the partition, and returns the state after it."""
    if after.leader not in (before.leader, -1):
        is_unclean = isinstance(asked, ElectLeadersRequest) and asked.election_type == 1
        is_last_known = after.is_recovering and before.last_known == (after.leader,)
        if after.leader not in (*before.isr, *before.elr) and not (is_unclean or is_last_known):
            raise Violation("S33", f"{after.leader} leads after {before}")
    if not {*after.elr} <= {*before.isr, *before.elr}:
        raise Violation("S34", f"expected an ELR of members of {before}, got {after}")
    if {*after.elr} & {*after.isr} or (after.elr and len(after.isr) >= MIN_ISR):
        raise Violation("S32", f"expected no ELR beside this ISR, got {after}")
    if after.leader >= 0 and after.leader not in after.isr:
        raise Violation("S25", f"expected a leader of the ISR, got {after}")
    return after


def _standing(life: PartitionLife) -> dict[int, bool]:
    """Returns which brokers may lead, from the records: unfenced and not in shutdown."""
    fenced: dict[int, bool] = {}
    stopping: dict[int, bool] = {}
    for _, record in _records(life):
        if isinstance(record, r.RegisterBrokerRecord):
            fenced[record.broker_id] = record.fenced
            stopping[record.broker_id] = record.in_controlled_shutdown
        elif isinstance(record, r.BrokerRegistrationChangeRecord):
            if record.fenced:
                fenced[record.broker_id] = record.fenced == r.FENCE
            if record.in_controlled_shutdown == r.IN_CONTROLLED_SHUTDOWN:
                stopping[record.broker_id] = True
    return {number: not is_fenced and not stopping[number] for number, is_fenced in fenced.items()}


def _check_active(kept: Kept, standing: dict[int, bool], life: PartitionLife) -> None:
    """S25: no fenced broker and none in controlled shutdown leads, or is in the ISR."""
    idle = [number for number in {kept.leader, *kept.isr} - {-1} if not standing.get(number)]
    if idle:
        raise Violation("S25", f"brokers {sorted(idle)} are not active in {kept}")
    partition = life.partition
    if (partition.leader, partition.isr, partition.elr) != (kept.leader, kept.isr, kept.elr):
        raise Violation("S9", f"expected {kept} from the log, got {partition}")


def _check_unclean(before: Before, asked: BrokerRegistrationRequest, kept: Kept) -> None:
    """S34: a broker that did not shut down cleanly leaves ISR and ELR."""
    is_clean = asked.previous_broker_epoch == before.epochs[asked.broker_id]
    if not is_clean and asked.broker_id in (*kept.isr, *kept.elr):
        raise Violation("S34", f"broker {asked.broker_id} was not shut down cleanly, got {kept}")


def _check_stale(
    before: Before,
    asked: AlterPartitionRequest | BrokerHeartbeatRequest,
    written: list[Any],
    replies: Replies,
) -> None:
    """S15, S40: a request with an older epoch, or of a broker that does not lead, is refused."""
    is_stale = asked.broker_epoch != before.epochs[asked.broker_id]
    if isinstance(asked, AlterPartitionRequest):
        data = asked.topics[0].partitions[0]
        is_stale = is_stale or data.partition_epoch != before.partition_epoch
        is_stale = is_stale or asked.broker_id != before.kept.leader
        members = {member.broker_id: member.broker_epoch for member in data.new_isr_with_epochs}
        is_stale = is_stale or not members.items() <= before.epochs.items()
    is_refused = not replies or all(_is_refusal(reply) for _, reply in replies)
    if is_stale and (written or not is_refused):
        number = "S40" if isinstance(asked, AlterPartitionRequest) else "S15"
        raise Violation(number, f"{asked} is heeded, and writes {written}")


def _is_refusal(reply: Answer) -> bool:
    """Returns True for an error of the request or of its partition."""
    if isinstance(reply, ApiError):
        return True
    parts: Any = [part for topic in getattr(reply, "topics", ()) for part in topic.partitions]
    return any(bool(getattr(part, "error_code", 0)) for part in (reply, *parts))


def _replayed(life: PartitionLife, end_offset: int) -> Kept:
    kept = Kept()
    for offset, record in _records(life):
        is_change = isinstance(record, r.PartitionRecord | r.PartitionChangeRecord)
        if is_change and offset < end_offset:
            kept = kept.after(record)
    return kept


def _records(life: PartitionLife) -> Iterator[tuple[int, Any]]:
    for batch in life.node.log.batches:
        if not batch.is_control:
            yield from enumerate(batch.records, batch.base_offset)
