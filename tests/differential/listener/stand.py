"""What one side has given out in a sequence, and the symbols that it resolves.

{"$name": "a"}             the name of topic a in this judgement
{"$topic_id": ["a", -1]}   its newest id; -2 the one before; of an unknown topic an id of no topic
{"$session": -1}           the id of the newest fetch session; 0 if there is none
{"$producer": 0}           the id of the first answer to InitProducerId; 7000 if there is none yet
{"$dir": 0}                the path of the first log directory of the broker
{"$at": -60000}            the time at which the judgement began, less a minute
{"$batches": [...]}        batches, as `batches.py` describes them
"""

import base64
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from kraftsim.controller.core.uuid import ZERO_UUID, uuid_text
from tests.differential.listener.batches import encoded

UNKNOWN_ID = uuid_text(b"an id of no one.")
NO_ID = uuid_text(ZERO_UUID)
UNKNOWN_PRODUCER = 7000
BEFORE_MS, AFTER_MS = 8_000, 120_000  # around the start: times of appending


@dataclass(slots=True)
class Stand:
    """`prefix` begins the names of the topics of this judgement; `dirs` has the broker's paths."""

    prefix: str = ""
    began_ms: int = field(default_factory=lambda: int(time.time() * 1000))
    topic_ids: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    sessions: list[int] = field(default_factory=list)
    producers: list[int] = field(default_factory=list)
    dirs: list[str] = field(default_factory=list)

    def resolve(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self.resolve(item) for item in value]
        if not isinstance(value, dict):
            return value
        document = {name: self.resolve(item) for name, item in value.items()}
        if len(document) == 1:
            ((name, argument),) = document.items()
            if name.startswith("$"):
                return self._symbol(name, argument)
        return document

    def _symbol(self, name: str, argument: Any) -> Any:
        match name:
            case "$name":
                return self.prefix + argument
            case "$topic_id":
                return self._topic_id(*argument)
            case "$session":
                return self.sessions[argument] if self.sessions else 0
            case "$producer":
                known = self.producers
                return known[argument] if argument < len(known) else UNKNOWN_PRODUCER + argument
            case "$dir":
                return self.dirs[argument] if argument < len(self.dirs) else "/unknown"
            case "$at":
                return self.began_ms + argument
            case "$batches":
                return base64.b64encode(encoded(argument)).decode("ascii")
        raise KeyError(name)

    def _topic_id(self, name: str, place: int) -> str:
        if not name:
            return NO_ID
        ids = self.topic_ids.get(self.prefix + name, [])
        return ids[place] if -len(ids) <= place < len(ids) else UNKNOWN_ID

    # Names that are the same on both sides

    def topic_id_name(self, topic_id: str) -> str:
        for name, ids in self.topic_ids.items():
            if topic_id in ids:
                return f"id {ids.index(topic_id)} of {name}"
        return topic_id if topic_id in (NO_ID, UNKNOWN_ID) else "an id"

    def session_name(self, session_id: int) -> object:
        if session_id == 0:
            return 0
        if session_id not in self.sessions:
            self.sessions.append(session_id)
        return f"session {self.sessions.index(session_id)}"

    def producer_name(self, producer_id: int) -> object:
        known = self.producers
        return f"producer {known.index(producer_id)}" if producer_id in known else producer_id

    def time_name(self, time_ms: int) -> object:
        is_now = self.began_ms - BEFORE_MS <= time_ms < self.began_ms + AFTER_MS
        return "a time of appending" if is_now else time_ms
