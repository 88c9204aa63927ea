"""A verb: a fault or an action that a scenario applies to a world (docs/faults.md).

The fields of a verb are its words in the file. `begin` executes the verb, and returns a function
that counts its effects and a function that undoes it. A verb with `for` is undone after that time,
every other verb when the calm begins.
"""

from typing import ClassVar

from kraftsim.controller.core.node_id import NodeId

from ..language.amounts import Amount
from ..language.selectors import Selector
from ..stage.stage import Effects, Stage, Undo

UNFELT = "too short or too little to be felt"  # why a fault below a least size has no effect
VERBS: "dict[str, type[Verb]]" = {}


class Verb:
    """Base of all verbs. `for_` is the time after which the verb is undone; None: the calm.

    A verb that `ends_process` is repaired by a later verb that `starts_process` of the same nodes.
    """

    word: ClassVar[str]
    ends_process: ClassVar[bool] = False
    starts_process: ClassVar[bool] = False
    for_: Amount | None = None

    def __init_subclass__(cls, word: str = "", **options: object) -> None:
        super().__init_subclass__(**options)
        # A dataclass with slots is created twice, the second time without options; the second class
        # is the one that is used.
        word = word or cls.__dict__.get("word", "")
        if word:
            cls.word = word
            VERBS[word] = cls

    @property
    def hits_max(self) -> int | None:
        """The number of effects after which the fault has no more; None without a limit."""
        return None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        """Executes the verb; returns a function that counts its effects, and one that undoes it."""
        raise NotImplementedError(self.word)


def nothing() -> None:
    """Undoes nothing."""


def running(stage: Stage, selector: Selector) -> list[NodeId]:
    """Returns the selected nodes that have a process; the fault has no effect on the rest."""
    nodes, processes = stage.targets(selector), stage.processes
    spare(stage, [node for node in nodes if not processes.is_alive(node)])
    return [node for node in nodes if processes.is_alive(node)]


def spare(stage: Stage, nodes: list[NodeId]) -> None:
    """Records that the fault has no effect on the nodes because of their processes' states."""
    states = [stage.processes.state(node) for node in nodes]
    for state in dict.fromkeys(states):
        stage.spare(
            state.value, *(node for node, of in zip(nodes, states, strict=True) if of is state)
        )
