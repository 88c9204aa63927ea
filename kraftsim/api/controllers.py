"""The part of `Cluster` that sends requests to the controllers and changes their processes."""

import asyncio
from abc import abstractmethod
from contextlib import AbstractContextManager
from functools import partial

from kraftsim.controller.core.api_row import READ
from kraftsim.controller.core.apis import row_of
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.rpc import (
    DecommissionBrokerRequest,
    DescribeQuorumResponse,
    Request,
    Response,
    UnregisterBrokerRequest,
)
from kraftsim.controller.core.topics.quorum_request import QUORUM_REQUEST
from kraftsim.scenarios.language.durations import microseconds
from kraftsim.simulation.controller_process import ControllerProcess
from kraftsim.simulation.requests.rules import ConnectionFailed, Submit

from ..errors import CommandError, ConnectionClosed, UnknownController
from ..first_of import first_of
from ..recording.recorded import recorded
from ..recording.recorder import Recorder
from ..service.cluster_description import ClusterDescription, describe
from ..service.listeners import Service
from .argument_checks import check_transfer, expect_int
from .waiting import Waiting

HOLD_LIMIT = "10s"  # an election takes 2 to 4 s; a request held for longer is refused
REQUEST_LIMIT_S = 30.0  # in real time; a virtual clock does not advance meanwhile


