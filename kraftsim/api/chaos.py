"""Random faults beside a program: those that a swarm draws, within a budget of nodes."""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from kraftsim.scenarios.language.suggestions import nearest
from kraftsim.simulation.streams import Streams
from kraftsim.simulation.world import World

from ..errors import CommandError, UsageError
from .argument_checks import check_duration, expect_int
from .running.added_faults import AddedFaults
from .running.health import until_healthy
from .running.live import Live

if TYPE_CHECKING:
    from kraftsim.scenarios.drawing.lot import Lot, Words
    from kraftsim.scenarios.drawing.steps import Budget

    from .running.random_faults import RandomFaults, TakesEffect

HEALED = "2m"  # a broker that ended needs a session to be fenced, and then to come back


def _always(fault_id: str, text: str) -> bool:
    return True


class Chaos:
    """Random faults of a cluster: `async with kraft.chaos(7): ...`, or `begin` and `end`.

    `takes_effect` is asked before each fault (see `TakesEffect`).
    """

    def __init__(self, live: Live, added: AddedFaults) -> None:
        self._live, self._added = live, added
        self._faults: RandomFaults | None = None
        self._world: World | None = None  # a reset begins another one, which has had no faults
        self._count = 0
        self.takes_effect: TakesEffect = _always

    @asynccontextmanager
    async def __call__(
        self,
        seed: int | None = None,
        *,
        verbs: Sequence[str] | None = None,
        budget: Mapping[str, int] | None = None,
    ) -> AsyncIterator[None]:
        """Begins random faults as `begin` does; after the block, ends them as `end` does.

        A block that raises leaves the cluster as it is then, for the report of the failure.
        """
        await self.begin(seed, verbs, budget)
        try:
            yield
        except BaseException:
            self._stop()
            raise
        await self.end()

    async def begin(
        self,
        seed: int | None = None,
        verbs: Sequence[str] | None = None,
        budget: Mapping[str, int] | None = None,
    ) -> None:
        """Lets random faults begin from now on, until `end`; they repeat from `seed`.

        `seed` is by default that of the cluster. `verbs` are names or groups such as `net.*`; by
        default all whose effects end with them. `budget` bounds how many `controllers` (default: a
        minority) and `brokers` (default: 1) have a fault at a time. Raises UsageError for a
        mistake, CommandError while random faults are under way.
        """
        from .running.random_faults import RandomFaults

        if self._faults is not None and not self._faults.is_over:
            raise CommandError("random faults are under way: end them with `chaos.end`")
        if seed is not None:
            expect_int("seed", seed)
        steps = self._steps(self._live.options.seed if seed is None else seed, verbs, budget)
        arguments = {"seed": seed, "verbs": verbs and [*verbs], "budget": budget and {**budget}}
        self._live.recorder.verb("chaos.begin", arguments)
        if self._world is not self._live.world:
            self._world, self._count = self._live.world, 0
        self._count += 1
        prefix = "chaos-" if self._count == 1 else f"chaos{self._count}-"
        with self._live.entered():
            self._faults = RandomFaults(self._live, self._added, steps, prefix, self.takes_effect)

    async def end(self, timeout: str | float = HEALED) -> None:
        """Ends every fault, starts every process that is down, and waits for a healthy cluster.

        Then a controller leads, no registered broker is fenced, and every ISR has all replicas.
        Raises TimeoutError, with what is missing, after `timeout` of the cluster's time.
        """
        check_duration("timeout", timeout)
        self.heal()
        await until_healthy(self._live, timeout)

    def heal(self) -> None:
        """Ends every fault and starts every process that is down, without waiting."""
        self._stop()
        self._live.recorder.verb("chaos.heal", {})
        with self._live.entered():
            self._added.heal()

    def _stop(self) -> None:
        if self._faults is not None:
            self._faults.end()

    def _steps(
        self, seed: int | None, verbs: Sequence[str] | None, budget: Mapping[str, int] | None
    ) -> "Iterator[tuple[int, Words | None]]":
        """Returns the steps, which have no end."""
        from kraftsim.scenarios.drawing.chaos import USUAL, VERBS, drawn_chaos, kinds_of
        from kraftsim.scenarios.drawing.lot import Lot

        world = self._live.world
        lot = Lot(
            Streams(seed).of("chaos"),
            self._live.options.profile,
            [*world.controllers],
            [*world.agents],
            [topic.name for topic in world.committed.topics.values()],
        )
        chosen = USUAL if verbs is None else _chosen(verbs, VERBS)
        drawn_budget = _budget(budget, lot)
        kinds = kinds_of(lot, chosen, drawn_budget)
        if not kinds:
            raise UsageError(
                f"budget: expected nodes for a fault of {', '.join(chosen)}, got "
                f"{drawn_budget.controllers} controllers and {drawn_budget.brokers} brokers"
            )
        return drawn_chaos(lot, kinds, drawn_budget)


def _chosen(written: Sequence[str], known: Sequence[str]) -> list[str]:
    """Returns the verbs that names and groups such as `net.*` select; UsageError for another."""
    groups = dict.fromkeys(word.partition(".")[0] + ".*" for word in known)
    words = [*groups, *known]
    if isinstance(written, str) or not written:
        raise UsageError(f"verbs: expected a list of verbs such as ['net.*'], got {written!r}")
    for name in written:
        if name not in words:
            raise UsageError(f"verbs: expected {nearest(str(name), words)}, got {name!r}")
    return [word for word in known if {word, word.partition(".")[0] + ".*"} & {*written}]


def _budget(written: Mapping[str, int] | None, lot: "Lot") -> "Budget":
    """Returns the budget; raises UsageError for an unknown pool, or more nodes than there are."""
    from kraftsim.scenarios.drawing.steps import Budget

    nodes = {"controllers": len(lot.controllers), "brokers": len(lot.brokers)}
    room = {"controllers": (nodes["controllers"] - 1) // 2, "brokers": 1}
    if written is not None and not isinstance(written, Mapping):
        raise UsageError(f"budget: expected a mapping such as {{'brokers': 1}}, got {written!r}")
    for name, count in (written or {}).items():
        if name not in nodes:
            raise UsageError(f"budget: expected {nearest(str(name), nodes)}, got {name!r}")
        expect_int(f"budget: {name}", count)
        if not 0 <= count <= nodes[name]:
            raise UsageError(f"budget: {name}: expected 0 to {nodes[name]}, got {count}")
        room[name] = count
    return Budget(room["controllers"], room["brokers"])
