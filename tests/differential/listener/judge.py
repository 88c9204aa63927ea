"""Asks both listeners the same, and compares each reply field by field."""

from dataclasses import dataclass, field
from itertools import count
from typing import Any

from tests.differential.judge import Mismatch, differences
from tests.differential.listener.sides import Listener
from tests.differential.listener.stand import Stand
from tests.differential.sequence import Ask, Sequence, Step

CODEC = "compression.type"


@dataclass(slots=True)
class ListenerBench:
    """Each judgement has topics of its own, so that a difference concerns no other."""

    kafka: Listener
    ours: Listener
    _numbers: Any = field(default_factory=count)

    def judge(self, sequence: Sequence) -> list[Mismatch]:
        """The mismatches of the first step that has any; an empty list if both behave alike."""
        number = next(self._numbers)
        stands = [Stand(prefix=f"j{number}.") for _ in range(2)]
        for stand, side in zip(stands, (self.kafka, self.ours), strict=True):
            stand.began_ms = stands[0].began_ms
            side.begin(stand)
        converts = has_codecs(sequence)
        mismatches: list[Mismatch] = []
        steps = sequence.every_step
        for place, step in enumerate(steps):
            assert isinstance(step, Ask), "a listener is asked without silences"
            kafka = self.kafka.observe(step, converts=converts)
            ours = self.ours.observe(step, converts=converts)
            if kafka != ours and not mismatches:
                found = differences({"reply": kafka}, {"reply": ours}, "")
                mismatches = [Mismatch(place, step.api, *difference) for difference in found]
                break
        return mismatches

    def is_reconciled(self, sequence: Sequence, step: int) -> bool:
        """Takes away the topics of a sequence that showed a mismatch; always true."""
        for rest in sequence.cleanup:
            assert isinstance(rest, Ask)
            for side in (self.kafka, self.ours):
                side.observe(rest, converts=False)
        return True


def has_codecs(sequence: Sequence) -> bool:
    """True if a topic has a codec of its own, so that batches are compressed anew."""
    return any(_names_codec(step) for step in sequence.every_step)


def _names_codec(step: Step) -> bool:
    return isinstance(step, Ask) and f"'name': '{CODEC}'" in repr(step.body)
