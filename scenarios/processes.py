"""What can befall a process, by the id of its node: controllers, brokers, and clones of brokers.

Every verb is an event of the world and never something that a handler does. A clone is known by the
id of its host, which the network and the clocks know as a node of its own.
"""

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from kraftsim.broker_agent.hosted_agent import HostedAgent
from kraftsim.controller.core.uuid import random_uuid

from .controller_process import ControllerProcess
from .delays import Draw
from .disks import Stored
from .recurring import Recurring
from .service_queue import ServiceQueue

if TYPE_CHECKING:
    from .topology import BrokerSpec
    from .world import World

FIRST_CLONE_ID = 1_000_000  # higher than any broker's or controller's id in a topology
QUEUE_ROOM = 1000  # messages that a slow controller has not handled; Kafka queues 500 requests


class Processes:
    """`world.processes`: a verb for each of these faults, and the one that takes it back."""

    def __init__(self, world: "World") -> None:
        self._world = world
        self._pauses: Counter[int] = Counter()

    def is_alive(self, node_id: int) -> bool:
        """Has it a process, paused or not?"""
        world = self._world
        node = world.controllers.get(node_id) or world.agents.get(node_id)
        node = node or world.clones.get(node_id)
        return node is not None and node.is_alive

    # Ending and starting

    def start(self, node_id: int) -> None:
        """A new process over what the last one left; nothing if one is running."""
        if node_id in self._world.controllers:
            self._world.start_controller(node_id)
        else:
            self._agent(node_id).start()

    def crash(self, node_id: int) -> None:
        """Gone at once, with what was not durable."""
        if node_id in self._world.controllers:
            self._world.kill_controller(node_id)
        else:
            self._agent(node_id).kill()

    def stop(self, node_id: int) -> None:
        """SIGTERM: a controller hands leadership over first, a broker its partitions."""
        self._process(node_id).stop()

    def restart(self, node_id: int) -> None:
        """The same disk, a new incarnation."""
        self.crash(node_id)
        self.start(node_id)

    def move(self, node_id: int) -> None:
        """The same disk on another host: a controller that listens elsewhere from now on."""
        self._controller(node_id, "move")
        self.crash(node_id)
        self._world.move_controller(node_id)
        self.start(node_id)

    def wipe(self, node_id: int, *, keeps_directory: bool = False) -> None:
        """A crash that takes the disk, too. Whoever formats it again gives it a directory id of its
        own; with `keeps_directory` it is a voter that does not know what it has forgotten."""
        self.crash(node_id)
        draw = self._world.streams.draw_of(f"wipe/{node_id}")
        controller = self._world.controllers.get(node_id)
        if controller is None:
            self._agent(node_id).lose_disk()
            if not keeps_directory:
                self._world.hosts[node_id].log_dir = random_uuid(draw)
            return
        directory_id = controller.disk.stored.directory_id
        controller.disk.restore(Stored(directory_id if keeps_directory else random_uuid(draw)))

    def roll_back(self, node_id: int, backup: Stored) -> None:
        """A crash, after which an old copy of a controller's disk takes its place."""
        controller = self._controller(node_id, "roll back")
        self.crash(node_id)
        controller.disk.restore(backup)

    def crash_loop(self, node_id: int, *, up_us: Draw, down_us: Draw) -> Recurring:
        """Runs for a while, is down for a while, over and over; at the end it runs."""
        return Recurring(
            self._world.timeline,
            rest_us=up_us,
            do=lambda: self.crash(node_id),
            lasting_us=down_us,
            undo=lambda: self.start(node_id),
        )

    # Standing still and being slow

    def pause(self, node_id: int) -> None:
        """SIGSTOP. Of several that pause it, each has to resume it."""
        state = self._process(node_id).state
        if state == "NOT_RUNNING":
            return
        self._pauses[node_id] = self._pauses[node_id] + 1 if state == "PAUSED" else 1
        if node_id in self._world.controllers:
            self._world.pause_controller(node_id)
        else:
            self._agent(node_id).pause()

    def resume(self, node_id: int) -> None:
        self._pauses[node_id] -= 1
        if self._pauses[node_id] > 0:
            return
        if node_id in self._world.controllers:
            self._world.resume_controller(node_id)
        else:
            self._agent(node_id).resume()

    def hiccup(self, node_id: int, *, every_us: Draw, lasting_us: Draw) -> Recurring:
        """Many short pauses, as of a garbage collector."""
        return Recurring(
            self._world.timeline,
            rest_us=every_us,
            do=lambda: self.pause(node_id),
            lasting_us=lasting_us,
            undo=lambda: self.resume(node_id),
        )

    def suspend(self, node_id: int) -> None:
        """Its machine sleeps: the process stands still, and so do its clocks."""
        self._world.clocks[node_id].suspend()
        self.pause(node_id)

    def wake(self, node_id: int, *, monotonic_jumps: bool) -> None:
        """The machine goes on; its monotonic clock has counted the time in between, or has not."""
        self._world.clocks[node_id].wake(monotonic_jumps=monotonic_jumps)
        self.resume(node_id)

    def slow(self, node_id: int, service_us: Draw, *, room: int = QUEUE_ROOM) -> ServiceQueue:
        """A controller takes its time over each message; until `quicken`."""
        controller = self._controller(node_id, "slow down")
        self.quicken(node_id)
        queue = controller.queue = ServiceQueue(self._world.timeline, service_us, room)
        if not controller.is_alive:
            queue.close()
        self._world.network.queues[node_id] = queue
        return queue

    def quicken(self, node_id: int) -> None:
        """It handles what waits, and is as fast as ever."""
        controller = self._controller(node_id, "quicken")
        queue, controller.queue = controller.queue, None
        self._world.network.queues.pop(node_id, None)
        if queue is not None:
            queue.close()

    # Two of one id

    def clone(self, broker_id: int) -> int:
        """A second living process with the same broker id, on a host of its own, whose id this is:
        a disk image that was booted twice, or a pod that was scheduled twice."""
        world, host_id = self._world, FIRST_CLONE_ID + len(self._world.clones)
        spec = self._spec_elsewhere(broker_id)
        world.clones[host_id] = world.host_broker(host_id, spec)
        world.clones[host_id].start()
        return host_id

    def replace(self, broker_id: int) -> int:
        """A new host takes over the id, while the old one lives on as a zombie: the id of the
        zombie's host. Clocks and ways that go by the broker's id are the new host's from now on."""
        world, host_id = self._world, FIRST_CLONE_ID + len(self._world.clones)
        spec = self._spec_elsewhere(broker_id)
        world.hosts[host_id] = world.hosts[broker_id]
        world.hosts[host_id].node_id = host_id
        world.clones[host_id] = world.agents[broker_id]
        world.clocks[host_id] = world.clocks[broker_id]
        self._pauses[host_id] = self._pauses[broker_id]
        world.agents[broker_id] = world.host_broker(broker_id, spec)
        world.agents[broker_id].start()
        return host_id

    def _spec_elsewhere(self, broker_id: int) -> "BrokerSpec":
        if broker_id not in self._world.agents:
            known = ", ".join(map(str, self._world.agents))
            raise ValueError(f"expected the id of a broker ({known}) to clone, got {broker_id}")
        place = len(self._world.clones) % 254 + 1
        return replace(self._world.hosts[broker_id].spec, host=f"127.0.1.{place}")

    def _process(self, node_id: int) -> ControllerProcess | HostedAgent:
        controller = self._world.controllers.get(node_id)
        return self._agent(node_id) if controller is None else controller

    def _agent(self, node_id: int) -> HostedAgent:
        world = self._world
        agent = world.agents.get(node_id) or world.clones.get(node_id)
        if agent is None:
            known = ", ".join(map(str, (*world.controllers, *world.agents, *world.clones)))
            raise ValueError(f"expected the id of a node ({known}), got {node_id}")
        return agent

    def _controller(self, node_id: int, verb: str) -> ControllerProcess:
        controller = self._world.controllers.get(node_id)
        if controller is None:
            known = ", ".join(map(str, self._world.controllers))
            raise ValueError(f"expected the id of a controller ({known}) to {verb}, got {node_id}")
        return controller
