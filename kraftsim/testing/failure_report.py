"""The section "kraftsim" in the report of a failed test."""

import os
from collections.abc import Iterator
from os.path import relpath
from shlex import quote

import pytest

from kraftsim.scenarios.running.beside_rows import beside_rows
from kraftsim.scenarios.running.story import story_of

from ..api.cluster import Cluster
from ..cli.scenario.narration import event_lines
from ..errors import CommandError
from ..service.clock.standing_time import standing_lines
from .aimed_faults import fault_lines
from .keys import FAILED, INVARIANTS, PROCESSES, RUNNING, SEED
from .recording_file import recording_file
from .requested import explored_seed, has_simulated_loop

TITLE = "kraftsim"
LAST_EVENTS = 12  # lines
ROWS_READ = 1000  # newest rows of the journal, from which the lines are made


def add_section(test: pytest.Item, report: pytest.TestReport) -> None:
    """Adds the section about the running clusters of a failed test to its report."""
    test.stash[FAILED] = True
    clusters = test.stash.get(RUNNING, [])
    lines = [line for cluster in clusters for line in _lines(cluster)]
    for cluster in test.stash.get(PROCESSES, []):
        from .processes import process_lines  # imports the command line

        lines += process_lines(test, cluster, LAST_EVENTS)
    if INVARIANTS in test.stash:
        lines += test.stash[INVARIANTS].lines()
    lines += [_replay_line(test, cluster, number) for number, cluster in enumerate(clusters, 1)]
    report.sections.append((TITLE, "\n".join([*lines, repeat_line(test)])))


def repeat_line(test: pytest.Item) -> str:
    """Returns the command that repeats the test with its seed."""
    explore = "" if explored_seed(test) is None else " --kraft-explore=1"
    name, seed = quote(_name_from_here(test)), test.stash[SEED]
    return f"repeat: {_hash_seed(test)}pytest {name}{explore} --kraft-seed={seed}"


def _hash_seed(test: pytest.Item) -> str:
    """Returns the hash seed for a simulated loop: sets of texts have the order that it gives."""
    if not has_simulated_loop(test):
        return ""
    hash_seed = os.environ.get("PYTHONHASHSEED", "")
    return f"PYTHONHASHSEED={hash_seed if hash_seed.isdecimal() else 0} "


def _name_from_here(test: pytest.Item) -> str:
    """Returns the node id with its path relative to the folder in which pytest was started.

    pytest has no public function for this: `Config.cwd_relative_nodeid` takes texts before pytest
    9.2, and objects since.
    """
    path, *names = test.nodeid.split("::", 1)
    return "::".join(
        [relpath(test.config.rootpath / path, test.config.invocation_params.dir), *names]
    )


def _replay_line(test: pytest.Item, cluster: Cluster, number: int) -> str:
    """Writes the recording of a cluster to a file; returns the command that replays it."""
    from ..api.recordings import recording_of
    from ..recording.writing import write_recording

    try:
        path = recording_file(test, number)
        write_recording(path, recording_of(cluster))
    except (CommandError, OSError) as error:
        return f"replay: not possible: {error}"
    return f"replay: kraftsim replay {quote(str(path))}"


def _lines(cluster: Cluster) -> Iterator[str]:
    """Yields seed, size, time, last events and faults of a cluster.

    The loop of the cluster may run in another thread meanwhile: journal and clock permit that.
    """
    options = cluster.options
    try:
        world = cluster.world
    except CommandError as error:  # the test has ended it
        yield f"seed {options.seed}, brokers {options.brokers}: {error}"
        return
    yield (
        f"seed {options.seed}, brokers {options.brokers}, controllers {options.controllers}, "
        f"clock {options.clock} at {world.timeline.now_us / 1e6:.3f} s; last events:"
    )
    rows = world.journal.since(world.journal.next_seq - ROWS_READ)
    added = cluster._added
    yield from event_lines(story_of(rows, beside_rows(world, added.begun, rows))[-LAST_EVENTS:])
    begun = {row.seq: row.t_us for row in world.journal.since(0) if row.kind == "fault_begins"}
    yield from fault_lines(added.documents(), begun)
    yield from standing_lines(cluster._live.clock.stood.total_s)