class ControllerVerbs(Waiting):
    """The methods of `Cluster` that concern controllers and the quorum."""

    _service: Service

    @abstractmethod
    def _entered(self) -> AbstractContextManager[None]: ...

    @property
    def recorder(self) -> Recorder:
        """The inputs since the last start or reset; CommandError if the cluster does not run."""
        world, recorder = self.world, self._service.recorder
        assert recorder is not None, world
        return recorder

    async def request(self, request: Request, submit: Submit | None = None) -> Response:
        """Sends a request to the active controller and returns the response.

        Raises ApiError if the controller refuses the request or does not answer in
        REQUEST_LIMIT_S, ConnectionClosed if a fault closes the connection. While no controller is
        active, a request that changes something waits up to HOLD_LIMIT for the next leader, as
        requests that a broker forwards do (rule 0A.2). On a virtual clock the request does not
        wait, because time stands still during this call; the clock "auto" moves for it, but not
        while a fault holds the request: then the limit is in real time. `submit`, if it is given,
        handles it instead of the controller.
        """
        clock = self._clock
        is_held = self.world.active is None and row_of(request).controller is not READ
        if is_held and (not clock.is_standing or clock.moves_for_requests):
            limit_us = microseconds(HOLD_LIMIT)
            await clock.until(lambda: self.world.active is not None, limit_us, "a leader")
        replies: asyncio.Queue[Response | ApiError] = asyncio.Queue()
        with self._entered():
            self.recorder.request(request, bypasses=submit is not None)
            self.world.dispatch(request, replies.put_nowait, submit)
        limit_s = REQUEST_LIMIT_S
        if clock.is_standing and clock.moves_for_requests:
            limit_us, reason = int(REQUEST_LIMIT_S * 1e6), "a response of the controller"
            is_parked = partial(self.world.request_rules.holds, request)
            if not await clock.until(lambda: not replies.empty(), limit_us, reason, is_parked):
                limit_s = 0.0  # the time of the cluster has passed
        if replies.empty():
            await first_of(_filled(replies), clock.closed.wait(), limit_s=limit_s)
            if replies.empty():
                clock.check_open()
        return _reply_in(replies)

    async def unregister(self, broker_id: int) -> None:
        """Unregisters a broker. It leaves every ISR and stays in the replica assignments."""
        expect_int("broker_id", broker_id)
        await self.request(UnregisterBrokerRequest(broker_id=broker_id))

    async def decommission(self, broker_id: int, force: bool = False) -> None:
        """Unregisters a broker and removes it from the replica assignments (KIP-631).

        Raises ApiError if the broker holds the last replica of a partition.
        """
        expect_int("broker_id", broker_id)
        await self.request(DecommissionBrokerRequest(broker_id=broker_id, force=force))

    async def describe_cluster(self, include_fenced: bool = False) -> ClusterDescription:
        """Describes the cluster as DescribeCluster does (KIP-1073), with start times (KIP-436)."""
        return describe(self.world, include_fenced)

    async def describe_quorum(self) -> DescribeQuorumResponse:
        """Returns the leader's description of the quorum (KIP-836); ApiError without a leader."""
        reply = await self.request(QUORUM_REQUEST)
        assert isinstance(reply, DescribeQuorumResponse), type(reply)
        result = reply.topics[0].partitions[0]
        raise_if_refused(result.error_code, result.error_message)
        return reply

    async def transfer_leadership(self, to: int = -1, timeout: str | float = "20s") -> int:
        """Makes the leader resign; returns the id of the next leader once it is active.

        `to` is the preferred successor; -1 prefers the voter with the longest log. Raises
        CommandError if another controller than `to` was elected, TimeoutError if none is active
        after `timeout`.
        """
        check_transfer(to, timeout)  # before the leader resigns
        epoch = self._resigned_epoch(to)
        expected = "another leader" if to == -1 else f"controller {to} to lead"
        await self._until(lambda: self._is_led_since(epoch), timeout, expected, self._roles)
        leader_id = self.world.controller.node.config.node_id
        if to not in (-1, leader_id):
            raise CommandError(
                f"expected controller {to} to lead, got {leader_id} elected: transfer again"
            )
        return leader_id

    def _resigned_epoch(self, to: int) -> int:
        """Makes the leader resign in favour of `to` and returns the leader's epoch.

        If `to` is the leader, it stays leader and the previous epoch is returned: the transfer is
        complete once a controller leads in a higher epoch than the returned epoch.
        """
        with self._entered():
            active = self.world.active
            if active is None:
                raise CommandError(
                    "no controller is active: wait with `kraftsim wait --leader any`, then "
                    "transfer again"
                )
            if to != -1 and not self._process(to).is_running:
                raise CommandError(
                    f"to: expected a running controller, got {to}, which does not run: start it "
                    "first"
                )
            epoch = active.node.epoch
            if to == active.node.config.node_id:
                return epoch - 1
            self.recorder.verb("resign", {"to": to})
            active.hosted.resign(to)
            return epoch

    def _is_led_since(self, epoch: int) -> bool:
        active = self.world.active
        return active is not None and active.node.epoch > epoch

    @recorded
    async def kill_controller(self, node_id: int) -> None:
        """Sends SIGKILL: the process ends at once and keeps its disk; another leader is elected."""
        with self._entered():
            self._process(node_id)
            self.world.kill_controller(node_id)

    @recorded
    async def start_controller(self, node_id: int) -> None:
        """Starts a new process on the disk of the previous one."""
        with self._entered():
            self._process(node_id)
            self.world.start_controller(node_id)

    @recorded
    async def pause_controller(self, node_id: int) -> None:
        """Sends SIGSTOP: the process does nothing and its sockets hang."""
        with self._entered():
            self._process(node_id)
            self.world.pause_controller(node_id)

    @recorded
    async def resume_controller(self, node_id: int) -> None:
        """Sends SIGCONT to a paused process."""
        with self._entered():
            self._process(node_id)
            self.world.resume_controller(node_id)

    def _process(self, node_id: int) -> ControllerProcess:
        expect_int("node_id", node_id)
        process = self.world.controllers.get(node_id)
        if process is None:
            raise UnknownController(node_id, sorted(self.world.controllers))
        return process


async def _filled(replies: asyncio.Queue[Response | ApiError]) -> None:
    """Waits until there is a reply, and leaves it there."""
    replies.put_nowait(await replies.get())


def _reply_in(replies: asyncio.Queue[Response | ApiError]) -> Response:
    """Returns the reply, or raises it if it is an error, or if there is none."""
    if replies.empty():
        text = (
            f"no controller answered within {REQUEST_LIMIT_S:.0f} s: check that a majority of the "
            "voters runs, and that no fault holds or loses the request (`kraftsim fault list`)"
        )
        raise ApiError(ErrorCode.REQUEST_TIMED_OUT, text)
    reply = replies.get_nowait()
    if isinstance(reply, ConnectionFailed):
        raise ConnectionClosed(reply.message)
    if isinstance(reply, ApiError):
        try:
            raise reply
        finally:
            del reply  # the traceback leads to this frame: a cycle with the request
    return reply


def raise_if_refused(code: int, message: str | None) -> None:
    """Raises ApiError unless an error code of a response is 0."""
    if code:
        raise ApiError(ErrorCode(code), message or "")
