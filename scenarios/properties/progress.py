"""Properties of progress, L7 to L12: retries slow down, images converge, requests get replies."""

from collections import defaultdict, deque
from typing import ClassVar

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core import rpc
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.records import UnregisterBrokerRecord
from kraftsim.controller.core.node_id import Kind, NodeId, broker_node, controller_node
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Reply, Turn
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

from ..oracles.breach_words import seconds_words, words
from ..oracles.property import Broken, Kinds, Property
from .liveness import can_elect, can_follow

EVENTS_PER_INSTANT_AND_NODE_MAX = 200
RETRIED_AFTER = (ErrorCode.NONE, ErrorCode.DUPLICATE_BROKER_REGISTRATION, ErrorCode.NOT_CONTROLLER)


class HerdsDrain(Property):
    """Counts the heartbeats and registrations of each broker in the last session of the run."""

    number = "L7"
    name = "herds-drain"
    claim = "At the end no broker sends more than twice as many heartbeats as its interval allows."
    kinds: ClassVar[Kinds] = (rpc.BrokerHeartbeatRequest, rpc.BrokerRegistrationRequest)

    def __init__(self, world: World) -> None:
        super().__init__(world)
        settings = world.topology.settings
        self._window_us = 1000 * settings.broker_session_timeout_ms
        in_window = settings.broker_session_timeout_ms // settings.broker_heartbeat_interval_ms
        self._most = 2 * in_window + 2
        self._arrivals_us: dict[int, deque[int]] = defaultdict(lambda: deque(maxlen=self._most + 1))

    def arrived(self, message: Message) -> None:
        if not isinstance(
            message.request, rpc.BrokerHeartbeatRequest | rpc.BrokerRegistrationRequest
        ):
            return
        self.exercised += 1
        self._arrivals_us[message.request.broker_id].append(self.world.timeline.now_us)

    def finished(self) -> None:
        if not can_follow(self.world):
            return  # who knows no leader asks every controller in turn
        from_us = self.world.timeline.now_us - self._window_us
        for broker_id, arrivals_us in self._arrivals_us.items():
            is_herd = len(arrivals_us) > self._most and arrivals_us[0] > from_us
            if is_herd and self.world.must_be_well(broker_node(broker_id)):
                raise Broken(
                    f"broker {broker_id} sends more than {self._most} requests in "
                    f"{seconds_words(self._window_us)}"
                )


class ImagesConverge(Property):
    """Checks at the end that each running process has the records committed seconds before."""

    number = "L8"
    name = "images-converge"
    claim = "At the end every running process has what was committed a few seconds before."

    def __init__(self, world: World) -> None:
        super().__init__(world)
        settings = world.topology.settings
        self._bound_us = 2000 * (
            settings.controller_quorum_fetch_timeout_ms + settings.metadata_max_idle_interval_ms
        )
        self._ends: deque[tuple[int, int]] = deque()
        self._end_offset = 0
        self._due_offset = 0

    def committed(self, node_id: int, batch: Batch) -> None:
        if batch.base_offset < self._end_offset:
            return
        self._end_offset = batch.last_offset + 1
        now_us = self.world.timeline.now_us
        self._ends.append((now_us, self._end_offset))
        self._forget(now_us - self._bound_us)

    def finished(self) -> None:
        self._forget(self.world.timeline.now_us - self._bound_us)
        if not can_follow(self.world):
            return
        for node_id, process in self.world.controllers.items():
            if process.is_running and self.world.must_be_well(controller_node(node_id)):
                self._check(controller_node(node_id), process.node.committed.offset)
        for broker_id, hosted in self.world.agents.items():
            if hosted.is_running and self.world.must_be_well(broker_node(broker_id)):
                self._check(broker_node(broker_id), hosted.agent.metadata_offset)

    def _forget(self, before_us: int) -> None:
        while self._ends and self._ends[0][0] <= before_us:
            self._due_offset = self._ends.popleft()[1]

    def _check(self, node: NodeId, offset: int) -> None:
        self.exercised += 1
        if offset < self._due_offset - 1:
            raise Broken(
                f"{node} has the log up to offset {offset}, expected {self._due_offset - 1} or "
                "above"
            )


class EveryoneAnswered(Property):
    """Matches requests that reached a controller with their replies.

    A reply counts when it is sent, even if it is lost. A paused process does not have to reply.
    """

    number = "L9"
    name = "everyone-is-answered"
    claim = "At the end no request that reached a controller waits for long."

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._bound_us = 5000 * world.topology.settings.controller_quorum_request_timeout_ms
        self._waiting: dict[int, tuple[int, Message]] = {}

    def arrived(self, message: Message) -> None:
        if self.world.controller_of(message.receiver) is not None:
            self._waiting[id(message.request)] = self.world.timeline.now_us, message

    def replied(self, message: Message) -> None:
        self.exercised += self._waiting.pop(id(message.request), None) is not None

    def stopped(self, message: Message) -> None:
        if message.is_reply:
            self._waiting.pop(id(message.request), None)

    def finished(self) -> None:
        before_us = self.world.timeline.now_us - self._bound_us
        for since_us, message in self._waiting.values():
            node = message.receiver
            running = self.world.controllers[node.number].is_running
            if running and since_us < before_us and self.world.must_be_well(node):
                waited = seconds_words(self.world.timeline.now_us - since_us)
                raise Broken(
                    f"{words(message.request)} of {message.sender} to {node} has waited for a "
                    f"response for {waited}"
                )


