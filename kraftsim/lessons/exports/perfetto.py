"""A run as a trace of Chrome's format, which Perfetto opens: a process for each node.

Journal rows are instants, faults and messages are slices; an arrow joins the two ends of a message.
"""

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Final

from ..documents import Film, MessageScene, Story

WORLD: Final = 0  # the process of faults and of the administrator
ROWS: Final = 1  # the tracks of a node: rows of the journal, arrivals, then what lasts
ARRIVALS: Final = 2
SLICES: Final = 3
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
            "tid": ROWS,
            "args": {"seq": event["seq"], "cause": event["causeSeq"]},
        }


def _node(node: str) -> int:
    number = node.rpartition("-")[2]
    return int(number) if number.isdecimal() else WORLD


class _Lanes:
    """The tracks of each node on which slices lie: two of one track never overlap in part.

    Perfetto drops a slice that ends after the slice in which it begins.
    """

    def __init__(self) -> None:
        self._free_us: dict[int, list[int]] = {}

    def track(self, node_id: int, from_us: int, to_us: int) -> int:
        """Returns the track of a slice; slices of a node come in the order of their begin."""
        free_us = self._free_us.setdefault(node_id, [])
        lane = next((lane for lane, free in enumerate(free_us) if free <= from_us), len(free_us))
        free_us[lane : lane + 1] = [to_us]
        return SLICES + lane


def _faults(story: Story) -> Iterator[Event]:
    ends_us = {
        event["faultId"]: event["atUs"]
        for event in story["events"]
        if event["kind"] == "fault_ends"
    }
    lanes = _Lanes()
    for event in story["events"]:
        if event["kind"] == "fault_begins":
            end_us = ends_us.get(event["faultId"], story["endUs"])
            track = lanes.track(WORLD, event["atUs"], _end_us(event["atUs"], end_us))
            yield _slice(event["text"], "fault", event["atUs"], end_us, WORLD, track)


def _end_us(from_us: int, to_us: int) -> int:
    """Returns the end of a slice, which takes a microsecond at least."""
    return max(to_us, from_us + 1)


def _slice(name: str, category: str, from_us: int, to_us: int, node_id: int, track: int) -> Event:
    return {
        "ph": "X",
        "name": name,
        "cat": category,
        "ts": from_us,
        "dur": _end_us(from_us, to_us) - from_us,
        "pid": node_id,
        "tid": track,
    }


def _messages(films: Sequence[Film]) -> Iterator[Event]:
    messages = [message for film in films for message in film["messages"]]
    lanes = _Lanes()
    for number, message in enumerate(sorted(messages, key=itemgetter("startUs")), 1):
        sender, receiver, start_us = message["sender"], message["receiver"], message["startUs"]
        end_us = message["endUs"]
        if end_us is None:
            continue
        name = _message_name(message)
        track = lanes.track(sender, start_us, _end_us(start_us, end_us))
        yield _slice(name, "message", start_us, end_us, sender, track)
        if not message["isLost"]:
            flow: Event = {"name": name, "cat": "message", "id": number}
            yield _slice(name, "arrival", end_us, end_us, receiver, ARRIVALS)
            yield {**flow, "ph": "s", "ts": start_us, "pid": sender, "tid": track}
            yield {**flow, "ph": "f", "bp": "e", "ts": end_us, "pid": receiver, "tid": ARRIVALS}


def _message_name(message: MessageScene) -> str:
    kind = "response" if message["isReply"] else "request"
    error = f" {message['error']}" if message["error"] else ""
    lost = " (lost)" if message["isLost"] else ""
    return f"{message['api']} {kind}{error}{lost}"
