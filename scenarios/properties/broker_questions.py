"""S44: what a broker sends follows from what it was told.

Rules 1.38, 1.44 to 1.50, 2.2a, 10.34.
"""

from typing import Any, ClassVar

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.node_id import BROKER, NodeId, broker_node
from kraftsim.controller.core.rpc import (
    BrokerHeartbeatRequest,
    BrokerRegistrationRequest,
    FetchRequest,
    FetchSnapshotRequest,
)
from kraftsim.controller.core.uuid import Uuid
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

from ..oracles.breach_words import words
from ..oracles.broker_memory import UNKNOWN, LeaseMemory, LogMemory
from ..oracles.property import Askers, Broken, Kinds, Property

FETCH_TIMEOUT_MS = 2_000
LEASE = (BrokerRegistrationRequest, BrokerHeartbeatRequest)
METADATA = (FetchRequest, FetchSnapshotRequest)


class BrokersAskByTheRules(Property):
    """Compares each request of a broker with its identity and with the replies that it got.

    Second processes of a broker are not judged: nobody tells when they are paused.
    """

    number = "S44"
    name = "brokers-ask-by-the-rules"
    claim = (
        "A broker registers as itself, sends heartbeats with the epoch that it was granted, not"
        " before the interval of the settings, and fetches from where its log ends."
    )
    kinds: ClassVar[Kinds] = (*LEASE, *METADATA)
    askers: ClassVar[Askers] = (BROKER,)

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._leases: dict[NodeId, LeaseMemory] = {}
        self._logs: dict[NodeId, LogMemory] = {}
        self._owners: dict[Uuid, NodeId] = {}  # by incarnation
        self._silent: set[NodeId] = set()  # processes that have not registered yet
        settings = world.topology.settings
        self._interval_ms = settings.broker_heartbeat_interval_ms
        session_ms = settings.broker_session_timeout_ms
        self._lease_timeout_ms = session_ms // 2 if session_ms > 1 else self._interval_ms

    def broker_changed(self, broker_id: int, state: ProcessState) -> None:
        node = broker_node(broker_id)
        lease, log = self._leases.get(node), self._logs.get(node)
        if state is ProcessState.PAUSED:
            for memory in (lease, log):
                if memory is not None:
                    memory.is_certain, memory.asked = False, None
        elif state is ProcessState.STARTING:
            self._silent.add(node)
        elif state is ProcessState.NOT_RUNNING:
            self._logs.pop(node, None)
            if node in self._silent and lease is not None:
                lease.clean_epoch = UNKNOWN  # a process that never registered has taken it
        if lease is not None:
            lease.since_ms = UNKNOWN  # a change of state may ask at once
            if state is ProcessState.NOT_RUNNING:
                lease.asked = None  # nobody reads the reply

    def sent(self, sender: NodeId, request: Any) -> None:
        self.exercised += 1
        if isinstance(request, METADATA):
            self._check_position(sender, request)
        elif isinstance(request, BrokerHeartbeatRequest):
            self._check_heartbeat(sender, request)
        else:
            self._check_registration(sender, request)

    def replied(self, message: Message) -> None:
        receiver, request = message.receiver, message.request
        is_lease = isinstance(request, LEASE)
        memory = self._leases.get(receiver) if is_lease else self._logs.get(receiver)
        if memory is None or memory.asked is not request:
            return
        memory.asked = None  # the first reply counts
        if isinstance(memory, LogMemory) and memory.is_known(message.reply):
            memory.is_certain = False  # a copy, or one that a leader has kept
            return
        now_ms = self.world.clock_ms(receiver)
        timeout_ms = self._lease_timeout_ms if is_lease else FETCH_TIMEOUT_MS
        if now_ms >= memory.asked_ms + timeout_ms or self.world.agents[receiver.number].is_paused:
            memory.is_certain = False
        elif isinstance(memory, LogMemory):
            _tell(memory, request, message.reply)
        elif not _is_refused(message.reply):
            memory.told(request, message.reply, now_ms)

    # Registrations

    def _check_registration(self, sender: NodeId, request: BrokerRegistrationRequest) -> None:
        spec, world = self.world.hosts[sender].spec, self.world
        own = {of.directory_id for of in world.hosts[sender].log_dirs}
        told = (request.broker_id, request.cluster_id, request.rack)
        cluster_id = spec.cluster_id or world.topology.cluster_id
        expected = (spec.broker_id, cluster_id, spec.rack)
        if told != expected or [spec.port] != [o.port for o in request.listeners[:1]]:
            raise Broken(
                f"broker {sender.number} registers as {words(request)}, expected {words(expected)}"
            )
        agent = world.agent_of(sender)
        failed = set() if agent is None else agent.agent.store.failed
        if not own - failed <= {*request.log_dirs} <= own:
            raise Broken(
                f"broker {sender.number} registers the directories {words(request.log_dirs)}, and "
                f"has {words(own - failed)}"
            )
        if self._owners.setdefault(request.incarnation_id, sender) != sender:
            raise Broken(f"two processes have the incarnation {words(request.incarnation_id)}")
        known = self._leases.get(sender)
        self._silent.discard(sender)
        if known is None or known.incarnation_id != request.incarnation_id:
            self._check_previous(sender, request, known)
            known = self._leases[sender] = LeaseMemory(request.incarnation_id, request.log_dirs)
        known.asked, known.asked_ms = request, self.world.clock_ms(sender)
        known.since_ms = UNKNOWN

    def _check_previous(
        self, sender: NodeId, request: BrokerRegistrationRequest, ended: LeaseMemory | None
    ) -> None:
        """Checks that only a process after a clean shutdown names the previous epoch (1.38).

        After a loss of its disk, which gives it another directory, it names none.
        """
        clean, previous = UNKNOWN, request.previous_broker_epoch
        if ended is not None and ended.log_dirs == request.log_dirs:
            clean = ended.clean_epoch
        if previous != clean and (ended is None or ended.is_certain):
            raise Broken(
                f"broker {sender.number} names the previous epoch {previous}, expected {clean}"
            )

    # Heartbeats

    def _check_heartbeat(self, sender: NodeId, request: BrokerHeartbeatRequest) -> None:
        memory, now_ms = self._leases.get(sender), self.world.clock_ms(sender)
        if memory is None:
            raise Broken(f"broker {sender.number} sends {words(request)}, and never registered")
        if memory.is_certain:
            self._compare(sender, memory, request)
            due_ms = memory.since_ms + self._interval_ms
            is_regular = memory.since_ms >= 0 and not request.want_shut_down
            is_regular = is_regular and memory.directories == _directories(request)
            if is_regular and now_ms < due_ms:
                raise Broken(f"broker {sender.number} sends a heartbeat {due_ms - now_ms} ms early")
        self._silent.discard(sender)  # a pause while it registered had counted it again
        memory.asked, memory.asked_ms = request, now_ms
        memory.offset, memory.directories = request.current_metadata_offset, _directories(request)
        memory.wants_shut_down, memory.since_ms = request.want_shut_down, UNKNOWN

    def _compare(
        self, sender: NodeId, memory: LeaseMemory, request: BrokerHeartbeatRequest
    ) -> None:
        told = (request.broker_id, request.broker_epoch, request.want_fence)
        expected = (sender.number, memory.epoch, not memory.is_caught_up)
        if told != expected:
            raise Broken(
                f"broker {sender.number} sends {words(request)}, expected {words(expected)}"
            )
        if request.current_metadata_offset < memory.offset:
            raise Broken(
                f"broker {sender.number} sends {words(request)}, and offset {memory.offset} before"
            )
        if memory.wants_shut_down and not request.want_shut_down:
            raise Broken(f"broker {sender.number} no longer wants to shut down: {words(request)}")

    # Fetches

    def _check_position(self, sender: NodeId, request: FetchRequest | FetchSnapshotRequest) -> None:
        memory, now_ms = self._logs.get(sender), self.world.clock_ms(sender)
        if memory is None:
            memory = self._logs[sender] = LogMemory()
        if memory.asked is not None and now_ms < memory.asked_ms + FETCH_TIMEOUT_MS:
            memory.is_certain = False  # a failed connection ends the wait, unseen
        # A late reply may be to the first time.
        is_repeated = memory.last_sent.get(type(request)) is request
        if not memory.is_certain:
            memory.adopt(request)
        else:
            self._compare_position(sender, memory, request)
        memory.is_certain = memory.is_certain and not is_repeated
        memory.asked, memory.asked_ms = request, now_ms
        memory.last_sent[type(request)] = request

    def _compare_position(
        self, sender: NodeId, memory: LogMemory, request: FetchRequest | FetchSnapshotRequest
    ) -> None:
        if isinstance(request, FetchRequest):
            asked = request.topics[0].partitions[0]
            if not memory.expects_fetch(asked):
                raise Broken(
                    f"broker {sender.number} fetches {asked}, expected epoch {memory.leader_epoch},"
                    f" offset {memory.end_offset} after epoch {memory.last_epoch} and the high"
                    f" watermark {memory.high_watermark}"
                )
        elif _slice_from(request) != memory.next_slice:
            told, expected = _slice_from(request), memory.next_slice
            raise Broken(
                f"broker {sender.number} fetches {words(told)}, expected {words(expected)}"
            )