class NoLivelock(Property):
    """Counts the events in one instant of virtual time."""

    number = "L10"
    name = "no-livelock"
    claim = "Time passes: the number of events at one instant is bounded by the number of nodes."

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._timeline = world.timeline
        self._now_us = -1
        self._count = 0

    def stepped(self, node: Node, turn: Turn) -> None:
        self._note()

    def arrived(self, message: Message) -> None:
        self._note()

    def _note(self) -> None:
        now_us = self._timeline.now_us
        if now_us != self._now_us:
            self._now_us, self._count = now_us, 0
            self.exercised += 1
            return
        self._count += 1
        if self._count > EVENTS_PER_INSTANT_AND_NODE_MAX:
            nodes = len(self.world.controllers) + len(self.world.agents)
            if self._count > EVENTS_PER_INSTANT_AND_NODE_MAX * nodes:
                raise Broken(f"{self._count} events of {nodes} nodes in one microsecond")


class LeavingEnds(EveryoneAnswered):
    """Checks that a decommission or unregistration that gets success is in the committed log."""

    number = "L11"
    name = "leaving-ends"
    claim = "A decommission or unregistration succeeds or is refused; a success is committed."
    kinds: ClassVar[Kinds] = (rpc.DecommissionBrokerRequest, rpc.UnregisterBrokerRequest)

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._unregistered: set[int] = set()

    def committed(self, node_id: int, batch: Batch) -> None:
        for record in batch.records:
            if isinstance(record, UnregisterBrokerRecord):
                self._unregistered.add(record.broker_id)

    def replied(self, message: Message) -> None:
        super().replied(message)
        self._check(message.request, message.reply)

    def _check(self, request: rpc.Request, reply: Reply | None) -> None:
        assert isinstance(request, rpc.DecommissionBrokerRequest | rpc.UnregisterBrokerRequest)
        is_done = not isinstance(reply, ApiError | None) and not getattr(reply, "error_code", 0)
        if is_done and request.broker_id not in self._unregistered:
            raise Broken(f"{words(request)} got success, and the committed log has no record of it")


class ProgressDuring(Property):
    """Measures for how long each starting broker has been able to register without success.

    Time counts only while a majority can exchange messages, and from the last failover on: a new
    controller grants the former process of the broker a whole session (rule 2.40).
    """

    number = "L12"
    name = "progress-during"
    claim = "While a majority works, a starting broker is registered within a bounded time."
    kinds: ClassVar[Kinds] = (rpc.BrokerRegistrationRequest,)

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._bound_us = 3000 * world.topology.settings.broker_session_timeout_ms
        self._served_us: dict[int, int] = {}
        self._answered: set[int] = set()  # registered, or refused for good; they stay STARTING
        self._now_us: int | None = None  # time of the last step
        self._epoch = 0

    def broker_changed(self, broker_id: int, state: ProcessState) -> None:
        config = self.world.agents[broker_id].agent.config
        is_of_this_cluster = config.cluster_id == self.world.topology.cluster_id
        if state is ProcessState.NOT_RUNNING:
            self._answered.discard(broker_id)
        is_waiting = state is ProcessState.STARTING and broker_id not in self._answered
        if is_waiting and is_of_this_cluster:
            if not self._served_us:
                self._now_us = self.world.timeline.now_us
                self.await_step()
            self._served_us[broker_id] = 0
            self.exercised += 1
        else:
            self._served_us.pop(broker_id, None)

    def replied(self, message: Message) -> None:
        request, reply = message.request, message.reply
        if not isinstance(request, rpc.BrokerRegistrationRequest):
            return
        if message.receiver.kind is Kind.OUTSIDE:
            return  # the broker does not get this reply
        code = reply.code if isinstance(reply, ApiError) else getattr(reply, "error_code", 0)
        is_done = isinstance(reply, rpc.BrokerRegistrationResponse) and not reply.error_code
        if is_done or code not in RETRIED_AFTER:
            self._served_us.pop(request.broker_id, None)
            self._answered.add(request.broker_id)

    def controller_changed(self, node_id: int, state: ProcessState) -> None:
        """Excludes the time in which a controller is dead or paused: it may be the only one."""
        self._now_us = None

    def next_step(self, node: Node, turn: Turn) -> None:
        """Adds the time since the last step, in each step while a broker waits."""
        if not self._served_us:
            return
        self.await_step()
        now_us = self.world.timeline.now_us
        before_us = now_us if self._now_us is None else self._now_us
        self._now_us = now_us
        active = self.world.active
        if active is None or not can_elect(self.world) or not can_follow(self.world):
            return
        if active.node.epoch != self._epoch:
            self._epoch = active.node.epoch
            self._served_us = dict.fromkeys(self._served_us, 0)
        for broker_id in self._served_us:
            broker = broker_node(broker_id)
            if self.world.must_be_well(broker) and self._is_reachable(broker):
                self._served_us[broker_id] += now_us - before_us
                if self._served_us[broker_id] > self._bound_us:
                    raise Broken(
                        f"{broker} has tried to register with the leader, controller "
                        f"{active.node.config.node_id}, for more than "
                        f"{seconds_words(self._bound_us)}"
                    )

    def _is_reachable(self, broker: NodeId) -> bool:
        network = self.world.network
        if rpc.BrokerRegistrationRequest in self.world.request_rules.armed:
            return False
        return all(
            network.is_open(broker, node_id) and network.is_open(node_id, broker)
            for node_id in map(controller_node, self.world.controllers)
            if self.world.must_be_well(node_id)
        )


CLASSES: tuple[type[Property], ...] = (
    HerdsDrain,
    ImagesConverge,
    EveryoneAnswered,
    NoLivelock,
    LeavingEnds,
    ProgressDuring,
)
