"""A quorum as a few numbers, and all that can happen to it next.

The network: what was once asked may arrive at any time and any number of times, whether its sender
has given up, has crashed or was answered long ago; an answer comes only where it is still waited
for, if at all. So loss, delay, repetition and disorder need no moves of their own, and whatever
may become of a state may also become of one where more may arrive.
"""

from dataclasses import dataclass, fields
from math import inf
from typing import NamedTuple

from tests.raft.numbered import Remembered, bits
from tests.raft.steps import Steps
from tests.raft.symmetry import Symmetry
from tests.raft.verdicts import Verdicts

WRITES, CRASHES, PATIENCE, LOSSES = range(4)
NOTHING = (0, 0, 0, 0)  # is spent
SPENT_ON = {
    "writes": WRITES,
    "restarts": CRASHES,
    "loses_patience": PATIENCE,
    "gives_up_on": LOSSES,
    "hears_late": LOSSES,
}


@dataclass(frozen=True)
class Limits:
    """What a history may have in it. `patience`: how often somebody has waited for long enough, for
    a leader, for votes or for followers; `losses`: how many answers are given up, or requests
    arrive when nobody waits for the answer any more. One that `asks_around` fetches from the others
    while it knows no leader, as 4.3 does; else it waits to be told, as before (rule 10.37)."""

    epoch: int = 2
    writes: int = 1
    crashes: int = 1
    patience: float = inf
    losses: float = inf
    asks_around: bool = True


class State(NamedTuple):
    """`answers`: by line, what is on its way (-1: nothing); `late`: a mask of the requests that may
    arrive unawaited; `spent`: of each of the limits that there are."""

    replicas: tuple
    answers: tuple
    history: int
    late: int
    spent: tuple = NOTHING


class World:
    def __init__(self, voters, limits=Limits()):
        self.limits = limits
        self.steps = Steps(voters, limits.epoch, asks_around=limits.asks_around)
        self.verdicts = Verdicts(self.steps)
        pairs = [(a, b) for a in range(voters) for b in range(voters) if a != b]
        self.lines = {pair: line for line, pair in enumerate(pairs)}  # who asks, and whom
        self._peers = [[peer for peer in range(voters) if peer != one] for one in range(voters)]
        self.symmetry = Symmetry(self.steps, self.verdicts, self.lines)
        self._most = limits.writes, limits.crashes, limits.patience, limits.losses
        self._over = Remembered(self._which_are_over)

    def beginning(self):
        """All have started over empty disks, one after the other."""
        unstarted = tuple(~place for place in range(len(self.steps.ids)))
        state = State(unstarted, (-1,) * len(self.lines), self.verdicts.beginning(), 0)
        for place, number in enumerate(unstarted):
            outcome = self.steps.known[number, ("restarts",)][0]
            state = self.moved(state, place, outcome, is_reborn=True)
        return state

    def happenings(self, state):
        """(where, what): an event, and what it is about."""
        for place in range(len(state.replicas)):
            for happening in self._happenings_at(place, state):
                yield place, happening

    def after(self, state, place, happening):
        """What may become of the state; nothing, where it stays as it is or leaves the limits."""
        spent = self._spent(state.spent, happening[0])
        if spent is not None:
            yield from self.let(state, place, happening, spent)

    def let(self, state, place, happening, spent=NOTHING):
        """The same, whatever the limits say."""
        number, is_reborn = state.replicas[place], happening[0] == "restarts"
        for outcome in self.steps.known[number, happening]:
            if not outcome.changes_nothing(number):
                yield self.moved(state, place, outcome, spent, is_reborn=is_reborn)

    def told(self, place, happening):
        """For people."""
        event, *about = happening
        about = " ".join(map(brief, self.steps.spelled(event, *about)))
        return f"{self.steps.ids[place]} {event.replace('_', ' ')} {about}".rstrip()

    # What may happen

    def _happenings_at(self, place, state):
        facts = self.steps.facts
        mine = facts[state.replicas[place]]
        for peer, _ in mine.waits:
            answer = state.answers[self.lines[place, peer]]
            if answer >= 0:
                yield "is_told", peer, answer
            yield "gives_up_on", peer
        for peer, number in enumerate(state.replicas):
            for asked, request in facts[number].waits:
                is_open = asked == place and state.answers[self.lines[peer, place]] < 0
                if is_open and peer not in mine.parked:
                    yield "hears", request
        for request in bits(state.late & self.steps.mask_to[place]):
            yield "hears_late", request
        for peer in mine.parked:
            yield "lets_go", peer
        yield from (("loses_patience",), ("restarts",))
        if mine.is_leader:
            yield ("writes",)
            yield from (("says_again_that_it_leads", peer) for peer in self._peers[place])

    def _spent(self, spent, event):
        """What has no limit is not counted."""
        on = SPENT_ON.get(event)
        if on is None or self._most[on] == inf:
            return spent
        if spent[on] == self._most[on]:
            return None
        return (*spent[:on], spent[on] + 1, *spent[on + 1 :])

    # What becomes of the whole

    def moved(self, state, place, outcome, spent=NOTHING, *, is_reborn):
        replicas, answers = list(state.replicas), list(state.answers)
        replicas[place] = outcome.replica
        for peer in outcome.ended:
            answers[self.lines[place, peer]] = -1
            replicas[peer] = self._left(replicas[peer], place)
        for peer, answer in outcome.answers:
            answers[self.lines[peer, place]] = answer
        history = self.verdicts.after(state.history, place, replicas, outcome.votes, is_reborn)
        late = self._late(state.late | outcome.late, replicas)
        return State(tuple(replicas), tuple(answers), history, late, spent)

    def _left(self, number, place):
        """`place` waits for an answer no more."""
        if number < 0 or place not in self.steps.facts[number].parked:
            return number
        return self.steps.known[number, ("is_left_by", place)][0].replica

    def _late(self, late, replicas):
        """Without what can do nothing any more, or must not."""
        if not late or not self._most[LOSSES]:
            return 0
        for place, number in enumerate(replicas):
            late ^= self._over[number, late & self.steps.mask_to[place]]
        return late

    def _which_are_over(self, asked):
        number, mask = asked
        if number < 0:
            return 0
        return sum(1 << one for one in bits(mask) if self.steps.is_over(number, one))


def brief(about):
    """Of an id: itself. Of what was said: its kind, and its numbers that mean something."""
    if isinstance(about, int):
        return str(about)
    (topic,) = getattr(about, "topics", ()) or about.responses
    said = topic.partitions[0]
    numbers = {
        one.name: value
        for one in fields(said)
        if isinstance(value := getattr(said, one.name), int) and value != one.default
    }
    return " ".join(
        [type(about).__name__, *(f"{name}={int(one)}" for name, one in numbers.items())]
    )
