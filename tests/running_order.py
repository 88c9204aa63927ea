"""The order of the tests, who may run beside whom, and the files that took longest.

What fails fast comes first: rules about the tree, tests in memory, sockets, foreign software, and
then what is slow. Under xdist a group is one piece of work for one process. One process begins with
Spark, which gives a worker of its own ten seconds to start and so wants quiet neighbours. The
groups begin before the slow tests, which are many small pieces and keep all processes busy to the
end.
"""

from collections import defaultdict
from collections.abc import Iterable

import pytest

SLOWEST = 10  # files that the summary names

# The tests of a group run one after the other, in one process.
GROUP_OF = {
    "page": "page",
    "spark": "spark",
    "released": "foreign",
    "interop": "foreign",
    "realtime": "realtime",
}
SPARK, QUICK, GROUPED, SLOW = range(4)


def group_of(item: pytest.Item) -> str | None:
    """Returns the group of a test by its markers, None if it may run beside all others."""
    for marker, group in GROUP_OF.items():
        if item.get_closest_marker(marker):
            return group
    return None


def place_of(item: pytest.Item) -> tuple[int, int, int]:
    """Returns the key by which the tests are sorted; equal keys stay in the order of the files.

    The longest group, of real time, is the first of the groups.
    """
    if item.get_closest_marker("spark"):
        return SPARK, 0, 0
    marked = [place for place, marker in enumerate(GROUP_OF) if item.get_closest_marker(marker)]
    is_slow = item.get_closest_marker("slow") is not None
    if marked:
        return GROUPED, -min(marked), is_slow
    if not is_slow:
        return QUICK, item.path.parent.name != "tests", 0
    return (GROUPED, 1, 0) if item.get_closest_marker("xdist_group") else (SLOW, 0, 0)


def slowest_files(reports: Iterable[object]) -> list[tuple[str, float]]:
    """Returns the files whose tests took most seconds, the slowest first."""
    seconds: dict[str, float] = defaultdict(float)
    for report in reports:
        if isinstance(report, pytest.TestReport):
            seconds[report.nodeid.partition("::")[0]] += report.duration
    return sorted(seconds.items(), key=lambda file: -file[1])[:SLOWEST]
