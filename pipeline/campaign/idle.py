"""Counts which properties the runs of a campaign have put to the test.

A swarm claims to search. So a property that no run of a campaign tests fails the campaign, if its
swarms have had enough runs and do not declare it `idle`. Other scenarios test what they name.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from kraftsim.scenarios.document.scenario import Scenario

SEARCH_RUNS = 100  # runs of swarms from which an idle property is more than bad luck


@dataclass(slots=True)
class Exercise:
    """How many runs have tested each property.

    `tested` has every property that was watched, with the number of runs that tested it. `sought`
    counts the runs of swarms that should test a property.
    """

    tested: Counter[str] = field(default_factory=Counter)
    sought: Counter[str] = field(default_factory=Counter)

    def add(self, scenario: Scenario, exercised: Mapping[str, int]) -> None:
        """Adds a run of a scenario, which had `exercised` things to check by property."""
        for name, count in exercised.items():
            self.tested[name] += bool(count)
            if scenario.chaos is not None:
                self.sought[name] += name not in scenario.expect.idle

    def update(self, tested: Mapping[str, int], sought: Mapping[str, int]) -> None:
        """Adds the counts of other runs."""
        self.tested.update(tested)
        self.sought.update(sought)

    def counts(self) -> dict[str, dict[str, int]]:
        """Returns both counts by their names, for a commit."""
        return {"tested": dict(self.tested), "sought": dict(self.sought)}

    @property
    def idle(self) -> tuple[str, ...]:
        """The watched properties that no run has tested."""
        return tuple(sorted(name for name, count in self.tested.items() if not count))

    @property
    def missed(self) -> tuple[str, ...]:
        """The idle properties that enough runs of swarms should have tested."""
        return tuple(name for name in self.idle if self.sought[name] >= SEARCH_RUNS)
