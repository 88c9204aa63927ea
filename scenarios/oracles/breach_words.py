"""Says in words what a property found: facts, records, requests, ids.

A text names topics by their ids until `with_topics` replaces these by names.
"""

from collections.abc import Iterator, Mapping, Set
from dataclasses import fields, is_dataclass
from enum import Enum

from kraftsim.controller.core.node_id import NodeId
from kraftsim.controller.core.uuid import uuid_text

UUID_BYTES = 16
ITEMS_MAX = 8  # of a list; more are counted
DAY_MS = 86_400_000
TEXT_MAX = 400  # characters of a record, a request or a reply
NO_NODE = -1
NODES = ("leader", "leader_id", "controller_id", "broker_id", "voter_id", "replica_id")
LABELS = {
    "isr": "ISR",
    "eligible_leader_replicas": "ELR",
    "last_known_elr": "last known ELR",
    "new_isr": "new ISR",
    "new_isr_with_epochs": "new ISR with epochs",
    "leader_id": "leader",
    "broker_id": "broker",
    "controller_id": "controller",
    "topic_id": "topic",
    "partition_id": "partition",
    "partition_index": "partition",
}
KEYS = {
    "Access": "the access control entry {}",
    "Broker": "broker {}",
    "Controller": "controller {}",
    "Feature": "the feature {}",
    "Topic": "topic {}",
    "Partition": "{}-{}",
    "deleted": "the deletion of topic {}",
    "elected": "an election of {}-{} after offset {}",
    "feature": "the level of {}: {}",
    "no voter": "the removal, after offset {}, of the voter {} with the directory {}",
    "partition": "{}-{}, partition epoch {}",
    "producer ids": "the producer ids up to {}, for broker {} of epoch {}",
    "registered": "the registration of broker {} with epoch {}",
    "replica": "the replica of {}-{} on",
    "topic": "topic {}",
    "unfenced": "the end of the fence of broker {} of epoch {}",
    "unregistered": "the unregistration of broker {}",
    "voter": "the voter, added after offset {}, {} with the directory {}",
}
RESOURCES = {
    2: "topic {}",
    4: "broker {}",
    8: "broker logger {}",
    16: "client metrics {}",
    32: "group {}",
}
BULKY = ("directories", "end_points", "features", "listeners", "log_dirs")
USUAL = {
    "error_code": 0,
    "is_migrating_zk_broker": False,
    "leader_recovery_state": 0,
    "throttle_time_ms": 0,
}
ENDINGS = ("Request", "Response", "Record", "Topic")


