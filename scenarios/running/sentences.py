"""Says what a journal row reports, in a sentence."""

from collections.abc import Iterator, Sequence

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.node_id import broker_node, controller_node
from kraftsim.simulation.event_row import Detail, EventRow

from ..language.durations import seconds_text
from .beside_rows import BesideRows
from .fault_words import fault_words, hit_by
from .names import nodes_text, numbers_text
from .partition_words import partitions_text

BROKERS_MAX = 60  # characters of brokers' ids in a sentence about what happened to several
EPOCHS_MAX = 4


def sentence(rows: Sequence[EventRow], beside: BesideRows) -> str:
    """Returns the sentence about `rows`.

    `rows` is one row, or a group of rows (`story_groups.py`).
    """
    row = rows[0]
    detail = row.detail
    match row.kind:
        case "fault_begins" | "fault_ends":
            return _fault(row, beside)
        case "calm_begins":
            return _calm(detail, beside)
        case "agent_state":
            return f"{_brokers(rows)} {_enters(detail, len(rows))}"
        case "clone_state":
            return f"second process of broker {detail['broker_id']} {_enters(detail)}"
        case "node_state" | "node_reported":
            return _own(row)
        case "controller_state":
            return _controllers(rows)
        case "controller_elected":
            elected = f"controller {detail['leader_id']} is elected leader of epoch"
            return f"{elected} {row.leader_epoch} (votes of {_numbers(detail['granting_voters'])})"
        case "controller_stands":
            return _elections(rows)
        case "controller_resigns":
            return f"{_node(row)} resigns as leader of epoch {row.leader_epoch}"
        case "lease_expired":
            return _leases(rows)
        case "partition_changed":
            changes = beside.changes_of(rows)
            return partitions_text(changes).text if changes else "partition changed"
        case "admin_refused":
            return f"request of the admin is refused: {detail['asked']} returns {detail['error']}"
        case "topic_created" | "topic_deleted":
            return _topic(row, beside)
        case "replicas_deleted" | "replicas_stray" | "records_truncated":
            return _truncated(row) if row.kind == "records_truncated" else _replicas(row)
        case _ if row.broker_id is not None:
            event = row.kind.removeprefix("broker_").replace("_", " ")
            return f"{_brokers(rows)} {'is' if len(rows) == 1 else 'are'} {event}{_epochs(rows)}"
        case kind:
            return kind.replace("_", " ")


def _truncated(row: EventRow) -> str:
    """Returns which records a broker gave up, and how many of them had been committed."""
    first, count = _whole(row.detail["from_offset"]), _whole(row.detail["records"])
    records = f"{count} record{'s' * (count > 1)} from offset {first} on"
    committed = _whole(row.detail["committed"])
    lost = f", of which {committed} had been committed" if committed else ""
    return f"{_node(row)} cuts its log of {row.detail['partition']}: {records} are lost{lost}"


def _replicas(row: EventRow) -> str:
    """Returns what a broker finds on its disk at RECOVERY, which names a bounded number."""
    names, count = row.detail["replicas"], _whole(row.detail["count"])
    assert isinstance(names, list), row
    shown = ", ".join(map(str, names)) + (f" and {count - len(names)} more" * (count > len(names)))
    if row.kind == "replicas_deleted":
        return f"{_node(row)} deletes replicas of deleted topics: {shown}"
    return f"{_node(row)} has stray replicas, which other brokers have: {shown}"


def _fault(row: EventRow, beside: BesideRows) -> str:
    """Returns the verb of the fault, its id if a user gave it, what it hits, and the caption."""
    detail, fault = row.detail, beside.fault_of(row)
    verb = str(detail["verb"])
    is_named = row.fault_id is not None and not row.fault_id.startswith(verb)
    name = f"{verb} [{row.fault_id}]" if is_named else verb
    if row.kind == "fault_ends":
        hit = "" if fault is None else hit_by(fault)
        is_idle = fault is not None and not fault.spared and not fault.effects()
        end = f"<< {name} ends: {hit}" if hit else f"<< {name} ends"
        return f"{end} (no effect)" if is_idle else end
    words = "" if fault is None else fault_words(fault)
    return ": ".join(filter(None, (f">> {name}", words, str(detail.get("say", "")))))


