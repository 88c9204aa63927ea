"""Narrates a run: what happened, in sentences with their times.

Changes of several partitions at the same time become one sentence.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from shlex import quote

from kraftsim.scenarios.document.scenario import Scenario
from kraftsim.scenarios.language.durations import duration_text
from kraftsim.scenarios.running.explain import chain
from kraftsim.scenarios.running.run import Result
from kraftsim.simulation.event_row import Detail, EventRow

from ...errors import CommandError

LAST_EVENTS = 6  # printed events before the first violation of a failed run
LINES_MAX = 200  # of a story, by default


def story(
    scenario: Scenario,
    result: Result,
    *,
    called: str,
    is_small: bool = False,
    lines_max: int = LINES_MAX,
) -> Iterator[str]:
    """Yields the lines of a story: the claim, the first `lines_max` events, and the verdict."""
    yield f"{scenario.title or scenario.name} (seed {result.seed})"
    yield f"Claim: {' '.join(scenario.claim.split())}"
    yield ""
    lines = list(_lines(result.rows, {caption.on: caption.say for caption in scenario.lesson}))
    yield from lines[:lines_max]
    if len(lines) > lines_max:
        yield f"          ... {len(lines) - lines_max} more lines; --lines {len(lines)} prints all"
    yield ""
    yield from verdict(result, called=called, is_small=is_small)


def verdict(result: Result, *, called: str, is_small: bool = False) -> Iterator[str]:
    """Yields the lines of the verdict and the command that repeats the run.

    The command names the scenario as `called`, and has --smoke if `is_small`.
    """
    cell = f"  {', '.join(result.cell)}" if result.cell else ""
    yield (
        f"{result.verdict.upper()}  {result.scenario}{cell}  seed {result.seed}  {result.digest}  "
        f"{result.events} events in {result.virtual_us / 1e6:.1f} virtual seconds"
    )
    violations = sorted(result.violations, key=lambda violation: violation.t_us)
    for violation in violations:
        number = "" if violation.number in ("-", violation.name) else f"{violation.number} "
        at = f"{violation.t_us / 1e6:.3f} s"
        yield f"  broken at {at}: {number}{violation.name}: {violation.what}"
    if violations and result.verdict == "fail":
        yield from _last_events(result.rows, violations[0].t_us)
    yield from (f"  measured: {measured}" for measured in result.measured)
    if result.verdict != "pass":
        yield from (f"  vacuous: {name}" for name in result.vacuous)
        yield f"  repeat: {_command(result, called, is_small)}"


def _last_events(rows: Sequence[EventRow], until_us: int) -> Iterator[str]:
    """Yields the last events before the first violation."""
    until = [row for row in rows if row.t_us <= until_us]
    lines = list(_lines(until, {}))[-LAST_EVENTS:]
    yield from (f"  before:{line}" for line in lines)


def _command(result: Result, called: str, is_small: bool) -> str:
    cells = [f"--sweep {quote(name)}" for name in result.cell]  # --cell needs a sweep in the file
    options = [*cells, "--seed", str(result.seed), *(["--smoke"] if is_small else [])]
    return " ".join(["kraftsim scenario run", quote(called), *options])


def explanation(rows: Sequence[EventRow], seq: int) -> list[str]:
    """Returns the causes of event `seq` in order, the first cause first, one line per row.

    Raises CommandError if the journal does not have the event.
    """
    try:
        causes = chain(rows, seq)
    except KeyError:
        numbers = f"{rows[0].seq} to {rows[-1].seq}" if rows else "none"
        raise CommandError(
            f"no event {seq}: expected a number of an event in the journal ({numbers})"
        ) from None
    return [f"{row.t_us / 1e6:9.3f} s  {_sentence([row])}" for row in causes]


def _lines(rows: Sequence[EventRow], captions: dict[str, str]) -> Iterator[str]:
    """Yields a line per event, and each caption once after its first event; empties `captions`."""
    for (t_us, kind, *_), together in groupby(rows, key=_grouping_key):
        text = _sentence(list(together))
        if text:
            yield f"{t_us / 1e6:9.3f} s  {text}"
        if kind in captions:
            yield f"{'':13}({captions.pop(kind)})"


def _grouping_key(row: EventRow) -> tuple[int, str, str, int | None]:
    """Returns the key by which rows are grouped.

    Consecutive rows with the same key become one sentence.
    """
    apart = row.seq if row.kind != "partition_changed" else None
    return row.t_us, row.kind, row.node, apart


def _sentence(rows: Sequence[EventRow]) -> str:
    row = rows[0]
    detail = row.detail
    match row.kind:
        case "fault_begins" if "say" in detail:
            return f">> {detail['verb']}: {detail['say']}"
        case "fault_begins":
            return f">> {detail['verb']}"
        case "fault_ends":
            return f"<< {detail['verb']} ends"
        case "calm_begins":
            return _calm(detail)
        case "agent_state":
            return f"broker {row.broker_id} is {detail['state']}"
        case "controller_state":
            failure = f": {detail['failure']}" if "failure" in detail else ""
            return f"{_node(row)} is {detail['state']}{failure}"
        case "controller_elected":
            voters = _ids(detail["granting_voters"])
            leads = f"controller {detail['leader_id']} leads epoch {row.leader_epoch}"
            return f"{leads}, elected by {voters}"
        case "controller_stands":
            return f"{_node(row)} starts an election"
        case "controller_resigns":
            return f"{_node(row)} resigns leadership of epoch {row.leader_epoch}"
        case "lease_expired":
            silent = duration_text(_whole(detail["silent_ms"]) * 1000)
            lease = f"lease of broker {row.broker_id} expired"
            return f"{_node(row)}: {lease}, no heartbeat for {silent}"
        case "partition_changed":
            return _partitions(rows)
        case "admin_refused":
            return f"request of the admin refused: {detail['asked']} returns {detail['error']}"
        case "topic_created" | "topic_deleted":
            return f"{row.kind.replace('_', ' ')}: {detail.get('topic', detail.get('topic_id'))}"
        case _ if row.broker_id is not None:
            event = row.kind.removeprefix("broker_").replace("_", " ")
            return f"committed: broker {row.broker_id} {event} (epoch {row.broker_epoch})"
        case kind:
            return kind.replace("_", " ")


def _calm(detail: Detail) -> str:
    rest = f"; not repaired: {_ids(detail['left'])}" if detail["left"] else ""
    return f"-- calm begins: faults of {_ids(detail['core'])} are repaired{rest}"


def _partitions(rows: Sequence[EventRow]) -> str:
    moved = sum("leader" in row.detail for row in rows)
    leaderless = sum(row.detail.get("leader") == -1 for row in rows)
    sentence = f"{_count(len(rows), 'partition')} changed"
    if moved > leaderless:
        sentence += f", {_count(moved - leaderless, 'new leader')}"
    return sentence + (f", {leaderless} without a leader" if leaderless else "")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _whole(number: object) -> int:
    assert isinstance(number, int), number
    return number


def _ids(nodes: object) -> str:
    assert isinstance(nodes, list), nodes
    return ", ".join(map(str, nodes))


def _node(row: EventRow) -> str:
    return row.node.replace("-", " ")
