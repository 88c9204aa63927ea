"""Conditions about nodes of a user: their processes, and what their code reports."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from kraftsim.broker_agent.process_state import ProcessState

from ..language.constraints import OneOf
from ..stage.stage import Holds
from .occurrences import Times

if TYPE_CHECKING:
    from ..stage.stage import Stage

DONE, FAILED = "done", "failed"
LASTING = (ProcessState.RUNNING, ProcessState.PAUSED, ProcessState.NOT_RUNNING)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnState:
    """True if the node is in `state`.

    A process that is NOT_RUNNING is also `failed` if its code raised something, and `done` if its
    code returned.
    """

    node: str
    state: Annotated[str, OneOf((*(state.value for state in LASTING), FAILED, DONE))]

    def watched(self, stage: "Stage") -> Holds:
        """Returns a function that returns True while the condition holds."""
        own = stage.world.own
        process = own.processes[own.named(self.node)]
        match self.state:
            case "failed":
                return lambda: process.failure is not None
            case "done":
                return lambda: process.is_done
            case state:
                return lambda: process.state.value == state


@dataclass(frozen=True, slots=True, kw_only=True)
class Reported:
    """True if the code of a node has reported this fact since the condition was set.

    With `by` only this node counts; with `count` it takes that many reports.
    """

    reported: str
    by: str | None = None
    count: Times = 1

    def watched(self, stage: "Stage") -> Holds:
        """Returns a function that returns True while the condition holds."""
        count = self.counted(stage)
        return lambda: count() >= self.count

    def counted(self, stage: "Stage") -> Callable[[], int]:
        """Returns a function that returns the number of such reports since this call."""
        total = [0]

        def on_report(name: str, fact: str) -> None:
            total[0] += fact == self.reported and self.by in (None, name)

        stage.world.own.reported.append(on_report)
        return lambda: total[0]
