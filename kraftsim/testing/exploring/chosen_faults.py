"""The faults that an explored test adds, of which only the chosen ones take effect.

A fault is named by its position among the faults of the test, from 1 on, in the order in which the
test adds them; a random fault by its id.
"""

from collections.abc import Generator, Mapping
from itertools import count
from typing import Any

from kraftsim.scenarios.document.fault import FAULT_WORDS
from kraftsim.scenarios.language.spelling import as_written

from ...api.cluster import Cluster
from ...api.faults import Faults


class ChosenFaults:
    """Which faults of a test take effect: those named in `kept`, or all if it is None.

    `texts` are the faults that the test has added, by their names, `left_out` the ids of those
    without effect.
    """

    def __init__(self, kept: frozenset[str] | None) -> None:
        self.kept = kept
        self.texts: dict[str, str] = {}
        self.left_out: set[str] = set()
        self._positions = count(1)

    def takes_effect(self, fault_id: str, text: str) -> bool:
        """Counts a fault of the test's own, and returns True if it takes effect."""
        return self._takes_effect(str(next(self._positions)), fault_id, text)

    def random_takes_effect(self, fault_id: str, text: str) -> bool:
        """Notes a random fault, and returns True if it takes effect."""
        return self._takes_effect(fault_id, fault_id, text)

    def _takes_effect(self, name: str, fault_id: str, text: str) -> bool:
        self.texts[name] = text
        takes_effect = self.kept is None or name in self.kept
        if not takes_effect:
            self.left_out.add(fault_id)
        return takes_effect


class FaultsOfTest:
    """The faults of a cluster: those of `kraftsim.api.faults`, without the ones that are left out.

    Every fault has the id that it has in a run without a choice, because its draws depend on it.
    """

    def __init__(self, faults: Faults, chosen: ChosenFaults) -> None:
        self.inner, self._chosen = faults, chosen
        self._unnamed = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    async def add(self, fault: Mapping[str, object], *arguments: Any, **named: Any) -> Any:
        """Begins a fault as `Faults.add` does, unless it is left out."""
        return self.begin(fault, *arguments, **named)

    def begin(self, fault: Mapping[str, object], *arguments: Any, **named: Any) -> Any:
        """Begins a fault as `Faults.begin` does, unless it is left out."""
        word = next((word for word in fault if word not in FAULT_WORDS), "")
        if "id" not in fault:
            self._unnamed += 1
            fault = {**fault, "id": f"{word}-{self._unnamed}"}
        text = f"{word}: {as_written(fault.get(word))}"
        fault_id = str(fault["id"])
        if self._chosen.takes_effect(fault_id, text):
            return self.inner.begin(fault, *arguments, **named)
        return LeftOutFault(fault_id, text)


class LeftOutFault:
    """The handle of a fault that is left out: it has no effect, and nobody waits for one."""

    hits = 0
    is_open = is_spent = False

    def __init__(self, id: str, text: str) -> None:
        self.id, self._text = id, text

    def __await__(self) -> Generator[None, None, "LeftOutFault"]:
        yield from ()
        return self

    async def wait(self, hits: int = 1, timeout: str | float = "20s") -> int:
        """Returns 0 at once."""
        return 0

    async def remove(self) -> None:
        """Does nothing."""

    def text(self) -> str:
        """Returns the verb and its words in one line, as a scenario file has them."""
        return self._text


def choose_faults(cluster: Cluster, chosen: ChosenFaults) -> None:
    """Makes only the chosen faults of the cluster take effect from now on."""
    faults: Any = cluster.faults
    inner = faults.inner if isinstance(faults, FaultsOfTest) else faults
    of_test: Any = FaultsOfTest(inner, chosen)
    cluster.faults = of_test
    cluster.chaos.takes_effect = chosen.random_takes_effect
