"""The ways between controllers: delay, loss, and cuts in one direction or both.

Nobody is told that a message was lost; whoever waits for an answer learns it by waiting too long.
"""

from collections.abc import Callable

from kraftsim.controller.timeline import Timeline


class Network:
    """`cut` holds directed pairs (from, to). Delays are drawn evenly from `delay_us`, a range with
    both ends; `loss` is the part of all messages that is lost, 0.0 to 1.0."""

    def __init__(self, timeline: Timeline, random: Callable[[], float]) -> None:
        self.cut: set[tuple[int, int]] = set()
        self.loss = 0.0
        self.delay_us = (0, 0)
        self._timeline = timeline
        self._random = random

    def carry(self, sender: int, receiver: int, deliver: Callable[[], None]) -> None:
        """Deliver later, if the way is open when the message leaves."""
        if (sender, receiver) in self.cut or (self.loss and self._random() < self.loss):
            return
        low_us, high_us = self.delay_us
        delay_us = low_us + (int(self._random() * (high_us - low_us + 1)) if high_us else 0)
        self._timeline.after(delay_us, deliver)

    def isolate(self, node_id: int, others: tuple[int, ...]) -> None:
        """Nothing goes from it to the others, nor from them to it."""
        for other in others:
            if other != node_id:
                self.cut |= {(node_id, other), (other, node_id)}

    def heal(self) -> None:
        self.cut.clear()
