"""The faults of a running cluster: the verbs of scenario files, with a handle for each.

Imported when the first fault is added, because the verbs take longer to import than a cluster takes
to start.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from itertools import islice

from kraftsim.scenarios.document.fault import InjectedFault, catalog, expect_nodes
from kraftsim.scenarios.stage.stage import Stage
from kraftsim.scenarios.verbs import Verb
from kraftsim.simulation.requests.aim import Predicate
from kraftsim.simulation.world import World

from ..errors import CommandError, UnknownFault
from ..recording.recorder import Recorder
from ..service.clock_control import ClockControl
from .argument_checks import check_fault_wait, read_fault
from .documents import (
    FaultDocument,
    FaultHistory,
    FaultVerb,
    HeldList,
    HeldRequestDocument,
    ReleaseDocument,
)
from .fault_handle import OF_REQUESTS, FaultHandle, Live, Selecting

FAULTS_MAX = 1_000  # faults of one cluster, ended ones included; the oldest ended ones make room

HELD_SHOWN_MAX = 100  # requests

KeptFaults = tuple[Stage, Mapping[str, Verb]]


class Faults:
    """The faults of one cluster, in the order in which they were added."""

    def __init__(
        self,
        world: Callable[[], World],
        clock: Callable[[], ClockControl],
        entered: Callable[[], AbstractContextManager[None]],
        recorder: Callable[[], Recorder],
    ) -> None:
        self._live = Live(world, clock, entered, recorder)
        self._stage: Stage | None = None
        self._handles: dict[str, FaultHandle] = {}
        self._count = 0

    async def add(self, fault: Mapping[str, object], when: Predicate | None = None) -> FaultHandle:
        """Begins a fault, written as a step of a scenario without its trigger.

        `{"net.partition": {"on": 2, "for": "5s"}, "id": "cut"}`; without an id it gets one. A fault
        of requests (`rpc.*`) affects only requests for which the function `when` returns True;
        it is called with the request (`kraftsim.controller.core.rpc`). Raises UsageError, with
        the nearest word, for a mistake.
        """
        return self.begin(fault, when)

    def begin(self, fault: Mapping[str, object], when: Predicate | None = None) -> FaultHandle:
        """Begins a fault as `add` does, without a coroutine."""
        injected = read_fault(fault)
        if when is not None and not injected.word.startswith(OF_REQUESTS):
            raise CommandError(
                f"when: expected a fault of requests ({OF_REQUESTS}*), got {injected.word}"
            )
        try:
            return self._begin(injected, fault, when)
        except ValueError as error:  # nodes that the selectors do not find
            raise CommandError(f"fault: {error}") from None
        except RecursionError:  # selectors within selectors
            raise CommandError("fault: expected fewer levels of nesting") from None

    def _begin(
        self, injected: InjectedFault, written: Mapping[str, object], when: Predicate | None
    ) -> FaultHandle:
        stage = self._stage_of(self._live.world())
        self._expect_room()
        fault_id = injected.id or self._next_id(injected.word)
        if fault_id in self._handles:
            raise CommandError(f"fault: expected an id that no other fault has, got {fault_id!r}")
        world = stage.world
        recorder = self._live.recorder()
        recorder.verb("add_fault", {"fault": {**written, "id": fault_id}})
        if when is not None:
            recorder.note_gap("add_fault was called with a function of Python (`when`)")
        expect_nodes(world, injected.word, injected.verb)
        with self._live.entered():
            verb = injected.drawn(world.topology.settings, world.streams, fault_id)
            selecting = None if when is None else Selecting(when, [])
            stage.predicate = selecting
            fault = stage.begin(verb, injected.word, fault_id, injected.say)
        handle = self._handles[fault_id] = FaultHandle(self._live, stage, fault, verb, selecting)
        return handle

    async def list(self) -> Sequence[FaultDocument]:
        """Returns every fault, also those that have ended."""
        return self.documents()

    def documents(self) -> Sequence[FaultDocument]:
        """Returns every fault as `list` does, without a coroutine."""
        return [handle.document() for handle in tuple(self._known().values())]

    async def show(self, id: str) -> FaultHistory:
        """Returns one fault with its events. Raises UnknownFault if there is none with this id."""
        handle = self.handle(id)
        return {**handle.document(), "events": handle.events}

    async def wait(self, id: str, hits: int = 1, timeout: str | float = "20s") -> FaultDocument:
        """Waits until the fault has had `hits` effects; raises TimeoutError after `timeout`."""
        check_fault_wait(id, hits, timeout)
        handle = self.handle(id)
        await handle.wait(hits, timeout)
        return handle.document()

    async def remove(self, id: str) -> FaultDocument:
        """Ends the fault, and undoes it; does nothing if it has ended."""
        handle = self.handle(id)
        await handle.remove()
        return handle.document()

    async def catalog(self) -> Sequence[FaultVerb]:
        """Returns the verbs that a running cluster accepts, with their words."""
        return [
            {
                "verb": entry.verb,
                "words": list(entry.words),
                "meaning": entry.meaning,
                "cause": entry.cause.text,
                "sources": list(entry.cause.sources),
            }
            for entry in catalog()
        ]

    async def held(self) -> HeldList:
        """Returns the messages that faults hold or delay, at most HELD_SHOWN_MAX, and their number.

        Those of `net.delay` are on their way, and not held.
        """
        handles = self._known().values()
        held = (message for handle in handles for message in handle.held_messages())
        count = sum(handle.held_count for handle in handles)
        return {"held": list(islice(held, HELD_SHOWN_MAX)), "count": count}

    async def release(self, id: str, message: int | None = None) -> ReleaseDocument:
        """Releases a held message of the fault by its number, or every message that it holds now.

        The fault stays open, and holds the messages that come later. Raises CommandError if it
        holds no message with this number.
        """
        handle = self.handle(id)
        released = await handle.release(message)
        return {"id": id, "released": released, "held": handle.held_count}

    def held_requests(self) -> Sequence[HeldRequestDocument]:
        """Returns the requests that faults hold or delay at listeners, at most HELD_SHOWN_MAX."""
        handles = (handle for handle in self._known().values() if handle.is_of_requests)
        held = (request for handle in handles for request in handle.held_messages())
        return tuple(islice(held, HELD_SHOWN_MAX))

    def kept(self) -> KeptFaults:
        """Returns what a snapshot has of the faults."""
        handles = self._known().items()
        return self._stage_of(self._live.world()), {name: each.verb for name, each in handles}

    def take_over(self, stage: Stage, verbs: Mapping[str, Verb]) -> None:
        """Makes the faults of a snapshot those of the cluster, which has its world.

        Handles that programs have follow the faults with their ids.
        """
        self._stage, before = stage, self._handles
        faults = {fault.fault_id: fault for fault in stage.faults}
        self._handles = {
            name: FaultHandle(self._live, stage, faults[name], verb) for name, verb in verbs.items()
        }
        for name in before.keys() & verbs.keys():
            before[name].follow(self._handles[name])
            self._handles[name] = before[name]

    def handle(self, id: str) -> FaultHandle:
        """Returns the handle of a fault. Raises UnknownFault if there is none with this id."""
        handles = self._known()
        if id not in handles:
            raise UnknownFault(id, list(handles))
        return handles[id]

    def _known(self) -> dict[str, FaultHandle]:
        self._stage_of(self._live.world())
        return self._handles

    def _stage_of(self, world: World) -> Stage:
        """Returns the stage of the world; another world than before has no faults."""
        if self._stage is None or self._stage.world is not world:
            self._stage = Stage(world)
            self._handles.clear()
        return self._stage

    def _expect_room(self) -> None:
        """Forgets the oldest ended fault if there are too many; CommandError if all are open."""
        if len(self._handles) < FAULTS_MAX:
            return
        ended = next((name for name, known in self._handles.items() if not known.is_open), None)
        if ended is None:
            raise CommandError(f"fault: expected at most {FAULTS_MAX} open faults: remove some")
        del self._handles[ended]
        if self._stage is not None:
            self._stage.faults = [fault for fault in self._stage.faults if fault.fault_id != ended]

    def _next_id(self, word: str) -> str:
        """Returns an id that no fault has."""
        while True:
            self._count += 1
            name = f"{word}-{self._count}"
            if name not in self._handles:
                return name
