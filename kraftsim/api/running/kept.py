"""The states of a cluster that are kept: copies of its simulation, to which it can go back.

A state has everything of the simulation: controllers, brokers, disks, messages in flight, faults
and random streams. It has no connection of a client.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from kraftsim.controller.core.value import value
from kraftsim.simulation.world import World

from ... import machine_code
from ...errors import CommandError, UnknownSnapshot
from .added_faults import AddedFaults, KeptFaults
from .live import Live


@value(kw_only=False)
class Kept:
    """A world, and the faults of its cluster."""

    world: World
    faults: KeptFaults | None

    def copy(self) -> "Kept":
        """Returns a copy, which never affects this one; CommandError if there cannot be one."""
        from kraftsim.simulation.copying import NotCopied, copied  # not needed at every start

        if machine_code.is_used():
            raise CommandError(
                "snapshot: expected kraftsim's Python modules, because compiled objects cannot be "
                f"copied: start again with {machine_code.PURE_VARIABLE}=1 in the environment"
            )
        if self.world.own.processes:
            raise CommandError(
                "snapshot: expected a cluster without nodes of your own: a coroutine has no copy"
            )
        with _no_collection():
            try:
                return Kept(*copied((self.world, self.faults)))
            except NotCopied as error:
                text = (
                    f"snapshot: {error}: let time pass (`kraftsim clock advance`), then try again"
                )
                raise CommandError(text) from None


class KeptStates:
    """The present state of a cluster, and those that were saved, by name in their order."""

    def __init__(self, live: Live, faults: AddedFaults) -> None:
        self.saved: dict[str, Kept] = {}
        self._live, self._faults = live, faults

    def present(self) -> Kept:
        """Returns the present state, which goes on changing."""
        return Kept(self._live.world, self._faults.kept())

    def found(self, name: str) -> Kept:
        """Returns a saved state. Raises UnknownSnapshot if there is none with this name."""
        if name not in self.saved:
            raise UnknownSnapshot(name, list(self.saved))
        return self.saved[name]

    def copy_of(self, name: str | None) -> Kept:
        """Returns a copy of a saved state, or of the present one if `name` is None."""
        return (self.present() if name is None else self.found(name)).copy()


@contextmanager
def _no_collection() -> Iterator[None]:
    """Keeps Python's garbage collector from the thousands of new objects of a copy."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
