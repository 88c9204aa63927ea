"""The faults of a cluster in another process, with a handle for each as in the same process."""

from collections.abc import Mapping
from typing import Any

from kraftsim.scenarios.language.spelling import as_written

from ..api.documents import FaultDocument, FaultEvent
from ..errors import TimedOut


class Methods:
    """The operations of a `ProcessCluster` whose names begin with `prefix`, such as `faults.`."""

    def __init__(self, cluster: Any, prefix: str) -> None:
        self._cluster, self._prefix = cluster, prefix

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cluster, self._prefix + name)


class ProcessFaults(Methods):
    """The operations on faults; `add` returns a handle instead of the document."""

    def add(self, fault: Mapping[str, object]) -> "ProcessFaultHandle":
        """Begins a fault, written as a step of a scenario without its trigger."""
        return ProcessFaultHandle(self, super().__getattr__("add")(fault)["id"])


class ProcessFaultHandle:
    """A fault that was added; every attribute but `id` asks the process."""

    def __init__(self, faults: ProcessFaults, id: str) -> None:
        self._faults, self.id = faults, id

    @property
    def hits(self) -> int:
        """The number of effects so far, such as lost messages."""
        return self.document()["hits"]

    @property
    def is_open(self) -> bool:
        """True until the fault is removed or its time is over."""
        return self.document()["open"]

    @property
    def is_spent(self) -> bool:
        """True if the fault has acted as often as its `count` allows."""
        return self.document()["spent"]

    @property
    def events(self) -> list[FaultEvent]:
        """The newest events of the fault: each hit, and the journal's events that it caused."""
        events: list[FaultEvent] = self._faults.show(self.id)["events"]
        return events

    def wait(self, hits: int = 1, timeout: str | float = "20s") -> int:
        """Waits until the fault has had `hits` effects, and returns the number of its effects.

        Raises TimeoutError after `timeout`.
        """
        try:
            waited: FaultDocument = self._faults.wait(self.id, hits=hits, timeout=timeout)
        except TimedOut as error:
            raise TimeoutError(str(error)) from None
        return waited["hits"]

    def remove(self) -> None:
        """Ends the fault, and undoes it; does nothing if it has ended."""
        self._faults.remove(self.id)

    def text(self) -> str:
        """Returns the verb and its words in one line, as a scenario file has them."""
        document = self.document()
        return f"{document['verb']}: {as_written(document['words'])}"

    def document(self) -> FaultDocument:
        """Returns the fault as HTTP and `--json` show it."""
        shown: Any = self._faults.show(self.id)
        del shown["events"]
        document: FaultDocument = shown
        return document
