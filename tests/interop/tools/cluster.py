"""What the steps need of a cluster: addresses, and brokers that stop and start."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from kraftsim.controller.wire.json.document import Document

BROKER_IDS = (1, 2, 3)
CONTROLLER_IDS = (3000, 3001, 3002)
LEADER_ID = 3000
RACKS = {1: "a", 2: "b", 3: "a"}
CLUSTER_ID = "toolsOfKafkaAtACluster"
JOINING_ID = 3002
AUTHORIZER = "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer\n"


@dataclass(frozen=True, slots=True)
class Addresses:
    """`host:port` of every broker and controller, the log directory of every broker, and the id of
    that of controller 3002.
    """

    brokers: Mapping[int, str]
    controllers: Mapping[int, str]
    directory_of_3002: str
    log_dirs: Mapping[int, str]


class Cluster(Protocol):
    """Three brokers in two racks, and three voters, of which 3000 leads."""

    addresses: Addresses

    def stop(self, broker_id: int) -> None: ...

    def start(self, broker_id: int) -> None: ...


def _reassignment(topic: str, *replicas: int) -> Document:
    partition = {"topic": topic, "partition": 0, "replicas": list(replicas)}
    return {"version": 1, "partitions": [partition]}


def _offset(topic: str, offset: int) -> Document:
    partition = {"topic": topic, "partition": 0, "offset": offset}
    return {"version": 1, "partitions": [partition]}


def _move(topic: str) -> Document:
    return {"version": 1, "topics": [{"topic": topic}]}


_DOCUMENTS: dict[str, Any] = {
    "move-single.json": _move("single"),
    "move-missing.json": _move("missing"),
    "single-to-1.json": _reassignment("single", 1),
    "single-to-2.json": _reassignment("single", 2),
    "single-to-3.json": _reassignment("single", 3),
    "lost-to-1.json": _reassignment("lost", 1),
    "to-unknown-broker.json": _reassignment("single", 9),
    "missing-topic.json": _reassignment("missing", 1),
    "repeated-replica.json": _reassignment("single", 1, 1),
    "no-partitions.json": {"version": 1, "partitions": []},
    "elect.json": {"partitions": [{"topic": "orders", "partition": 3}]},
    "offsets.json": _offset("orders", 0),
    "offsets-of-single.json": _offset("single", 3),
    "offsets-too-high.json": _offset("single", 1_000),
}
_TEXTS = {
    "not.json": "{",
    "topic.properties": "segment.ms=100000\nmax.message.bytes=2000\n",
    "empty.properties": "",
    "lines.txt": "one\ntwo\nthree\n",
    "pairs.txt": "a:four\nb:five\n",
}


def write_files(folder: Path, addresses: Addresses) -> None:
    """Writes what @NAME stands for in a step; of controller 3002 what `add-controller` reads."""
    for name, document in _DOCUMENTS.items():
        (folder / name).write_text(json.dumps(document), "utf-8")
    for name, text in _TEXTS.items():
        (folder / name).write_text(text, "utf-8")
    data = folder / "controller-3002"
    data.mkdir()
    address = addresses.controllers[JOINING_ID]
    meta = {
        "version": "1",
        "cluster.id": CLUSTER_ID,
        "node.id": str(JOINING_ID),
        "directory.id": addresses.directory_of_3002,
    }
    (data / "meta.properties").write_text(_properties(meta), "utf-8")
    properties = {
        "process.roles": "controller",
        "node.id": str(JOINING_ID),
        "listeners": f"CONTROLLER://{address}",
        "advertised.listeners": f"CONTROLLER://{address}",
        "controller.listener.names": "CONTROLLER",
        "controller.quorum.bootstrap.servers": addresses.controllers[LEADER_ID],
        "log.dirs": str(data),
    }
    (folder / "controller-3002.properties").write_text(_properties(properties), "utf-8")


def _properties(pairs: Mapping[str, str]) -> str:
    return "".join(f"{key}={value}\n" for key, value in pairs.items())
