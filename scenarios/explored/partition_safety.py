"""Checks every step of the controller of a partition, by the records that the step wrote.

The states of the partition and of the brokers are replayed from the log, and not read
from the image.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.log import records as r
from kraftsim.controller.core.rpc import (
    AlterPartitionRequest,
    BrokerHeartbeatRequest,
    BrokerRegistrationRequest,
    ElectLeadersRequest,
)
from kraftsim.controller.core.rpc.partitions import UNCLEAN_ELECTION

from ..explore.lone import Answer, Arrival
from ..explore.quorum_safety import Violation
from ..oracles.shadow import Fact, Shadow
from .partition_life import PartitionLife

MIN_ISR = 2
ELR = "eligible_leader_replicas"
Replies = Sequence[tuple[Arrival, Answer]]


class Before(NamedTuple):
    """What the checks compare with the state after a step; `shadow` replays the log."""

    shadow: Shadow
    epochs: dict[int, int]
    in_session: frozenset[int]

    @staticmethod
    def of(life: PartitionLife) -> "Before":
        """Returns the present state of a controller."""
        shadow = Shadow()
        for batch in life.node.log.batches:
            shadow.fold(batch)
        epochs = {fact["broker_id"]: fact["broker_epoch"] for fact in shadow.of("Broker").values()}
        return Before(shadow, epochs, frozenset(filter(life.is_in_session, epochs)))


def check(before: Before, event: str, life: PartitionLife, replies: Replies) -> None:
    """Raises `Violation` if the step broke a rule."""
    shadow, old = before.shadow, _partition(before.shadow)
    asked = life.asked if event.startswith("hears") else None
    written: list[Any] = []
    for batch in life.node.log.batches:
        if batch.base_offset >= shadow.end_offset:
            shadow.fold(batch)
            written += () if batch.is_control else batch.records
            for _, known, changed in shadow.changes:
                _check_change(known, changed, asked)
    if event == "looks_at_the_leases":
        _check_fences(written, before.in_session)
    new = _partition(shadow)
    _check_active(new, shadow, life)
    if isinstance(asked, BrokerRegistrationRequest) and written:
        _check_unclean(before.epochs, asked, new)
    if isinstance(asked, AlterPartitionRequest | BrokerHeartbeatRequest):
        _check_stale(before.epochs, old, asked, written, replies)


def _partition(shadow: Shadow) -> Fact:
    """Returns what the records say of the only partition."""
    (fact,) = shadow.of("Partition").values()
    return fact


def _check_fences(written: list[Any], brokers: frozenset[int]) -> None:
    """S18: no broker is fenced within its session."""
    for record in written:
        is_fence = isinstance(record, r.BrokerRegistrationChangeRecord) and record.fenced == r.FENCE
        if is_fence and record.broker_id in brokers:
            raise Violation("S18", f"{record} fences a broker within its session")


def _check_change(before: Fact | None, after: Fact, asked: Any) -> None:
    """Checks one change of the partition."""
    assert before is not None, after  # the topic is older than every history
    leader, isr, elr = after["leader"], after["isr"], after[ELR]
    members = {*before["isr"], *before[ELR]}
    if leader not in (before["leader"], -1):
        is_unclean = (
            isinstance(asked, ElectLeadersRequest) and asked.election_type == UNCLEAN_ELECTION
        )
        is_recovering = after["leader_recovery_state"] == r.RECOVERING
        is_last_known = is_recovering and before["last_known_elr"] == (leader,)
        if leader not in members and not (is_unclean or is_last_known):
            raise Violation("S33", f"{leader} leads after {before}")
    if not {*elr} <= members:
        raise Violation("S34", f"expected an ELR of members of {before}, got {after}")
    if {*elr} & {*isr} or (elr and len(isr) >= MIN_ISR):
        raise Violation("S32", f"expected no ELR beside this ISR, got {after}")
    if leader >= 0 and leader not in isr:
        raise Violation("S25", f"expected a leader of the ISR, got {after}")


def _check_active(fact: Fact, shadow: Shadow, life: PartitionLife) -> None:
    """S25: no fenced broker and none in controlled shutdown leads, or is in the ISR."""
    brokers = {fact["leader"], *fact["isr"]} - {-1}
    idle = sorted(number for number in brokers if not shadow.is_active(number))
    if idle:
        raise Violation("S25", f"brokers {idle} are not active in {fact}")
    partition = life.partition
    if (partition.leader, partition.isr, partition.elr) != (fact["leader"], fact["isr"], fact[ELR]):
        raise Violation("S9", f"expected {fact} from the log, got {partition}")


def _check_unclean(epochs: dict[int, int], asked: BrokerRegistrationRequest, fact: Fact) -> None:
    """S34: a broker that did not shut down cleanly leaves ISR and ELR."""
    is_clean = asked.previous_broker_epoch == epochs[asked.broker_id]
    if not is_clean and asked.broker_id in (*fact["isr"], *fact[ELR]):
        raise Violation("S34", f"broker {asked.broker_id} was not shut down cleanly, got {fact}")


def _check_stale(
    epochs: dict[int, int],
    old: Fact,
    asked: AlterPartitionRequest | BrokerHeartbeatRequest,
    written: list[Any],
    replies: Replies,
) -> None:
    """S15, S40: a request with an older epoch, or of a broker that does not lead, is refused."""
    is_stale = asked.broker_epoch != epochs[asked.broker_id]
    if isinstance(asked, AlterPartitionRequest):
        data = asked.topics[0].partitions[0]
        is_stale = is_stale or data.partition_epoch != old["partition_epoch"]
        is_stale = is_stale or asked.broker_id != old["leader"]
        members = {member.broker_id: member.broker_epoch for member in data.new_isr_with_epochs}
        is_stale = is_stale or not members.items() <= epochs.items()
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
