"""A data plane that exists only for properties: logs of replicas, and what producers were promised.

Nothing in the cluster knows it, and it changes nothing. It follows Kafka's rules for stored
messages. A leader that runs writes a record each millisecond. Replicas that run copy it. A record
is acknowledged once every in-sync replica has it and there are at least min ISR of them; a replica
that the leader has proposed counts as in sync from then on. A process that does not end in good
order loses the records that it had not flushed when it starts again (KIP-966).

Logs grow when something happens to a partition, by the time since; nothing runs in between.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.log import records as r
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.node_id import NodeId
from kraftsim.controller.core.rpc import AlterPartitionData, AlterPartitionRequest
from kraftsim.simulation.world import World

from .breach_words import LABELS, differing, words
from .committed import OfTheCommittedLog
from .epoch_tree import EMPTY, EpochTree, Position
from .log_configs import has_elr, min_isr
from .property import Kinds
from .shadow import Fact, Key

RECORD_US = 1000  # time between two records of a leader
FLUSH_RECORDS = 500  # a log is flushed each time it has grown by so many records
UNCOPIED_RECORDS = 5  # the newest records of a leader that no replica has copied yet
SERVING = (ProcessState.RUNNING, ProcessState.PENDING_CONTROLLED_SHUTDOWN)
COPYING = (ProcessState.RECOVERY, *SERVING)


@dataclass(slots=True)
class Process:
    """The process of a broker: `state`, and since when in microseconds.

    `lost` is true from an unclean restart until the new incarnation is registered. `is_trusted` is
    true if it was registered without ELR then: it stays in every ISR (rule 1.37). `is_left` is true
    if it was registered before it was fenced, in a release that leaves its leaderships and ISRs as
    they are then (rule 1.34).
    """

    state: ProcessState = ProcessState.NOT_RUNNING
    since_us: int = 0
    ended_cleanly: bool = True
    lost: bool = False
    is_trusted: bool = False
    is_left: bool = False


@dataclass(slots=True)
class Partition:
    """The logs of a partition's replicas, and the end of the acknowledged records.

    `proposed` are replicas that the leader wants in the ISR. `without_log` are replicas that were
    removed, stayed in the ELR, and were added again without a log (rule 4.25), or that went from
    the ISR into the ELR without the log that an unclean restart had cost. `is_kafkas_own` is
    true if the leader was elected as one of these, as the only member of the ISR without ELR, as a
    trusted member of the ELR, or with its memberships left: its losses are Kafka's own.
    `is_declared` is true if its election was an unclean one.
    """

    fact: Fact
    min_isr: int
    since_us: int
    tree: EpochTree = field(default_factory=EpochTree)
    logs: dict[int, Position] = field(default_factory=dict)
    acknowledged: Position = EMPTY
    proposed: frozenset[int] = frozenset()
    without_log: frozenset[int] = frozenset()
    is_kafkas_own: bool = False
    is_declared: bool = False


class Ghost(OfTheCommittedLog):
    """The ghost of a world. `losses` and `laggards` are what must not happen, as texts.

    `served` counts the times that a leader began to serve with acknowledged records to keep,
    `joined` the replicas that entered an ISR or ELR.
    """

    number = "-"
    name = "ghost"
    claim = ""
    kinds: ClassVar[Kinds] = (AlterPartitionRequest,)

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.losses: list[str] = []
        self.laggards: list[str] = []
        self.served = self.joined = 0
        self._partitions: dict[Key, Partition] = {}
        self._processes: dict[int, Process] = {}
        self._default_min_isr = world.topology.settings.min_insync_replicas
        self._catch_up_us = 500 * world.topology.settings.replica_fetch_wait_max_ms

    # What happens

    def broker_changed(self, broker_id: int, state: ProcessState) -> None:
        process, now_us = self._process(broker_id), self.world.timeline.now_us
        keys = self.mentions.of("replicas", broker_id)
        for key in keys:
            self._pass_time(self._partitions[key], now_us)
        if state is ProcessState.NOT_RUNNING:
            process.ended_cleanly = process.state is ProcessState.SHUTTING_DOWN
        elif process.state is ProcessState.NOT_RUNNING and not process.ended_cleanly:
            self._lose(broker_id, keys)
            process.lost = True
        process.state, process.since_us = state, now_us
        for key in self.mentions.of("leader", broker_id):
            self._serve(key, self._partitions[key])

    def sent(self, sender: NodeId, request: AlterPartitionRequest) -> None:
        """Counts the proposed replicas as in sync, as Kafka's maximal ISR does."""
        for topic in request.topics:
            for data in topic.partitions:
                partition = self._partitions.get(
                    ("Partition", topic.topic_id, data.partition_index)
                )
                if partition is not None and _is_current(partition.fact, request, data):
                    self._pass_time(partition, self.world.timeline.now_us)
                    self._propose(partition, data.new_isr)

    def read(self, record: object, offset: int) -> None:
        if isinstance(record, r.RegisterBrokerRecord):
            process = self._process(record.broker_id)
            process.is_trusted = process.lost and not has_elr(self.shadow)
            process.is_left = process.lost and self._leaves_as_it_is(record.broker_id)
            for key in self.mentions.of("leader", record.broker_id):
                self._partitions[key].is_kafkas_own |= process.is_left
            process.lost = False

    def partition_settled(self, key: Key, before: Fact | None, after: Fact) -> None:
        now_us = self.world.timeline.now_us
        partition = self._partitions.get(key)
        if partition is None or before is None:
            partition = Partition(after, self._min_isr(key, after), now_us)
            partition.logs = dict.fromkeys(after["replicas"], EMPTY)
            self._partitions[key] = partition
        else:
            self._pass_time(partition, now_us)
            partition.min_isr = self._min_isr(key, after)
            self._change(partition, before, after)
            self._check_members(key, partition, before)
        self._serve(key, partition)

    def done(self, batch: Batch, touched: set[Key]) -> None:
        now_us = self.world.timeline.now_us
        is_configured = False
        for key in touched:
            if key[0] == "Partition" and key not in self.shadow.facts:
                self._partitions.pop(key, None)
            is_configured = is_configured or key[0] == "Config"
        if is_configured:
            for key, partition in self._partitions.items():
                self._pass_time(partition, now_us)
                partition.min_isr = self._min_isr(key, partition.fact)

    # What follows from it

    def _change(self, partition: Partition, before: Fact, after: Fact) -> None:
        partition.fact, partition.proposed = after, frozenset()
        partition.logs = {b: partition.logs.get(b, EMPTY) for b in after["replicas"]}
        if after["leader_epoch"] != before["leader_epoch"]:
            is_elected = after["leader"] != before["leader"]
            partition.is_declared = is_elected and after["leader_recovery_state"] == r.RECOVERING
            process = self._process(after["leader"])
            is_last = before["isr"] == (after["leader"],)
            partition.is_kafkas_own = (
                (is_last and (process.is_trusted or not has_elr(self.shadow)))
                or (process.is_trusted and after["leader"] in before["eligible_leader_replicas"])
                or after["leader"] in partition.without_log
                or process.is_left
            )
            if partition.is_declared:  # also if this leader never serves
                log = partition.logs.get(after["leader"], partition.acknowledged)
                partition.acknowledged = partition.tree.common(log, partition.acknowledged)
        self._note_without_log(partition, before)

    def _note_without_log(self, partition: Partition, before: Fact) -> None:
        """Notes replicas that are eligible without a log, until they have caught up.

        They were added again and in the ELR all the time, or they were trusted members of the ISR
        or the ELR while ELR was not enabled. One that is elected is noted until the next change.
        """
        after, name = partition.fact, "eligible_leader_replicas"
        added = frozenset(after["replicas"]).difference(before["replicas"])
        eligible = (partition.without_log | added).intersection(
            before[name], (*after[name], *after["isr"])
        )
        known = {*before["isr"], *before[name]}.intersection(after[name])
        known |= {*before[name]}.intersection(after["isr"])
        trusted = {b for b in known if self._process(b).is_trusted}
        partition.without_log = frozenset(
            b
            for b in eligible | trusted
            if not partition.tree.has(partition.logs.get(b, EMPTY), partition.acknowledged)
        )

    def _propose(self, partition: Partition, isr: tuple[int, ...]) -> None:
        """Counts replicas as in sync; from then on nothing is acknowledged without them.

        A leader proposes a replica that has fetched everything. The ghost does not see the Fetch,
        so it lets the replica fetch now, and give back what another leader wrote.
        """
        partition.proposed |= frozenset(isr)
        acknowledged = partition.acknowledged
        for member in isr:
            own = partition.logs.get(member)
            if own is None or self._process(member).lost or partition.tree.has(own, acknowledged):
                continue
            partition.logs[member] = acknowledged

    def _pass_time(self, partition: Partition, now_us: int) -> None:
        """Lets the leader write, replicas copy, and records be acknowledged, up to now."""
        elapsed_us = now_us - partition.since_us
        partition.since_us = now_us
        leader, tree = partition.fact["leader"], partition.tree
        log = partition.logs.get(leader)
        if log is None or log.epoch != partition.fact["leader_epoch"] or not self._serves(leader):
            return
        log = Position(log.epoch, log.end + 1 + elapsed_us // RECORD_US)
        partition.logs[leader] = log
        copied = tree.cut(log, max(0, log.end - UNCOPIED_RECORDS))
        for replica, own in partition.logs.items():
            if replica != leader and self._copies(partition, replica, now_us):
                partition.logs[replica] = max(tree.common(own, log), copied, key=_end)
        self._acknowledge(partition)

    def _acknowledge(self, partition: Partition) -> None:
        """Raises the end of what is acknowledged to what the leader and all of the ISR have.

        A member that has not fetched since the election may have records that the leader lacks.
        """
        isr, tree = partition.fact["isr"], partition.tree
        if len(isr) < partition.min_isr:
            return
        leads = partition.logs[partition.fact["leader"]]
        members = {*isr, *partition.proposed}
        logs = [tree.common(partition.logs.get(member, EMPTY), leads) for member in members]
        shortest = min(logs, key=_end)
        if shortest.end > partition.acknowledged.end:
            partition.acknowledged = shortest

    def _serve(self, key: Key, partition: Partition) -> None:
        """Lets a leader that serves begin its epoch; it must have what was acknowledged."""
        leader, epoch = partition.fact["leader"], partition.fact["leader_epoch"]
        log, tree = partition.logs.get(leader), partition.tree
        if log is None or not self._serves(leader):
            return
        self.served += partition.acknowledged.end > 0
        if not tree.has(log, partition.acknowledged):
            is_expected = partition.is_declared or partition.is_kafkas_own
            if not (is_expected or self._is_cloned(leader)):  # of two disks, either may lead
                known = _end_words(partition.acknowledged)
                self.losses.append(
                    f"broker {leader} leads {words(key)} in epoch {epoch} with a log that ends "
                    f"{_end_words(log)}; records up to the end {known} were acknowledged: "
                    f"{words(partition.fact)}"
                )
            partition.acknowledged = tree.common(log, partition.acknowledged)
        if log.epoch != epoch:
            partition.logs[leader] = tree.begin(epoch, log)
            partition.since_us = self.world.timeline.now_us

    def _check_members(self, key: Key, partition: Partition, before: Fact) -> None:
        """Checks that new members of the ISR, and all of the ELR, have what was acknowledged.

        A completed reassignment leaves removed replicas in the ELR, as in Kafka. They cannot lead
        until they are added again; then they are eligible without a log.
        """
        after = partition.fact
        if partition.is_declared:
            return
        if is_unclean_revert(before, after):
            for member in after["isr"]:
                log = partition.logs.get(member, EMPTY)
                partition.acknowledged = partition.tree.common(log, partition.acknowledged)
        for name, known in (("isr", before["isr"]), ("eligible_leader_replicas", ())):
            for member in after[name]:
                if member in known or self._process(member).lost:
                    continue
                if member not in after["replicas"] or member in partition.without_log:
                    continue
                self.joined += 1
                log = partition.logs.get(member, EMPTY)
                if not partition.tree.has(log, partition.acknowledged):
                    was, became = differing(before, after)
                    self.laggards.append(
                        f"broker {member} is in the {LABELS[name]} of {words(key)} with a log that "
                        f"ends {_end_words(log)}; records up to the end "
                        f"{_end_words(partition.acknowledged)} were acknowledged: {was} became "
                        f"{became}"
                    )

    def _lose(self, broker_id: int, keys: set[Key]) -> None:
        """Cuts the logs of a broker to what it had flushed."""
        for key in keys:
            partition = self._partitions[key]
            log = partition.logs[broker_id]
            partition.logs[broker_id] = partition.tree.cut(log, log.end - log.end % FLUSH_RECORDS)

    def _leaves_as_it_is(self, broker_id: int) -> bool:
        """True if the broker is not fenced, and the release does not clean up when it registers."""
        known = self.shadow.broker(broker_id)
        is_left = not self.cleans_up_at_registration
        return is_left and known is not None and not known["fenced"]

    def _process(self, broker_id: int) -> Process:
        process = self._processes.get(broker_id)
        if process is None:
            process = self._processes[broker_id] = Process()
        return process

    def _serves(self, broker_id: int) -> bool:
        return self._process(broker_id).state in SERVING or self._is_cloned(broker_id)

    def _is_cloned(self, broker_id: int) -> bool:
        """Returns True if a second process has this id: either may be registered, and runs."""
        clones = self.world.clones.values()
        return any(clone.agent.config.broker_id == broker_id for clone in clones)

    def _copies(self, partition: Partition, broker_id: int, now_us: int) -> bool:
        """Returns True if a replica has copied what its leader had until now.

        A member of the ISR is close to the end; another replica needs time to catch up.
        """
        process = self._process(broker_id)
        if process.state not in COPYING:
            return self._is_cloned(broker_id)
        is_close = broker_id in partition.fact["isr"]
        return is_close or process.since_us + self._catch_up_us <= now_us

    def _min_isr(self, key: Key, fact: Fact) -> int:
        topic = self.shadow.facts["Topic", key[1]]["name"]
        replicas = len(fact["replicas"])
        return min_isr(self.shadow, topic, self.world.controllers, self._default_min_isr, replicas)


def _end_words(log: Position) -> str:
    return f"at {log.end} in leader epoch {log.epoch}"


def _end(log: Position) -> int:
    return log.end


def _is_current(fact: Fact, request: AlterPartitionRequest, data: AlterPartitionData) -> bool:
    """Returns True if the leader of the partition proposes an ISR for its present state."""
    return bool(
        fact["leader"] == request.broker_id
        and fact["leader_epoch"] == data.leader_epoch
        and fact["partition_epoch"] == data.partition_epoch
    )


def is_unclean_revert(before: Fact, after: Fact) -> bool:
    """True if a reassignment was cancelled while nobody was in sync.

    Replicas that were being added do not count. The first of the former replicas becomes the ISR
    then, if unclean elections are enabled; no record declares it.
    """
    is_cancelled = before["adding_replicas"] and not after["adding_replicas"]
    return bool(
        is_cancelled and after["isr"] and not {*before["isr"]} - {*before["adding_replicas"]}
    )
