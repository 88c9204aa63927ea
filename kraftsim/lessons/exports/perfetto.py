"""A run as a trace of Chrome's format, which Perfetto opens: a track for each node.

Journal rows are instants, faults and messages are slices; an arrow joins the two ends of a message.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from ..documents import Film, MessageScene, Story

WORLD: Final = 0  # the track of faults and of the administrator
Event = Mapping[str, object]


def trace_of(story: Story, films: Sequence[Film]) -> dict[str, object]:
    """Returns the trace of a run, from its story and the films of all of it."""
    events = [*_names(story, films), *_rows(story), *_faults(story), *_messages(films)]
    return {"displayTimeUnit": "ms", "traceEvents": events}


def _names(story: Story, films: Sequence[Film]) -> Iterator[Event]:
    yield _name(WORLD, f"{story['scenario']}, seed {story['seed']}")
    for kind, items in (("controller", "controllers"), ("broker", "brokers")):
        seen = {int(key.rstrip("+")) for film in films for key in film["scene"][items]}  # type: ignore[literal-required]  # both are keys of a scene
        for node_id in sorted(seen):
            yield _name(node_id, f"{kind} {node_id}")


def _name(node_id: int, name: str) -> Event:
    return {"ph": "M", "name": "process_name", "pid": node_id, "args": {"name": name}}


def _rows(story: Story) -> Iterator[Event]:
    for event in story["events"]:
        yield {
            "ph": "i",
            "s": "p",
            "name": event["text"],
            "cat": event["kind"],
            "ts": event["atUs"],
            "pid": _node(event["node"]),
            "tid": 1,
            "args": {"seq": event["seq"], "cause": event["causeSeq"]},
        }


def _node(node: str) -> int:
    number = node.rpartition("-")[2]
    return int(number) if number.isdecimal() else WORLD


def _faults(story: Story) -> Iterator[Event]:
    begun = {}
    for event in story["events"]:
        if event["kind"] == "fault_begins":
            begun[event["faultId"]] = event
        elif event["kind"] == "fault_ends" and event["faultId"] in begun:
            begin = begun.pop(event["faultId"])
            yield _slice(begin["text"], "fault", begin["atUs"], event["atUs"], WORLD)
    for begin in begun.values():
        yield _slice(begin["text"], "fault", begin["atUs"], story["endUs"], WORLD)


def _slice(name: str, category: str, from_us: int, to_us: int, node_id: int) -> Event:
    lasts_us = max(1, to_us - from_us)
    return {
        "ph": "X",
        "name": name,
        "cat": category,
        "ts": from_us,
        "dur": lasts_us,
        "pid": node_id,
        "tid": 2,
    }


def _messages(films: Sequence[Film]) -> Iterator[Event]:
    messages = (message for film in films for message in film["messages"])
    for number, message in enumerate(messages, 1):
        end_us = message["endUs"]
        if end_us is None:
            continue
        name = _message_name(message)
        start: Event = {"name": name, "cat": "message", "id": number, "tid": 2}
        yield _slice(name, "message", message["startUs"], end_us, message["sender"])
        if not message["isLost"]:
            yield _slice(name, "arrival", end_us, end_us, message["receiver"])
            yield {**start, "ph": "s", "ts": message["startUs"], "pid": message["sender"]}
            yield {**start, "ph": "f", "bp": "e", "ts": end_us, "pid": message["receiver"]}


def _message_name(message: MessageScene) -> str:
    kind = "response" if message["isReply"] else "request"
    error = f" {message['error']}" if message["error"] else ""
    lost = " (lost)" if message["isLost"] else ""
    return f"{message['api']} {kind}{error}{lost}"