def words(value: object) -> str:
    """Returns a value in words."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "yes" if value else "no"
        case Enum():
            return value.name
        case str():
            return str(value) or "an empty text"
        case bytes():
            return _bytes(value)
        case NodeId():
            return str(value)
        case Mapping() if all(isinstance(key, str) for key in value):
            return ", ".join(_fields(value)) or "nothing"
        case Mapping():
            return "; ".join(f"{words(key)}: {words(of)}" for key, of in value.items())
        case tuple() if value and isinstance(value[0], str) and (*value,)[0] in KEYS:
            return _key(value)
        case ("Config", int(kind), str(name)):
            of = RESOURCES.get(kind, "resource {}").format(name or "defaults")
            return f"the configurations of {of}"
        case Set():
            return _items([words(item) for item in sorted(value, key=_order)])
        case tuple() if not hasattr(value, "_fields"):
            return _items([*map(_item, value)])
        case list() | range():
            return _items([*map(_item, value)])
        case _:
            return _struct(value)


def differing(found: object, wanted: object) -> tuple[str, str]:
    """Returns both values in words; of two facts only the fields in which they differ."""
    if not (isinstance(found, Mapping) and isinstance(wanted, Mapping)):
        return words(found), words(wanted)
    if not all(isinstance(name, str) for name in found):
        return words(found), words(wanted)
    names = [name for name in {**wanted, **found} if found.get(name) != wanted.get(name)]
    of_found, of_wanted = (
        ", ".join(_field(name, fact.get(name)) for name in names) for fact in (found, wanted)
    )
    return of_found, of_wanted


def seconds_words(duration_us: int) -> str:
    """Returns a duration in seconds, to the millisecond."""
    return f"{duration_us / 1e6:.3f}".rstrip("0").rstrip(".") + " s"


def registration_words(fact: Mapping[str, object] | None) -> str:
    """Returns the state of a broker from the fact of its registration."""
    if fact is None:
        return "not registered"
    is_leaving = fact["in_controlled_shutdown"]
    state = "fenced" if fact["fenced"] else "in controlled shutdown" if is_leaving else "unfenced"
    return f"{state} (epoch {fact['broker_epoch']})"


def with_topics(text: str, topics: Mapping[bytes, str]) -> str:
    """Returns the text with the names of topics in place of their ids."""
    for topic_id, name in topics.items():
        text = text.replace(uuid_text(topic_id), name)
    return text


def _bytes(value: bytes) -> str:
    if len(value) == UUID_BYTES:
        return uuid_text(value)
    if value and value.isascii() and (text := value.decode("ascii")).isprintable():
        return text
    return f"{len(value)} bytes"


def _wall_words(wall_ms: int) -> str:
    """Returns the time of the day by a wall clock in UTC, to the millisecond."""
    seconds, ms = divmod(wall_ms % DAY_MS, 1_000)
    return f"{seconds // 3_600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{ms:03}"


def _key(key: tuple[object, ...]) -> str:
    pattern = KEYS[str(key[0])]
    count = pattern.count("{}")
    head = pattern.format(*(words(part) for part in key[1 : 1 + count]))
    return ", ".join([head, *map(words, key[1 + count :])])


def _items(items: list[str]) -> str:
    if len(items) > ITEMS_MAX:
        return f"{', '.join(items[:ITEMS_MAX])} and {len(items) - ITEMS_MAX} more"
    return ", ".join(items) or "none"


def _order(item: object) -> tuple[int, str]:
    return (item, "") if isinstance(item, int) else (0, words(item))


def _item(item: object) -> str:
    is_nested = isinstance(item, tuple | list) and not hasattr(item, "_fields")
    return f"({words(item)})" if is_nested else words(item)


def _fields(values: Mapping[str, object]) -> Iterator[str]:
    """Yields the fields that say something; those of BULKY only matter where they differ."""
    for name, value in values.items():
        is_empty = value is None or (isinstance(value, tuple | bytes | str) and not value)
        if not is_empty and name not in BULKY and USUAL.get(name) != value:
            yield _field(name, value)


def _field(name: str, value: object) -> str:
    label = LABELS.get(name, str(name).replace("_", " "))
    if value == NO_NODE and name in NODES:
        return f"{label} none"
    if name.endswith(("timestamp", "timestamp_ms")) and isinstance(value, int):
        return f"{label.removesuffix(' ms')} {_wall_words(value)}"
    if isinstance(value, tuple) and value and all(isinstance(item, int) for item in value):
        return f"{label} {','.join(str(item) for item in value)}"
    return f"{label} {words(value)}"


def _struct(value: object) -> str:
    names = getattr(value, "_fields", None)
    if names is None and is_dataclass(value):
        names = [field.name for field in fields(value)]
    if names is None:
        return str(value)
    if [*names] == ["name"]:
        return words(getattr(value, names[0]))
    name = type(value).__name__
    for ending in ENDINGS:
        name = name.removesuffix(ending) or name
    inside = ", ".join(_fields({name: getattr(value, name) for name in names}))
    text = f"{name} ({inside})" if inside else name
    return text if len(text) <= TEXT_MAX else f"{text[:TEXT_MAX].rpartition(', ')[0]}, ...)"
