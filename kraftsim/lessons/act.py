"""What a visitor does in a lesson: a step of a scenario file, or the end or a release of a fault.

An act is the document of a step (`{"at": "12s", "proc.pause": {"on": 2}}`, where `at` counts from
the begin of the steps), so that a lesson with its acts is a scenario file again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kraftsim.scenarios.document.fault import expect_nodes
from kraftsim.scenarios.document.step import Step
from kraftsim.scenarios.language.amounts import Amount
from kraftsim.scenarios.language.positions import changed
from kraftsim.scenarios.language.reading import Path, Problem, expect_keys, mapping, read
from kraftsim.scenarios.running.play import Play

END = "end"  # the word with the id of the fault that ends
RELEASE = "release"  # the word with the id of the fault that releases messages that it holds
MESSAGE = "message"  # the word with the number of the only message that it releases
ACTS_MAX = 20  # of one branch


@dataclass(frozen=True, slots=True)
class Act:
    """A step at `at_us` after the begin of the steps, or what happens to the fault `fault_id`.

    Without a step the fault ends, or with `releases` it releases the held message of the number
    `message`; None: all.
    """

    at_us: int
    step: Step | None
    fault_id: str = ""
    releases: bool = False
    message: int | None = None

    @staticmethod
    def from_document(value: object, path: Path) -> "Act":
        """Reads an act; raises Problem for a mistake, with its position in the document."""
        words = mapping(value, path)
        if END in words or RELEASE in words:
            return _on_fault(words, path)
        step = Step.from_document(words, path)
        if step.trigger != "at":
            raise Problem(path, f"expected a step with 'at', got {step.trigger!r}")
        return Act(_fixed_us(step.amount, (*path, "at")), step)

    def do(self, play: Play, fault_id: str) -> None:
        """Lets the act happen now, as the fault `fault_id`. Raises ValueError if it cannot."""
        if self.step is None:
            self._change_fault(play)
            return
        world = play.run.world
        settings, stream = world.topology.settings, world.streams.of(f"times/{fault_id}")
        expect_nodes(world, self.step.word, self.step.verb, play.run.stage.bound)
        verb = changed(Amount, self.step.verb, lambda amount: amount.fixed(settings, stream))
        play.run.stage.begin(verb, self.step.word, fault_id, self.step.say)

    def _change_fault(self, play: Play) -> None:
        stage = play.run.stage
        faults = {fault.fault_id: fault for fault in stage.faults if fault.is_open}
        fault = faults.get(self.fault_id)
        if fault is None:
            word, known = RELEASE if self.releases else END, ", ".join(faults) or "none"
            raise ValueError(f"{word}: expected an open fault ({known}), got {self.fault_id!r}")
        if not self.releases:
            stage.lift(fault)
        elif self.message is None:
            fault.held.release_all()
        elif not fault.held.release(self.message):
            raise ValueError(f"{MESSAGE}: expected a held message, got {self.message}")


def read_acts(documents: Sequence[object]) -> tuple[Act, ...]:
    """Reads the acts of a branch, which must be in order of time; raises Problem for a mistake."""
    if len(documents) > ACTS_MAX:
        raise Problem(("acts",), f"expected at most {ACTS_MAX} acts, got {len(documents)}")
    acts = tuple(
        Act.from_document(document, ("acts", number)) for number, document in enumerate(documents)
    )
    for number, (act, follower) in enumerate(pairwise(acts), 1):
        if follower.at_us < act.at_us:
            raise Problem(("acts", number, "at"), "expected acts in order of time")
    return acts


def _on_fault(words: Mapping[str, object], path: Path) -> Act:
    """Reads the end of a fault, or the release of its messages."""
    releases = RELEASE in words
    word = RELEASE if releases else END
    expect_keys(words, ("at", word, MESSAGE) if releases else ("at", word), path)
    at = read(Amount, words.get("at"), (*path, "at"))
    number = read(int, words[MESSAGE], (*path, MESSAGE)) if MESSAGE in words else None
    fault_id = read(str, words[word], (*path, word))
    return Act(_fixed_us(at, (*path, "at")), None, fault_id, releases, number)


def _fixed_us(amount: Amount | None, path: Path) -> int:
    """Returns the time of an amount; raises Problem if it is not fixed."""
    if amount is None or amount.fixed_us is None:
        raise Problem(path, "expected a fixed time, such as 12.5s")
    return amount.fixed_us
