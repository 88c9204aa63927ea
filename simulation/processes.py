"""What can befall a process, by its node: controllers, brokers, and clones of brokers.

Every verb is an event of the world and never something that a handler does. A clone is a
node of its own, which the network and the clocks know by its host.
"""

from collections import Counter
from dataclasses import replace

from kraftsim.broker_agent.hosted_agent import HostedAgent
from kraftsim.controller.core.node_id import Kind, NodeId
from kraftsim.controller.core.uuid import random_uuid

from .controller_process import ControllerProcess
from .delays import Draw
from .disks import Stored
from .recurring import Recurring
from .service_queue import ServiceQueue
from .streams import stream_name
from .topology import FIRST_CLONE_ID, BrokerSpec
from .world import World

QUEUE_ROOM = 1000  # messages that a slow controller has not handled; Kafka queues 500 requests


class Processes:
    """Faults of the processes of `world`, and what takes each fault back."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._pauses: Counter[NodeId] = Counter()

    def is_alive(self, node: NodeId) -> bool:
        """Has it a process, paused or not?"""
        process = self._world.controller_of(node) or self._world.agent_of(node)
        return process is not None and process.is_alive

    # Ending and starting

    def start(self, node: NodeId) -> None:
        """A new process over what the last one left; nothing if one is running."""
        if node.kind is Kind.CONTROLLER:
            self._world.start_controller(node.number)
        else:
            self._agent(node).start()

    def crash(self, node: NodeId) -> None:
        """Gone at once, with what was not durable."""
        if node.kind is Kind.CONTROLLER:
            self._world.kill_controller(node.number)
        else:
            self._agent(node).kill()

    def stop(self, node: NodeId) -> None:
        """SIGTERM: a controller hands leadership over first, a broker its partitions."""
        self._process(node).stop()

    def restart(self, node: NodeId) -> None:
        """The same disk, a new incarnation."""
        self.crash(node)
        self.start(node)

    def move(self, node: NodeId) -> None:
        """The same disk on another host: a controller that listens elsewhere from now on."""
        self._controller(node, "move")
        self.crash(node)
        self._world.move_controller(node.number)
        self.start(node)

    def wipe(self, node: NodeId, *, keeps_directory: bool = False) -> None:
        """A crash that takes the disk, too. Whoever formats it again gives it a directory id of its
        own; with `keeps_directory` it is a voter that does not know what it has forgotten."""
        self.crash(node)
        draw = self._world.streams.draw_of(stream_name("wipe", node))
        controller = self._world.controller_of(node)
        if controller is None:
            self._agent(node).lose_disk()
            if not keeps_directory:
                self._world.hosts[node].log_dir = random_uuid(draw)
            return
        directory_id = controller.disk.stored.directory_id
        controller.disk.restore(Stored(directory_id if keeps_directory else random_uuid(draw)))

    def roll_back(self, node: NodeId, backup: Stored) -> None:
        """A crash, after which an old copy of a controller's disk takes its place."""
        controller = self._controller(node, "roll back")
        self.crash(node)
        controller.disk.restore(backup)

    def crash_loop(self, node: NodeId, *, up_us: Draw, down_us: Draw) -> Recurring:
        """Runs for a while, is down for a while, over and over; at the end it runs."""
        return Recurring(
            self._world.timeline,
            rest_us=up_us,
            do=lambda: self.crash(node),
            lasting_us=down_us,
            undo=lambda: self.start(node),
        )

    # Standing still and being slow

    def pause(self, node: NodeId) -> None:
        """SIGSTOP. Of several that pause it, each has to resume it."""
        state = self._process(node).state
        if state == "NOT_RUNNING":
            return
        self._pauses[node] = self._pauses[node] + 1 if state == "PAUSED" else 1
        if node.kind is Kind.CONTROLLER:
            self._world.pause_controller(node.number)
        else:
            self._agent(node).pause()

    def resume(self, node: NodeId) -> None:
        self._pauses[node] -= 1
        if self._pauses[node] > 0:
            return
        if node.kind is Kind.CONTROLLER:
            self._world.resume_controller(node.number)
        else:
            self._agent(node).resume()

    def hiccup(self, node: NodeId, *, every_us: Draw, lasting_us: Draw) -> Recurring:
        """Many short pauses, as of a garbage collector."""
        return Recurring(
            self._world.timeline,
            rest_us=every_us,
            do=lambda: self.pause(node),
            lasting_us=lasting_us,
            undo=lambda: self.resume(node),
        )

    def suspend(self, node: NodeId) -> None:
        """Its machine sleeps: the process stands still, and so do its clocks."""
        self._world.clocks[node].suspend()
        self.pause(node)

    def wake(self, node: NodeId, *, monotonic_jumps: bool) -> None:
        """The machine goes on; its monotonic clock has counted the time in between, or has not."""
        self._world.clocks[node].wake(monotonic_jumps=monotonic_jumps)
        self.resume(node)

    def slow(self, node: NodeId, service_us: Draw, *, room: int = QUEUE_ROOM) -> ServiceQueue:
        """A controller takes its time over each message; until `quicken`."""
        controller = self._controller(node, "slow down")
        self.quicken(node)
        queue = controller.queue = ServiceQueue(self._world.timeline, service_us, room)
        if not controller.is_alive:
            queue.close()
        self._world.network.queues[node] = queue
        return queue

    def quicken(self, node: NodeId) -> None:
        """It handles what waits, and is as fast as ever."""
        controller = self._controller(node, "quicken")
        queue, controller.queue = controller.queue, None
        self._world.network.queues.pop(node, None)
        if queue is not None:
            queue.close()

    # Two of one id

    def clone(self, broker: NodeId) -> NodeId:
        """A second living process with the same broker id, on a host of its own, which is returned:
        a disk image that was booted twice, or a pod that was scheduled twice."""
        world = self._world
        spec, host = self._spec_elsewhere(broker), self._new_host()
        world.clones[host] = world.host_broker(host, spec)
        world.clones[host].start()
        return host

    def replace(self, broker: NodeId) -> NodeId:
        """A new host takes over the id, while the old one lives on as a zombie, whose host is
        returned. Clocks and ways of the broker are the new host's from now on."""
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
        place = len(self._world.clones) % 254 + 1
        return replace(self._world.hosts[broker].spec, host=f"127.0.1.{place}")

    def _process(self, node: NodeId) -> ControllerProcess | HostedAgent:
        return self._world.controller_of(node) or self._agent(node)

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
