"""Says what a journal row reports, in a sentence."""

from collections.abc import Sequence

from kraftsim.simulation.event_row import Detail, EventRow

from ..language.durations import duration_text


def sentence(rows: Sequence[EventRow]) -> str:
    """Returns the sentence about `rows`: one row, or partition changes at the same time."""
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
