"""One cluster on one timeline: controllers, simulated brokers, and the links between them.

The same world runs live and in virtual time; only the driver of the timeline differs. Live, the
runtime moves it with the clock. In a test or a scenario, `advance` and `run_until` move it as fast
as the processor allows.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from kraftsim.broker_agent.agent import Agent
from kraftsim.broker_agent.conversation import Send as AgentSend
from kraftsim.broker_agent.directories.log_directories import LogDirectory
from kraftsim.broker_agent.hosted_agent import HostedAgent
from kraftsim.broker_agent.image_history import ImageHistory
from kraftsim.broker_agent.leading.leader import attach
from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.broker_agent.replica_store import Found
from kraftsim.broker_agent.replication.followers import Truncated
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.node_id import CONTROLLER, Kind, NodeId, broker_node, controller_node
from kraftsim.controller.core.rpc import Request, Response
from kraftsim.controller.core.value import slotted
from kraftsim.controller.node.config import NodeConfig
from kraftsim.controller.node.hosted import ReplyTo
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.log import MetadataLog
from kraftsim.controller.raft.protocol import Reply, Send, Turn
from kraftsim.controller.raft.snapshot import SnapshotFormat, by_reference
from kraftsim.controller.time.clock import Clock
from kraftsim.controller.time.timeline import Timeline

from .controller_nodes import configs_of, installed_of, node_of
from .controller_process import ControllerProcess
from .disks import Disk, Stored
from .journal import Journal, run_id_of
from .message import Exchange, Message
from .network import Network
from .own_process import OwnNodes
from .requests.rules import RequestRules
from .requests.spoken import Submit, as_read
from .streams import Streams, stream_name
from .topology import BrokerSpec, Topology, agent_config, expect_free, new_directories
from .turning_points import TurningPoints

OUTSIDE = NodeId(-1, Kind.OUTSIDE)  # sender of requests that bypass the network
VIRTUAL_WALL_START_MS = 1_767_225_600_000  # 2026-01-01T00:00:00Z, so that seeds repeat timestamps


@slotted()
class BrokerHost:
    """The host of a broker's process in a world, with the directories of its disks."""

    world: "World"
    draw: Callable[[], float]
    node: NodeId
    spec: BrokerSpec
    log_dirs: tuple[LogDirectory, ...]

    def make_agent(self, previous_broker_epoch: int, /) -> Agent:
        """Returns the agent of a new process."""
        config = agent_config(self.world.topology, self.spec, self.log_dirs)
        self.world.releases.add(config.profile.name)
        return Agent(
            config,
            random=self.draw,
            image_at=self.world.history.at,
            previous_broker_epoch=previous_broker_epoch,
        )

    def send(self, send: AgentSend, reply_to: Callable[[Reply | None], None], /) -> None:
        """Sends a request to a controller over the network."""
        for listener in self.world.sent_listeners:
            listener(self.node, send.request)
        self.world.send_request(self.node, send.request, reply_to, send.controller_id)

    def on_change(self, state: ProcessState, /) -> None:
        """Writes a new state of the process to the journal."""
        broker_id, journal = self.spec.broker_id, self.world.journal
        if self.node.kind is Kind.CLONE:
            journal.clone_state(broker_id, self.node.number, state.value)
            return
        journal.agent_state(broker_id, state.value)
        for listener in self.world.agent_listeners:
            listener(broker_id, state)

    def on_found(self, found: Found, /) -> None:
        """Writes to the journal which replicas on the disk are no longer in the metadata."""
        if self.node.kind is not Kind.CLONE:
            self.world.journal.found(self.spec.broker_id, found.rows())

    def on_truncated(self, topic: str, partition: int, records: Truncated, /) -> None:
        """Writes to the journal which records the broker gave up of a log."""
        self.world.journal.truncated(self.spec.broker_id, f"{topic}-{partition}", records)

    @property
    def network_delays(self) -> bool:
        """True if a message between two nodes may take some time."""
        return self.world.network.delays

    def lag_us(self, broker_id: int, /, *, is_reply: bool) -> int:
        """Draws how long a Fetch of another broker, or the reply to it, takes."""
        return self.world.network.lag_us(self.node, broker_node(broker_id), is_reply=is_reply)

    def silence_ms(self, broker_id: int, /) -> int | None:
        """Returns how long the network to or from a broker may be closed; None if it is open."""
        return self.world.network.silence_ms(self.node, broker_node(broker_id))


