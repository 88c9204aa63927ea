"""proc.*: processes that crash, stop, start and pause; of controllers and brokers alike."""

from dataclasses import dataclass

from kraftsim.controller.core.node_id import NodeId
from kraftsim.simulation.delays import exponential, uniform
from kraftsim.simulation.recurring import Recurring

from ..language.amounts import Amount, Period, in_order
from ..language.selectors import Selector
from ..stage.stage import Stage
from .verb import Effects, Undo, Verb, nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Crash(Verb, word="proc.crash"):
    """Gone at once; what was durable stays. In the calm it is started again."""

    on: Selector
    for_: Amount | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        gone = [one for one in stage.targets(self.on) if stage.processes.is_alive(one)]
        for node in gone:
            stage.processes.crash(node)
        return lambda: len(gone), lambda: _bring_back(stage, gone)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop(Verb, word="proc.stop"):
    """SIGTERM: brokers drain, the active controller hands over."""

    on: Selector
    for_: Amount | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        gone = [one for one in stage.targets(self.on) if stage.processes.is_alive(one)]
        for node in gone:
            stage.processes.stop(node)
        return lambda: len(gone), lambda: _bring_back(stage, gone)


@dataclass(frozen=True, slots=True, kw_only=True)
class Start(Verb, word="proc.start"):
    """A new process for each that has none."""

    on: Selector

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        nodes = [one for one in stage.targets(self.on) if not stage.processes.is_alive(one)]
        for node in nodes:
            stage.processes.start(node)
        return lambda: len(nodes), nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Restart(Verb, word="proc.restart"):
    """Killed, and started again in the same instant: a new incarnation over the same disk."""

    on: Selector

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        nodes = stage.targets(self.on)
        for node in nodes:
            stage.processes.restart(node)
        return lambda: len(nodes), nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Move(Verb, word="proc.move"):
    """A controller is killed, and started in the same instant over the same disk under another
    address, which the others learn from itself alone (KIP-853, UpdateRaftVoter)."""

    on: Selector

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        moved = stage.controllers_of(self.on)
        for node in moved:
            stage.processes.move(node)
        return lambda: len(moved), nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause(Verb, word="proc.pause"):
    """A long collection of garbage, or SIGSTOP: alive, and deaf to time and messages."""

    on: Selector
    for_: Amount | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        held = [one for one in stage.targets(self.on) if stage.processes.is_alive(one)]
        for node in held:
            stage.processes.pause(node)

        def resume() -> None:
            for node in held:
                stage.processes.resume(node)

        return lambda: len(held), resume


@dataclass(frozen=True, slots=True, kw_only=True)
class Wipe(Verb, word="proc.amnesia"):
    """Gone at once, and its disk with it; it comes back under the same id, and `keeps_directory`
    says whether under the same directory id as well, which no careful operator does."""

    on: Selector
    for_: Amount | None = None
    keeps_directory: bool = False

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        gone = [one for one in stage.targets(self.on) if stage.processes.is_alive(one)]
        for node in gone:
            stage.processes.wipe(node, keeps_directory=self.keeps_directory)
        return lambda: len(gone), lambda: _bring_back(stage, gone)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clone(Verb, word="proc.clone"):
    """A second process with a broker's id, somewhere else, while the first one lives."""

    on: Selector
    for_: Amount | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        processes = stage.processes
        clones = [processes.clone(one) for one in stage.targets(self.on)]

        def end() -> None:
            for clone in clones:
                processes.crash(clone)

        return lambda: len(clones), end


@dataclass(frozen=True, slots=True, kw_only=True)
class Hiccup(Verb, word="proc.hiccup"):
    """Many short pauses: about `every` so long one of up to `lasting`."""

    on: Selector
    every: Period
    lasting: Amount
    for_: Amount | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        stream = stage.stream(f"fault/{fault_id}")
        hiccups = [
            stage.processes.hiccup(
                node,
                every_us=exponential(self.every.us, stream),
                lasting_us=uniform(0, self.lasting.us, stream),
            )
            for node in stage.targets(self.on)
        ]
        return _recurring(hiccups)


@dataclass(frozen=True, slots=True, kw_only=True)
class CrashLoop(Verb, word="proc.crashloop"):
    """It crashes after about `up`, is started again after about `down`, and crashes."""

    on: Selector
    up: Period
    down: Period
    for_: Amount | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        stream = stage.stream(f"fault/{fault_id}")
        loops = [
            stage.processes.crash_loop(
                node,
                up_us=exponential(self.up.us, stream),
                down_us=exponential(self.down.us, stream),
            )
            for node in stage.targets(self.on)
        ]
        return _recurring(loops)


@dataclass(frozen=True, slots=True, kw_only=True)
class Slow(Verb, word="proc.slow"):
    """A controller takes between `low` and `high` over each message; others wait their turn."""

    on: Selector
    low: Amount
    high: Amount
    for_: Amount | None = None

    def __post_init__(self) -> None:
        in_order("low", self.low, "high", self.high)

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        processes = stage.processes
        service_us = uniform(self.low.us, self.high.us, stage.stream(f"fault/{fault_id}"))
        slowed = stage.controllers_of(self.on)
        queues = [processes.slow(one, service_us) for one in slowed]

        def quicken() -> None:
            for node in slowed:
                processes.quicken(node)

        return lambda: sum(queue.served for queue in queues), quicken


def _recurring(faults: list[Recurring]) -> tuple[Effects, Undo]:
    def end() -> None:
        for fault in faults:
            fault.end()

    return lambda: sum(fault.hits for fault in faults), end


def _bring_back(stage: Stage, nodes: list[NodeId]) -> None:
    for node in nodes:
        stage.bring_back(node)
