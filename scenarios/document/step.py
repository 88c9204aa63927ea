"""One step of a scenario: a trigger and a verb."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from ..conditions.condition import Condition
from ..language.amounts import Amount
from ..language.constraints import Between
from ..language.reading import Path, Problem, document_of, mapping, read
from ..language.schema import Schema, SchemaOf, any_of, closed
from ..language.suggestions import nearest
from ..verbs import VERBS, Verb

TRIGGERS = ("at", "after", "every", "when")
# per step; a more frequent fault can be written as one that lasts
TIMES_MAX = 10_000
TimesDone = Annotated[int, Between(1, TIMES_MAX)]
STEP_WORDS = (*TRIGGERS, "until", "times", "id", "say", "optional")


class LimitError(Exception):
    """Raised for a run that would never end or would exceed its time limit."""


@dataclass(frozen=True, slots=True)
class Step:
    """One trigger and one verb.

    Triggers: `at` is a time since the begin of the run, `after` a time since the previous step.
    `every` repeats the verb until the time `until`, or `times` times. `when` waits for a
    condition. An `optional` step does not make a run vacuous if it is not done or has no effect.
    """

    verb: Verb
    word: str
    trigger: str
    amount: Amount | None = None
    when: Condition | None = None
    until: Amount | None = None
    times: int | None = None
    id: str = ""
    say: str = ""
    optional: bool = False

    @staticmethod
    def from_document(value: object, path: Path) -> "Step":
        """Reads a step; raises Problem unless it has exactly one trigger and one verb."""
        words = mapping(value, path)
        word = one_verb(words, STEP_WORDS, VERBS, path)
        triggers = [key for key in words if key in TRIGGERS]
        if len(triggers) != 1:
            raise Problem(path, f"expected one of {', '.join(TRIGGERS)}, got {triggers}")
        (trigger,) = triggers
        is_when = trigger == "when"
        return Step(
            verb=read(VERBS[word], words[word] or {}, (*path, word)),
            word=word,
            trigger=trigger,
            amount=None if is_when else read(Amount, words[trigger], (*path, trigger)),
            when=read(Condition, words["when"], (*path, "when")) if is_when else None,
            until=read(Amount, words["until"], (*path, "until")) if "until" in words else None,
            times=read(TimesDone, words["times"], (*path, "times")) if "times" in words else None,
            id=read(str, words.get("id", ""), (*path, "id")),
            say=read(str, words.get("say", ""), (*path, "say")),
            optional=read(bool, words.get("optional", False), (*path, "optional")),
        )

    def times_in(self, run_us: int) -> int:
        """Returns how many times an `every` step is done in a run of `run_us` microseconds.

        Raises LimitError if the interval is 0, or if the step would be done more than
        10,000 times.
        """
        every_us = 0 if self.amount is None else self.amount.us
        until_us = run_us if self.until is None else self.until.us
        if not every_us:
            raise LimitError("expected a time above 0s, because the step would repeat without end")
        times = self.times if self.times is not None else until_us // every_us
        if times > TIMES_MAX:
            raise LimitError(f"expected at most {TIMES_MAX} repetitions, got {times}")
        return times

    @staticmethod
    def to_schema(of: SchemaOf) -> Schema:
        """Returns the schema of a step; a verb without words may be null."""
        amount, text = of(Amount), of(str)
        words = {trigger: amount for trigger in TRIGGERS if trigger != "when"} | {
            "when": of(Condition)
        }
        words |= {"until": amount, "times": of(TimesDone), "id": text, "say": text}
        words["optional"] = of(bool)
        verbs = {word: any_of(of(verb), {"type": "null"}) for word, verb in VERBS.items()}
        return closed(words | verbs) | {"allOf": [_one_of(TRIGGERS), _one_of(VERBS)]}

    def to_document(self) -> object:
        """Returns the document from which `from_document` reads an equal value."""
        document: dict[str, object] = {}
        if self.when is not None:
            document["when"] = self.when.to_document()
        elif self.amount is not None:
            document[self.trigger] = self.amount.to_document()
        for word in ("until", "times", "id", "say", "optional"):
            if getattr(self, word):
                document[word] = document_of(getattr(self, word))
        return document | {self.word: document_of(self.verb)}


def one_verb(
    words: Mapping[str, object], others: Sequence[str], verbs: Mapping[str, object], path: Path
) -> str:
    """Returns the only key that is not in `others`; raises Problem unless it is one of `verbs`."""
    named = [word for word in words if word not in others]
    wrong = next((verb for verb in named if verb not in verbs), None)
    if len(named) == 1 and wrong is None:
        return named[0]
    if wrong is not None:
        raise Problem((*path, wrong), f"unknown verb {wrong!r}: expected {nearest(wrong, verbs)}")
    raise Problem(path, f"expected one verb, got {', '.join(named) or 'none'}")


def _one_of(words: Iterable[str]) -> Schema:
    return {"oneOf": [{"required": [word]} for word in words]}
