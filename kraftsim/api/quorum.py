"""The quorum of a cluster: shows it, and transfers its leadership."""

from kraftsim.controller.core.cluster.quorum_request import QUORUM_REQUEST
from kraftsim.controller.core.rpc import DescribeQuorumResponse

from ..errors import CommandError, UnknownController
from .administration.refusals import raise_if_refused
from .argument_checks import check_transfer
from .documents import LeaderDocument, QuorumDocument
from .running.active_controller import ActiveController
from .running.live import Live
from .running.waits import roles_text, until_known
from .views.state_views import quorum_view


class Quorum:
    """The quorum of a cluster: `await kraft.quorum.transfer_leadership(to=3001)`."""

    def __init__(self, live: Live, controller: ActiveController) -> None:
        self._live, self._controller = live, controller

    async def show(self) -> QuorumDocument:
        """Returns the quorum as its leader describes it; ApiError without a leader."""
        described = await self.describe()
        return quorum_view(self._live.world, described)

    async def describe(self) -> DescribeQuorumResponse:
        """Returns the leader's description of the quorum (KIP-836); ApiError without a leader."""
        reply = await self._controller.request(QUORUM_REQUEST)
        assert isinstance(reply, DescribeQuorumResponse), type(reply)
        result = reply.topics[0].partitions[0]
        raise_if_refused(result.error_code, result.error_message)
        return reply

    def leader(self) -> LeaderDocument:
        """Returns the active controller and its epoch."""
        node = self._live.world.controller.node
        return {"leaderId": node.leader_id, "leaderEpoch": node.epoch}

    async def transfer_leadership(self, to: int = -1, timeout: str | float = "20s") -> int:
        """Makes the leader resign; returns the id of the next leader once brokers know it.

        `to` is the preferred successor; -1 prefers the voter with the longest log. Raises
        CommandError if another controller than `to` was elected, TimeoutError if none is active
        after `timeout`.
        """
        check_transfer(to, timeout)  # before the leader resigns
        epoch = resign(self._live, to)

        def is_led() -> bool:
            active = self._live.world.active
            return active is not None and active.node.epoch > epoch

        expected = "another leader" if to == -1 else f"controller {to} to lead"
        await self._live.until(is_led, timeout, expected, lambda: roles_text(self._live.world))
        leader_id = self._live.world.controller.node.config.node_id
        if to not in (-1, leader_id):
            raise CommandError(
                f"expected controller {to} to lead, got {leader_id} elected: transfer again"
            )
        await until_known(self._live)
        return leader_id


def resign(live: Live, to: int) -> int:
    """Makes the leader resign in favour of `to` and returns the leader's epoch.

    If `to` is the leader, it stays leader and the previous epoch is returned: the transfer is
    complete once a controller leads in a higher epoch than the returned epoch.
    """
    with live.entered():
        active, controllers = live.world.active, live.world.controllers
        if active is None:
            raise CommandError(
                "no controller is active: wait with `kraftsim wait --leader any`, then transfer "
                "again"
            )
        if to != -1 and to not in controllers:
            raise UnknownController(to, sorted(controllers))
        if to != -1 and not controllers[to].is_running:
            raise CommandError(
                f"to: expected a running controller, got {to}, which does not run: start it first"
            )
        epoch = active.node.epoch
        if to == active.node.config.node_id:
            return epoch - 1
        live.recorder.verb("quorum.resign", {"to": to})
        active.hosted.resign(to)
        return epoch
