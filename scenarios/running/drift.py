"""Compares a pinned plan with the plan that its seed gives now.

A plan is a scenario in which everything is drawn. It is stored in a file beside the scenario, as
`kraftsim scenario show NAME --seed N` prints it. Its run stays the same even if a later version
draws other values from the seed.
"""

from collections.abc import Iterator

from ..document.scenario import Scenario
from ..language.reading import document_of

DECIDES = ("profile", "cluster", "time", "config", "network", "let", "do", "calm")


def first_difference(pinned: Scenario, now: Scenario) -> str | None:
    """Returns the first difference between two plans as text, or None if their runs are equal.

    Texts and claims are not compared, because they do not change the run.
    """
    was, is_ = (dict(_decisive(scenario)) for scenario in (pinned, now))
    for path in dict.fromkeys((*was, *is_)):
        before, after = (row.get(path, "nothing") for row in (was, is_))
        if before != after:
            return f"{path}: {before} before, {after} now"
    return None


def _decisive(plan: Scenario) -> Iterator[tuple[str, object]]:
    document = document_of(plan)
    for word in DECIDES:
        if word in document:
            yield from _leaves(word, document[word])


def _leaves(path: str, value: object) -> Iterator[tuple[str, object]]:
    match value:
        case dict() if value:
            for key, item in value.items():
                if key != "say":
                    yield from _leaves(f"{path}.{key}", item)
        case list() if value:
            for index, item in enumerate(value):
                yield from _leaves(f"{path}[{index}]", item)
        case _:
            yield path, value
