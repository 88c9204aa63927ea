"""A node on a timeline: its clock, its one wake-up, its disk in memory, the others, and those who
wait for its replies.

Pure, so that the live service and virtual time run the same one. Persisting is immediate here.
"""

from collections.abc import Callable

from .clock import Clock
from .core.batch import Batch
from .core.rpc import Request, Response
from .node import Node
from .raft.protocol import Answered, Deadline, Event, Persisted, Reply, Resign, Send, Started, Turn
from .timeline import Wakeup

HELD_MAX = 1000  # answers that a stopped process has not read: one for each request of its own

ReplyTo = Callable[[Reply], None]
Dispatch = Callable[[Request, ReplyTo], None]
Transport = Callable[[Send, Callable[[Response | None], None]], None]


class HostedNode:
    """`transport` carries requests to other controllers and calls back with what came of them;
    `step_listeners` are told of every step that let out more than a reply, `committed_listeners`
    of every batch once it is committed, in order."""

    def __init__(self, node: Node, clock: Clock, transport: Transport) -> None:
        self.node = node
        self.clock = clock
        self.step_listeners: list[Callable[[Node, Turn], None]] = []
        self.committed_listeners: list[Callable[[Batch], None]] = []
        self._transport = transport
        self.is_over = False
        self._is_holding = False
        self._held: list[Event] = []
        self._wakeup = Wakeup(clock, self._wake)

    def end(self) -> None:
        """The process is gone: nothing that comes reaches it, no time wakes it."""
        self.is_over = True
        self._wakeup.end()

    def hold(self, holding: bool) -> None:
        """A process that is stopped by signal sees neither answers nor time; once it goes on, it
        sees what has come, and what time it is."""
        self._is_holding = holding
        if not holding:
            held, self._held = self._held, []
            for event in held:
                self.step(event)
            self._wake()

    def start(self, *, stands_at_once: bool = False) -> None:
        """The process is up. A single voter is its own majority and leads at once."""
        self.step(Started(stands_at_once))

    def resign(self, successor_id: int) -> None:
        self.step(Resign(successor_id))

    def submit(self, request: Request, reply_to: ReplyTo) -> None:
        """Decide `request` now; `reply_to` is called once, now or when the reply may be seen."""
        now_ms = self.clock.now_ms
        wall_ms = now_ms + self.clock.wall_offset_ms
        turn = self.node.submit(request, reply_to, now_ms, wall_ms)
        if turn.is_plain and self.node.deadline_ms >= self._wakeup.armed_ms:
            for answer, reply in turn.replies:
                answer(reply)
        else:
            self._carry_out(turn, now_ms)

    def step(self, event: Event) -> None:
        if self.is_over:
            return
        if self._is_holding:
            if len(self._held) < HELD_MAX:
                self._held.append(event)
            return
        now_ms = self.clock.now_ms
        wall_ms = now_ms + self.clock.wall_offset_ms
        self._carry_out(self.node.step(event, now_ms, wall_ms), now_ms)

    def _wake(self) -> None:
        if self.is_over or self._is_holding:
            return
        if self.node.deadline_ms <= self.clock.now_ms:
            self.step(Deadline())
        else:
            self._wakeup.arm(self.node.deadline_ms)

    def _carry_out(self, turn: Turn, now_ms: int) -> None:
        """Persist what a step says, then send, then reply, in order."""
        sends, replies = self._persisted(turn, now_ms)
        node, wakeup = self.node, self._wakeup
        if node.deadline_ms < wakeup.armed_ms:
            wakeup.arm(node.deadline_ms)
        for send in sends:
            self._send(send)
        for reply_to, reply in replies:
            reply_to(reply)

    def _persisted(
        self, turn: Turn, now_ms: int
    ) -> tuple[tuple[Send, ...], tuple[tuple[ReplyTo, Reply], ...]]:
        """Persist and say so until nothing is left to persist; every message and reply of it."""
        wall_ms = now_ms + self.clock.wall_offset_ms
        sends, replies = turn.sends, turn.replies
        self._tell(turn)
        while turn.persist:
            end_offset = turn.persist[-1].last_offset + 1
            turn = self.node.step(Persisted(end_offset), now_ms, wall_ms)
            sends, replies = sends + turn.sends, replies + turn.replies
            self._tell(turn)
        return sends, replies

    def _tell(self, turn: Turn) -> None:
        for watch in self.step_listeners:
            watch(self.node, turn)
        for batch in turn.committed:
            for listener in self.committed_listeners:
                listener(batch)

    def _send(self, send: Send) -> None:
        channel, peer_id, _, number, _ = send
        self._transport(
            send,
            lambda response: self.step(Answered(channel, peer_id, number, response)),
        )
