"""What a cluster has to do with other processes: controllers, and leaders of partitions."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from kraftsim.broker_agent.data_plane import DataPlane
from kraftsim.broker_agent.following.leaders import Following
from kraftsim.controller.core.image.partition import PartitionKey
from kraftsim.controller.core.node_id import NodeId
from kraftsim.controller.core.rpc import Response
from kraftsim.controller.raft.protocol import Send
from kraftsim.controller.server.runtime import Runtime
from kraftsim.simulation.world import World

from ..recording.recorder import Recorder
from .broker_apis import message_waits

if TYPE_CHECKING:
    from kraftsim.controller.server.outside_brokers import OutsideBrokers
    from kraftsim.controller.server.outside_controllers import OutsideControllers


class Outside:
    """The connections of a world to other processes, opened when they are first needed."""

    def __init__(
        self, world: World, runtime: Runtime, recorder: Recorder, data_plane: DataPlane
    ) -> None:
        self._world, self._runtime = world, runtime
        self._recorder, self._data_plane = recorder, data_plane
        self._controllers: OutsideControllers | None = None
        self._brokers: OutsideBrokers | None = None
        self._following = Following(world.agents, self._open_brokers, self._note_append)
        self._is_closed = False

    def send(
        self, sender: NodeId, send: Send, on_answer: Callable[[Response | None], None], /
    ) -> None:
        """Sends a request of a controller to a controller of another process."""
        is_of_world = send.peer_id in self._world.controllers
        if self._is_closed or send.endpoint is None or is_of_world:
            on_answer(None)
            return
        self._recorder.refuse("its quorum has a controller of another process")
        if self._controllers is None:
            from kraftsim.controller.server.outside_controllers import OutsideControllers

            self._controllers = OutsideControllers(self._runtime)
        self._controllers.send(sender.number, send, on_answer)

    def follow(self, broker_id: int) -> None:
        """Lets a broker fetch from the leaders of other processes that its metadata name."""
        if not self._is_closed:
            self._following.observe(broker_id)

    def _open_brokers(self) -> "OutsideBrokers | None":
        if self._runtime.speed != 1.0:
            return None
        if self._brokers is None:
            from kraftsim.controller.server.outside_brokers import OutsideBrokers

            self._recorder.refuse("its brokers follow a broker of another process")
            self._brokers = OutsideBrokers(self._runtime)
        return self._brokers

    def _note_append(self, broker_id: int, key: PartitionKey, size: int) -> None:
        message_waits(self._data_plane, self._world.agents[broker_id]).appended(key, size)

    def close(self) -> None:
        """Closes all connections."""
        self._is_closed = True
        for lines in (self._controllers, self._brokers):
            if lines is not None:
                lines.close()
