"""The clusters of `kraft_proc`: one process for each set of options that tests request."""

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest

from ..cli.journal_verbs import event_line
from ..errors import CommandError
from ..service.clock.standing_time import standing_lines
from .aimed_faults import fault_lines
from .keys import PROCESSES, SEED
from .process_cluster import ProcessCluster, adopted, process_cluster
from .requested import DEFAULTS, marked_options, options_key, refuse, requested_options

# arguments of the marker that `kraftsim up` has as options, beside the seed
OPTIONS = (
    "brokers",
    "controllers",
    "clock",
    "profile",
    "profiles",
    "metadata_version",
    "cluster_id",
    "racks",
    "log_dirs",
    "retention_bytes",
)
ADOPTED = ("brokers", "controllers")  # of a cluster that runs already; they are compared
IN_PROCESS = {"kraft", "kraft_sync", "kraft_factory"}  # fixtures for which the marker may be, too
PAGE = 10_000  # events


class Processes:
    """The processes of a session. A cluster at KRAFTSIM_HTTP is adopted, and never ended."""

    def __init__(self, ending: ExitStack, folders: pytest.TempPathFactory) -> None:
        self._ending, self._folders = ending, folders
        self._clusters: dict[str, ProcessCluster] = {}
        self._adopted = adopted() if os.environ.get("KRAFTSIM_HTTP") else None

    def lend(self, test: pytest.Item) -> ProcessCluster:
        """Returns the cluster that the test's marker describes, reset to the seed of the test.

        Fails the test if the marker has an argument that a process does not take.
        """
        options = _options(test)
        running = self._started(options) if self._adopted is None else self._adopted
        cluster = running.after_reset(test.stash[SEED])
        if self._adopted is not None:
            _compare(cluster, marked_options(test))
        test.stash[PROCESSES] = [cluster]
        return cluster

    def _started(self, options: Mapping[str, Any]) -> ProcessCluster:
        key = options_key(options)
        if key not in self._clusters:
            log = self._folders.mktemp("kraftsim") / "up.log"
            context = process_cluster(log, *_words(options))
            self._clusters[key] = self._ending.enter_context(context)
        return self._clusters[key]


@contextmanager
def processes(folders: pytest.TempPathFactory) -> Iterator[Processes]:
    """Returns the processes of a session; ends them when the block ends."""
    with ExitStack() as ending:
        yield Processes(ending, folders)


def _options(test: pytest.Item) -> dict[str, Any]:
    """Returns the options of the process; fails the test if one is unknown or has no effect."""
    requested = requested_options(test)
    for name in marked_options(test):
        if name not in (*OPTIONS, "seed") and not IN_PROCESS & {*_fixtures(test)}:
            refuse(f"{name}: kraft_proc takes seed, {', '.join(OPTIONS)}; kraft_sync takes {name}")
    return {name: value for name, value in requested.items() if name in OPTIONS}


def _fixtures(test: pytest.Item) -> list[str]:
    names: list[str] = getattr(test, "fixturenames", [])
    return names


def _words(options: Mapping[str, Any]) -> Iterator[str]:
    """Yields the options of `kraftsim up`."""
    for name, value in options.items():
        if name == "racks":
            for rack in value:
                yield from ("--rack", str(rack))
        elif name == "profiles":
            for node_id, profile in (value or {}).items():
                yield from ("--profiles", f"{node_id}={profile}")
        elif value is not None:
            yield from (f"--{name.replace('_', '-')}", str(value))


def _compare(cluster: ProcessCluster, marked: Mapping[str, Any]) -> None:
    """Fails the test if its marker describes another cluster than the adopted one."""
    for name in marked:
        if name in OPTIONS and name not in ADOPTED and marked[name] != DEFAULTS.get(name):
            refuse(f"{name}: the cluster at KRAFTSIM_HTTP runs already: start it with that option")
    for name in ADOPTED:
        found = len(getattr(cluster, name).list()[name])
        if marked.get(name, found) != found:
            refuse(
                f"{name}: expected {marked[name]}, got {found} from the cluster at KRAFTSIM_HTTP: "
                f"start it with --{name} {marked[name]}"
            )


def process_lines(test: pytest.Item, cluster: ProcessCluster, count: int) -> Iterator[str]:
    """Yields the seed, the address, the last `count` events and the faults for a report."""
    try:
        events: list[Any] = []
        while page := cluster.events.list(from_=events[-1]["seq"] + 1 if events else 0, limit=PAGE):
            if not page["events"]:
                break
            events += page["events"]
        cluster_id, faults = cluster.cluster_id, cluster.faults.list()["faults"]
        stood_ms = cluster.clock.show()["stoodStillMs"]
    except CommandError as error:
        yield f"seed {test.stash[SEED]}, process at {cluster.http_url}: {error}"
        return
    yield (
        f"seed {test.stash[SEED]}, process at {cluster.http_url}, cluster {cluster_id}; "
        "last events:"
    )
    yield from (event_line(event, utc=True) for event in events[-count:])
    yield from fault_lines(faults, {event["seq"]: event["tUs"] for event in events})
    yield from standing_lines(stood_ms / 1000)
