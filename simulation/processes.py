"""Faults of processes, by node: controllers, brokers, and clones of brokers.

Faults are events of the world; no handler causes them. A clone is a node of its own, which the
network and the clocks know by its host.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from kraftsim.broker_agent.hosted_agent import HostedAgent
from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.node_id import Kind, NodeId
from kraftsim.controller.core.profile import Profile
from kraftsim.controller.core.uuid import random_uuid

from .controller_process import ControllerProcess
from .delays import Draw
from .disks import Stored
from .own_process import OwnProcess
from .recurring import Recurring
from .service_queue import ServiceQueue
from .streams import stream_name
from .topology import FIRST_CLONE_ID, BrokerSpec, new_directories
from .world import World

QUEUE_ROOM = 1000  # messages that wait for a slow controller; Kafka queues 500 requests


class Processes:
    """Causes and ends the faults of the processes of `world`."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._pauses: Counter[NodeId] = Counter()

    def is_alive(self, node: NodeId) -> bool:
        """Returns True if the node has a process, paused or not."""
        process = self._known(node)
        return process is not None and process.is_alive

    def state(self, node: NodeId) -> ProcessState:
        """Returns the state of the node's process; raises ValueError for an unknown node."""
        return self._process(node).state

    def is_stopping(self, node: NodeId) -> bool:
        """Returns True if the node's process got SIGTERM and has not ended yet."""
        process = self._known(node)
        return process is not None and process.is_stopping

    def once_ended(self, node: NodeId, then: Callable[[], None]) -> None:
        """Calls `then` when the process, which got SIGTERM, ends by itself, and is not killed."""
        self._process(node).once_ended(then)

    # Ending and starting

    def start(self, node: NodeId) -> None:
        """Starts a new process over the node's disk; does nothing if a process is running."""
        if node.kind is Kind.CONTROLLER:
            self._world.start_controller(node.number)
        else:
            self._own_or_agent(node).start()

    def crash(self, node: NodeId) -> None:
        """Kills the process at once; data that is not durable is lost."""
        if node.kind is Kind.CONTROLLER:
            self._world.kill_controller(node.number)
        else:
            self._own_or_agent(node).kill()

    def stop(self, node: NodeId) -> None:
        """Sends SIGTERM: a controller hands over leadership first, a broker its partitions."""
        self._process(node).stop()

    def restart(self, node: NodeId) -> None:
        """Kills the process and starts a new incarnation over the same disk."""
        self.crash(node)
        self.start(node)

    def move(self, node: NodeId) -> None:
        """Restarts a controller over the same disk at another address."""
        self._controller(node, "move")
        self.crash(node)
        self._world.move_controller(node.number)
        self.start(node)

    def install(self, node: NodeId, profile: Profile) -> None:
        """Installs a release, older or newer; the node runs it from its next process on."""
        if node.kind is Kind.CONTROLLER:
            self._controller(node, "install a release on")
            self._world.installed[node.number] = profile
        else:
            self._agent(node)
            host = self._world.hosts[node]
            host.spec = replace(host.spec, profile=profile)

    def wipe(self, node: NodeId, *, keeps_directory: bool = False) -> None:
        """Kills the process and empties its disk.

        By default the disk gets a new directory id, as after a new format. With
        `keeps_directory` it keeps the id: such a controller is a voter that has lost its
        log and its vote.
        """
        self.crash(node)
        if node in self._world.own.processes:
            return  # which keeps nothing on a disk
        draw = self._world.streams.draw_of(stream_name("wipe", node))
        controller = self._world.controller_of(node)
        if controller is None:
            self._agent(node).lose_disk()
            if not keeps_directory:
                host = self._world.hosts[node]
                host.log_dirs = new_directories(host.spec, draw)
            return
        directory_id = controller.disk.stored.directory_id
        controller.disk.restore(Stored(directory_id if keeps_directory else random_uuid(draw)))

    def roll_back(self, node: NodeId, backup: Stored) -> None:
        """Kills a controller and replaces its disk with `backup`."""
        controller = self._controller(node, "roll back")
        self.crash(node)
        controller.disk.restore(backup)

    def crash_loop(self, node: NodeId, *, up_us: Draw, down_us: Draw) -> Recurring:
        """Kills and starts the process over and over; the process runs after the fault ends.

        `up_us` draws how long the process runs, `down_us` how long it is down.
        """
        return Recurring(
            self._world.timeline,
            rest_us=up_us,
            do=partial(self.crash, node),
            lasting_us=down_us,
            undo=partial(self.start, node),
        )

    # Pauses and slowness

    def pause(self, node: NodeId) -> None:
        """Sends SIGSTOP; a process that was paused several times needs as many resumes."""
        state = self._process(node).state
        if state is ProcessState.NOT_RUNNING:
            return
        self._pauses[node] = self._pauses[node] + 1 if state is ProcessState.PAUSED else 1
        if node.kind is Kind.CONTROLLER:
            self._world.pause_controller(node.number)
        else:
            self._own_or_agent(node).pause()

    def resume(self, node: NodeId) -> None:
        """Undoes one pause; the process continues after the last one is undone."""
        self._pauses[node] -= 1
        if self._pauses[node] > 0:
            return
        if node.kind is Kind.CONTROLLER:
            self._world.resume_controller(node.number)
        else:
            self._own_or_agent(node).resume()

    def hiccup(self, node: NodeId, *, every_us: Draw, lasting_us: Draw) -> Recurring:
        """Pauses the process for a short time over and over, as a garbage collector does."""
        return Recurring(
            self._world.timeline,
            rest_us=every_us,
            do=partial(self.pause, node),
            lasting_us=lasting_us,
            undo=partial(self.resume, node),
        )

    def suspend(self, node: NodeId) -> None:
        """Suspends the node's machine: its process and its clocks stand still."""
        self._world.clocks[node].suspend()
        self.pause(node)

    def wake(self, node: NodeId, *, monotonic_jumps: bool) -> None:
        """Wakes a suspended machine.

        With `monotonic_jumps` the monotonic clock has counted the time of the suspension.
        """
        self._world.clocks[node].wake(monotonic_jumps=monotonic_jumps)
        self.resume(node)

    def slow(self, node: NodeId, service_us: Draw, *, room: int = QUEUE_ROOM) -> ServiceQueue:
        """Makes a controller take `service_us` for each message, until `quicken`.

        At most `room` messages wait; further messages are lost.
        """
        controller = self._controller(node, "slow down")
        self.quicken(node)
        queue = controller.queue = ServiceQueue(self._world.timeline, service_us, room)
        if not controller.is_alive:
            queue.close()
        self._world.network.queues[node] = queue
        return queue

    def quicken(self, node: NodeId) -> None:
        """Ends `slow`: the waiting messages are handled at once."""
        controller = self._controller(node, "quicken")
        queue, controller.queue = controller.queue, None
        self._world.network.queues.pop(node, None)
        if queue is not None:
            queue.close()

    # Two processes with one broker id

    def clone(self, broker: NodeId) -> NodeId:
        """Starts a second process with the same broker id on a new host, and returns that host.

        This models a disk image that was booted twice, or a pod that was scheduled twice.
        """
        world = self._world
        spec, host = self._spec_elsewhere(broker), self._new_host()
        world.clones[host] = world.host_broker(host, spec)
        world.clones[host].start()
        return host

    def replace(self, broker: NodeId) -> NodeId:
        """Starts the broker on a new host while the old process lives on, and returns the old host.

        The new host takes over the broker's clock and links.
        """
        world = self._world
        spec, host = self._spec_elsewhere(broker), self._new_host()
        world.hosts[host] = world.hosts[broker]
        world.hosts[host].node = host
        world.clones[host] = world.agents[broker.number]
        world.clocks[host] = world.clocks[broker]
        self._pauses[host] = self._pauses[broker]
        world.agents[broker.number] = world.host_broker(broker, spec)
        world.agents[broker.number].start()
        return host

    def _new_host(self) -> NodeId:
        return NodeId(FIRST_CLONE_ID + len(self._world.clones), Kind.CLONE)

    def _spec_elsewhere(self, broker: NodeId) -> BrokerSpec:
        if broker.kind is not Kind.BROKER or broker.number not in self._world.agents:
            known = ", ".join(map(str, self._world.agents))
            raise ValueError(f"expected the id of a broker ({known}) to clone, got {broker}")
        host_number = len(self._world.clones) % 254 + 1
        return replace(self._world.hosts[broker].spec, host=f"127.0.1.{host_number}")

    def _known(self, node: NodeId) -> ControllerProcess | HostedAgent | OwnProcess | None:
        world = self._world
        return world.controller_of(node) or world.agent_of(node) or world.own.processes.get(node)

    def _process(self, node: NodeId) -> ControllerProcess | HostedAgent | OwnProcess:
        return self._world.controller_of(node) or self._own_or_agent(node)

    def _own_or_agent(self, node: NodeId) -> HostedAgent | OwnProcess:
        return self._world.own.processes.get(node) or self._agent(node)

    def _agent(self, node: NodeId) -> HostedAgent:
        agent = self._world.agent_of(node)
        if agent is None:
            known = ", ".join(map(str, (*self._world.nodes, *self._world.clones)))
            raise ValueError(f"expected a node ({known}), got {node}")
        return agent

    def _controller(self, node: NodeId, verb: str) -> ControllerProcess:
        controller = self._world.controller_of(node)
        if controller is None:
            known = ", ".join(map(str, self._world.controllers))
            raise ValueError(f"expected the id of a controller ({known}) to {verb}, got {node}")
        return controller
