"""A verb: a fault or an action that a scenario applies to a world (docs/scenario-words.md).

A verb's fields are its words in the file. `begin` carries it out, and returns how to count its
effects and how to undo it. With `for` it is undone after that time, otherwise when the calm begins.
"""

from typing import ClassVar

from ..language.amounts import Amount
from ..stage.stage import Effects, Stage, Undo

VERBS: "dict[str, type[Verb]]" = {}


class Verb:
    """Base of all verbs. `for_` is how long the verb lasts; None: until the calm."""

    word: ClassVar[str]
    for_: Amount | None = None

    def __init_subclass__(cls, word: str = "", **options: object) -> None:
        super().__init_subclass__(**options)
        # A dataclass with slots is created twice, the second time without options; the second class
        # is the one that is used.
        word = word or cls.__dict__.get("word", "")
        if word:
            cls.word = word
            VERBS[word] = cls

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        """Carries the verb out; returns how to count its effects and how to undo it."""
        raise NotImplementedError(self.word)


def nothing() -> None:
    """Undoes nothing."""
