"""Properties of the log of the quorum, S4 to S8 (rules 9.39 to 9.43).

The properties record the entries and commits that they observe; later observations must agree. They
do not use what a replica believes about other replicas.
"""

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.control_records import Voter
from kraftsim.controller.core.uuid import ZERO_UUID
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.log import MetadataLog
from kraftsim.controller.raft.protocol import Turn
from kraftsim.controller.raft.quorum import Quorum
from kraftsim.controller.raft.voters import ReplicaKey
from kraftsim.simulation.world import World

from ...oracles.breach_words import differing, words
from ...oracles.property import Broken, Property
from .elections import has_lost_vote

NO_EPOCH = -1
BATCH_FIELDS = ("base_offset", "epoch", "timestamp_ms", "records", "versions")
Position = tuple[int, int]
"""Base offset and epoch of an entry."""


class LogMatching(Property):
    """Compares each entry and its predecessor with the same offset and epoch in other logs."""

    number = "S4"
    name = "log-matching"
    claim = (
        "Entries with the same offset and epoch are equal in all logs, and so are all before them."
    )

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._entries: dict[Position, tuple[Batch, Position | None]] = {}

    def controller_changed(self, node_id: int, state: ProcessState) -> None:
        """Forgets entries of an election that was not durable at the end, unless a log has them.

        The process may win the same epoch again, and writes other entries.
        """
        if not has_lost_vote(self.world, node_id, state):
            return
        first = self.world.controllers[node_id].disk.stored.election.epoch
        for position in [key for key in self._entries if key[1] >= first]:
            if not _is_in_a_log(self.world, position):
                del self._entries[position]

    def wrote(self, node: Node, turn: Turn) -> None:
        for batch in turn.persist:
            self._check(node.log, batch)
        if turn.snapshot is not None:
            start = self.world.log_start  # entries that no log has any more cannot be contradicted
            self._entries = {key: entry for key, entry in self._entries.items() if key[0] >= start}

    def _check(self, log: MetadataLog, batch: Batch) -> None:
        position, before = (batch.base_offset, batch.epoch), _before(log, batch.base_offset)
        known = self._entries.get(position)
        if known is None:
            self._entries[position] = batch, before
            return
        self.exercised += 1
        known_batch, known_before = known
        if known_batch is not batch and known_batch != batch:
            raise Broken(
                f"at offset {position[0]} of epoch {position[1]} the logs have other batches: "
                f"{_difference(known_batch, batch)}"
            )
        if known_before is None:
            self._entries[position] = batch, before
        elif before not in (None, known_before):
            raise Broken(
                f"before offset {position[0]} of epoch {position[1]} the logs have other entries: "
                f"{_entry_words(known_before)} and {_entry_words(before)}"
            )


def _entry_words(entry: Position | None) -> str:
    return "none" if entry is None else f"offset {entry[0]} of epoch {entry[1]}"


def _difference(known: Batch, batch: Batch) -> str:
    """Returns in what two batches differ."""
    fields = [{name: getattr(of, name) for name in BATCH_FIELDS} for of in (known, batch)]
    return " and ".join(differing(*fields))


def _is_in_a_log(world: World, position: Position) -> bool:
    """Returns True if the log of a process, or of the disk of a dead one, has the entry."""
    (offset, epoch), controllers = position, world.controllers.values()
    logs = (
        process.node.log if process.is_alive else process.disk.stored.log for process in controllers
    )
    return any(epoch_before(log, offset + 1) == epoch for log in logs)


def _before(log: MetadataLog, offset: int) -> Position | None:
    """Returns the position of the entry before `offset`, or None if the log does not have it."""
    if not log.start_offset < offset <= log.end_offset:
        return None
    batch = log.read(offset - 1, 1)[0]
    return batch.base_offset, batch.epoch


