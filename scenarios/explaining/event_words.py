"""Says what an event of a run was: `controller 3000 appends FenceBroker (offset 15) to a disk`."""

from collections.abc import Iterator, Mapping, Sequence

from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.node_id import NodeId, broker_node, controller_node
from kraftsim.controller.core.uuid import uuid_text
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn
from kraftsim.simulation.message import Exchange, Message

from ..conditions.record_names import RECORDS
from ..running.watch import Event

RECORDS_MAX = 4  # records of a batch that a sentence names
END = "the run ends"


def event_words(event: Event, topics: Mapping[str, str]) -> str:
    """Returns a sentence about the event, an empty text if there is none.

    `topics` has the names of topics by their ids in hexadecimal digits.
    """
    match event:
        case Event("finished"):
            return END
        case Event(_, (Node() as node, Turn() as turn)):
            return f"{controller_node(node.config.node_id)} {_step(node, turn)}"
        case Event(_, (int(number), Batch() as batch)):
            return f"{controller_node(number)} learns that {_records([batch])} is committed"
        case Event("sent", (NodeId() as sender, request)):
            return f"{sender} sends {name_of(request)}"
        case Event(hook, (Message() as message,)):
            return f"{_message(message)} {'is lost or held' if hook == 'stopped' else 'arrives'}"
        case Event("controller_changed", (int(number), state)):
            return f"{controller_node(number)} is {state}"
        case Event("broker_changed", (int(number), state)):
            return f"{broker_node(number)} enters {state}"
        case Event("restarted", (int(number),)):
            return f"{controller_node(number)} starts with what its disk has"
        case Event("read", (record, int(offset))):
            return f"{record_name(record)} (offset {offset}) is committed"
        case Event("done", (Batch() as batch, _)):
            return f"{_records([batch])} is committed"
        case Event("asked", (Exchange() as exchange,)):
            return f"a client sends {name_of(exchange.request)} to broker {exchange.broker_id}"
        case Event("exchanged", (Exchange() as exchange,)):
            return f"broker {exchange.broker_id} answers {name_of(exchange.request)} of a client"
        case Event("partition_changed" | "partition_settled", ((_, bytes(topic_id), number), *_)):
            topic = topics.get(topic_id.hex(), uuid_text(topic_id))
            return f"a committed record changes {topic}-{number}"
        case _:
            return ""


def nodes_of(event: Event) -> Iterator[NodeId]:
    """Yields the nodes of an event: the receiver of a message before its sender."""
    match event:
        case Event(_, (Node() as node, Turn())):
            yield controller_node(node.config.node_id)
        case Event(_, (Message() as message,)):
            yield from (message.receiver, message.sender)
        case Event(_, (Exchange() as exchange,)):
            yield broker_node(exchange.broker_id)
        case Event(_, (NodeId() as sender, _)):
            yield sender
        case Event("broker_changed", (int(number), _)):
            yield broker_node(number)
        case Event("controller_changed" | "restarted" | "committed", (int(number), *_)):
            yield controller_node(number)


def _step(node: Node, turn: Turn) -> str:
    """Returns what a step does, first to its disk and then to others."""
    parts: list[str] = []
    if turn.election is not None:
        voted = turn.election.voted
        vote = "" if voted is None else f" and a vote for {voted.node_id}"
        parts.append(f"writes epoch {turn.election.epoch}{vote} to its disk")
    if turn.truncate_to is not None:
        parts.append(f"cuts the log on its disk at offset {turn.truncate_to}")
    if turn.snapshot is not None:
        parts.append(
            f"writes a snapshot up to offset {turn.snapshot.snapshot_id.end_offset} to its disk"
        )
    if turn.persist:
        parts.append(f"appends {_records(turn.persist)} to its disk")
    if turn.committed:
        parts.append(f"commits {_records(turn.committed)}")
    parts += [f"answers {name}" for name in dict.fromkeys(name_of(r) for _, r in turn.replies)]
    parts += [f"sends {name_of(send.request)} to {send.peer_id}" for send in turn.sends]
    role = type(node.quorum.role).__name__.lower()
    return ", ".join(parts) or f"is {role} of epoch {node.quorum.epoch}"


def _records(batches: Sequence[Batch]) -> str:
    """Returns the names of the last records of the batches, and all offsets."""
    records = [record for batch in batches for record in batch.records]
    names = [record_name(record) for record in records[-RECORDS_MAX:]]
    more = f"{len(records) - len(names)} records and " if len(records) > len(names) else ""
    first, last = batches[0].base_offset, batches[-1].base_offset + len(batches[-1].records) - 1
    offsets = f"offset {last}" if first == last else f"offsets {first}-{last}"
    return f"{more}{', '.join(names)} ({offsets})"


def record_name(record: object) -> str:
    """Returns the name of a record; changes of registrations have names of their own."""
    names: Sequence[str] = [name for name, matches in RECORDS.items() if matches(record)]
    return names[-1] if names else type(record).__name__


def name_of(message: object) -> str:
    """Returns Kafka's name of a request or a response, without these words."""
    return type(message).__name__.removesuffix("Request").removesuffix("Response")


def _message(message: Message) -> str:
    name = name_of(message.request)
    if message.is_reply:
        return f"the reply to {name}, from {message.sender} to {message.receiver},"
    return f"{name} of {message.sender} to {message.receiver}"
