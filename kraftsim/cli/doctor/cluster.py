"""Checks of a running cluster, over HTTP: leader, brokers, clock, faults and lost messages."""

from collections.abc import Callable, Iterator

from kraftsim.controller.wire.json.document import Document

from ...errors import CommandError, Unreachable
from ...http.client import call
from ...operations.clock import SHOW_CLOCK
from ...operations.faults import LIST_FAULTS
from ...operations.operation import Operation
from ...operations.snapshots import LIST_SNAPSHOTS
from ...operations.table import LIST_BROKERS, LIST_CONTROLLERS, SHOW_CLUSTER
from .finding import Finding, fail, ok, warn

SHOWN_MAX = 5  # ids in a line

Rows = list[Document]


def check_cluster(url: str, *, is_expected: bool) -> Iterator[Finding]:
    """Yields the findings about the cluster at `url`, or that no service answers there.

    With `is_expected` the user has named the address, and a service must answer.
    """
    try:
        cluster = call(url, SHOW_CLUSTER.method, SHOW_CLUSTER.path, {})
    except Unreachable as error:
        judge = fail if is_expected else warn
        yield judge("service", f"no service answers at {url}", _remedy_of(error))
        return
    except CommandError as error:
        yield fail("service", f"{url}: {error}", "set KRAFTSIM_TOKEN to the token that `up` prints")
        return
    yield ok("service", f"{url} answers: cluster {cluster['clusterId']}, {cluster['profile']}")
    for check, findings_of in CHECKS.items():
        try:
            yield from findings_of(url)
        except CommandError as error:
            yield warn(check, f"not visible: {error}", f"look with another address than {url}")


def _remedy_of(error: Unreachable) -> str:
    return str(error).rpartition("): ")[2]


def _rows(url: str, operation: Operation, key: str) -> Rows:
    """Returns all rows of a list, page by page."""
    found: Rows = []
    start: object = None
    while True:
        page = call(url, operation.method, operation.path, {"from": start} if start else {})
        rows = page[key]
        assert isinstance(rows, list), page
        found += rows
        start = page.get("next")
        if start is None:
            return found


def _controllers(url: str) -> Iterator[Finding]:
    """Every running controller must know the same leader in the same epoch."""
    rows = _rows(url, LIST_CONTROLLERS, "controllers")
    running = [row for row in rows if row["state"] == "RUNNING"]
    beliefs = {(row["leaderId"], row["epoch"]) for row in running}
    if not any(row["active"] for row in running):
        yield fail(
            "controllers",
            f"no active controller: {len(running)} of {len(rows)} are running",
            "`kraftsim controller list` shows them; `kraftsim controller start ID` starts one",
        )
    elif len(beliefs) > 1:
        yield warn(
            "controllers",
            "they do not agree on the leader: "
            + ", ".join(f"{row['nodeId']} knows {row['leaderId']}" for row in running),
            "`kraftsim wait --leader any` waits for an election",
        )
    else:
        ((leader, epoch),) = beliefs
        yield ok("controllers", f"{len(running)} agree on leader {leader} of epoch {epoch}")
    if down := [row["nodeId"] for row in rows if row["state"] != "RUNNING"]:
        remedy = "`kraftsim controller start ID`, or `resume ID` if it is paused"
        yield warn("controllers", f"not running: {_ids(down)}", remedy)


def _brokers(url: str) -> Iterator[Finding]:
    """Brokers that serve clients are registered and unfenced."""
    rows = _rows(url, LIST_BROKERS, "brokers")
    fenced = [row["brokerId"] for row in rows if row.get("fenced")]
    absent = [row["brokerId"] for row in rows if not row["registered"]]
    remedy = "`kraftsim broker show ID` shows why; `kraftsim broker restart ID` starts it again"
    if rows and len(fenced) + len(absent) == len(rows):
        yield fail("brokers", f"none of {len(rows)} is unfenced", remedy)
    elif fenced or absent:
        yield warn("brokers", f"fenced or not registered: {_ids(fenced + absent)}", remedy)
    else:
        yield ok("brokers", f"{len(rows)} are unfenced")
    leaderless = call(url, SHOW_CLUSTER.method, SHOW_CLUSTER.path, {})["leaderlessPartitions"]
    if leaderless:
        remedy = "`kraftsim topic list` shows their replicas: start the brokers of their ISR"
        yield warn("partitions", f"{leaderless} without a leader", remedy)


