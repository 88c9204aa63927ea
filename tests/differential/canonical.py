"""Spells a reply or a record so that two controllers that behave alike give the same.

Epochs and topic ids are named by their place in a side's history; offsets count from its log's end;
times say only whether there is one.
"""

from collections.abc import Callable
from itertools import accumulate, groupby
from typing import Any

from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.frames import decode_response, encode_response
from kraftsim.controller.wire.json.json_form import control_record_json, record_json, to_json
from tests.differential.history import History
from tests.released.controller import NODE_ID

OF_ALL_TOPICS = {43: ("replicaElectionResults", "partitionResult"), 46: ("topics", "partitions")}
# Kafka shuffles deleted topics, lest their order tell of hidden topics. Resources stand in a hash
# map of enumerators, whose hashes are addresses. Entities of quotas stand in a hash map.
UNORDERED = {20: "responses", 33: "responses", 44: "responses", 49: "entries"}
HASHED_LISTS = {
    29: (("resources", "acls"), ("resources",)),
    31: (("filterResults", "matchingAcls"),),
}
"""The paths of ACLs and their patterns, which stand in hash sets."""
DESCRIBE_CONFIGS, LOGGER = 32, 6
_VOTERS = "the set of voters ["
# With what the two processes are started differs: folders, and settings that ours does not have.
STARTED_APART = frozenset(
    {
        "log.dirs",
        "controller.quorum.append.linger.ms",
        "auto.leader.rebalance.enable",
        "super.users",
    }
)
Plain = dict[str, Any]


def reply(
    key: int, version: int, frame: bytes | None, history: History, *, is_of_all: bool = False
) -> Plain:
    """`is_of_all` says that the request named no topic: the reply is in the order of a hash."""
    if frame is None:
        return {"connection": "closed"}
    correlation_id, response = decode_response(key, version, frame)
    spelled = encode_response(key, version, correlation_id, response)[4:]
    document = named(to_json(APIS[key].response, response, version), history)
    if key == DESCRIBE_CONFIGS:
        for result in document["results"]:
            result["configs"] = _without_starts(result["configs"])
        document["results"] = sorted(document["results"], key=_resource)
    if key in UNORDERED:
        document[UNORDERED[key]] = sorted(document[UNORDERED[key]], key=str)
    for path in HASHED_LISTS.get(key, ()):
        _sort(document, path)
    if is_of_all and key in OF_ALL_TOPICS:
        topics, partitions = OF_ALL_TOPICS[key]
        for topic in document[topics]:
            topic[partitions] = sorted(topic[partitions], key=str)
        document[topics] = sorted(document[topics], key=str)
    if spelled != frame:
        document["bytes that the decoder passed over"] = frame.hex()
    return document


def _sort(document: Plain, path: tuple[str, ...]) -> None:
    """Sort the list at the path, in each element of the lists above it."""
    name, *below = path
    if below:
        for element in document[name]:
            _sort(element, tuple(below))
    else:
        document[name] = sorted(document[name], key=str)


def _resource(result: Plain) -> tuple[int, str]:
    return result["resourceType"], result["resourceName"]


def _without_starts(configs: list[Plain]) -> list[Plain]:
    """Loggers (source 6) are those of a process; configurations stand in a hash map."""
    return sorted(
        (
            _without_text(c)
            for c in configs
            if c["name"] not in STARTED_APART and c["configSource"] != LOGGER
        ),
        key=lambda config: str(config["name"]),
    )


def _without_text(config: Plain) -> Plain:
    """The texts of the documentation are each side's own."""
    has_text = config.get("documentation") is not None
    return config | {"documentation": "a text"} if has_text else config


def records(batches: list[Batch], history: History, *, keeps_order: bool = False) -> list[Plain]:
    """Every record, in order; `startsBatch` tells which records stand in one batch.

    Both controllers append without a linger and one client asks at a time, so each operation has a
    batch of its own; so it was in 1,800 sequences of Kafka 3.9.1 to 4.4.0. Only a result of more
    than 10,000 records that is not atomic has several (rule 0A.7). Fences that follow each other at
    once, as of leases that end together, share a batch at times: see `without_batches`.
    `keeps_order` keeps the order of partition changes, which AlterPartition takes from its request.
    """
    spelled = [_of_batch(batch, history) for batch in batches]
    ordered = _without_hash_order([r for batch in spelled for r in batch], keeps_order)
    starts = set(accumulate(len(batch) for batch in [[], *spelled]))
    return [record | {"startsBatch": place in starts} for place, record in enumerate(ordered)]


