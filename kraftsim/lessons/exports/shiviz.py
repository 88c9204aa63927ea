"""A run as a log for ShiViz: each event with its node and its vector clock.

The first line is the regular expression that ShiViz needs; each event then has two lines. Rows of
the journal and both ends of each message that arrived are events of their nodes.
"""

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..documents import Film, MessageScene, Story

PARSER = r"(?<host>\S*) (?<clock>{.*})\n(?<event>.*)"


class _Event(NamedTuple):
    """An event in the order of time; of one instant arrivals are first, then rows, then sends."""

    at_us: int
    order: int
    number: int
    node: str
    text: str
    message: int  # -1: a row


def log_of(story: Story, films: Sequence[Film]) -> Iterator[str]:
    """Yields the lines of the log."""
    yield PARSER
    yield ""
    clocks: dict[str, dict[str, int]] = {}
    sent: dict[int, dict[str, int]] = {}
    for event in sorted(_events(story, films)):
        clock = clocks.setdefault(event.node, {})
        for node, count in sent.get(event.message, {}).items() if event.order == 0 else ():
            clock[node] = max(clock.get(node, 0), count)
        clock[event.node] = clock.get(event.node, 0) + 1
        if event.order == 2:
            sent[event.message] = dict(clock)
        yield f"{event.node} {json.dumps(clock)}"
        yield event.text


def _events(story: Story, films: Sequence[Film]) -> Iterator[_Event]:
    for row in story["events"]:
        yield _Event(row["atUs"], 1, row["seq"], row["node"], row["text"], -1)
    names = _names(films)
    messages = (message for film in films for message in film["messages"])
    for number, message in enumerate(messages):
        sender, receiver = names.get(message["sender"]), names.get(message["receiver"])
        end_us = message["endUs"]
        if sender is None or receiver is None or end_us is None or message["isLost"]:
            continue
        name = _name(message)
        text = f"{name} to {receiver}"
        yield _Event(message["startUs"], 2, number, sender, text, number)
        # an arrival in the same microsecond is still after the send
        arrived_us = max(end_us, message["startUs"] + 1)
        yield _Event(arrived_us, 0, number, receiver, f"{name} from {sender}", number)


def _names(films: Sequence[Film]) -> dict[int, str]:
    found = {-1: "client"}
    for film in films:
        found |= {int(key): f"controller-{key}" for key in film["scene"]["controllers"]}
        found |= {
            int(key.rstrip("+")): f"broker-{key.rstrip('+')}" for key in film["scene"]["brokers"]
        }
    return found


def _name(message: MessageScene) -> str:
    return f"{message['api']} {'response' if message['isReply'] else 'request'}"
