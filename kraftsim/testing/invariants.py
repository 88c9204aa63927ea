"""The properties that must hold in the clusters of a test, and nodes whose code must not raise."""

from collections.abc import Iterator, Sequence

import pytest

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.scenarios.language.suggestions import nearest
from kraftsim.scenarios.oracles.property import Property
from kraftsim.scenarios.properties import SAFETY
from kraftsim.scenarios.running.watch import (
    ASSERTION,
    NODE_FAILED,
    UNNUMBERED,
    Violation,
    Watch,
    failed_assertion,
    watch,
)
from kraftsim.simulation.world import World

from ..api.cluster import Cluster
from .keys import INVARIANTS
from .requested import may_break, refuse


class Invariants:
    """Watches the safety properties in the clusters of a test, from each start and reset on.

    The marker of the test can waive properties; with `may_break=True` nothing is watched.
    """

    def __init__(self, test: pytest.Item) -> None:
        self._waived = _waived(may_break(test))
        self._watches: dict[int, Watch] = {}  # of the running clusters
        self._earlier: list[Violation] = []  # in worlds before a reset; of processes that failed

    def watch(self, cluster: Cluster) -> None:
        """Watches the cluster instead of the test that had it before; it starts or is reset next.

        After a reset it watches the new world.
        """
        cluster.world_listeners.clear()
        if self._waived is not None:
            cluster.world_listeners.append(lambda world: self._begin(id(cluster), world))

    def _begin(self, cluster: int, world: World) -> None:
        if cluster in self._watches:
            self._earlier += self._watches[cluster].violations.values()
        self._watches[cluster] = watch(world, self._watched())

        def on_controller(node_id: int, state: ProcessState) -> None:
            violation = failed_assertion(world, node_id, state)
            if violation is not None and ASSERTION not in (self._waived or ()):
                self._earlier.append(violation)

        def on_node(name: str, error: str) -> None:
            if NODE_FAILED not in (self._waived or ()):
                now_us, seq = world.timeline.now_us, world.journal.last_seq
                what = f"node {name} failed: {error}"
                self._earlier.append(Violation(UNNUMBERED, NODE_FAILED, what, now_us, seq))

        world.controller_listeners.append(on_controller)
        world.own.failed.append(on_node)

    def _watched(self) -> Iterator[type[Property]]:
        waived = self._waived or ()
        return (class_ for class_ in SAFETY if not {class_.number, class_.name} & {*waived})

    def broken(self) -> Sequence[Violation]:
        """Returns what was broken so far. Another thread may run the cluster meanwhile."""
        running = (tuple(watching.violations.values()) for watching in self._watches.values())
        return [*self._earlier, *(violation for broken in running for violation in broken)]

    def lines(self) -> list[str]:
        """Returns a line for each broken property, as the report of a failure shows it."""
        return [
            f"broken at {violation.t_us / 1e6:.3f} s: {_text(violation)}"
            for violation in self.broken()
        ]

    def refuse_broken(self) -> None:
        """Fails the test if a property was broken."""
        if broken := self.broken():
            waivers = {_number(violation) or violation.name: None for violation in broken}
            listed = ", ".join(f'"{waiver}"' for waiver in waivers)
            refuse(
                f"broken: {'; '.join(map(_text, broken))}. If the test expects that, allow it with "
                f"@pytest.mark.kraft(may_break=[{listed}])"
            )


def invariants_of(test: pytest.Item) -> Invariants:
    """Returns the properties that are watched in the clusters of the test."""
    if INVARIANTS not in test.stash:
        test.stash[INVARIANTS] = Invariants(test)
    invariants: Invariants = test.stash[INVARIANTS]
    return invariants


def _waived(allowed: object) -> frozenset[str] | None:
    """Returns the numbers and names of the waived properties; None if all are waived.

    Fails the test if a property is unknown.
    """
    if isinstance(allowed, bool):
        return None if allowed else frozenset()
    known = [
        ASSERTION,
        NODE_FAILED,
        *(word for class_ in SAFETY for word in (class_.number, class_.name)),
    ]
    names = [allowed] if isinstance(allowed, str) or not isinstance(allowed, Sequence) else allowed
    for name in names:
        if name not in known:
            refuse(
                f"may_break: expected True or properties such as {nearest(str(name), known)}, "
                f"got {name!r}"
            )
    return frozenset(names)


def _text(violation: Violation) -> str:
    return f"{_number(violation)} {violation.name}: {violation.what}".lstrip()


def _number(violation: Violation) -> str:
    """Returns the number of the property; empty for a failed assertion."""
    return "" if violation.number == "-" else violation.number
