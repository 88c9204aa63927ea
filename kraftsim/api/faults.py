"""The faults of a running cluster: the verbs of scenario files, with a handle for each."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from kraftsim.simulation.requests.aim import Predicate

from .argument_checks import check_fault_wait
from .documents import FaultDocument, FaultHistory, FaultVerb, HeldList, ReleaseDocument
from .running.added_faults import HELD_SHOWN_MAX, AddedFaults

if TYPE_CHECKING:
    from .running.fault_handle import FaultHandle


class Faults:
    """The faults of a cluster: `await kraft.faults.add({"net.partition": {"on": 2}})`.

    Raises UnknownFault for an id that no fault has.
    """

    def __init__(self, added: AddedFaults) -> None:
        self._added = added

    async def add(
        self, fault: Mapping[str, object], when: Predicate | None = None
    ) -> "FaultHandle":
        """Begins a fault, written as a step of a scenario without its trigger.

        `{"net.partition": {"on": 2, "for": "5s"}, "id": "cut"}`; without an id it gets one. A fault
        of requests (`rpc.*`) affects only requests for which the function `when` returns True;
        it is called with the request (`kraftsim.controller.core.rpc`). Raises UsageError, with
        the nearest word, for a mistake.
        """
        return self.begin(fault, when)

    def begin(self, fault: Mapping[str, object], when: Predicate | None = None) -> "FaultHandle":
        """Begins a fault as `add` does, without a coroutine."""
        return self._added.begin(fault, when)

    async def list(self) -> Sequence[FaultDocument]:
        """Returns every fault, also those that have ended."""
        return self._added.documents()

    async def show(self, id: str) -> FaultHistory:
        """Returns one fault with its events."""
        handle = self._added.handle(id)
        return {**handle.document(), "events": handle.events}

    async def wait(self, id: str, hits: int = 1, timeout: str | float = "20s") -> FaultDocument:
        """Waits until the fault has had `hits` effects; raises TimeoutError after `timeout`."""
        check_fault_wait(id, hits, timeout)
        handle = self._added.handle(id)
        await handle.wait(hits, timeout)
        return handle.document()

    async def remove(self, id: str) -> FaultDocument:
        """Ends the fault, and undoes it; does nothing if it has ended."""
        handle = self._added.handle(id)
        await handle.remove()
        return handle.document()

    async def catalog(self) -> Sequence[FaultVerb]:
        """Returns the verbs that a running cluster accepts, with their words."""
        from kraftsim.scenarios.document.fault import catalog  # imports the verbs

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
        handles = self._added.handles.values()
        held = (message for handle in handles for message in handle.held_messages())
        count = sum(handle.held_count for handle in handles)
        return {"held": list(islice(held, HELD_SHOWN_MAX)), "count": count}

    async def release(self, id: str, message: int | None = None) -> ReleaseDocument:
        """Releases a held message of the fault by its number, or every message that it holds now.

        The fault stays open, and holds the messages that come later. Raises CommandError if it
        holds no message with this number.
        """
        handle = self._added.handle(id)
        released = await handle.release(message)
        return {"id": id, "released": released, "held": handle.held_count}
