"""Draws the steps of a scenario, within a budget of nodes that have a fault at a time."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from random import Random

from . import administrator
from .faults import FAULTS, VISITS
from .lot import Lot, Words, log_uniform_ms
from .nodes import VOTERS
from .situations import SITUATIONS, Situation

PART_OF_FAULTS = 0.4  # a run has some kinds of faults only: a bug may need one without the others
USUAL_PACE_MS = (1_000, 15_000)
RECOVERY_MS = 2_000  # from the end of a fault until its node may get the next
MAJORITY_LOST = 0.1  # part of the runs whose faults may cost a majority of the controllers
NODE_WORDS = ("on", "from", "to", "between", "broker")  # words whose values are ids of nodes
ADMINISTERED = 0.8  # part of the runs with an administrator


@dataclass(slots=True)
class Budget:
    """The nodes that have a fault: at most `controllers` and `brokers` of them at a time.

    `struck` has the nodes with a fault: (node, begin, time from which it may be struck again).
    """

    controllers: int
    brokers: int
    struck: list[tuple[int, int, int]] = field(default_factory=list)
    lost: set[int] = field(default_factory=set)  # controllers that vote no more

    def free(self, lot: Lot, now_ms: int, pool: str) -> list[int]:
        """Returns the nodes of a pool that may get a fault: controllers, brokers, nodes or voters.

        A fault of a voter takes its vote for good, so only a minority may get one in a run.
        """
        if pool == "voters" and len(self.lost) >= lot.votes_to_lose:
            return []
        struck = {node for node, begin_ms, end_ms in self.struck if begin_ms <= now_ms < end_ms}
        struck |= self.lost
        free: list[int] = []
        if pool != "brokers" and len(struck & {*lot.controllers}) < self.controllers:
            free += [node for node in lot.controllers if node not in struck]
        if pool in ("brokers", "nodes") and len(struck & {*lot.brokers}) < self.brokers:
            free += [node for node in lot.brokers if node not in struck]
        return free

    def spend(self, lot: Lot, node: int, step: Words) -> None:
        """Counts the fault of a step, which strikes the node."""
        at_ms = at_ms_of(step)
        self.struck.append((node, at_ms, at_ms + lasting_ms_of(words_of(step)) + RECOVERY_MS))
        self.lost |= {node} if _takes_vote(lot, step) else set()


def budget_left(lot: Lot, steps: Iterable[Words]) -> Budget:
    """Returns a drawn budget of which the faults of `steps` are spent."""
    budget = drawn_budget(lot)
    for step in steps:
        if not step.keys() & administrator.VERBS.keys():
            for node in nodes_of(step):
                budget.spend(lot, node, step)
    return budget


def without_lost_quorum(lot: Lot, steps: Iterable[Words]) -> list[Words]:
    """Returns the steps in the order of their times, of which only a minority takes votes for good.

    Steps that take the vote of a further voter are left out.
    """
    kept: list[Words] = []
    lost: set[int] = set()
    for step in sorted(steps, key=at_ms_of):
        now_lost = lost | {*nodes_of(step)} if _takes_vote(lot, step) else lost
        if len(now_lost) <= lot.votes_to_lose:
            kept, lost = [*kept, step], now_lost
    return kept


def _takes_vote(lot: Lot, step: Words) -> bool:
    return bool(step.keys() & VOTERS.keys()) and bool({*nodes_of(step)} & {*lot.controllers})


def drawn_budget(lot: Lot) -> Budget:
    """Draws a budget: usually a minority of the controllers, and one broker or half of them."""
    controllers = (len(lot.controllers) - 1) // 2
    if lot.chance(MAJORITY_LOST) or not controllers:
        controllers = len(lot.controllers)
    return Budget(controllers, lot.one_of((1, 1, len(lot.brokers) // 2, len(lot.brokers))))


def drawn_steps(
    lot: Lot,
    run_ms: int,
    pace_ms: tuple[int, int] = USUAL_PACE_MS,
    part_of_faults: float = PART_OF_FAULTS,
) -> list[Words]:
    """Returns the steps of a run, in the order of their times.

    `pace_ms` bounds the mean time between two faults, and between two requests. `part_of_faults`
    is the part of all kinds of faults that the run has.
    """
    fault_every_ms, request_every_ms = (log_uniform_ms(lot.stream, *pace_ms) for _ in range(2))
    kinds = [kind for kind in FAULTS if lot.chance(part_of_faults)] or list(FAULTS)
    budget = drawn_budget(lot)
    steps: list[Words] = []
    for at_ms in _times(lot.stream, fault_every_ms, run_ms):
        steps += drawn_fault(lot, lot.one_of(kinds), at_ms, budget)
    steps += [_visit(lot, kind, run_ms) for kind, part in VISITS.items() if lot.chance(part)]
    for situation in SITUATIONS.values():
        if lot.chance(situation.part):
            steps += situation_steps(lot, situation, lot.stream.randrange(run_ms), budget)
    if lot.chance(ADMINISTERED):
        steps += [
            drawn_request(lot, at_ms) for at_ms in _times(lot.stream, request_every_ms, run_ms)
        ]
    return sorted(steps, key=at_ms_of)


def drawn_fault(lot: Lot, kind: str, at_ms: int, budget: Budget) -> list[Words]:
    """Returns a step with a fault of this kind; none if the budget has no node for it."""
    word, pool, draw = FAULTS[kind]
    free = budget.free(lot, at_ms, pool)
    if not free:
        return []
    node = lot.one_of(free)
    words = draw(lot, node)
    step = step_of(at_ms, word, words)
    budget.spend(lot, node, step)
    return [step]


def _visit(lot: Lot, kind: str, run_ms: int) -> Words:
    word, _, draw = FAULTS[kind]
    return step_of(lot.stream.randrange(run_ms), word, draw(lot, lot.one_of(lot.controllers)))


def situation_steps(lot: Lot, situation: Situation, at_ms: int, budget: Budget) -> list[Words]:
    """Returns the steps of a situation; none if the budget has no node for it."""
    free = budget.free(lot, at_ms, situation.pool)
    if not free:
        return []
    node = lot.one_of(free)
    drawn = situation.draw(lot, node)
    steps = [step_of(at_ms + after_ms, word, words) for after_ms, word, words in drawn]
    for step in steps:
        budget.spend(lot, node, step)
    return steps


def drawn_request(lot: Lot, at_ms: int) -> Words:
    """Returns a step in which an administrator requests something."""
    verbs = administrator.VERBS
    weights = [administrator.WEIGHTS.get(verb, administrator.USUAL_WEIGHT) for verb in verbs]
    (word,) = lot.stream.choices(list(verbs), weights)
    return step_of(at_ms, word, verbs[word](lot))


def step_of(at_ms: int, word: str, words: Words) -> Words:
    """Returns a step that may have no effect: a drawn fault may meet a node that is dead."""
    return {"at": f"{at_ms}ms", "optional": True, word: words}


def at_ms_of(step: Words) -> int:
    """Returns the time of a drawn step in milliseconds."""
    return _ms(step["at"])


def words_of(step: Words) -> Words:
    """Returns the words of the verb of a drawn step."""
    (words,) = (words for words in step.values() if isinstance(words, dict))
    return words


def nodes_of(step: Words) -> set[int]:
    """Returns the ids of the nodes that a step strikes or names."""
    words = words_of(step)
    named = [words[key] for key in NODE_WORDS if key in words]
    listed = (ids if isinstance(ids, list) else [ids] for ids in named)
    return {node for ids in listed for node in ids if isinstance(node, int)}


def lasting_ms_of(words: Words) -> int:
    """Returns the time that a drawn fault lasts, in milliseconds."""
    return _ms(words.get("for", "0ms"))


def _ms(text: object) -> int:
    return int(str(text).removesuffix("ms"))


def _times(stream: Random, every_ms: int, run_ms: int) -> Iterator[int]:
    at_ms = 0
    while (at_ms := at_ms + int(stream.expovariate(1 / every_ms))) < run_ms:
        yield at_ms
