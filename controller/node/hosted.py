"""A node on a timeline: its clock, its single wake-up, its disk, its peers and its callers.

The module does no IO, so that the live service and virtual time run the same code.
"""

from collections import deque
from collections.abc import Callable
from functools import partial

from ..core.errors import Impossible
from ..core.log.batch import Batch
from ..core.rpc import Request, Response
from ..raft import protocol
from ..raft.log import MetadataLog
from ..time.clock import Clock
from ..time.wakeup import Wakeup
from .node import Node

HELD_MAX = 1000  # events held for a stopped process, one for each of its requests

ReplyTo = Callable[[protocol.Reply], None]
Dispatch = Callable[[Request, ReplyTo], None]
Transport = Callable[[protocol.Send, Callable[[Response | None], None]], None]
Write = Callable[[protocol.Turn, MetadataLog, Callable[[], None]], bool]
Sends = tuple[protocol.Send, ...]
Replies = tuple[tuple[ReplyTo, protocol.Reply], ...]


class HostedNode:
    """Drives a node: feeds it events and carries out its turns.

    `transport` sends a request to another controller and calls back with the response, or None.
    `step_listeners` are called after each step that produced more than replies;
    `committed_listeners` are called with each committed batch, in order. `write` makes the state of
    a step durable: it returns True if it is durable now, otherwise it calls back, in order; without
    `write`, memory is the disk. `on_failure` is called with an `Impossible` of a step and ends the
    process; without it the exception propagates.
    """

    def __init__(
        self, node: Node, clock: Clock, transport: Transport, write: Write | None = None
    ) -> None:
        self.node = node
        self.clock = clock
        self.step_listeners: list[Callable[[Node, protocol.Turn], None]] = []
        self.committed_listeners: list[Callable[[Batch], None]] = []
        self.on_failure: Callable[[Impossible], None] | None = None
        self._transport = transport
        self._write = write
        self._unsent: deque[list[tuple[Sends, Replies]]] = deque()  # held for a pending vote
        self.is_over = False
        self._is_holding = False
        self._held: list[Callable[[], None]] = []
        self._wakeup = Wakeup(clock, self._wake)
        self._will_go_on = False

    def end(self) -> None:
        """End the process: no later event or wake-up has any effect."""
        self.is_over = True
        self._wakeup.end()

    def hold(self, holding: bool) -> None:
        """Stop the process (SIGSTOP) if `holding`, otherwise continue it (SIGCONT).

        A stopped process handles no event and no deadline; once continued, it handles the held
        events.
        """
        self._is_holding = holding
        if not holding:
            held, self._held = self._held, []
            for go_on in held:
                go_on()
            self._wake()

    def start(self, *, stands_at_once: bool = False) -> None:
        """Start the process.

        With `stands_at_once` it starts an election without waiting for a timeout; a single voter is
        its own majority and leads at once.
        """
        self.step(protocol.Started(stands_at_once))

    def resign(self, successor_id: int) -> None:
        """Give up leadership in favour of `successor_id`."""
        self.step(protocol.Resign(successor_id))

    def stop(self) -> None:
        """Give up leadership, and begin no election: the process is to end (SIGTERM)."""
        self.step(protocol.Stop())

    def forget_soft_state(self) -> None:
        """Forget what an active controller keeps in memory only, as a failover does."""
        active = self.node.active
        if active is not None:
            active.forget_leases(self.clock.now_ms)

    def submit(self, request: Request, reply_to: ReplyTo) -> None:
        """Decide `request`; `reply_to` is called once, now or when the reply may be sent."""
        now_ms = self.clock.now_ms
        wall_ms = now_ms + self.clock.wall_offset_ms
        try:
            turn = self.node.submit(request, reply_to, now_ms, wall_ms)
        except Impossible as error:
            self._fail(error)
            return
        # The fast path of nearly every heartbeat: a plain turn, no vote that is not durable yet
        # (rule 10.5), and no earlier wake-up to arm.
        is_plain = turn.is_plain and not self._unsent
        if is_plain and self.node.deadline_ms >= self._wakeup.armed_ms:
            for answer, reply in turn.replies:
                answer(reply)
        else:
            self._carry_out(turn, now_ms)

    def step(self, event: protocol.Event) -> None:
        """Run one step and carry out its turn."""
        if self.is_over:
            return
        if self._is_holding:
            if len(self._held) < HELD_MAX:
                self._held.append(partial(self.step, event))
            return
        now_ms = self.clock.now_ms
        wall_ms = now_ms + self.clock.wall_offset_ms
        try:
            turn = self.node.step(event, now_ms, wall_ms)
        except Impossible as error:
            self._fail(error)
            return
        self._carry_out(turn, now_ms)

    def _fail(self, error: Impossible) -> None:
        """A failed step leaves inconsistent state, so the process must end."""
        if self.on_failure is None:
            raise error
        self.on_failure(error)

    def _wake(self) -> None:
        if self.is_over or self._is_holding:
            return
        if self.node.deadline_ms <= self.clock.now_ms:
            self.step(protocol.Deadline())
        else:
            self._wakeup.arm(self.node.deadline_ms)

    def _carry_out(self, turn: protocol.Turn, now_ms: int) -> None:
        """Persist the state of a step, then send requests, then replies, in order."""
        sends, replies = self._persisted(turn, now_ms)
        if self.is_over:
            return  # the disk failed, or a step raised Impossible
        node, wakeup = self.node, self._wakeup
        if node.deadline_ms < wakeup.armed_ms:
            wakeup.arm(node.deadline_ms)
        if self._unsent:
            self._unsent[-1].append((sends, replies))
        else:
            self._send_all(sends, replies)
        if node.has_work and not self._will_go_on:
            self._will_go_on = True
            self.clock.timeline.soon(self._go_on)

    def _go_on(self) -> None:
        self._will_go_on = False
        self.step(protocol.Continue())

    def _persisted(self, turn: protocol.Turn, now_ms: int) -> tuple[Sends, Replies]:
        """Persist until nothing is left or the disk is slow.

        Returns all messages and replies of the steps.
        """
        wall_ms = now_ms + self.clock.wall_offset_ms
        sends, replies = turn.sends, turn.replies
        self._notify_listeners(turn)
        while self._is_durable(turn) and turn.persist:
            end_offset = turn.persist[-1].last_offset + 1
            try:
                turn = self.node.step(protocol.Persisted(end_offset), now_ms, wall_ms)
            except Impossible as error:
                self._fail(error)
                break
            sends, replies = sends + turn.sends, replies + turn.replies
            self._notify_listeners(turn)
        return sends, replies

    def _is_durable(self, turn: protocol.Turn) -> bool:
        """Write the state of a step; returns False if the disk is slow.

        For the log, the quorum waits for `Persisted`. A vote has no such event: messages that
        follow a vote are sent once the vote is durable (rule 10.5). Writes are in order, so all
        earlier writes are durable by then.
        """
        if self._write is None or not _writes(turn):
            return True
        end_offset = self.node.log.end_offset if turn.persist else None
        is_vote = turn.election is not None
        if self._write(turn, self.node.log, partial(self._written, end_offset, is_vote)):
            return True
        if is_vote:
            self._unsent.append([])
        return False

    def _written(self, end_offset: int | None, is_vote: bool) -> None:
        """Called by a slow disk after a write; a stopped process handles it once it continues."""
        if self.is_over:
            return
        if self._is_holding:
            self._held.append(partial(self._written, end_offset, is_vote))
            return
        if is_vote:
            for messages in self._unsent.popleft():
                self._send_all(*messages)
        if end_offset is not None:
            self.step(protocol.Persisted(end_offset))

    def _send_all(self, sends: Sends, replies: Replies) -> None:
        for send in sends:
            self._send(send)
        for reply_to, reply in replies:
            reply_to(reply)

    def _notify_listeners(self, turn: protocol.Turn) -> None:
        for watch in self.step_listeners:
            watch(self.node, turn)
        for batch in turn.committed:
            for listener in self.committed_listeners:
                listener(batch)

    def _send(self, send: protocol.Send) -> None:
        self._transport(send, partial(self._answered, send))

    def _answered(self, send: protocol.Send, response: Response | None) -> None:
        answered = protocol.Answered(
            channel=send.channel, peer_id=send.peer_id, number=send.number, response=response
        )
        self.step(answered)


def _writes(turn: protocol.Turn) -> bool:
    """True if the turn has state that must be durable."""
    is_cut = turn.truncate_to is not None or turn.snapshot is not None
    return bool(turn.persist) or turn.election is not None or is_cut
