"""The faults that a test adds to its cluster, and whether each had an effect."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest

from kraftsim.scenarios.document.fault import aimed
from kraftsim.scenarios.language.reading import Problem
from kraftsim.scenarios.language.spelling import as_written

from ..api.documents import FaultDocument
from ..errors import CommandError
from .keys import CHOSEN, RUNNING
from .requested import may_miss as marker_lets_miss
from .requested import refuse

FAULTS_SHOWN = 20  # newest faults in the report of a failed test


class AimedFaults:
    """Adds faults to the cluster of a test: that of `kraft_sync`, or the first of `kraft`."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._request = request
        self._added: list[Any] = []

    def add(
        self,
        fault: Mapping[str, object] | None = None,
        *,
        action: str | None = None,
        when: Callable[[Any], bool] | None = None,
        may_miss: bool = False,
        **words: object,
    ) -> Any:
        """Begins a fault and returns its handle, with `hits`, `events`, `wait` and `remove`.

        `add({"rpc.drop": {"api": "Fetch"}})` is written as a step of a scenario.
        `add(api="Fetch", action="drop")` is short for it and affects one request unless `count` is
        given (-1: any number). `when` is called with a request, and returns True if the fault
        affects it. Awaiting the handle is allowed. Raises CommandError for a mistake.
        """
        if (fault is None) == (action is None):
            raise CommandError("kraft_faults.add: expected either a fault or an action")
        try:
            document = fault if fault is not None else aimed(str(action), words)
        except Problem as problem:
            raise CommandError(f"kraft_faults.add: {problem}") from None
        if fault is not None and words:
            raise CommandError(f"kraft_faults.add: {', '.join(words)}: expected in the fault")
        handle = self._cluster().faults.begin(document, when)
        if not may_miss:
            self._added.append(handle)
        return handle

    def refuse_missed(self) -> None:
        """Fails the test if a fault had no effect, unless that is allowed."""
        test = self._request.node
        missed = [] if marker_lets_miss(test) else self._added
        left_out = test.stash[CHOSEN].left_out if CHOSEN in test.stash else ()
        for handle in missed:
            if not handle.hits and handle.id not in left_out:
                refuse(
                    f"fault {handle.id} never fired ({handle.text()}): remove it, or allow it with "
                    "kraft_faults.add(..., may_miss=True)"
                )

    def _cluster(self) -> Any:
        if "kraft_sync" in self._request.fixturenames:
            return self._request.getfixturevalue("kraft_sync")
        running = self._request.node.stash.get(RUNNING, [])
        if not running:
            refuse("kraft_faults needs kraft or kraft_sync, and the cluster must run")
        return running[0]


def fault_lines(faults: Sequence[FaultDocument], begins_us: Mapping[int, int]) -> Iterator[str]:
    """Yields a line for each of the newest faults, after a heading; nothing without a fault.

    `begins_us` are the times of the events with which faults began, as far as they are known.
    """
    if faults:
        older = len(faults) - FAULTS_SHOWN
        yield f"faults ({older} older ones are left out):" if older > 0 else "faults:"
    for fault in faults[-FAULTS_SHOWN:]:
        began_us, words = begins_us.get(fault["event"]), as_written(fault["words"])
        at = "" if began_us is None else f" at {began_us / 1e6:.3f} s"
        effect = f"hits {fault['hits']}, {_state(fault)}"
        yield f"  {fault['id']}{at}: {effect}; {fault['verb']}: {words}"


def _state(fault: FaultDocument) -> str:
    if not fault["open"]:
        return "ended"
    return "spent" if fault["spent"] else "open"
