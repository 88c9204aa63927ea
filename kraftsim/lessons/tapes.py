"""The tapes that visitors use: a bounded number, of scenarios that are short and small enough.

A tape is a function of scenario, seed, profile and acts. So visitors of one lesson share its tape,
and a link that has these four shows what its sender saw.
"""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from kraftsim.controller.core.profile import PROFILES
from kraftsim.scenarios.document.scenario import Scenario
from kraftsim.scenarios.document.step import LimitError
from kraftsim.scenarios.language.reading import Problem
from kraftsim.scenarios.language.suggestions import nearest
from kraftsim.scenarios.running.play import Play
from kraftsim.scenarios.running.run import Run

from ..errors import CommandError, UsageError
from .act import read_acts
from .tape import BROKERS_MAX, Tape, TooLarge

TAPES_MAX = 20  # some 4 MB each; the one that was not used for longest makes room
LASTS_MAX_US = 30 * 60 * 1_000_000


class Branch(NamedTuple):
    """What determines a tape. `acts` are the texts of JSON documents, the first act first."""

    scenario: str
    seed: int
    profile: str
    acts: tuple[str, ...]


class Tapes:
    """The tapes that were used last; `read` returns the scenario with a name or path.

    `made` counts the tapes that were made.
    """

    def __init__(self, read: Callable[[str], Scenario]) -> None:
        self._read = read
        self._tapes: OrderedDict[Branch, Tape] = OrderedDict()
        self.made = 0

    def tape(self, branch: Branch, documents: tuple[object, ...]) -> Tape:
        """Returns the tape of a branch, whose acts are `documents`; it is made if there is none.

        Raises CommandError for a scenario that is too large or that cannot run, and for acts that
        cannot happen.
        """
        tape = self._tapes.get(branch)
        if tape is None:
            try:
                tape = self._made(branch, documents)
            except (LimitError, Problem, TooLarge, ValueError) as error:
                raise UsageError(str(error)) from None
            self._tapes[branch] = tape
            self.made += 1
            while len(self._tapes) > TAPES_MAX:
                self._tapes.popitem(last=False)
        self._tapes.move_to_end(branch)
        return tape

    def release_of(self, name: str) -> str:
        """Returns the release for which the file of a scenario makes its claim."""
        return self._read(name).profile

    def _made(self, branch: Branch, documents: tuple[object, ...]) -> Tape:
        acts = read_acts(documents)
        if not acts:
            return Tape(Play(self._run(branch)))
        parent = self.tape(branch._replace(acts=branch.acts[:-1]), documents[:-1])
        return parent.branch(acts[-1], f"act-{len(acts)}")

    def _run(self, branch: Branch) -> Run:
        scenario = self._read(branch.scenario)
        if branch.profile:
            if branch.profile not in PROFILES:
                expected = nearest(branch.profile, PROFILES)
                raise UsageError(f"profile: expected {expected}, got {branch.profile[:64]!r}")
            scenario = replace(scenario, profile=branch.profile)
        if scenario.nodes:
            raise CommandError(
                f"{branch.scenario}: expected a scenario without nodes of its own: the page goes "
                "back to copies of a run, and a coroutine has none"
            )
        run = Run(scenario, branch.seed)
        times, brokers = run.plan.time, run.plan.cluster.brokers
        lasts_us = times.warmup.us + times.run.us + times.calm.us
        if brokers > BROKERS_MAX or lasts_us > LASTS_MAX_US:
            raise CommandError(
                f"{branch.scenario}: expected at most {BROKERS_MAX} brokers and 30 minutes, got "
                f"{brokers} brokers and {lasts_us // 60_000_000} minutes: "
                f"`kraftsim scenario run {branch.scenario}` runs it"
            )
        return run
