"""The controllers of a cluster: shows them, and acts on their processes."""

from collections.abc import Callable, Sequence

from kraftsim.controller.core.node_id import controller_node

from ..errors import UnknownController
from ..recording.recorded import recorded
from .argument_checks import expect_int
from .documents import ControllerDocument
from .running.live import Live
from .views.state_views import controller_view, controllers_view


class Controllers:
    """The controllers of a cluster: `await kraft.controllers.kill(3000)`.

    Raises UnknownController for an id that no controller has.
    """

    def __init__(self, live: Live) -> None:
        self._live = live

    async def list(self) -> Sequence[ControllerDocument]:
        """Returns every controller, in order of id."""
        return controllers_view(self._live.world)

    async def show(self, node_id: int) -> ControllerDocument:
        """Returns one controller."""
        self._check(node_id)
        return controller_view(self._live.world, node_id)

    async def install(self, node_id: int, profile: str) -> None:
        """Installs another release, older or newer; the controller runs it from its next start on.

        A process whose release does not know the finalized metadata.version ends (rule 5.65).
        """
        self._check(node_id)
        arguments = {"node_id": node_id, "profile": profile}
        self._live.recorder.verb("controllers.install", arguments)
        self._live.install(controller_node(node_id), profile)

    @recorded
    async def kill(self, node_id: int) -> None:
        """Sends SIGKILL: the process ends at once and keeps its disk; another leader is elected."""
        self._change(node_id, self._live.world.kill_controller)

    @recorded
    async def start(self, node_id: int) -> None:
        """Starts a new process on the disk of the previous one."""
        self._change(node_id, self._live.world.start_controller)

    @recorded
    async def pause(self, node_id: int) -> None:
        """Sends SIGSTOP: the process does nothing and its sockets hang."""
        self._change(node_id, self._live.world.pause_controller)

    @recorded
    async def resume(self, node_id: int) -> None:
        """Sends SIGCONT to a paused process."""
        self._change(node_id, self._live.world.resume_controller)

    def _change(self, node_id: int, change: Callable[[int], object]) -> None:
        with self._live.entered():
            self._check(node_id)
            change(node_id)

    def _check(self, node_id: int) -> None:
        expect_int("node_id", node_id)
        if node_id not in self._live.world.controllers:
            raise UnknownController(node_id, sorted(self._live.world.controllers))
