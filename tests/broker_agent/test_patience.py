"""The waits of a client that polls end on time, and leave few timers."""

from kraftsim.broker_agent.messages.patience import Patience
from kraftsim.controller.time.timeline import Timeline

WAIT_MS = 500


class Poller:
    def __init__(self) -> None:
        self.timeline = Timeline(wall_start_ms=0)
        self.clock = self.timeline
        self.ended_ms: list[int] = []
        self.patience = Patience(
            lambda: self.clock, lambda: self.ended_ms.append(self.clock.now_ms)
        )

    def pass_ms(self, ms: int) -> None:
        self.timeline.run_until(self.timeline.now_us + ms * 1000)


def test_a_wait_ends_after_its_time() -> None:
    poller = Poller()
    poller.patience.begin(WAIT_MS)

    poller.pass_ms(WAIT_MS - 1)
    assert poller.ended_ms == []
    poller.pass_ms(1)
    poller.pass_ms(10 * WAIT_MS)

    assert poller.ended_ms == [WAIT_MS]


def test_a_wait_that_was_ended_does_nothing() -> None:
    poller = Poller()
    poller.patience.begin(WAIT_MS)
    poller.patience.end()

    poller.pass_ms(10 * WAIT_MS)

    assert poller.ended_ms == []


def test_many_waits_take_one_timer_at_a_time() -> None:
    poller = Poller()
    for _ in range(1_234):
        poller.patience.begin(WAIT_MS)
        poller.pass_ms(1)
        poller.patience.end()
    poller.patience.begin(WAIT_MS)
    began_ms = poller.timeline.now_ms

    poller.pass_ms(10 * WAIT_MS)

    assert poller.ended_ms == [began_ms + WAIT_MS]
    assert poller.timeline.scheduled_count <= 5


def test_a_shorter_wait_behind_a_longer_one_ends_first() -> None:
    poller = Poller()
    poller.patience.begin(10 * WAIT_MS)
    poller.patience.end()
    poller.patience.begin(WAIT_MS)

    poller.pass_ms(20 * WAIT_MS)

    assert poller.ended_ms == [WAIT_MS]


def test_a_wait_is_on_the_clock_that_its_client_has_then() -> None:
    poller = Poller()
    poller.patience.begin(WAIT_MS)
    poller.patience.end()
    standing, poller.clock = poller.timeline, Timeline(wall_start_ms=0)

    poller.patience.begin(WAIT_MS)
    standing.run_until(10 * WAIT_MS * 1000)
    assert poller.ended_ms == []
    poller.clock.run_until(WAIT_MS * 1000)

    assert poller.ended_ms == [WAIT_MS]