class CommittedIsFinal(Property):
    """Compares the committed batches of all controllers, and rejects their truncation."""

    number = "S5"
    name = "committed-is-final"
    claim = "Committed entries are the same on all controllers, and no controller loses one."

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._committed: dict[int, Batch] = {}
        self._ends: dict[int, int] = {}

    def wrote_news(self, node: Node, turn: Turn) -> None:
        if turn.snapshot is not None:
            start = self.world.log_start
            self._committed = {key: batch for key, batch in self._committed.items() if key >= start}
        if turn.truncate_to is None:
            return
        node_id, end = node.config.node_id, self._ends.get(node.config.node_id, 0)
        if turn.truncate_to < end:
            raise Broken(
                f"controller {node_id} truncates its log to {turn.truncate_to}, below its high "
                f"watermark {end}"
            )

    def committed(self, node_id: int, batch: Batch) -> None:
        known = self._committed.setdefault(batch.base_offset, batch)
        self.exercised += batch.base_offset < max(self._ends.values(), default=0)
        if known is not batch and known != batch:
            raise Broken(
                f"the committed batch at offset {batch.base_offset} is another on controller "
                f"{node_id}: {_difference(known, batch)}"
            )
        self._ends[node_id] = max(self._ends.get(node_id, 0), batch.last_offset + 1)


class HighWatermark(Property):
    """Checks each change of a high watermark, and the disks of a majority when it rises.

    A voter that has lost its disk since counts with what it had: another one has come back.
    """

    number = "S6"
    name = "high-watermark"
    claim = (
        "A high watermark never falls while its process runs, and a leader raises it first, to an"
        " entry of its own epoch that a majority has on disk."
    )

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._marks: dict[int, int] = {}
        self._highest = 0
        self._ended: dict[ReplicaKey, Quorum] = {}  # the last process of each directory

    def restarted(self, node_id: int) -> None:
        self._marks.pop(node_id, None)

    def controller_changed(self, node_id: int, state: ProcessState) -> None:
        if state is ProcessState.NOT_RUNNING:
            quorum = self.world.controllers[node_id].node.quorum
            self._ended[quorum.me] = quorum

    def advanced(self, node: Node, turn: Turn) -> None:
        quorum = node.quorum
        me, mark = quorum.me.node_id, quorum.high_watermark
        known = self._marks.get(me, 0)
        if mark == known:
            return
        if mark < known:
            raise Broken(f"the high watermark of controller {me} is {mark}, and was {known} before")
        if mark > quorum.log.end_offset:
            raise Broken(
                f"the log of controller {me} ends at {quorum.log.end_offset}, below its high "
                f"watermark {mark}"
            )
        self._marks[me] = mark
        if mark > self._highest:
            self._highest = mark
            self._check_majority(quorum, mark)

    def _check_majority(self, quorum: Quorum, mark: int) -> None:
        self.exercised += 1
        if quorum.leader_id != quorum.me.node_id:  # the leader may have resigned in this step
            raise Broken(
                f"controller {quorum.me.node_id}, not the leader, is the first with high "
                f"watermark {mark}"
            )
        epoch = epoch_before(quorum.log, mark)
        if mark > quorum.log.start_offset and epoch != quorum.epoch:  # Raft, 5.4.2
            raise Broken(
                f"the leader of epoch {quorum.epoch}, controller {quorum.me.node_id}, raises the "
                f"high watermark to {mark}, after an entry of epoch {epoch}"
            )
        voters = quorum.voters.voters
        holding = [voter.voter_id for voter in voters if self._holds(voter, mark, epoch)]
        if len(holding) < quorum.voters.majority:
            raise Broken(
                f"the leader, controller {quorum.me.node_id}, raises the high watermark to {mark}, "
                f"of epoch {epoch}, which is on the disks of {words(holding)}, expected "
                f"{quorum.voters.majority} of the voters {words(quorum.voters.ids)}"
            )

    def _holds(self, voter: Voter, end_offset: int, epoch: int | None) -> bool:
        quorum = self._quorum_of(voter)
        if quorum is None or quorum.persisted_offset < end_offset:
            return False
        return end_offset <= quorum.log.start_offset or epoch == epoch_before(
            quorum.log, end_offset
        )

    def _quorum_of(self, voter: Voter) -> Quorum | None:
        """Returns the state of the voter's last process; None if it never had one."""
        process = self.world.controllers.get(voter.voter_id)
        if process is None:
            return None
        present, directory_id = process.node.quorum, voter.voter_directory_id
        if directory_id in (ZERO_UUID, present.me.directory_id):
            return present
        return self._ended.get(ReplicaKey(voter.voter_id, directory_id))