def _clients(url: str) -> Iterator[Finding]:
    """A client whose request a listener does not have loses its connection without a reason."""
    cluster = call(url, SHOW_CLUSTER.method, SHOW_CLUSTER.path, {})
    refused = cluster["refusedVersions"]
    assert isinstance(refused, list), cluster
    for row in refused[:SHOWN_MAX]:
        client = f"client {row['clientId']!r}" if row["clientId"] else "a client without an id"
        yield warn(
            "clients",
            f"{client} at {row['clientAddress']} sent {row['api']} version {row['version']} to "
            f"{row['listener']}, which does not have it ({row['count']} requests)",
            "send it to a listener that has it, or start the cluster with the --profile of a "
            "release that has it: `kraftsim up --help`",
        )


def _clock(url: str) -> Iterator[Finding]:
    """A clock that stands while a call waits for time to pass makes the call wait for ever."""
    clock = call(url, SHOW_CLOCK.method, SHOW_CLOCK.path, {})
    waiters = clock["waiters"]
    assert isinstance(waiters, list), clock
    if clock["standsStill"] is None:
        yield ok("clock", f"{clock['clock']}, {clock['speed']:g} times as fast as real time")
    elif not waiters:
        found = f"{clock['clock']}, stands and no call waits for it"
        yield ok("clock", found, str(clock["standsStill"]))
    else:
        found = f"stands while {len(waiters)} wait for it: {waiters[0]['waitsFor']}"
        yield fail("clock", found, str(clock["standsStill"]))


def _faults(url: str) -> Iterator[Finding]:
    """A fault that nobody removed explains most surprises."""
    faults = [row for row in _rows(url, LIST_FAULTS, "faults") if row["open"]]
    if faults:
        names = ", ".join(f"{row['id']} {row['verb']}" for row in faults[:SHOWN_MAX])
        remedy = "`kraftsim fault remove ID` ends one"
        yield warn("faults", f"{len(faults)} open: {names}", remedy)
    else:
        yield ok("faults", "none is open")


def _messages(url: str) -> Iterator[Finding]:
    """A producer with acks=0 takes its messages for written, although they are lost."""
    cluster = call(url, SHOW_CLUSTER.method, SHOW_CLUSTER.path, {})
    lost, refused = cluster["produceRequestsLost"], cluster["dataPlaneRequestsRefused"]
    if lost:
        yield warn(
            "messages",
            f"{lost} Produce requests with acks=0 were refused, and their clients report success",
            "let the producers wait for acks, and read why the broker refuses them",
        )
    elif refused:
        found = f"{refused} requests of groups or transactions were refused"
        yield ok("messages", found, "kraftsim has neither; attach a broker of Kafka")
    else:
        yield ok("messages", "no request about groups or transactions was refused")


def _snapshots(url: str) -> Iterator[Finding]:
    """Names the snapshots to which the cluster can go back."""
    names = [str(row["name"]) for row in _rows(url, LIST_SNAPSHOTS, "snapshots")]
    if names:
        yield ok("snapshots", ", ".join(names[:SHOWN_MAX]), "`kraftsim snapshot restore NAME`")
    else:
        yield ok("snapshots", "none is saved", "`kraftsim snapshot save NAME` on a virtual clock")


def _ids(ids: list[object]) -> str:
    more = f" and {len(ids) - SHOWN_MAX} more" if len(ids) > SHOWN_MAX else ""
    return ", ".join(map(str, ids[:SHOWN_MAX])) + more


CHECKS: dict[str, Callable[[str], Iterator[Finding]]] = {
    "controllers": _controllers,
    "brokers": _brokers,
    "clients": _clients,
    "clock": _clock,
    "faults": _faults,
    "messages": _messages,
    "snapshots": _snapshots,
}
