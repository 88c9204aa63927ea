"""proc.*: processes that crash, stop, start and pause; of controllers and brokers alike."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..amounts import Amount
from ..selectors import Selector
from .verb import Effects, Undo, Verb, nothing

if TYPE_CHECKING:
    from ..stage import Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Crash(Verb, word="proc.crash"):
    """Gone at once; what was durable stays. In the calm it is started again."""

    on: Selector
    for_: Amount | None = None

    def begin(self, stage: "Stage", fault_id: str) -> tuple[Effects, Undo]:
        gone = [one for one in stage.nodes(self.on) if stage.world.is_alive(one)]
        for node_id in gone:
            stage.world.crash(node_id)
        return lambda: len(gone), lambda: _start(stage, gone)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop(Verb, word="proc.stop"):
    """SIGTERM: brokers drain, the active controller hands over."""

    on: Selector
    for_: Amount | None = None

    def begin(self, stage: "Stage", fault_id: str) -> tuple[Effects, Undo]:
        gone = [one for one in stage.nodes(self.on) if stage.world.is_alive(one)]
        for node_id in gone:
            stage.world.stop(node_id)
        return lambda: len(gone), lambda: _start(stage, gone)


@dataclass(frozen=True, slots=True, kw_only=True)
class Start(Verb, word="proc.start"):
    on: Selector

    def begin(self, stage: "Stage", fault_id: str) -> tuple[Effects, Undo]:
        nodes = [one for one in stage.nodes(self.on) if not stage.world.is_alive(one)]
        _start(stage, nodes)
        return lambda: len(nodes), nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Restart(Verb, word="proc.restart"):
    """Killed, and started again in the same instant: a new incarnation over the same disk."""

    on: Selector

    def begin(self, stage: "Stage", fault_id: str) -> tuple[Effects, Undo]:
        nodes = stage.nodes(self.on)
        for node_id in nodes:
            stage.world.crash(node_id)
        _start(stage, nodes)
        return lambda: len(nodes), nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause(Verb, word="proc.pause"):
    """A long collection of garbage, or SIGSTOP: alive, and deaf to time and messages."""

    on: Selector
    for_: Amount | None = None

    def begin(self, stage: "Stage", fault_id: str) -> tuple[Effects, Undo]:
        world = stage.world
        held = [one for one in stage.nodes(self.on) if world.is_alive(one)]
        for node_id in held:
            world.pause(node_id)

        def resume() -> None:
            for node_id in held:
                world.resume(node_id)

        return lambda: len(held), resume


def _start(stage: "Stage", nodes: "list[int] | tuple[int, ...]") -> None:
    for node_id in nodes:
        stage.world.start_process(node_id)
