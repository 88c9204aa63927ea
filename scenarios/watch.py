"""All the properties of a run: each is told of what it asked for, and of nothing else."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from .property import Broken, Property
from .world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """What was broken, when, and after which event of the journal."""

    number: str
    name: str
    what: str
    t_us: int
    seq: int


class Watch:
    """Subscribes instances of `classes` to a world; the first time that each is broken is kept."""

    def __init__(self, world: World, classes: Sequence[type[Property]]) -> None:
        self.violations: list[Violation] = []
        self._world = world
        self._properties = [one(world) for one in classes]
        self._broken: set[str] = set()
        for one in self._properties:
            kind = type(one)
            if kind.stepped is not Property.stepped:
                world.step_listeners.append(partial(self._tell, one, one.stepped))
            if kind.committed is not Property.committed:
                world.committed_listeners.append(partial(self._tell, one, one.committed))
            if kind.arrived is not Property.arrived:
                world.network.arrived.append(partial(self._tell, one, one.arrived))

    @property
    def exercised(self) -> dict[str, int]:
        return {one.name: one.exercised for one in self._properties}

    def finish(self) -> None:
        for one in self._properties:
            self._tell(one, one.finished)

    def _tell(self, one: Property, what: Callable[..., None], *arguments: object) -> None:
        if one.name in self._broken:
            return
        try:
            what(*arguments)
        except Broken as broken:
            self._broken.add(one.name)
            self.violations.append(
                Violation(
                    number=one.number,
                    name=one.name,
                    what=str(broken),
                    t_us=self._world.timeline.now_us,
                    seq=self._world.journal.next_seq - 1,
                )
            )
