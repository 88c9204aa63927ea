"""Which journal rows make a condition true: their kinds and states, by its words.

One event of a run can write several rows, such as `lease_expired`, `broker_fenced` and
`partition_changed`.
"""

from collections.abc import Iterator, Mapping, Sequence

from ..language.reading import document_of
from ..stage.stage import RowWords
from .condition import Condition

BROKERS = ("broker_", "agent_state", "clone_state")
TOPICS = ("partition_", "topic_")
CONTROLLERS = ("controller_",)
# the begins of the kinds of rows, by the word of a condition
PREFIXES: Mapping[str, tuple[str, ...]] = {
    "broker": BROKERS,
    "fenced_at_least": BROKERS,
    "topic": TOPICS,
    "record": (*BROKERS, *TOPICS),
    "controller": CONTROLLERS,
    "replica": CONTROLLERS,
    "leaderless": CONTROLLERS,
    "refused": ("admin_refused",),
    "node": ("node_state",),
    "reported": ("node_reported",),
}


# the kind of the row that reports a record, by the record's name
OF_RECORDS: Mapping[str, str] = {
    "FenceBroker": "broker_fenced",
    "InControlledShutdown": "broker_in_controlled_shutdown",
    "LeaderChange": "controller_elected",
    "PartitionChange": "partition_changed",
    "RegisterBroker": "broker_registered",
    "UnfenceBroker": "broker_unfenced",
    "UnregisterBroker": "broker_unregistered",
}


def row_words(condition: Condition) -> RowWords:
    """Returns what the rows that can make the condition true have in common."""
    document = document_of(condition)
    return RowWords(tuple(_prefixes(document)), tuple(_exact(document)))


def _exact(document: object) -> Iterator[str]:
    """Yields the states and the kinds of rows that the words of a condition name."""
    if isinstance(document, Mapping):
        state, record = document.get("state"), document.get("record")
        if isinstance(state, str):
            yield from (state, f"broker_{state}")
        if isinstance(record, str) and record in OF_RECORDS:
            yield OF_RECORDS[record]
        for value in document.values():
            yield from _exact(value)
    elif isinstance(document, Sequence) and not isinstance(document, str):
        for value in document:
            yield from _exact(value)


def _prefixes(document: object) -> Iterator[str]:
    if isinstance(document, Mapping):
        for word, value in document.items():
            yield from PREFIXES.get(word, ())
            yield from _prefixes(value)
    elif isinstance(document, Sequence) and not isinstance(document, str):
        for value in document:
            yield from _prefixes(value)
