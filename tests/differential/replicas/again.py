"""Judges again what differs: a race of a busy machine does not repeat, a difference does."""

from collections.abc import Sequence
from dataclasses import dataclass

from tests.differential.judge import Mismatch
from tests.differential.progress import tell
from tests.differential.replicas.judge import Judge
from tests.differential.replicas.steps import Sequence as Drawn

JUDGEMENTS_MAX = 5  # of the same sequences, where this machine is late
COUNTED = 2  # judgements in which a sequence must differ, to differ

Mismatches = dict[str, list[Mismatch]]  # by the name of a sequence


@dataclass(frozen=True, slots=True)
class Verdict:
    """`differing` sequences differ whenever they are judged; `races` differed at first, and were
    clean when they were judged again in the same way, or the other way round."""

    differing: Mismatches
    races: Mismatches


def judge_again(judge: Judge, drawn: Sequence[Drawn]) -> Verdict:
    """Judges sequences side by side, and once more in new topics if any differs.

    A judgement that this machine was too late for is not counted, unless all are.
    """
    shown: list[Mismatches] = []
    in_time: list[Mismatches] = []
    while len(shown) < JUDGEMENTS_MAX and len(in_time) < COUNTED:
        judged = judge.judge(drawn)
        shown.append(judged.mismatches)
        if not (judged.late and judged.mismatches):
            in_time.append(judged.mismatches)
        if not judged.mismatches:
            break
        tell(f"{', '.join(judged.mismatches)}: {judged.late or 'differs'}")
    counted = in_time or shown
    differing = {
        name: found for name, found in counted[-1].items() if all(name in of for of in counted)
    }
    races = {name: found for of in shown for name, found in of.items() if name not in differing}
    return Verdict(differing, races)