def without_batches(found: list[Plain]) -> list[Plain]:
    """The same records whatever batches they stand in."""
    return [{k: v for k, v in record.items() if k != "startsBatch"} for record in found]


def _of_batch(batch: Batch, history: History) -> list[Plain]:
    found = [
        named(
            control_record_json(record) if batch.is_control else record_json(record, version),
            history,
        )
        for record, version in zip(batch.records, batch.versions, strict=True)
    ]
    return [record for record in found if not is_own(record)]


def _without_hash_order(found: list[Plain], keeps_order: bool) -> list[Plain]:
    """Sort what stands in the order of a hash set: the partitions that a registration, a heartbeat,
    an unregistration or a lost lease changes (rule 4.22), deleted topics, whose ids are random, and
    configurations of several resources, or which AlterConfigs removes."""
    in_hash_order = {
        "REMOVE_TOPIC_RECORD",
        "CONFIG_RECORD",
        "CLEAR_ELR_RECORD",
        "REMOVE_ACCESS_CONTROL_ENTRY_RECORD",
    } | (set() if keeps_order else {"PARTITION_CHANGE_RECORD"})
    return [
        record
        for kind, run in groupby(found, key=lambda record: record["type"])
        for record in (sorted(run, key=_place) if kind in in_hash_order else run)
    ]


def is_own(record: Plain) -> bool:
    """A controller registers itself when it likes, under an incarnation that it drew."""
    is_registration = record["type"] == "REGISTER_CONTROLLER_RECORD"
    return is_registration and record["data"]["controllerId"] == NODE_ID


def _place(record: Plain) -> tuple[object, ...]:
    data = record["data"]
    if record["type"] == "CLEAR_ELR_RECORD":
        return (data["topicName"],)
    if record["type"] == "CONFIG_RECORD":
        removed = data["name"] if data["value"] is None else ""
        return data["resourceType"], data["resourceName"], removed
    if record["type"] == "REMOVE_ACCESS_CONTROL_ENTRY_RECORD":
        return (data["id"],)
    return data["topicId"], data.get("partitionId", 0)


def named(value: Any, history: History, field: str = "") -> Any:
    if isinstance(value, dict):
        return {name: named(item, history, name) for name, item in value.items()}
    if isinstance(value, list):
        return [named(item, history, field) for item in value]
    if value != value:
        return "NaN"  # which equals itself, unlike a number that is none
    if field == "errorMessage" and value and _VOTERS in value:
        return _with_sorted_voters(value)
    name = _NAMES.get(field)
    return value if name is None else name(history, value)


def _with_sorted_voters(text: str) -> str:
    """Sorts the voters of a refusal, which stand in the order of a hash of their random ids."""
    before, _, listed = text.partition(_VOTERS)
    keys, bracket, rest = listed.rpartition("]")
    in_order = ", ReplicaKey".join(sorted(keys.removeprefix("ReplicaKey").split(", ReplicaKey")))
    return f"{before}{_VOTERS}ReplicaKey{in_order}{bracket}{rest}"


def _from_end(history: History, offset: int) -> object:
    return f"end{offset - history.end_offset:+}" if offset > 0 else offset


def _has_time(_: History, time_ms: int) -> object:
    return "a time" if time_ms > 0 else time_ms


_NAMES: dict[str, Callable[[History, Any], object]] = {
    "brokerEpoch": History.epoch_name,
    "epoch": History.epoch_name,
    "topicId": History.topic_name,
    "id": History.acl_name,
    "port": History.port_name,
    "logEndOffset": _from_end,
    "highWatermark": _from_end,
    "throttleTimeMs": _has_time,
    "lastFetchTimestamp": _has_time,
    "lastCaughtUpTimestamp": _has_time,
}