def _directories(
    request: BrokerHeartbeatRequest,
) -> tuple[tuple[Uuid, ...], tuple[Uuid, ...] | None]:
    """Returns what a heartbeat reports at once: offline and cordoned directories (2.30, 2.32a)."""
    return request.offline_log_dirs, request.cordoned_log_dirs


def _slice_from(request: Any) -> tuple[object, ...]:
    """Returns the position of a fetch of a snapshot, in the form of `LogMemory.next_slice`."""
    asked = request.topics[0].partitions[0]
    named = (asked.snapshot_id.epoch, asked.snapshot_id.end_offset)
    return asked.current_leader_epoch, named, asked.position


def _is_refused(reply: object) -> bool:
    return reply is None or isinstance(reply, ApiError) or bool(getattr(reply, "error_code", 0))


def _tell(memory: LogMemory, request: object, reply: Any) -> None:
    if _is_refused(reply):
        memory.download = None
    elif isinstance(request, FetchRequest):
        if reply.responses:
            memory.told_of_fetch(reply.responses[0].partitions[0])
        else:
            memory.download = None
    elif reply.topics:
        memory.told_of_slice(reply.topics[0].partitions[0])
    else:
        memory.download = None


CLASSES: tuple[type[Property], ...] = (BrokersAskByTheRules,)
