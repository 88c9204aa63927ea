"""An agent on a timeline: its process (alive, paused, ended), its wake-up, its connections.

The module does no IO, so the live service and virtual time run the same code. A restart is a new
process with a new incarnation; a kill does not recall requests already sent.
"""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from kraftsim.controller.core.image.partition import Partition, PartitionKey
from kraftsim.controller.core.mutations import Bucket
from kraftsim.controller.core.profile import Profile
from kraftsim.controller.core.uuid import Uuid
from kraftsim.controller.raft.protocol import Reply
from kraftsim.controller.time.clock import Clock
from kraftsim.controller.time.wakeup import Wakeup

from .agent import Agent
from .conversation import Send
from .directories.data_disk import DataDisk
from .host import Host
from .log.periodic import START_CHECKPOINT
from .process_state import FOLLOWS, ProcessState
from .replica_store import Found
from .replication.followers import FetcherFaults, Lag, Truncated
from .replication.in_sync import CatchesUp

if TYPE_CHECKING:  # imported with the first message
    from .configurations import KnownSettings
    from .log.byte_rate import ByteRate, SimpleByteRate

IN_SERVICE = (ProcessState.RUNNING, ProcessState.PENDING_CONTROLLED_SHUTDOWN)


class Usage:
    """What the process of a broker counts, made with the first message that it handles.

    `byte_rates` has what its clients use of their byte quotas, by quota; `replication_rates` what
    it replicates of throttled partitions (`leading/throttles.py`); `log_settings` what it knows of
    the settings of topics.
    """

    def __init__(self) -> None:
        self.byte_rates: dict[tuple[str, Bucket], ByteRate] = {}
        self.replication_rates: dict[str, SimpleByteRate] = {}
        self.log_settings: KnownSettings = {}


