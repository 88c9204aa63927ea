"""S35 and S36: states and snapshots of controllers equal an independent replay of the whole log.

Rules 0A.3, 9.31, 9.46; KIP-630. The replay of an active controller has its uncommitted tail.
"""

from collections.abc import Iterable
from typing import NamedTuple

from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.control_records import Voter, Voters
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn
from kraftsim.controller.raft.snapshot import Snapshot
from kraftsim.simulation.world import World

from ..oracles.active_logs import OfActiveLogs
from ..oracles.breach_words import differing, words
from ..oracles.committed import OfTheCommittedLog
from ..oracles.property import Broken, Property
from ..oracles.shadow import Fact, Key, Shadow
from .image import keys_of, values_in

BASES_MAX = 8  # replays that later snapshots are compared from; a controller keeps one snapshot
POSITION = "register_offset"  # of a registration that is read from a snapshot: that of the snapshot


class ActiveIsReplay(OfActiveLogs):
    """Compares the state that decisions read with a replay of the log, uncommitted tail included.

    In an open transaction the state has its records already, so it is compared when that ends. A
    controller that has read a snapshot has other positions of registrations, as in Kafka.
    """

    number = "S35"
    name = "active-state-is-replay"
    claim = (
        "The state from which the active controller decides equals an independent replay of its"
        " whole log, also of what is not committed yet."
    )

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._compared: dict[int, int] = {}  # node id -> epoch whose whole state was compared

    def wrote_news(self, node: Node, turn: Turn) -> None:
        log = self.active_logs.of(node)
        if log is not None:
            self._compare(node, log.shadow, log.touched)

    def moved(self, node: Node, turn: Turn) -> None:
        log, node_id = self.active_logs.of(node), node.config.node_id
        if log is None or node.active is None or self._compared.get(node_id) == log.epoch:
            return
        self._compared[node_id] = log.epoch
        image = node.active.state.image
        self._compare(node, log.shadow, log.shadow.facts.keys() | keys_of(image))

    def _compare(self, node: Node, shadow: Shadow, keys: set[Key]) -> None:
        if shadow.is_in_transaction or node.active is None:
            return
        image = node.active.state.image
        for key in keys:
            self.exercised += 1
            expected, values = _lasting(shadow.facts.get(key)), _lasting(values_in(image, key))
            if expected != values:
                found, wanted = differing(values, expected)
                raise Broken(
                    f"controller {node.config.node_id} decides from {words(key)} with {found}, "
                    f"and its log up to offset {shadow.end_offset} has {wanted}"
                )


class EpochAndVoters(NamedTuple):
    """The epoch and the voters of the committed log from an offset on; None: no record has them."""

    offset: int
    epoch: int
    voters: tuple[Voter, ...] | None


class SnapshotIsReplay(OfTheCommittedLog):
    """Compares each snapshot with a replay of the log before its end, never of another snapshot.

    `_bases` are earlier replays, to which the batches since are applied. `_in_force` has an entry
    for each change of the epoch or the voters.
    """

    number = "S36"
    name = "snapshot-is-replay"
    claim = "A snapshot equals an independent replay of the committed log before its end."

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._bases = [Shadow()]
        self._tail: list[Batch] = []  # since the oldest base
        self._waiting: list[tuple[int, Snapshot]] = []
        self._in_force = [EpochAndVoters(-1, 0, None)]

    def wrote_news(self, node: Node, turn: Turn) -> None:
        if turn.snapshot is not None:
            self._waiting.append((node.config.node_id, turn.snapshot))
            self._judge()

    def done(self, batch: Batch, touched: set[Key]) -> None:
        self._tail.append(batch)
        self._note_epoch_and_voters(batch)
        if self._waiting:
            self._judge()

    def finished(self) -> None:
        self._judge()

    def _judge(self) -> None:
        """Compares the snapshots whose end is known to be committed."""
        end_offset = self.shadow.end_offset
        ready = [entry for entry in self._waiting if entry[1].snapshot_id.end_offset <= end_offset]
        for entry in ready:
            self._waiting.remove(entry)
            self._check(*entry)

    def _note_epoch_and_voters(self, batch: Batch) -> None:
        before = self._in_force[-1]
        entry = EpochAndVoters(batch.base_offset, batch.epoch, _voters_in([batch]) or before.voters)
        if entry[1:] != before[1:]:
            self._in_force.append(entry)

    def _check_epoch_and_voters(self, node_id: int, snapshot: Snapshot) -> None:
        """Compares the epoch in the id of a snapshot, and its voters (rule 10.43)."""
        end_offset, epoch = snapshot.snapshot_id.end_offset, snapshot.snapshot_id.epoch
        last = next(entry for entry in reversed(self._in_force) if entry.offset < end_offset)
        voters = _voters_in(snapshot.batches)
        if (epoch, voters) != (last.epoch, last.voters):
            raise Broken(
                f"the snapshot of controller {node_id} up to offset {end_offset} has epoch "
                f"{epoch} and the voters {words(voters)}, expected epoch {last.epoch} and "
                f"{words(last.voters)} from the log"
            )

    def _check(self, node_id: int, snapshot: Snapshot) -> None:
        end_offset = snapshot.snapshot_id.end_offset
        self._check_epoch_and_voters(node_id, snapshot)
        bases = [base for base in self._bases if base.end_offset <= end_offset]
        if not bases:
            return  # older than all that is remembered
        base = bases[-1]
        if base.end_offset < end_offset:
            base = self._replayed(base, end_offset)
        found = Shadow()
        found.restore(snapshot.batches, end_offset)
        for key in base.facts.keys() | found.facts.keys():
            self.exercised += 1
            expected, values = _lasting(base.facts.get(key)), _lasting(found.facts.get(key))
            if expected != values:
                has, wanted = differing(values, expected)
                raise Broken(
                    f"the snapshot of controller {node_id} up to offset {end_offset} has "
                    f"{words(key)} with {has}, expected {wanted} from the log"
                )

    def _replayed(self, base: Shadow, end_offset: int) -> Shadow:
        """Returns the replay up to `end_offset`, and keeps it as a base."""
        replayed = base.copy()
        for batch in self._tail:
            if base.end_offset <= batch.base_offset < end_offset:
                replayed.fold(batch)
        replayed.end_offset = end_offset
        self._bases = sorted([*self._bases, replayed], key=_end)[-BASES_MAX:]
        first = self._bases[0].end_offset
        self._tail = [batch for batch in self._tail if batch.base_offset >= first]
        return replayed


def _voters_in(batches: Iterable[Batch]) -> tuple[Voter, ...] | None:
    """Returns the voters of the last record that has them; None if no record has."""
    controls = (record for batch in batches if batch.is_control for record in batch.records)
    found = [record.voters for record in controls if isinstance(record, Voters)]
    return found[-1] if found else None


def _end(shadow: Shadow) -> int:
    return shadow.end_offset


def _lasting(fact: Fact | None) -> Fact | None:
    """Returns a fact without what a snapshot does not keep.

    That is the position of a registration, and whether the replicas of a partition that is older
    than directories have none or zero ids (rule 10.43).
    """
    if fact is None:
        return None
    if "directories" in fact and not any(map(any, fact["directories"])):
        return fact | {"directories": ()}
    return {name: value for name, value in fact.items() if name != POSITION}


CLASSES: tuple[type[Property], ...] = (ActiveIsReplay, SnapshotIsReplay)
