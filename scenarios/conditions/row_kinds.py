"""Which journal rows make a condition true: their kinds, by the words of the condition.

One event of a run can write several rows, such as `lease_expired`, `broker_fenced` and
`partition_changed`.
"""

from collections.abc import Iterator, Mapping, Sequence

from ..language.reading import document_of
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
}


def row_kinds(condition: Condition) -> tuple[str, ...]:
    """Returns with what the kinds of the rows begin that can make the condition true."""
    return tuple(_prefixes(document_of(condition)))


def _prefixes(document: object) -> Iterator[str]:
    if isinstance(document, Mapping):
        for word, value in document.items():
            yield from PREFIXES.get(word, ())
            yield from _prefixes(value)
    elif isinstance(document, Sequence) and not isinstance(document, str):
        for value in document:
            yield from _prefixes(value)