def epoch_before(log: MetadataLog, end_offset: int) -> int | None:
    """Returns the epoch of the entry before `end_offset`, or None if it is unknown."""
    if end_offset == log.start_offset:
        return log.start_epoch
    if not log.start_offset < end_offset <= log.end_offset:
        return None
    return log.read(end_offset - 1, 1)[0].epoch


class LeaderCompleteness(Property):
    """Checks the log of each new leader, and at each commit the logs of later leaders."""

    number = "S7"
    name = "leader-completeness"
    claim = "A leader has every entry that was committed in an earlier epoch."

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._end = 0
        # by epoch: a candidate that hears late that it won lacks what later epochs committed
        self._ends: dict[int, int] = {}
        self._epochs: dict[int, int] = {}

    def restarted(self, node_id: int) -> None:
        self._epochs.pop(node_id, None)

    def moved(self, node: Node, turn: Turn) -> None:
        quorum = node.quorum
        if quorum.is_leader and self._epochs.get(quorum.me.node_id) != quorum.epoch:
            self._epochs[quorum.me.node_id] = quorum.epoch
            self._check(quorum)

    def advanced(self, node: Node, turn: Turn) -> None:
        quorum = node.quorum
        if quorum.high_watermark > self._end:
            self._end = quorum.high_watermark
            self._ends[epoch_before(quorum.log, self._end) or 0] = self._end
            for process in self.world.controllers.values():
                peer = process.node.quorum
                if process.is_alive and peer.is_leader and peer.epoch > quorum.epoch:
                    self._check(peer)

    def _check(self, leader: Quorum) -> None:
        """Checks for the last entry that earlier epochs committed; S4 implies those before it."""
        epoch = max((epoch for epoch in self._ends if epoch < leader.epoch), default=NO_EPOCH)
        log, end = leader.log, self._ends.get(epoch, 0)
        self.exercised += end > 0
        if end > log.start_offset and epoch_before(log, end) != epoch:
            raise Broken(
                f"controller {leader.me.node_id} leads epoch {leader.epoch} without the entries "
                f"committed below offset {end} in epoch {epoch}"
            )


class OneWriter(Property):
    """Checks that the leader of an epoch writes its entries first, and never truncates them."""

    number = "S8"
    name = "one-writer"
    claim = "Only the leader of an epoch writes its entries first, and it never truncates them."

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._written: set[Position] = set()
        self._epochs: dict[int, int] = {}

    def moved(self, node: Node, turn: Turn) -> None:
        self._epochs[node.quorum.me.node_id] = _led(node.quorum)

    def wrote(self, node: Node, turn: Turn) -> None:
        me, led = node.quorum.me.node_id, _led(node.quorum)
        if led != NO_EPOCH and turn.truncate_to is not None and self._epochs.get(me) == led:
            raise Broken(
                f"controller {me} leads epoch {led} and truncates its log to {turn.truncate_to}"
            )
        if turn.snapshot is not None:
            start = self.world.log_start
            self._written = {position for position in self._written if position[0] >= start}
        for batch in turn.persist:
            position = batch.base_offset, batch.epoch
            if position in self._written:
                continue
            self.exercised += 1
            if led != batch.epoch:
                raise Broken(
                    f"controller {me} writes offset {position[0]} of epoch {position[1]} and does "
                    "not lead that epoch"
                )
            self._written.add(position)


def _led(quorum: Quorum) -> int:
    """Returns the epoch that the controller leads or led until this step; -1 if it did not."""
    return quorum.epoch if quorum.leader_id == quorum.me.node_id else NO_EPOCH


CLASSES: tuple[type[Property], ...] = (
    LogMatching,
    CommittedIsFinal,
    HighWatermark,
    LeaderCompleteness,
    OneWriter,
)
