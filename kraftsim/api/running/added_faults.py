"""Every fault that was added to a cluster, also those that have ended.

The verbs of faults take longer to import than a cluster takes to start, so that they are imported
when the first fault is added.
"""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from kraftsim.simulation.requests.aim import Predicate

from ...errors import CommandError, UnknownFault
from ..argument_checks import read_fault
from .live import Live

if TYPE_CHECKING:
    from kraftsim.scenarios.document.fault import InjectedFault
    from kraftsim.scenarios.stage.stage import Fault, Stage
    from kraftsim.scenarios.verbs import Verb

    from ..documents import FaultDocument, HeldRequestDocument
    from .fault_handle import FaultHandle, Selecting

FAULTS_MAX = 1_000  # faults of one cluster, ended ones included; the oldest ended ones make room
HELD_SHOWN_MAX = 100  # requests

KeptFaults = tuple["Stage", Mapping[str, "Verb"]]


class AddedFaults:
    """The faults of one cluster, in the order in which they were added; a reset ends them all."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._stage: Stage | None = None
        self._handles: dict[str, FaultHandle] = {}
        self._count = 0

    def begin(self, fault: Mapping[str, object], when: Predicate | None = None) -> "FaultHandle":
        """Begins a fault as `Faults.add` does."""
        injected = read_fault(fault)
        from .fault_handle import OF_REQUESTS

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
        self, injected: "InjectedFault", written: Mapping[str, object], when: Predicate | None
    ) -> "FaultHandle":
        from kraftsim.scenarios.document.fault import expect_nodes

        from .fault_handle import Selecting

        stage = self._staged()
        self._expect_room()
        fault_id = injected.id or self._next_id(injected.word)
        self._expect_free(fault_id)
        world = stage.world
        recorder = self._live.recorder
        recorder.verb("faults.add", {"fault": {**written, "id": fault_id}})
        if when is not None:
            recorder.note_gap("faults.add was called with a function of Python (`when`)")
        expect_nodes(world, injected.word, injected.verb)
        selecting = None if when is None else Selecting(when, [])
        with self._live.entered():
            return self._put(stage, injected, fault_id, selecting)

    def begin_drawn(self, word: str, words: object, fault_id: str) -> None:
        """Begins a fault that was drawn, in an action of the timeline; it is not recorded.

        Raises CommandError if there are too many open faults, or one with this id.
        """
        from kraftsim.scenarios.document.fault import InjectedFault
        from kraftsim.scenarios.language.reading import read
        from kraftsim.scenarios.verbs import VERBS

        stage = self._staged()
        self._expect_room()
        self._expect_free(fault_id)
        injected = InjectedFault(read(VERBS[word], words), word)
        self._put(stage, injected, fault_id, None)

    def _put(
        self,
        stage: "Stage",
        injected: "InjectedFault",
        fault_id: str,
        selecting: "Selecting | None",
    ) -> "FaultHandle":
        from .fault_handle import FaultHandle

        verb = injected.drawn(stage.world.topology.settings, stage.world.streams, fault_id)
        stage.predicate = selecting
        fault = stage.begin(verb, injected.word, fault_id, injected.say)
        handle = self._handles[fault_id] = FaultHandle(self._live, stage, fault, verb, selecting)
        return handle

    def heal(self) -> None:
        """Ends every fault, and starts every process that is down."""
        stage = self._staged()
        stage.heal(frozenset(stage.world.nodes))

    @property
    def handles(self) -> "dict[str, FaultHandle]":
        """The handles of the faults by their ids."""
        self._expect_present()
        return self._handles

    @property
    def begun(self) -> "Sequence[Fault]":
        """The faults on the stage, also those that have ended."""
        self._expect_present()
        return () if self._stage is None else self._stage.faults

    def documents(self) -> "Sequence[FaultDocument]":
        """Returns every fault as HTTP and `--json` show it."""
        return [handle.document() for handle in tuple(self.handles.values())]

    def held_requests(self) -> "Sequence[HeldRequestDocument]":
        """Returns the requests that faults hold or delay at listeners, at most HELD_SHOWN_MAX."""
        handles = (handle for handle in self.handles.values() if handle.is_of_requests)
        held = (request for handle in handles for request in handle.held_messages())
        return tuple(islice(held, HELD_SHOWN_MAX))

    def kept(self) -> KeptFaults | None:
        """Returns what a snapshot has of the faults; None if there was none."""
        handles = self.handles.items()
        verbs = {name: handle.verb for name, handle in handles}
        return None if self._stage is None else (self._stage, verbs)

    def take_over(self, stage: "Stage", verbs: "Mapping[str, Verb]") -> None:
        """Makes the faults of a snapshot those of the cluster, which has its world.

        Handles that programs have follow the faults with their ids.
        """
        from .fault_handle import FaultHandle

        self._stage, before = stage, self._handles
        faults = {fault.fault_id: fault for fault in stage.faults}
        self._handles = {
            name: FaultHandle(self._live, stage, faults[name], verb) for name, verb in verbs.items()
        }
        for name in before.keys() & verbs.keys():
            before[name].follow(self._handles[name])
            self._handles[name] = before[name]

    def handle(self, id: str) -> "FaultHandle":
        """Returns the handle of a fault. Raises UnknownFault if there is none with this id."""
        handles = self.handles
        if id not in handles:
            raise UnknownFault(id, list(handles))
        return handles[id]

    def _staged(self) -> "Stage":
        """Returns the stage of the present world."""
        self._expect_present()
        if self._stage is None:
            from kraftsim.scenarios.stage.stage import Stage

            self._stage = Stage(self._live.world)
        return self._stage

    def _expect_present(self) -> None:
        """Forgets the faults of another world than the present one."""
        world = self._live.world
        if self._stage is not None and self._stage.world is not world:
            self._stage = None
            self._handles.clear()

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

    def _expect_free(self, fault_id: str) -> None:
        if fault_id in self._handles:
            raise CommandError(f"fault: expected an id that no other fault has, got {fault_id!r}")

    def _next_id(self, word: str) -> str:
        """Returns an id that no fault has."""
        while True:
            self._count += 1
            name = f"{word}-{self._count}"
            if name not in self._handles:
                return name
