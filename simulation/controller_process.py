"""A controller's process on a timeline, over the disk that outlives it (`disks.py`).

A kill does not recall messages that were sent and does not lose durable data. A client that waits
for a reply from the killed process learns that the connection is closed. A restart is a new process
over the same disk.
"""

from collections.abc import Callable
from functools import partial

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.errors import ApiError, Impossible
from kraftsim.controller.core.handlers import refusal
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.profile import Profile
from kraftsim.controller.core.rpc import Request, Response
from kraftsim.controller.node.hosted import HostedNode
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.log import MetadataLog
from kraftsim.controller.raft.protocol import Reply, Send, Turn
from kraftsim.controller.time.clock import Clock

from .disks import Disk, DiskError, Stored
from .service_queue import ServiceQueue

HELD_MAX = 10_000  # requests that a paused process has not read yet; further requests are lost
HAND_OVER_LIMIT_US, HAND_OVER_CHECK_US = 5_000_000, 10_000  # Kafka's raft waits as long

ReplyTo = Callable[[Reply | None], None]
Carry = Callable[[Send, Callable[[Response | None], None]], None]


class ControllerProcess:
    """One controller's process: it can be started, killed, stopped, paused and resumed.

    `carry` sends its requests to other controllers. `on_committed` is called for every batch that
    this controller knows to be committed, in order. `on_end` is called when the process ends by
    itself; if it failed, `failure` is the reason. `is_stopping` is true from SIGTERM until the
    process ends. `step_listeners` outlive the process. While `queue` is set the controller is slow:
    the network delivers requests and replies to it one at a time. `node` is the node of `hosted`;
    after the process ended, it has its last state.
    """

    def __init__(
        self,
        make_node: Callable[[Stored], Node],
        clock: Clock,
        disk: Disk,
        carry: Carry,
        on_committed: Callable[[Batch], None],
        on_end: Callable[[], None],
        step_listeners: list[Callable[[Node, Turn], None]],
    ) -> None:
        self.disk = disk
        self.failure: DiskError | Impossible | None = None
        self.queue: ServiceQueue | None = None
        self.is_alive = self.is_paused = self.is_stopping = False
        self._make_node = make_node
        self._clock = clock
        self._timeline = clock.timeline
        self._carry = carry
        self._on_committed = on_committed
        self._on_end = on_end
        self._step_listeners = step_listeners
        self._waiting: dict[int, ReplyTo] = {}
        self._number = 0
        self._held: list[tuple[Request, ReplyTo]] = []
        self._stops_when_resumed = False
        self._once_ended: Callable[[], None] | None = None
        self._on_reply = self._replied  # bound once, not for each request
        self.hosted = self._new_process()
        self.node = self.hosted.node
        self.profile: Profile = self.node.profile  # the release that the process runs

    @property
    def state(self) -> ProcessState:
        """The state of the process: RUNNING, PAUSED or NOT_RUNNING."""
        if not self.is_alive:
            return ProcessState.NOT_RUNNING
        return ProcessState.PAUSED if self.is_paused else ProcessState.RUNNING

    @property
    def is_running(self) -> bool:
        """True if the process is alive and not paused."""
        return self.is_alive and not self.is_paused

    @property
    def role(self) -> str:
        """The quorum role in capitals (LEADER, ...), or `state` if the process does not run."""
        return type(self.node.quorum.role).__name__.upper() if self.is_running else self.state

    def start(self, *, stands_at_once: bool = False) -> None:
        """Starts the process; does nothing if it is alive.

        With `stands_at_once` the controller starts an election without waiting for a
        timeout.
        """
        if self.is_alive:
            return
        if self.hosted.is_over:
            self.hosted = self._new_process()
            self.node = self.hosted.node
            self.profile = self.node.profile
        self.is_alive, self.failure = True, None
        if self.queue is not None:
            self.queue.open()
        self.hosted.start(stands_at_once=stands_at_once)

    def kill(self) -> None:
        """Ends the process at once (SIGKILL): durable data stays, connections break."""
        if not self.is_alive:
            return
        self.is_alive = self.is_paused = self._stops_when_resumed = self.is_stopping = False
        self._once_ended = None
        self.disk.crash()
        self.hosted.end()
        waiting, self._waiting = self._waiting, {}
        held, self._held = self._held, []
        for reply_to in (*waiting.values(), *(reply_to for _, reply_to in held)):
            reply_to(None)
        if self.queue is not None:
            self.queue.close()

    def stop(self) -> None:
        """Ends the process in good order (SIGTERM).

        A leader resigns. A voter stays until another one is known to lead, for at most 5 s,
        because its vote may be needed, but begins no election itself. A paused process stops
        when it is resumed.
        """
        self._once_ended = None
        self._stop()

    def once_ended(self, then: Callable[[], None]) -> None:
        """Calls `then` when the process, which got SIGTERM, has ended by itself.

        Not if it is killed first; another SIGTERM cancels it too.
        """
        self._once_ended = then

    def _stop(self) -> None:
        self.is_stopping = self.is_alive
        if self.is_paused:
            self._stops_when_resumed = True
        elif self.is_alive:
            self.hosted.stop()
            self._end_once_led(self.hosted, self._timeline.now_us + HAND_OVER_LIMIT_US)

    def _end_once_led(self, hosted: HostedNode, until_us: int) -> None:
        if self.hosted is not hosted or not self.is_alive:
            return
        quorum = hosted.node.quorum
        is_led = quorum.leader_id not in (-1, quorum.me.node_id)
        is_awaited = quorum.is_voter and bool(quorum.other_voters) and not is_led
        if self.is_paused or (is_awaited and self._timeline.now_us < until_us):
            again = partial(self._end_once_led, hosted, until_us)
            self._timeline.after(HAND_OVER_CHECK_US, again)
        else:
            then = self._once_ended
            self.disk.sync()
            self.kill()
            self._on_end()
            if then is not None:
                then()

    def pause(self) -> None:
        """Suspends the process (SIGSTOP): it stays alive and handles no timers and no messages."""
        if self.is_alive:
            self.is_paused = True
            self.hosted.hold(True)

    def resume(self) -> None:
        """Resumes a paused process (SIGCONT), which then handles the requests of the pause."""
        if not self.is_paused:
            return
        self.is_paused = False
        if self._stops_when_resumed:
            self.hosted.stop()  # before it handles timers of the pause
        self.hosted.hold(False)
        held, self._held = self._held, []
        for request, reply_to in held:
            self.submit(request, reply_to)
        if self._stops_when_resumed:
            self._stops_when_resumed = False
            self._stop()

    def submit(self, request: Request, reply_to: ReplyTo) -> None:
        """Submits a request; `reply_to` gets None if the process ends before it replies."""
        if not self.is_alive:
            reply_to(None)
        elif self.is_paused:
            if len(self._held) < HELD_MAX:
                self._held.append((request, reply_to))
        else:
            self._number += 1
            number = self._number
            self._waiting[number] = reply_to
            self.hosted.submit(request, partial(self._on_reply, number))

    def submit_from_peer(
        self, request: Request, on_answer: Callable[[Response | None], None]
    ) -> None:
        """Submits another controller's request; an error becomes a response with its code."""
        self.submit(request, partial(_answer_peer, request, on_answer))

    def _replied(self, number: int, reply: Reply) -> None:
        reply_to = self._waiting.pop(number, None)
        if reply_to is not None:
            reply_to(reply)

    def _write(self, turn: Turn, log: MetadataLog, on_durable: Callable[[], None]) -> bool:
        """Writes a turn to the disk; a failed write ends the process."""
        try:
            return self.disk.write(turn, log, on_durable)
        except DiskError as error:
            self._end_with(error)
            return False

    def _end_with(self, failure: DiskError | Impossible) -> None:
        """Ends the process because of `failure`, as Kafka's fault handler ends a process."""
        self.failure = failure
        self.kill()
        self._on_end()

    def _new_process(self) -> HostedNode:
        node = self._make_node(self.disk.recovered())
        hosted = HostedNode(node, self._clock, self._carry, self._write)
        hosted.committed_listeners.append(self._on_committed)
        hosted.step_listeners = self._step_listeners
        hosted.on_failure = self._end_with
        return hosted


def _answer_peer(
    request: Request, on_answer: Callable[[Response | None], None], reply: Reply | None
) -> None:
    on_answer(refusal(request, reply) if isinstance(reply, ApiError) else reply)
