"""A verb: something that a scenario does to a world, under its name in docs/scenario-words.md.

A verb's fields are its words in the file. `begin` carries it out and gives how to count its effects
and how to undo it. With `for` it is undone by itself; otherwise it holds until the calm.
"""

from collections.abc import Callable
from typing import ClassVar

from ..language.amounts import Amount
from ..stage.stage import Stage

Undo = Callable[[], None]
Effects = Callable[[], int]
VERBS: "dict[str, type[Verb]]" = {}


class Verb:
    """`for_` is how long it holds; None: until the calm."""

    word: ClassVar[str]
    for_: Amount | None = None

    def __init_subclass__(cls, word: str = "", **options: object) -> None:
        super().__init_subclass__(**options)
        # A dataclass with slots is made twice, the second time without options: that one counts.
        word = word or cls.__dict__.get("word", "")
        if word:
            cls.word = word
            VERBS[word] = cls

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        raise NotImplementedError(self.word)


def nothing() -> None:
    """There is nothing to undo."""