class World:
    """A cluster that can be run, and whose nodes and links can fail.

    `agent_listeners` get (broker_id, state) of agents, `controller_listeners` (node_id, state) of
    controllers' processes, `sent_listeners` (node, request) when a broker sends a request,
    `step_listeners` each step of a controller, `committed_listeners` a batch from each controller
    that knows it to be committed, `exchange_listeners` what clients and brokers exchange.
    """

    def __init__(
        self,
        topology: Topology,
        *,
        streams: Streams,
        wall_start_ms: int = VIRTUAL_WALL_START_MS,
        snapshot_format: SnapshotFormat | None = None,
    ) -> None:
        self.topology, self.streams = topology, streams
        self.timeline = Timeline(wall_start_ms=wall_start_ms)
        self.network = Network(self.timeline, streams.draw_of("network"))
        self.request_rules = RequestRules(self.network.report, self.network.stop)
        self.network.armed = self.request_rules.armed
        self.committed_log = MetadataLog()  # batches that a running controller still has
        self.history = ImageHistory(self.committed_log)
        run_id = run_id_of(topology.cluster_id, streams.seed)
        self.journal = Journal(self.timeline, run_id=run_id, seed=streams.seed)
        self.agents: dict[int, HostedAgent] = {}
        self.clones: dict[NodeId, HostedAgent] = {}  # second processes of brokers, by host
        self.hosts: dict[NodeId, BrokerHost] = {}
        self.own = OwnNodes(self.journal)  # of a user
        self.core: frozenset[NodeId] | None = None  # nodes to be healthy in the end; None: all
        self.clocks: dict[NodeId, Clock] = {}  # by node; clocks outlive the processes
        self.installed = installed_of(topology)  # releases of controllers, for their next processes
        self.releases: set[str] = set()  # that a process has run
        turning = TurningPoints(self.journal).on_step
        self.step_listeners: list[Callable[[Node, Turn], None]] = [turning, self._forget]
        self.committed_listeners: list[Callable[[int, Batch], None]] = []
        self.sent_listeners: list[Callable[[NodeId, Request], None]] = []
        self.agent_listeners: list[Callable[[int, ProcessState], None]] = []
        self.controller_listeners: list[Callable[[int, ProcessState], None]] = []
        self.exchange_listeners: list[Callable[[Exchange], None]] = []
        self._turns: dict[tuple[NodeId, type[Request]], int] = {}
        # Bound once, not for each request.
        self._receive, self._reply = self.request_rules.receive, self.network.carry_reply
        self._snapshot_format = snapshot_format or by_reference()
        self._configs = {config.node_id: config for config in configs_of(topology, self._draw_of)}
        self.moved: set[int] = set()  # controllers that no longer listen at their first address
        self.controllers = {of: self._controller(config) for of, config in self._configs.items()}

    @property
    def committed(self) -> Image:
        """The image of all committed records."""
        return self.history.at(self.committed_log.end_offset - 1)

    @property
    def log_start(self) -> int:
        """The lowest offset that the log of any controller still contains."""
        return min(controller.node.log.start_offset for controller in self.controllers.values())

    @property
    def active(self) -> ControllerProcess | None:
        """The active controller, or None; of two that lead, the one with the higher epoch."""
        known = self.controllers.values()
        leading = [of for of in known if of.node.active is not None and of.is_running]
        return max(leading, key=lambda process: process.node.epoch, default=None)

    @property
    def controller(self) -> ControllerProcess:
        """The active controller; without one, a running controller; without one, any controller."""
        known = self.controllers.values()
        return self.active or next((of for of in known if of.is_running), next(iter(known)))

    def must_be_well(self, node: NodeId) -> bool:
        """Returns True unless the calm phase left the node out of the core that it heals."""
        return self.core is None or node in self.core

    def controller_of(self, node: NodeId) -> ControllerProcess | None:
        """Returns the process of a controller, or None if the node is not a controller."""
        return self.controllers.get(node.number) if node.kind is CONTROLLER else None

    def agent_of(self, node: NodeId) -> HostedAgent | None:
        """Returns the process of a broker or of a clone, or None if the node is neither."""
        if node.kind is Kind.BROKER:
            return self.agents.get(node.number)
        return self.clones.get(node)

    @property
    def nodes(self) -> tuple[NodeId, ...]:
        """Every controller and every simulated broker, without clones."""
        return (*map(controller_node, self.controllers), *map(broker_node, self.agents))

    def nodes_numbered(self, number: int) -> tuple[NodeId, ...]:
        """Returns the nodes with this number, or else the broker that would have it."""
        clones = (clone for clone in self.clones if clone.number == number)
        of_controller = (controller_node(number),) if number in self.controllers else ()
        of_broker = (broker_node(number),) if number in self.agents else ()
        return (*of_controller, *of_broker, *clones) or (broker_node(number),)

    def start(self, *, elects_at_once: bool = False) -> None:
        """Starts all nodes; `elects_at_once`: an election does not wait for a timeout."""
        *processes, last = self.controllers.values()
        for process in processes:
            process.start()
        last.start(stands_at_once=elects_at_once)
        for spec in self.topology.brokers:
            self.add_broker(spec)

    def dispatch(
        self, request: Request, reply_to: ReplyTo, submit: Submit | None = None, to: int = -1
    ) -> None:
        """Submits a request to controller `to` (-1: the active one), bypassing faults of links.

        The `arrived` listeners get request and reply; a process that ends replies NOT_CONTROLLER,
        a rule that lets the connection fail ConnectionFailed.
        `submit`, if it is given, handles the request instead of the controller.
        """
        process = self.controllers.get(to, self.controller)
        message = Message(OUTSIDE, controller_node(process.node.config.node_id), request)
        handle = process.submit if submit is None else submit
        answer = partial(self._answer_outside, message, reply_to)
        receive = partial(self.request_rules.receive, message, process, handle, answer)
        self.network.admit(message, receive)

    def _answer_outside(self, message: Message, reply_to: ReplyTo, reply: Reply | None) -> None:
        self.network.report(message.answered(reply))
        reply_to(self.request_rules.failure() if reply is None else reply)

    def send_request(
        self,
        asker: NodeId,
        request: Request,
        reply_to: Callable[[Reply | None], None],
        controller_id: int = -1,
        *,
        is_forwarded: bool = False,
    ) -> None:
        """Sends a broker's request to a controller; for an id of -1 they take turns.

        The rules about requests have already acted on a request that a broker forwards.
        """
        if controller_id not in self.controllers:
            controller_id = self._next_controller_id(asker, type(request))
        process = self.controllers[controller_id]
        message = Message(asker, controller_node(controller_id), request)
        receive = self.request_rules.forward if is_forwarded else self._receive
        back = partial(self._reply, message, reply_to)
        submit: Submit = process.submit
        if len(self.releases) > 1:
            submit = as_read(self.agent_of(asker), process, submit)
        self.network.carry(message, partial(receive, message, process, submit, back))

    def _next_controller_id(self, asker: NodeId, kind: type[Request]) -> int:
        """Returns the next controller in turn, counted by broker and kind of request."""
        # A shared count could send one kind of request to the same dead controller every time.
        turn = self._turns.get((asker, kind), asker.number)
        self._turns[asker, kind] = turn + 1
        return tuple(self.controllers)[turn % len(self.controllers)]

    def kill_controller(self, node_id: int) -> None:
        """Kills the controller's process at once; its disk stays."""
        self.controllers[node_id].kill()
        self._report_controller_state(node_id)

    def start_controller(self, node_id: int) -> None:
        """Starts a new process over the controller's disk."""
        self.controllers[node_id].start()
        self._report_controller_state(node_id)

    def move_controller(self, node_id: int) -> None:
        """Gives the controller's next process a port that no controller has had."""
        port = max(config.port for config in self._configs.values()) + 1
        self._configs[node_id] = replace(self._configs[node_id], port=port)
        self.moved.add(node_id)

    def pause_controller(self, node_id: int) -> None:
        """Suspends the controller's process (SIGSTOP)."""
        self.controllers[node_id].pause()
        self._report_controller_state(node_id)

    def resume_controller(self, node_id: int) -> None:
        """Resumes the controller's process (SIGCONT)."""
        self.controllers[node_id].resume()
        self._report_controller_state(node_id)

    def _report_controller_state(self, node_id: int) -> None:
        process = self.controllers[node_id]
        detail: dict[str, object] = {"state": process.state.value, "controller_id": node_id}
        if process.state is ProcessState.NOT_RUNNING and process.failure is not None:
            detail["failure"] = str(process.failure)
        self.journal.write(f"controller-{node_id}", "controller_state", detail=detail)
        for listener in self.controller_listeners:
            listener(node_id, process.state)

    def _controller(self, config: NodeConfig) -> ControllerProcess:
        node_id, node = config.node_id, controller_node(config.node_id)
        clock = self.clocks[node] = Clock(self.timeline)
        disk_draw = self.streams.draw_of(stream_name("disk", node))
        return ControllerProcess(
            partial(self._node_of, node_id, self._draw_of(node)),
            clock,
            Disk(self.timeline, config.directory_id, disk_draw),
            partial(self._carry, node),
            partial(self._on_committed, node_id),
            partial(self._report_controller_state, node_id),
            self.step_listeners,
        )

    def _node_of(self, node_id: int, draw: Callable[[], float], stored: Stored) -> Node:
        config, profile = self._configs[node_id], self.installed[node_id]
        self.releases.add(profile.name)
        return node_of(config, stored, self.topology, profile, draw, self._snapshot_format)

    def _carry(
        self, sender: NodeId, send: Send, on_answer: Callable[[Response | None], None]
    ) -> None:
        """Carries a request from one controller to another; dead and moved peers respond None."""
        message = Message(sender, controller_node(send.peer_id), send.request)
        self.network.carry(message, partial(self._arrive_at_peer, message, send, on_answer))

    def _arrive_at_peer(
        self, message: Message, send: Send, on_answer: Callable[[Response | None], None]
    ) -> None:
        process = self.controllers.get(send.peer_id)
        back = partial(self._reply, message, on_answer)
        if process is None or (send.peer_id in self.moved and self._has_moved(send)):
            self.network.send_outside(message.sender, send, back)
        else:
            sender = self.controllers[message.sender.number]
            submit = as_read(sender, process, process.submit_from_peer)
            self.request_rules.receive(message, process, submit, back)

    def _has_moved(self, send: Send) -> bool:
        port = self._configs[send.peer_id].port
        return send.endpoint is not None and send.endpoint.port != port

    def _on_committed(self, node_id: int, batch: Batch) -> None:
        """Writes a batch to the journal when the first controller reports it as committed."""
        for listener in self.committed_listeners:
            listener(node_id, batch)
        if batch.base_offset == self.committed_log.end_offset:
            self.committed_log.append(batch)
            self.journal.committed(batch, self.committed, node_id)

    def _forget(self, node: Node, turn: Turn) -> None:
        """Drops, after a snapshot, images that precede the log of every running controller."""
        if turn.snapshot is not None:  # of a controller that runs, so that there is one
            processes = (process for process in self.controllers.values() if process.is_running)
            self.history.forget_before(min(process.node.log.start_offset for process in processes))

    def add_broker(self, spec: BrokerSpec) -> HostedAgent:
        """Adds a simulated broker and starts it; raises ValueError if the id is taken."""
        broker_id = expect_free("broker", spec.broker_id, self.controllers, self.agents)
        hosted = self.agents[broker_id] = self.host_broker(broker_node(broker_id), spec)
        hosted.start()
        return hosted

    def host_broker(self, node: NodeId, spec: BrokerSpec) -> HostedAgent:
        """Creates a broker's process on a host of its own, with a clock; does not start it."""
        draw, clock = self._draw_of(node), Clock(self.timeline)
        host = BrokerHost(self, draw, node, spec, new_directories(spec, draw))
        self.hosts[node], self.clocks[node] = host, clock
        return attach(HostedAgent(host, clock, self.agents.get))

    def _draw_of(self, node: NodeId) -> Callable[[], float]:
        return self.streams.draw_of(stream_name("node", node))

    def are_unfenced(self, broker_ids: Iterable[int]) -> bool:
        """Returns True if all of these brokers are registered and unfenced."""
        brokers = self.committed.brokers
        return all(b in brokers and not brokers[b].fenced for b in broker_ids)

    def clock_ms(self, node: NodeId) -> int:
        """Returns the node's monotonic clock in milliseconds."""
        return self.clocks[node].now_ms

    def advance(self, by_us: int) -> None:
        """Advances virtual time by `by_us` microseconds, with all events in it."""
        self.timeline.run_until(self.timeline.now_us + by_us)

    def run_until(self, condition: Callable[[], bool], *, limit_us: int) -> bool:
        """Runs event by event until `condition` holds; returns False if `limit_us` passed first."""
        timeline, end_us = self.timeline, self.timeline.now_us + limit_us
        timeline.run_until(timeline.now_us)
        while not condition():
            if timeline.due_us > end_us:
                timeline.run_until(end_us)
                return condition()
            timeline.run_until(timeline.due_us)
        return True
