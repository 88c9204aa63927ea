"""proc.*: processes of controllers and brokers that crash, stop, start and pause."""

from dataclasses import dataclass
from typing import ClassVar

from kraftsim.controller.core.node_id import NodeId
from kraftsim.simulation.delays import exponential, uniform
from kraftsim.simulation.recurring import Recurring

from ..language.amounts import Amount, Period, in_order
from ..language.selectors import Selector
from ..stage.stage import Effects, Stage, Undo
from .verb import UNFELT, Verb, nothing, running, spare

FELT_PAUSE_US = 10_000  # a shorter pause is less than what the scheduler of a busy host does


@dataclass(frozen=True, slots=True, kw_only=True)
class Crash(Verb, word="proc.crash"):
    """Kills processes at once; durable data survives. The calm starts the processes again."""

    ends_process: ClassVar[bool] = True

    on: Selector
    for_: Amount | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        stopped = running(stage, self.on)
        for node in stopped:
            stage.processes.crash(node)
        return lambda: len(stopped), lambda: _bring_back(stage, stopped)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop(Verb, word="proc.stop"):
    """Sends SIGTERM: a broker requests a controlled shutdown, an active controller resigns."""

    ends_process: ClassVar[bool] = True

    on: Selector
    for_: Amount | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        stopped = running(stage, self.on)
        for node in stopped:
            stage.processes.stop(node)
        return lambda: len(stopped), lambda: _bring_back(stage, stopped)


@dataclass(frozen=True, slots=True, kw_only=True)
class Start(Verb, word="proc.start"):
    """Starts a process on each node that has none."""

    starts_process: ClassVar[bool] = True

    on: Selector

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        nodes, processes = stage.targets(self.on), stage.processes
        spare(stage, [node for node in nodes if processes.is_alive(node)])
        nodes = tuple(node for node in nodes if not processes.is_alive(node))
        for node in nodes:
            stage.processes.start(node)
        return lambda: len(nodes), nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Restart(Verb, word="proc.restart"):
    """Kills processes and starts them again at once, with the same disk."""

    starts_process: ClassVar[bool] = True

    on: Selector

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        nodes = stage.targets(self.on)
        for node in nodes:
            stage.processes.restart(node)
        return lambda: len(nodes), nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Move(Verb, word="proc.move"):
    """Restarts a controller at once, with the same disk and another address.

    The other controllers learn the address only from the moved controller (KIP-853,
    UpdateRaftVoter).
    """

    starts_process: ClassVar[bool] = True

    on: Selector

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        moved = stage.controllers_of(self.on)
        for node in moved:
            stage.processes.move(node)
        return lambda: len(moved), nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause(Verb, word="proc.pause"):
    """Suspends processes, as SIGSTOP or a long garbage collection does.

    Suspended processes stay alive, but handle no timers and no messages. A pause of less than 10 ms
    counts as none.
    """

    ends_process: ClassVar[bool] = True

    on: Selector
    for_: Amount | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        is_felt = self.for_ is None or self.for_.us >= FELT_PAUSE_US
        held = running(stage, self.on)
        if not is_felt:
            stage.spare(UNFELT)
        for node in held:
            stage.processes.pause(node)

        def resume() -> None:
            for node in held:
                stage.processes.resume(node)

        return lambda: len(held) if is_felt else 0, resume


@dataclass(frozen=True, slots=True, kw_only=True)
class Wipe(Verb, word="proc.amnesia"):
    """Kills processes and empties their disks.

    A process starts again under the same id. With `keeps_directory` it also has the same
    directory id, which careful operators avoid.
    """

    ends_process: ClassVar[bool] = True

    on: Selector
    for_: Amount | None = None
    keeps_directory: bool = False

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        stopped = running(stage, self.on)
        for node in stopped:
            stage.processes.wipe(node, keeps_directory=self.keeps_directory)
        return lambda: len(stopped), lambda: _bring_back(stage, stopped)


@dataclass(frozen=True, slots=True, kw_only=True)
class Clone(Verb, word="proc.clone"):
    """Starts a second process with a broker's id on another host, beside the first process."""

    on: Selector
    for_: Amount | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        processes = stage.processes
        clones = [processes.clone(target) for target in stage.targets(self.on)]

        def end() -> None:
            for clone in clones:
                processes.crash(clone)

        return lambda: len(clones), end


@dataclass(frozen=True, slots=True, kw_only=True)
class Hiccup(Verb, word="proc.hiccup"):
    """Pauses processes repeatedly: about every `every`, each time for up to `lasting`."""

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
    """Repeatedly crashes a process after about `up`, and starts it again after about `down`."""

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
    """Makes a controller take `low` to `high` for each message; other messages wait in a queue."""

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
        queues = [processes.slow(node_id, service_us) for node_id in slowed]

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
