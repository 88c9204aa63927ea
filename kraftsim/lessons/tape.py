"""A tape: one play of a scenario, which can be wound to any time.

A tape keeps copies of its play at regular distances. To wind it to a time, the copy before that
time is copied again and lives through the rest, so that a state is computed anew and not filmed.
A branch is a tape whose play leaves that of another tape at the time of an act.
"""

from bisect import bisect_right
from collections.abc import Sequence
from functools import partial

from kraftsim.scenarios.running.beside_rows import beside_rows
from kraftsim.scenarios.running.play import Play
from kraftsim.scenarios.running.run import Result
from kraftsim.simulation.copying import copied
from kraftsim.simulation.event_row import EventRow

from .act import Act

ACTIONS_APART = 1_000  # actions of the timeline between two copies: some 30 ms to live through
COPIES_MAX = 200  # of one tape; a copy of three controllers and five brokers takes 0.5 MB
ACTIONS_MAX = ACTIONS_APART * COPIES_MAX
BROKERS_MAX = 30  # with those that acts add


class TooLarge(Exception):
    """A play has more events or more brokers than a tape holds."""


class Tape:
    """A play from its begin, or from the act of a branch, to its end.

    `scenario` is the plan of the run, `settings` are those of its controllers, `rows` are the
    journal of the whole play, `result` its verdict; `beside` has the facts that rows lack.
    `begin_us` is the time from which `at:` counts, `end_us` that of the end. `parent` is the tape
    from which `act` leaves, as the fault `fault_id`.
    """

    def __init__(
        self, play: Play, parent: "Tape | None" = None, act: Act | None = None, fault_id: str = ""
    ) -> None:
        self.parent, self.act, self._fault_id = parent, act, fault_id
        self.scenario = play.run.plan
        self.settings = play.run.world.topology.settings
        self.start_us = play.now_us
        self._copies: list[Play] = [copied(play)]
        self._record(play)
        self.end_us = play.now_us
        self.begin_us = play.begin_us if play.begin_us is not None else play.now_us
        self.result: Result = play.run.judge()
        self.rows: Sequence[EventRow] = self.result.rows
        self.beside = beside_rows(play.run.world, play.run.stage.faults, self.rows)
        self._times_us = [copy.now_us for copy in self._copies]

    def _record(self, play: Play) -> None:
        """Lives through the play, and keeps copies of it."""
        timeline = play.run.world.timeline
        copied_at = timeline.scheduled_count
        while not play.is_over:
            play.advance(play.next_us)
            if timeline.scheduled_count - copied_at >= ACTIONS_APART:
                copied_at = timeline.scheduled_count
                if len(self._copies) >= COPIES_MAX:
                    raise TooLarge(
                        f"expected a scenario of at most {ACTIONS_MAX:,} events, got more"
                    )
                self._copies.append(copied(play))

    def at(self, at_us: int) -> Play:
        """Returns the play as it is at a time, after every event of that microsecond."""
        if at_us < self.start_us and self.parent is not None and self.act is not None:
            play = self.parent.at(at_us)
            play.acts.append((self.start_us, partial(self.act.do, fault_id=self._fault_id)))
            return play
        before = max(bisect_right(self._times_us, at_us) - 1, 0)
        play = copied(self._copies[before])
        play.advance(at_us)
        return play

    def branch(self, act: Act, fault_id: str) -> "Tape":
        """Returns the tape on which `act` happens, as the fault `fault_id`.

        Raises ValueError if the act cannot happen, such as one about a node that does not exist;
        TooLarge if it adds too many brokers.
        """
        at_us = min(self.begin_us + act.at_us, self.end_us)
        play = self.at(at_us)
        act.do(play, fault_id)
        brokers = len(play.run.world.agents)
        if brokers > BROKERS_MAX:
            raise TooLarge(f"expected at most {BROKERS_MAX} brokers, got {brokers}")
        return Tape(play, self, act, fault_id)
