"""Bugs of stored messages, as pytest's monkeypatch plants them; `patch` undoes them."""

from collections.abc import Callable
from typing import Any

from kraftsim.scenarios.mutants import copies, in_sync, messages
from kraftsim.scenarios.mutants.mutant import Swaps


class Patched(Swaps):
    """Replaces attributes until the test ends."""

    def __init__(self, patch):
        super().__init__()
        self._patch = patch

    def attribute(self, owner, name, value):
        self._patch.setattr(owner, name, value)


def of(plant: Callable[[Swaps], None]) -> Callable[[Any], None]:
    """Returns a mutant's bug, to be planted by monkeypatch."""
    return lambda patch: plant(Patched(patch))


gives_an_offset_twice = of(messages.gives_an_offset_twice)
sets_timestamps = of(messages.sets_timestamps)
followers_forget_producers = of(messages.followers_forget_producers)
retains_for_milliseconds = of(messages.retains_for_milliseconds)
copies_nothing = of(messages.copies_nothing)
waits_for_nobody = of(messages.waits_for_nobody)
commits_below_min_isr = of(in_sync.commits_below_min_isr)
mark_falls = of(in_sync.mark_falls)
claims_lost_tail = of(copies.claims_lost_tail)
loses_in_silence = of(copies.loses_in_silence)
truncates_too_little = of(copies.truncates_too_little)
