"""A node on a timeline: its one wake-up, its disk in memory, and those who wait for its replies.

Pure, so that the live service and virtual time run the same one. Persisting is immediate here.
"""

from collections.abc import Callable

from .core.batch import Batch
from .core.rpc import Request
from .node import Node
from .node_types import Deadline, Elected, Event, Persisted, Ready, Reply
from .timeline import Timeline, Wakeup

ReplyTo = Callable[[Reply], None]
Dispatch = Callable[[Request, ReplyTo], None]


class HostedNode:
    """`committed_listeners` are told of every batch once it is committed, in order."""

    def __init__(self, node: Node, timeline: Timeline) -> None:
        self.node = node
        self.timeline = timeline
        self.committed_listeners: list[Callable[[Batch], None]] = []
        self._wakeup = Wakeup(timeline, self._wake)

    def start(self) -> None:
        """Be elected: a single voter is its own majority."""
        self._step(Elected(self.node.epoch + 1))

    def submit(self, request: Request, reply_to: ReplyTo) -> None:
        """Decide `request` now; `reply_to` is called once, now or when the reply may be seen."""
        now_ms = self.timeline.now_us // 1000
        wall_ms = self.timeline.wall_start_ms + now_ms
        ready = self.node.submit(request, reply_to, now_ms, wall_ms)
        if ready.persist or self.node.deadline_ms < self._wakeup.armed_ms:
            self._carry_out(ready, now_ms)
            return
        for answer, reply in ready.replies:
            answer(reply)

    def _wake(self) -> None:
        if self.node.deadline_ms <= self.timeline.now_ms:
            self._step(Deadline())
        else:
            self._wakeup.arm(self.node.deadline_ms)

    def _step(self, event: Event) -> None:
        now_ms = self.timeline.now_us // 1000
        wall_ms = self.timeline.wall_start_ms + now_ms
        self._carry_out(self.node.step(event, now_ms, wall_ms), now_ms)

    def _carry_out(self, ready: Ready, now_ms: int) -> None:
        """Persist what a step says, then send the replies, in order."""
        replies = self._persisted(ready, now_ms) if ready.persist else ready.replies
        node, wakeup = self.node, self._wakeup
        if node.deadline_ms < wakeup.armed_ms:
            wakeup.arm(node.deadline_ms)
        for reply_to, reply in replies:
            reply_to(reply)

    def _persisted(self, ready: Ready, now_ms: int) -> tuple[tuple[ReplyTo, Reply], ...]:
        """Persist and say so until nothing is left to persist; every reply of it."""
        wall_ms = self.timeline.wall_start_ms + now_ms
        replies = ready.replies
        while ready.persist:
            persisted = ready.persist
            ready = self.node.step(Persisted(persisted[-1].last_offset + 1), now_ms, wall_ms)
            replies += ready.replies
            for batch in persisted:
                for listener in self.committed_listeners:
                    listener(batch)
        return replies
