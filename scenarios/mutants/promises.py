"""Bugs of what is promised to clients and to successors: replies, reads, snapshots, leadership."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from kraftsim.controller.core.cluster import describe_cluster
from kraftsim.controller.core.image import image_records, replay
from kraftsim.controller.core.log import records as r
from kraftsim.controller.core.rpc import AlterPartitionRequest, DescribeClusterRequest
from kraftsim.controller.node import active, node
from kraftsim.controller.raft import leading
from kraftsim.controller.raft.identity import LISTENER
from kraftsim.controller.time.timeline import NEVER_MS

from .mutant import Swaps, mutant


@mutant(
    "M103",
    "A snapshot lacks the ELR of partitions",
    defect="textbook: a field that a snapshot forgets",
    scenario="snapshot-of-an-elr",
    broken="snapshot-is-replay",
)
def snapshot_forgets_elr(swaps: Swaps) -> None:
    """Writes partitions without their eligible leader replicas into snapshots."""
    write = image_records._partition

    def buggy(topic: Any, number: int, partition: Any, writing: Any) -> r.PartitionRecord:
        record = write(topic, number, partition, writing)
        return replace(record, eligible_leader_replicas=None)

    swaps.attribute(image_records, "_partition", buggy)


@mutant(
    "M104",
    "AlterPartition is answered before its records are committed",
    defect="textbook: reply before commit, of one API",
    scenario="broker-crash-fenced",
    broken="answer-after-commit",
)
def answers_alter_partition_early(swaps: Swaps) -> None:
    """Sends the reply to an AlterPartition in the step that decides it."""
    submit = active.Active.submit

    def buggy(self: active.Active, handler: Any, request: Any, token: Any, turn: Any) -> None:
        submit(self, handler, request, token, turn)
        waiting = self._deferred._waiting
        if isinstance(request, AlterPartitionRequest) and waiting and waiting[-1][1] is token:
            turn.replies += (waiting.pop()[1:],)

    swaps.attribute(active.Active, "submit", buggy)


@mutant(
    "M105",
    "The active controller decides from a state without the last change of an ISR",
    defect="textbook: the state of decisions lags behind the log",
    scenario="broker-crash-fenced",
    broken="active-state-is-replay",
)
def active_forgets_changes(swaps: Swaps) -> None:
    """Applies no change of an ISR alone to the state of decisions."""
    apply = replay.apply

    class Forgetful:
        """The module `replay` as the active controller sees it."""

        apply_control = staticmethod(replay.apply_control)

        @staticmethod
        def apply(image: Any, record: Any, **where: int) -> None:
            """Applies a record, unless it only changes an ISR."""
            is_change = isinstance(record, r.PartitionChangeRecord)
            if not (is_change and record.isr and record.leader == r.NO_LEADER_CHANGE):
                apply(image, record, **where)

    swaps.attribute(active, "replay", Forgetful)


@mutant(
    "M106",
    "A leader without a majority leads on",
    defect="textbook: no check-quorum (KAFKA-8768)",
    scenario="isolated-active-controller",
    broken="lonely-leader-stops",
)
def never_checks_quorum(swaps: Swaps) -> None:
    """Gives leaders no deadline for the fetches of a majority."""
    swaps.attribute(leading, "_check_quorum_ms", lambda quorum, turn: NEVER_MS)


@mutant(
    "M107",
    "DescribeCluster lists what is not committed",
    defect="textbook: reads from the state of decisions",
    scenario="rolling-restart-controllers",
    broken="reads-are-committed",
)
def reads_uncommitted(swaps: Swaps) -> None:
    """Answers DescribeCluster from the latest image."""

    def buggy(reads: node.Node, request: Any) -> Any:
        return describe_cluster.describe_controllers(
            reads.latest,
            request,
            profile=reads.profile,
            cluster_id=reads.config.cluster_id,
            leader_id=reads.leader_id,
            listener=LISTENER,
        )

    swaps.entry(node.READS, DescribeClusterRequest, buggy)


@mutant(
    "M108",
    "A leader that stops names the replica with the shortest log first",
    defect="textbook: successors in the wrong order (KIP-595)",
    scenario="handover-to-the-longest-log",
    broken="most-caught-up-succeeds",
)
def names_the_shortest(swaps: Swaps) -> None:
    """Reverses the successors of a leader that resigns."""
    resign = leading.resign

    def buggy(quorum: Any, turn: Any, successor_id: int = -1) -> None:
        become = quorum.become_resigned
        quorum.become_resigned = lambda turn, keys: become(turn, keys[::-1])
        try:
            resign(quorum, turn, successor_id)
        finally:
            del quorum.become_resigned

    swaps.attribute(leading, "resign", buggy)


@mutant(
    "M109",
    "A snapshot lacks the configurations of topics",
    defect="textbook: a record type that a snapshot forgets",
    scenario="snapshot-of-an-elr",
    broken="snapshot-is-replay",
)
def snapshot_forgets_configs(swaps: Swaps) -> None:
    """Writes no configurations into snapshots."""

    def none(image: Any) -> Iterator[r.Record]:
        return iter(())

    swaps.attribute(image_records, "_configs", none)
