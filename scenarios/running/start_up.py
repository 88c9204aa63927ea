"""The line about the start-up of a cluster: nodes, leader, topics, and how long it took."""

from collections.abc import Iterator, Sequence

from kraftsim.simulation.event_row import EventRow
from kraftsim.simulation.world import World

START_UP = "start_up"


def start_up_text(world: World, rows: Sequence[EventRow]) -> str:
    """Returns the line about the rows before the timetable begins."""
    return f"start-up: {', '.join(_parts(world, rows))}; {rows[-1].t_us / 1e6:.1f} s"


def start_up_facts(world: World, rows: Sequence[EventRow]) -> dict[str, object]:
    """Returns the facts of the line as fields for programs."""
    return {
        "controllers": list(world.controllers),
        "brokers": _brokers(rows),
        "topics": _topics(rows),
        "endTUs": rows[-1].t_us,
    } | {
        name: value
        for row in rows
        if row.kind == "controller_elected"
        for name, value in (
            ("leaderId", row.detail["leader_id"]),
            ("leaderEpoch", row.leader_epoch),
        )
    }


def _parts(world: World, rows: Sequence[EventRow]) -> Iterator[str]:
    leaders = [row for row in rows if row.kind == "controller_elected"]
    topics = _topics(rows)
    yield _count(len(world.controllers), "controller")
    yield _count(len(_brokers(rows)), "broker")
    for row in leaders[-1:]:
        yield f"leader {row.detail['leader_id']} of epoch {row.leader_epoch}"
    if topics:
        yield f"topic{'' if len(topics) == 1 else 's'} {', '.join(topics)}"


def _brokers(rows: Sequence[EventRow]) -> list[int]:
    return sorted({row.broker_id for row in rows if row.broker_id is not None})


def _topics(rows: Sequence[EventRow]) -> list[str]:
    return [str(row.detail["topic"]) for row in rows if row.kind == "topic_created"]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
