"""Spells a reply so that two brokers that behave alike give the same.

Masked are addresses, sizes of disks, times of appending, and how long a client is throttled; log
directories, and ids of topics, sessions and producers get the names of `Stand`. Elements are sorted
where Kafka's maps have no order.
"""

import base64
import re
from typing import Any

from tests.differential.listener.batches import decoded, decompressed
from tests.differential.listener.stand import Stand

FETCH, INIT_PRODUCER_ID = 1, 22
OF_ONE_CLUSTER = ("host", "port", "clusterId", "controllerId", "totalBytes", "usableBytes")
TIMES = ("logAppendTimeMs", "timestamp", "lastTimestamp", "baseTimestamp", "maxTimestamp")
TEXTS = ("errorMessage", "batchIndexErrorMessage")
THROTTLE_TIME = "throttleTimeMs"
NOT_ANSWERED = {"connection": "closed"}
SILENT = {"connection": "open, no reply"}


def reply(key: int, document: dict[str, Any], stand: Stand, *, converts: bool) -> dict[str, Any]:
    """`converts`: a topic has a codec of its own, so that the broker compresses batches anew."""
    if key == INIT_PRODUCER_ID and document["producerId"] not in (-1, None):
        stand.producers.append(int(str(document["producerId"])))
    spelled: dict[str, Any] = _Spelling(stand, converts, is_ordered=key == FETCH).spell(document)
    return spelled


class _Spelling:
    def __init__(self, stand: Stand, converts: bool, is_ordered: bool) -> None:
        self._stand = stand
        self._converts = converts
        self._is_ordered = is_ordered

    def spell(self, value: Any, name: str = "") -> Any:
        if isinstance(value, list):
            found = [self.spell(item, name) for item in value]
            return found if self._is_ordered else sorted(found, key=repr)
        if isinstance(value, dict):
            return {below: self.spell(item, below) for below, item in value.items()}
        return self._value(name, value)

    def _value(self, name: str, value: Any) -> Any:
        if value is None:
            return None
        if name in OF_ONE_CLUSTER or (name == "partitionSize" and self._converts):
            return "..."
        if name in TIMES:
            return self._stand.time_name(value)
        if name in TEXTS:
            return re.sub(r"within \[[^]]*\]", "within the bounds", value)
        if name == THROTTLE_TIME:
            return "a time" if value else 0
        match name:
            case "logDir":
                return f"directory {self._stand.dirs.index(value)}"
            case "topicId":
                return self._stand.topic_id_name(value)
            case "sessionId":
                return self._stand.session_name(value)
            case "producerId":
                return self._stand.producer_name(value)
            case "records":
                return [self._batch(batch) for batch in decoded(base64.b64decode(value))]
        return value

    def _batch(self, batch: dict[str, Any]) -> dict[str, Any]:
        if self._converts and "payload" in batch:
            batch = batch | {"payload": decompressed(batch)}
        return {name: self._value(name, value) for name, value in batch.items()}
