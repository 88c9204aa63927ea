"""Marks in the metadata: a broker that shows a mark has applied what was committed before it."""

from itertools import count
from uuid import uuid4

from tests.differential.replicas.wire import Brokers

DESCRIBE_CONFIGS, INCREMENTAL_ALTER_CONFIGS = 32, 44
CLIENT_METRICS, SET = 16, 0
INTERVAL = "interval.ms"
INTERVALS_FROM_MS = 1_000


class Marks:
    """Values of a configuration that concerns no broker and no topic."""

    def __init__(self, brokers: Brokers) -> None:
        self._brokers = brokers
        self._resource = {"resourceType": CLIENT_METRICS, "resourceName": f"judge-{uuid4()}"}
        self._values = count(INTERVALS_FROM_MS)

    def set(self, asked: int) -> str:
        """Commits a new mark by a request to this broker."""
        mark = str(next(self._values))
        change = {"name": INTERVAL, "configOperation": SET, "value": mark}
        altered = {"resources": [self._resource | {"configs": [change]}], "validateOnly": False}
        self._brokers.ask(asked, INCREMENTAL_ALTER_CONFIGS, 1, altered)
        return mark

    def is_shown(self, broker_id: int, mark: str) -> bool:
        asked = {"resources": [self._resource | {"configurationKeys": [INTERVAL]}]}
        asked |= {"includeSynonyms": False, "includeDocumentation": False}
        (found,) = self._brokers.ask(broker_id, DESCRIBE_CONFIGS, 4, asked)["results"]
        return [config["value"] for config in found["configs"]] == [mark]
