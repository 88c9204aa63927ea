"""What clients can ask the brokers of one side about topics of one partition, in canonical form."""

import base64
from collections.abc import Iterable, Sequence
from typing import Any
from zlib import crc32

from tests.differential.listener.batches import decoded
from tests.differential.replicas.wire import Brokers

FETCH, LIST_OFFSETS, EPOCHS, LOG_DIRS = 1, 2, 23, 35
REASSIGNMENTS, CLUSTER, PARTITIONS = 46, 60, 75
LATEST, EARLIEST = -1, -2
LARGE = 1 << 24
Seen = dict[str, Any]


def running_brokers(brokers: Brokers, asked: int) -> list[int]:
    """The brokers that are not fenced, as one of them knows."""
    body = {"includeClusterAuthorizedOperations": False, "endpointType": 1}
    found = brokers.ask(asked, CLUSTER, 1, body)
    return sorted(broker["brokerId"] for broker in found["brokers"])


def observed(brokers: Brokers, names: Sequence[str], running: Iterable[int]) -> dict[str, Seen]:
    """What the running brokers answer about each topic."""
    running = sorted(running)
    seen = _partitions(brokers, running[0], names)
    for name, moved in _reassignments(brokers, running[0], names).items():
        seen[name]["reassignment"] = moved
    for broker_id in running:
        led = [name for name in names if seen[name]["leader"] == broker_id]
        _ask_leader(brokers, broker_id, led, seen)
        held = _sizes(brokers, broker_id, names)
        for name, log in _logs(brokers, broker_id, sorted(held)).items():
            seen[name]["logs"][str(broker_id)] = log | held[name]
    return seen


def _partitions(brokers: Brokers, asked: int, names: Sequence[str]) -> dict[str, Seen]:
    body = {
        "topics": [{"name": name} for name in names],
        "responsePartitionLimit": 2000,
        "cursor": None,
    }
    found = {}
    for topic in brokers.ask(asked, PARTITIONS, 0, body)["topics"]:
        if topic["errorCode"] or not topic["partitions"]:
            found[topic["name"]] = {"errorCode": topic["errorCode"], "leader": -1, "isr": []}
            found[topic["name"]] |= {"replicas": [], "logs": {}}
            continue
        (partition,) = topic["partitions"]
        found[topic["name"]] = {
            "errorCode": partition["errorCode"],
            "leader": partition["leaderId"],
            "epoch": partition["leaderEpoch"],
            "replicas": partition["replicaNodes"],
            "isr": sorted(partition["isrNodes"]),
            "elr": sorted(partition["eligibleLeaderReplicas"] or ()),
            "lastKnownElr": sorted(partition["lastKnownElr"] or ()),
            "offline": sorted(partition["offlineReplicas"]),
            "reassignment": None,
            "logs": {},
        }
    return found


def _reassignments(brokers: Brokers, asked: int, names: Sequence[str]) -> dict[str, Seen]:
    topics = [{"name": name, "partitionIndexes": [0]} for name in names]
    found = brokers.ask(asked, REASSIGNMENTS, 0, {"timeoutMs": 5000, "topics": topics})
    return {
        topic["name"]: {
            "adding": partition["addingReplicas"],
            "removing": partition["removingReplicas"],
        }
        for topic in found["topics"]
        for partition in topic["partitions"]
    }


def _ask_leader(
    brokers: Brokers, broker_id: int, names: Sequence[str], seen: dict[str, Seen]
) -> None:
    """The ends of the log and of each epoch."""
    if not names:
        return
    for what, timestamp in (("latest", LATEST), ("earliest", EARLIEST)):
        asked = {"partitionIndex": 0, "currentLeaderEpoch": -1, "timestamp": timestamp}
        topics = [{"name": name, "partitions": [asked]} for name in names]
        body = {"replicaId": -1, "isolationLevel": 0, "topics": topics}
        for topic in brokers.ask(broker_id, LIST_OFFSETS, 7, body)["topics"]:
            (found,) = topic["partitions"]
            seen[topic["name"]][what] = [found["errorCode"], found["offset"], found["leaderEpoch"]]
    newest = max(seen[name]["epoch"] for name in names)
    for name in names:
        seen[name]["epochs"] = []
    for epoch in range(newest + 1):
        asked = {"partition": 0, "currentLeaderEpoch": -1, "leaderEpoch": epoch}
        topics = [
            {"topic": name, "partitions": [asked]} for name in names if epoch <= seen[name]["epoch"]
        ]
        for topic in brokers.ask(broker_id, EPOCHS, 4, {"replicaId": -1, "topics": topics})[
            "topics"
        ]:
            (found,) = topic["partitions"]
            end = [found["errorCode"], found["leaderEpoch"], found["endOffset"]]
            seen[topic["topic"]]["epochs"].append(end)


def _sizes(brokers: Brokers, broker_id: int, names: Sequence[str]) -> dict[str, Seen]:
    """The size of each replica that the broker has; it includes what no consumer may see yet."""
    topics = [{"topic": name, "partitions": [0]} for name in names]
    found = brokers.ask(broker_id, LOG_DIRS, 4, {"topics": topics})
    return {
        topic["name"]: {"bytes": partition["partitionSize"]}
        for directory in found["results"]
        for topic in directory["topics"]
        for partition in topic["partitions"]
    }


def _logs(brokers: Brokers, broker_id: int, names: Sequence[str]) -> dict[str, Seen]:
    """What a consumer fetches from a replica, the leader or not."""
    position = {"partition": 0, "currentLeaderEpoch": -1, "fetchOffset": 0}
    position |= {"lastFetchedEpoch": -1, "logStartOffset": -1, "partitionMaxBytes": LARGE}
    body = {
        **{"replicaId": -1, "maxWaitMs": 0, "minBytes": 0, "maxBytes": LARGE, "isolationLevel": 0},
        **{"sessionId": 0, "sessionEpoch": -1, "forgottenTopicsData": [], "rackId": ""},
        "topics": [{"topic": name, "partitions": [position]} for name in names],
    }
    found = {}
    for topic in brokers.ask(broker_id, FETCH, 12, body)["responses"] if names else ():
        (partition,) = topic["partitions"]
        data = base64.b64decode(partition["records"] or "")
        found[topic["topic"]] = {
            "errorCode": partition["errorCode"],
            "highWatermark": partition["highWatermark"],
            "start": partition["logStartOffset"],
            "batches": [_batch(batch) for batch in decoded(data)],
        }
    return found


def _batch(batch: Seen) -> list[Any]:
    """Offset, epoch, number of records and their checksum."""
    if "torn" in batch:
        return ["torn", batch["torn"]]
    records = crc32(batch["payload"].encode("ascii")) if batch["isWhole"] else "damaged"
    return [batch["baseOffset"], batch["leaderEpoch"], batch["recordCount"], records]