def _calm(detail: Detail, beside: BesideRows) -> str:
    rest = f"; left as before: {_nodes(detail['left'], beside)}" if detail["left"] else ""
    return f"-- calm begins: faults of {_nodes(detail['core'], beside)} are repaired{rest}"


def _nodes(numbers: object, beside: BesideRows) -> str:
    assert isinstance(numbers, list), numbers
    controllers = beside.controllers
    kinds = (controller_node if number in controllers else broker_node for number in numbers)
    return nodes_text([of_kind(number) for of_kind, number in zip(kinds, numbers, strict=True)])


def _controllers(rows: Sequence[EventRow]) -> str:
    nodes = nodes_text([controller_node(_whole(row.detail["controller_id"])) for row in rows])
    detail, are = rows[0].detail, "is" if len(rows) == 1 else "are"
    return f"{nodes} {are} {detail['state']}{_failure(detail)}"


def _failure(detail: Detail) -> str:
    """Returns why a controller or a node of a user has ended, after a colon."""
    failure = detail.get("failure", detail.get("error"))
    return "" if failure is None else f": {failure}"


def _own(row: EventRow) -> str:
    """Returns what a node of a user does: its new state, or the fact that it reports."""
    detail = row.detail
    if row.kind == "node_state":
        return f"node {row.node} {_enters(detail)}{_failure(detail)}"
    texts = [f"{name}={value}" for name, value in detail.items() if name != "fact"]
    return f"node {row.node} reports {detail['fact']}" + f" ({', '.join(texts)})" * bool(texts)


def _enters(detail: Detail, brokers: int = 1) -> str:
    """Returns the new state of brokers; PAUSED is no state of Kafka but a suspended process."""
    if detail["state"] == ProcessState.PAUSED.value:
        return f"{'is' if brokers == 1 else 'are'} PAUSED"
    return f"{'enters' if brokers == 1 else 'enter'} {detail['state']}"


def _brokers(rows: Sequence[EventRow]) -> str:
    """Returns the ids of the rows' brokers, or their number if the ids take too much room."""
    text = nodes_text([broker_node(broker_id) for broker_id in sorted(_broker_ids(rows))])
    return text if len(text) <= BROKERS_MAX else f"{len(rows)} brokers"


def _broker_ids(rows: Sequence[EventRow]) -> Iterator[int]:
    return (row.broker_id for row in rows if row.broker_id is not None)


def _epochs(rows: Sequence[EventRow]) -> str:
    if len(rows) == 1:
        return f" (epoch {rows[0].broker_epoch})"
    epochs = [str(row.broker_epoch) for row in sorted(rows, key=lambda row: row.broker_id or 0)]
    return f" (epochs {', '.join(epochs)})" if len(epochs) <= EPOCHS_MAX else ""


def _leases(rows: Sequence[EventRow]) -> str:
    silent_ms = min(_whole(row.detail["silent_ms"]) for row in rows)
    lease = f"lease{'' if len(rows) == 1 else 's'} of {_brokers(rows)} expired"
    least = "" if len(rows) == 1 else "at least "
    silent = f"no heartbeat for {least}{seconds_text(silent_ms * 1000)}"
    return f"{_node(rows[0])}: {lease}, {silent}"


def _elections(rows: Sequence[EventRow]) -> str:
    if len(rows) == 1:
        return f"{_node(rows[0])} starts an election"
    lasting = seconds_text(rows[-1].t_us - rows[0].t_us)
    return f"{_node(rows[0])} starts {len(rows)} elections in {lasting} and wins none"


def _topic(row: EventRow, beside: BesideRows) -> str:
    topic_id = str(row.detail.get("topic_id", ""))
    name = row.detail.get("topic", beside.topics.get(topic_id, topic_id))
    return f"topic {name} is {row.kind.removeprefix('topic_')}"


def _whole(number: object) -> int:
    assert isinstance(number, int), number
    return number


def _numbers(nodes: object) -> str:
    assert isinstance(nodes, list), nodes
    return numbers_text(nodes)


def _node(row: EventRow) -> str:
    return row.node.replace("-", " ")
