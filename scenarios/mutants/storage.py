"""Bugs of state that outlives a process: durability, replay, snapshots."""

from dataclasses import replace
from typing import Any

from kraftsim.controller.core.image import image_records, replay
from kraftsim.controller.core.log import records as r
from kraftsim.controller.node import snapshotting
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft import following
from kraftsim.controller.raft.quorum import Quorum

from .mutant import Swaps, mutant


@mutant(
    "M19",
    "A new leader does not know which brokers are fenced",
    defect="KAFKA-13841, apache/kafka#12075",
    scenario="broker-crash-fenced",
    broken="image-is-replay",
)
def fences_are_not_replayed(swaps: Swaps) -> None:
    """Replays fences as no change."""
    applier: Any = replay.APPLIERS[r.BrokerRegistrationChangeRecord]

    def buggy(image: Any, record: Any, *position: int) -> None:
        applier(image, replace(record, fenced=min(record.fenced, 0)), *position)

    swaps.entry(replay.APPLIERS, r.BrokerRegistrationChangeRecord, buggy)


@mutant(
    "M24",
    "A leader that was removed from the voters fails while it replays the log",
    defect="KAFKA-17608, apache/kafka#17146",
    scenario="remove-leader-voter",
    broken="images-converge",
)
def folds_nothing_after_removal(swaps: Swaps) -> None:
    """Stops the replay of a leader that was removed from the voters."""
    renounce, load = Node._renounce, Node._load_committed
    dead: set[int] = set()

    def buggy(node: Node, turn: Any) -> None:
        renounce(node, turn)
        if not node.quorum.is_voter:
            dead.add(node.config.node_id)

    def unless_dead(node: Node, turn: Any, is_put_off: bool) -> None:
        if node.config.node_id not in dead:
            load(node, turn, is_put_off)

    swaps.attribute(Node, "_renounce", buggy)
    swaps.attribute(Node, "_load_committed", unless_dead)


@mutant(
    "M25",
    "A standby stops its replay at a record that it cannot log",
    defect="KAFKA-14259, apache/kafka#12681",
    scenario="broker-crash-fenced",
    broken="images-converge",
)
def folding_stops(swaps: Swaps) -> None:
    """Stops the replay of a standby at the first fence."""
    load = Node._load_committed

    def buggy(node: Node, turn: Any, is_put_off: bool) -> None:
        if node.quorum.is_leader or not _is_fence(node):
            load(node, turn, is_put_off)

    def _is_fence(node: Node) -> bool:
        return any(
            isinstance(record, r.BrokerRegistrationChangeRecord) and record.fenced == r.FENCE
            for batch in node.quorum.log.read(node._loading.loaded)
            for record in batch.records
        )

    swaps.attribute(Node, "_load_committed", buggy)


@mutant(
    "M29",
    "A voter replies before its epoch and vote are durable",
    defect="textbook: no persist before reply",
    scenario="rolling-restart-controllers",
    broken="epoch-monotone",
)
def votes_in_memory(swaps: Swaps) -> None:
    """Makes epoch and vote never durable."""
    swaps.attribute(Quorum, "_note_election", lambda quorum, turn: None)


@mutant(
    "M30",
    "A follower acknowledges records that are not durable yet",
    defect="textbook: no fsync before ack",
    scenario="election-on-slow-disks",
    broken="high-watermark",
)
def acknowledges_at_once(swaps: Swaps) -> None:
    """Lets a follower acknowledge entries before they are durable."""
    swaps.attribute(following, "_is_safe", lambda quorum: True)


@mutant(
    "M88",
    "A snapshot records every broker as fenced",
    defect="Krabka: lost on failover; KAFKA-13841",
    scenario="late-voter-reads-a-snapshot",
    broken="never[0]",
)
def snapshots_lack_fences(swaps: Swaps) -> None:
    """Writes every broker as fenced into snapshots."""
    records_of = image_records.records_of

    def buggy(image: Any) -> list[r.Record]:
        return [
            replace(record, fenced=True) if isinstance(record, r.RegisterBrokerRecord) else record
            for record in records_of(image)
        ]

    swaps.attribute(snapshotting, "records_of", buggy)