class HostedAgent:
    """The process of one broker.

    `peer(broker_id)` returns another broker whose disk can be reached; None if there is none.
    `on_replicas_change` are called with a partition whose high watermark has risen, and with None
    when topics, leaders or log directories may have changed.
    `catches_up` and `observe_logs` are those of `leading/leader.py`.
    `on_metadata` is called when the process has applied metadata, for what it follows elsewhere.
    """

    def __init__(
        self,
        host: Host,
        clock: Clock,
        peer: "Callable[[int], HostedAgent | None]" = lambda broker_id: None,
    ) -> None:
        self.agent = host.make_agent(-1)
        self.profile: Profile = self.agent.config.profile  # the release that the process runs
        self.store = self.agent.store  # what is on the disk of the broker
        self.is_alive = False
        self.is_paused = False
        self.clock = clock
        self.peer = peer
        self.host = host
        self._wakeup = Wakeup(clock, self._wake)
        # replies that arrived while paused, one a channel
        self._held: list[tuple[Send, Reply | None]] = []
        self._reported_state = ProcessState.NOT_RUNNING
        self._clean_epoch = -1
        self._has_flushed = False  # the last process, before it ended
        self._stops_when_resumed = False
        self._once_ended: Callable[[], None] | None = None
        self.started_ms = 0  # when the process started
        self.on_replicas_change: list[Callable[[PartitionKey | None], None]] = []
        self._usage: Usage | None = None
        self._halted_ms = 0  # when the process ended or was paused last
        self._seen_offset = self.agent.metadata_offset  # of the metadata that it looked at last
        self._disk: DataDisk | None = None
        self._fetcher_faults: FetcherFaults | None = None
        self.catches_up: CatchesUp = lambda key, broker_id: True
        self.observe_logs: Callable[[HostedAgent], None] = lambda hosted: None
        self.on_metadata: Callable[[], None] | None = None

    @property
    def state(self) -> ProcessState:
        """The state of the process."""
        if not self.is_alive:
            return ProcessState.NOT_RUNNING
        return ProcessState.PAUSED if self.is_paused else self.agent.state

    @property
    def is_running(self) -> bool:
        """True if the state is RUNNING: the broker is in service and not paused."""
        return self.state is ProcessState.RUNNING

    @property
    def is_in_service(self) -> bool:
        """True once the broker is unfenced, until its process ends: it leads then."""
        return self.is_alive and self.agent.state in IN_SERVICE

    @property
    def is_stopping(self) -> bool:
        """True from SIGTERM until the process has ended."""
        is_draining = self.agent.state is ProcessState.PENDING_CONTROLLED_SHUTDOWN
        return self.is_alive and (is_draining or self._stops_when_resumed)

    def start(self) -> None:
        """Start the process, unless it runs; every process is a new incarnation."""
        if self.is_alive:
            return
        self.agent = self.host.make_agent(-1 if self.store.failed else self._clean_epoch)
        self.profile = self.agent.config.profile
        self.agent.store = self.store
        self.agent.catches_up = self.catches_up
        self.store.begin(is_clean=self._has_flushed)
        self.is_alive, self.is_paused, self._clean_epoch = True, False, -1
        self._has_flushed = False
        self._seen_offset = self.agent.metadata_offset
        self._usage = None
        self.started_ms = self.clock.now_ms
        self._reported_state = ProcessState.NOT_RUNNING
        self._send(self.agent.start(self.clock.now_ms))

    def stop(self) -> None:
        """Send SIGTERM: drain, then end. A paused process handles it once resumed."""
        self._once_ended = None
        self._stop()

    def once_ended(self, then: Callable[[], None]) -> None:
        """Call `then` when the process, which got SIGTERM, has ended by itself.

        Not if it is killed first; another SIGTERM cancels it too.
        """
        self._once_ended = then

    def _stop(self) -> None:
        if self.is_paused:
            self._stops_when_resumed = True
        elif self.is_alive:
            self._send(self.agent.request_stop(self.clock.now_ms))

    def kill(self) -> None:
        """Send SIGKILL: the process ends at once, without a message to the controller."""
        if self.is_alive:
            self.store.end_process(START_CHECKPOINT.last_ms(self.started_ms, self.clock.now_ms))
            if not self.is_paused:
                self._halted_ms = self.clock.now_ms
            self.is_alive = self.is_paused = self._stops_when_resumed = False
            self._once_ended = None
            self._held.clear()
            self._take_inventory()
            self.host.on_change(ProcessState.NOT_RUNNING)

    def lose_disk(self) -> None:
        """Lose the replicas, and the file that notes a clean shutdown (rule 1.38)."""
        self._clean_epoch, self._has_flushed = -1, False
        self.store.lose_all()

    def fail_directory(self, directory_id: Uuid) -> None:
        """Lose a log directory of the disk, which a process reports; a later one may find it."""
        self.store.failed.add(directory_id)
        if self.is_alive and not self.is_paused:
            self._send(self.agent.on_directory_failed(self.clock.now_ms))
        self.report_change()

    def can_write(self, directory_id: Uuid) -> bool:
        """Returns False if the directory is full: the write that fails takes it offline (B7.62)."""
        if directory_id not in self.store.full:
            return True
        if directory_id not in self.store.failed:
            self.fail_directory(directory_id)
        return False

    def directory_of(self, partition: Partition) -> Uuid | None:
        """Returns the directory with the broker's replica; None if none of several is assigned."""
        directories = self.agent.config.log_dirs
        if len(directories) == 1:
            return directories[0].directory_id
        return partition.directory_of(self.agent.config.broker_id)

    def leader_epoch(self, key: PartitionKey) -> int:
        """Returns the leader epoch of a partition that the process knows; -1 if it knows none.

        It follows, or is, the leader of that epoch alone (B6.70).
        """
        partition = self.known(key)
        return -1 if partition is None else partition.leader_epoch

    def known(self, key: PartitionKey) -> Partition | None:
        """Returns a partition as the process knows it."""
        topic = self.agent.image.topics.get(key[0])
        return None if topic is None else topic.partitions.get(key[1])

    @property
    def usage(self) -> Usage:
        """What the process counts since it handled its first message."""
        if self._usage is None:
            self._usage = Usage()
        return self._usage

    @property
    def disk(self) -> DataDisk:
        """The broker's log directories, made with the first message or fault."""
        if self._disk is None:
            self._disk = DataDisk(self.clock.timeline, lambda: self.is_paused)
        return self._disk

    # Replication

    @property
    def fetcher_faults(self) -> FetcherFaults:
        """The faults of the broker's fetchers, made with the first message or fault."""
        if self._fetcher_faults is None:
            self._fetcher_faults = FetcherFaults()
        return self._fetcher_faults

    def is_fetched_by(self, peer: "HostedAgent", key: PartitionKey) -> bool:
        """True if the process of another broker fetches from this one, and gets replies."""
        if not self.is_in_service or self.is_paused or not peer.is_alive or peer.is_paused:
            return False
        if peer.agent.state not in FOLLOWS:
            return False
        if self.store.failed and not self._has_directory_of(key):
            return False
        if self.host.silence_ms(peer.agent.config.broker_id) is not None:
            return False
        if peer.fetcher_faults.stop(key):
            return False
        return peer.follows(key, self.leader_epoch(key))

    def deliver(
        self, broker_id: int, action: Callable[[], None], *, is_reply: bool, taking_us: int = 0
    ) -> None:
        """Runs `action` as a Fetch of another broker, or the reply to it, is taken."""
        lag_us = self.host.lag_us(broker_id, is_reply=is_reply)
        self.clock.timeline.after(lag_us + taking_us, action)

    def is_cut_off(self, broker_id: int) -> bool:
        """True if the network to or from another broker is closed."""
        return self.host.silence_ms(broker_id) is not None

    def silent_ms(self, key: PartitionKey, broker_id: int) -> int:
        """Returns for how long a follower that does not fetch has not fetched, as far as known."""
        peer = self.peer(broker_id)
        if peer is not None and (peer.is_paused or not peer.is_alive):
            return peer.clock.now_ms - peer._halted_ms
        if peer is not None and (since_ms := peer.fetcher_faults.since_ms(key)) is not None:
            return peer.clock.now_ms - since_ms
        return self.host.silence_ms(broker_id) or 0

    def _has_directory_of(self, key: PartitionKey) -> bool:
        partition = self.known(key)
        return partition is not None and self.directory_of(partition) not in self.store.failed

    def can_write_to(self, partition: Partition) -> bool:
        """True if the broker can write to its replica; a full directory goes offline (B7.62)."""
        store = self.store
        if not (store.full or store.failed):
            return True
        directory = self.directory_of(partition)
        return directory is None or (directory not in store.failed and self.can_write(directory))

    def note_lag(self, key: PartitionKey, broker_id: int, lag: Lag) -> None:
        """Notes a follower that lags, and looks at it again soon."""
        self.agent.followers.note_lag(key, broker_id, lag)
        self.agent.in_sync.observe(self.agent.image, self.clock.now_ms)
        self._arm()

    def note_fetched_all(self, key: PartitionKey, broker_id: int) -> None:
        """Notes that a follower may join the ISR, and looks at it at once."""
        self.agent.in_sync.hurry(key, broker_id, self.clock.now_ms)
        self._arm()

    def report_change(self, key: PartitionKey | None = None) -> None:
        """Lets those look again who wait for a partition; None: for any."""
        for look in self.on_replicas_change:
            look(key)

    def report_truncated(self, key: PartitionKey, records: Truncated) -> None:
        """Reports what the broker gave up of its log."""
        self.host.on_truncated(self.agent.image.topics[key[0]].name, key[1], records)

    def follows(self, key: PartitionKey, leader_epoch: int) -> bool:
        """True if the process knows that it has a replica, of a leader with this epoch."""
        partition = self.known(key)
        if partition is None or partition.leader_epoch != leader_epoch:
            return False
        return self.agent.config.broker_id in partition.replicas

    def report_moves(self) -> None:
        """Reports the directories of replicas whose move began, was copied or ended."""
        self._send(self.agent.report_moves(self.clock.now_ms))

    def pause(self) -> None:
        """Send SIGSTOP: the process handles no deadline and no reply."""
        if self.is_alive and not self.is_paused:
            self.is_paused = True
            self._halted_ms = self.clock.now_ms
            self.host.on_change(ProcessState.PAUSED)

    def resume(self) -> None:
        """Send SIGCONT: the process handles the replies that arrived meanwhile."""
        if not self.is_paused:
            return
        self.is_paused = False
        self.host.on_change(self.agent.state)
        held, self._held = self._held, []
        for sent, reply in held:
            self._replied(self.agent, sent, reply)
        self._wake()
        if self._disk is not None:
            self._disk.end_writes()
        if self.store.failed and self.is_alive:
            self._send(self.agent.on_directory_failed(self.clock.now_ms))
        if self._stops_when_resumed:
            self._stops_when_resumed = False
            self._stop()

    def _wake(self) -> None:
        if not self.is_alive or self.is_paused:
            return
        self._send(self.agent.on_deadline(self.clock.now_ms))

    def _send(self, sends: list[Send]) -> None:
        """Report a state change, arm the wake-up, then send."""
        agent = self.agent
        if agent.state is not self._reported_state:
            self._reported_state = agent.state
            self.host.on_change(agent.state)
            if agent.state is ProcessState.RECOVERY and agent.found != Found():
                self.host.on_found(agent.found)
            if agent.is_finished:
                self._end()
                return
            if self.store.logs and agent.state in FOLLOWS:
                self.observe_logs(self)
        self._arm()
        for send in sends:
            self.host.send(send, partial(self._replied, agent, send))

    def _arm(self) -> None:
        deadline_ms = self.agent.next_deadline_ms()
        if deadline_ms < self._wakeup.armed_ms:
            self._wakeup.arm(deadline_ms)

    def _replied(self, agent: Agent, sent: Send, reply: Reply | None) -> None:
        if agent is not self.agent or not self.is_alive:
            return  # a reply to a process that ended
        if self.is_paused:
            self._held.append((sent, reply))
            return
        observes = self.on_metadata is not None or self.on_replicas_change
        if not (observes or self.store.full or self.store.logs or self.store.moves):
            self._send(agent.on_reply(sent, reply, self.clock.now_ms))
            self._seen_offset = agent.metadata_offset
            return
        self._send(agent.on_reply(sent, reply, self.clock.now_ms))
        # Brokers of a fleet share the metadata: the reply to another one may have brought them.
        before, self._seen_offset = self._seen_offset, agent.position.applied_offset
        if self._seen_offset == before:
            return
        if (self.store.logs or self.store.moves) and self.is_alive:
            self.observe_logs(self)
        if self.on_metadata is not None:
            self.on_metadata()
        self.report_change()
        if self.store.full and self.is_alive:  # the metadata log is in the first directory
            self.can_write(agent.config.log_dirs[0].directory_id)

    def _take_inventory(self) -> None:
        """Note what is on the disk; a process that ended before RECOVERY changed nothing."""
        if self.store.is_compared:
            self.store.end(self.agent.image, self.agent.config.broker_id)

    def _end(self) -> None:
        """End the process; a drained one notes its epoch, in every directory (rule 1.38)."""
        if self.agent.failure is None and self.agent.was_drained and not self.store.failed:
            self._clean_epoch = self.agent.broker_epoch
        self.store.end_process(self.clock.now_ms)  # it writes log starts before it exits
        self._has_flushed = self.agent.failure is None
        if self._has_flushed:
            self.store.flush()
        self.is_alive, self._halted_ms = False, self.clock.now_ms
        self._take_inventory()
        then, self._once_ended = self._once_ended, None
        self.host.on_change(ProcessState.NOT_RUNNING)
        if then is not None:
            then()
