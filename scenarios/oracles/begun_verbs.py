"""The verbs of the faults that have begun in a world, as its journal tells."""

from kraftsim.simulation.world import World


class BegunVerbs:
    """Reads each row of the journal once."""

    def __init__(self, world: World) -> None:
        self._journal = world.journal
        self._next_seq = 0
        self._verbs: set[str] = set()

    def now(self) -> frozenset[str]:
        """Returns the verbs that have begun by now."""
        journal = self._journal
        if self._next_seq < journal.next_seq:
            for row in journal.since(self._next_seq, journal.next_seq - self._next_seq):
                if row.kind == "fault_begins":
                    self._verbs.add(str(row.detail["verb"]))
            self._next_seq = journal.next_seq
        return frozenset(self._verbs)
