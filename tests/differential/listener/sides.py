"""The brokers that are asked, each over one connection to its listener."""

import time
from collections.abc import Callable
from itertools import count
from typing import Any, cast
from uuid import uuid4

from kraftsim.controller.core.rpc import Request
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.frames import encode_request
from kraftsim.controller.wire.json.json_form import from_json
from tests.differential.listener import canonical
from tests.differential.listener.replies import document_of
from tests.differential.listener.settings import FOLLOWER_ID, RACKS
from tests.differential.listener.stand import NO_ID, Stand
from tests.differential.sequence import Ask, Body
from tests.released.controller import Connection

KEYS = {api.name: api.key for api in APIS.values()}
PRODUCE, FETCH, LIST_OFFSETS, METADATA, API_VERSIONS, INIT_PRODUCER_ID = 0, 1, 2, 3, 18, 22
DESCRIBE_CONFIGS, ALTER_REPLICA_LOG_DIRS, DESCRIBE_LOG_DIRS = 32, 34, 35
INCREMENTAL_ALTER_CONFIGS, CLIENT_METRICS, SET = 44, 16, 0
INTERVALS_FROM_MS = 1_000
ASKS_TO_CREATE, ASKS_TO_CREATE_SINCE = "allowAutoTopicCreation", 4
LIMIT_S = 30.0
GONE = 3  # UNKNOWN_TOPIC_OR_PARTITION


class Listener:
    """One broker; a sequence begins with `begin`."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._connection = Connection(port)
        self._stand = Stand()
        self._marker = f"judge-{uuid4()}"
        self._marks = count(INTERVALS_FROM_MS)

    def close(self) -> None:
        self._connection.close()

    def await_producer_ids(self) -> None:
        """Returns once the broker has a block of producer ids, which Kafka does not wait for."""
        body = {"transactionalId": None, "transactionTimeoutMs": 0}
        _until(lambda: self._document(INIT_PRODUCER_ID, 0, body)["errorCode"] == 0)

    def begin(self, stand: Stand) -> None:
        self._stand = stand
        stand.dirs = [directory["logDir"] for directory in self._described_dirs()]
        self._connect_anew()

    def _connect_anew(self) -> None:
        self._connection.close()
        self._connection = Connection(self._port)

    def observe(self, step: Ask, *, converts: bool) -> Body:
        """Returns the reply in canonical form, once the broker has carried the request out."""
        key, body = KEYS[step.api], self._stand.resolve(step.body)
        self._choose_dirs(_to_create(step, body))
        request = cast(Request, from_json(APIS[key].request, body))
        try:
            if key == PRODUCE and body["acks"] == 0:
                return self._tell(step.version, request)
            frame = self._connection.ask_frame(key, step.version, request)
        except OSError:
            self._connect_anew()
            return canonical.NOT_ANSWERED
        document = document_of(key, step.version, frame)
        if document.get("throttleTimeMs"):
            self._connect_anew()  # the broker does not read this connection for a while
        self._await(step, body, document)
        return canonical.reply(key, document, self._stand, converts=converts)

    def _tell(self, version: int, request: Request) -> Body:
        """Sends what is not answered, and a request that is: a closed connection shows an error."""
        self._connection.send(encode_request(PRODUCE, version, 0, "judge", request))
        self._document(API_VERSIONS, 0, {})
        return canonical.SILENT

    def _document(self, key: int, version: int, body: Body) -> Any:
        request = cast(Request, from_json(APIS[key].request, body))
        return document_of(key, version, self._connection.ask_frame(key, version, request))

    def _choose_dirs(self, replicas: dict[str, int]) -> None:
        """Has new replicas made in the first directory: each broker would choose by itself."""
        if not replicas:
            return
        held = {at for directory in self._described_dirs() for at in _held(directory)}
        topics = [
            {"name": name, "partitions": [index for index in range(n) if (name, index) not in held]}
            for name, n in replicas.items()
        ]
        dirs = [{"path": self._stand.dirs[0], "topics": topics}]
        self._document(ALTER_REPLICA_LOG_DIRS, 2, {"dirs": dirs})

    # A broker answers a change before its logs have it

    def _await(self, step: Ask, body: Body, document: Any) -> None:
        if body.get("validateOnly"):
            return
        match step.api:
            case "Metadata" if step.version < ASKS_TO_CREATE_SINCE or body[ASKS_TO_CREATE]:
                for topic in document["topics"]:
                    if topic["errorCode"] == GONE:
                        self._await_topic(topic["name"], 1)
            case "CreateTopics":
                self._await_partitions(step, body, _done(document["topics"], "name"))
            case "CreatePartitions":
                self._await_partitions(step, body, _done(document["results"], "name"))
            case "AlterReplicaLogDirs":
                self._await_moves(body, document)
            case "DeleteTopics" | "IncrementalAlterConfigs" | "AlterClientQuotas":
                self._await_metadata()

    def _await_partitions(self, step: Ask, body: Body, names: list[str]) -> None:
        """Returns once the logs of these topics are there, and each follower has fetched."""
        asked, followed = _to_create(step, body), _followed(body)
        for name in names:
            self._await_topic(name, asked[name])
            for index in range(asked[name]) if name in followed else ():
                _until(lambda name=name, index=index: self._is_followed(name, index))

    def _is_followed(self, name: str, index: int) -> bool:
        """True if the broker sends a consumer in the rack of the follower there."""
        position = {"partition": index, "currentLeaderEpoch": -1, "fetchOffset": 0}
        position |= {"logStartOffset": -1, "partitionMaxBytes": 0}
        body = {
            **{"replicaId": -1, "maxWaitMs": 0, "minBytes": 0, "maxBytes": 0, "isolationLevel": 0},
            **{"sessionId": 0, "sessionEpoch": -1, "forgottenTopicsData": []},
            "topics": [{"topic": name, "partitions": [position]}],
            "rackId": RACKS[FOLLOWER_ID],
        }
        (topic,) = self._document(FETCH, 11, body)["responses"]
        (found,) = topic["partitions"]
        # What was deleted or moved before the follower asks is its reply, too.
        return bool(found["preferredReadReplica"] == FOLLOWER_ID or found["errorCode"])

    def _await_topic(self, name: str, partitions: int) -> None:
        _until(lambda: not any(self._codes(name, partitions)))
        topic = {"topicId": NO_ID, "name": name}
        flags = {ASKS_TO_CREATE: False, "includeTopicAuthorizedOperations": False}
        (found,) = self._document(METADATA, 12, {"topics": [topic], **flags})["topics"]
        ids = self._stand.topic_ids[name]
        if found["topicId"] not in ids:
            ids.append(found["topicId"])

    def _codes(self, name: str, partitions: int) -> list[int]:
        """The errors with which the broker says where each log ends."""
        ends = [
            {"partitionIndex": index, "currentLeaderEpoch": -1, "timestamp": -1}
            for index in range(partitions)
        ]
        topics = [{"name": name, "partitions": ends}]
        body = {"replicaId": -1, "isolationLevel": 0, "topics": topics}
        (found,) = self._document(LIST_OFFSETS, 7, body)["topics"]
        return [partition["errorCode"] for partition in found["partitions"]]

    def _await_moves(self, body: Body, document: Any) -> None:
        """Returns once each replica is in its directory, and in no other."""
        wanted = {
            (topic["name"], index): [directory["path"]]
            for directory in body["dirs"]
            for topic in directory["topics"]
            for index in topic["partitions"]
        }
        moved = [
            (topic["topicName"], partition["partitionIndex"])
            for topic in document["results"]
            for partition in topic["partitions"]
            if not partition["errorCode"]
        ]
        for at in moved:
            _until(lambda at=at: self._dirs_of(*at) == wanted[at])

    def _dirs_of(self, name: str, index: int) -> list[str]:
        return [
            directory["logDir"]
            for directory in self._described_dirs()
            if (name, index) in _held(directory)
        ]

    def _described_dirs(self) -> Any:
        return self._document(DESCRIBE_LOG_DIRS, 4, {"topics": None})["results"]

    def _await_metadata(self) -> None:
        """Returns once the broker has applied all metadata that was committed before.

        A broker shows a configuration before its logs have it. It applies one change after the
        other, so that the first of two marks was applied once it shows the second.
        """
        for _ in range(2):
            self._mark(str(next(self._marks)))

    def _mark(self, interval_ms: str) -> None:
        """Sets a configuration that concerns nobody, and returns once the broker shows it."""
        name, key = self._marker, "interval.ms"
        change = {"name": key, "configOperation": SET, "value": interval_ms}
        resource = {"resourceType": CLIENT_METRICS, "resourceName": name}
        altered = {"resources": [resource | {"configs": [change]}], "validateOnly": False}
        self._document(INCREMENTAL_ALTER_CONFIGS, 1, altered)
        asked = {"resources": [resource | {"configurationKeys": [key]}]}
        asked |= {"includeSynonyms": False, "includeDocumentation": False}

        def is_shown() -> bool:
            (found,) = self._document(DESCRIBE_CONFIGS, 4, asked)["results"]
            return [config["value"] for config in found["configs"]] == [interval_ms]

        _until(is_shown)


def _to_create(step: Ask, body: Body) -> dict[str, int]:
    """The partitions that topics may have after a request that creates some."""
    match step.api:
        case "CreateTopics":
            return {
                topic["name"]: len(topic["assignments"]) or topic["numPartitions"]
                for topic in body["topics"]
            }
        case "CreatePartitions":
            return {topic["name"]: topic["count"] for topic in body["topics"]}
        case "Metadata" if step.version < ASKS_TO_CREATE_SINCE or body[ASKS_TO_CREATE]:
            return {topic["name"]: 1 for topic in body["topics"] if topic["name"]}
    return {}


def _followed(body: Body) -> list[str]:
    """The topics of a request whose partitions have more than one replica."""
    return [
        topic["name"]
        for topic in body["topics"]
        if any(len(placed["brokerIds"]) > 1 for placed in topic["assignments"] or ())
    ]


def _held(directory: Body) -> list[tuple[str, int]]:
    return [
        (topic["name"], partition["partitionIndex"])
        for topic in directory["topics"]
        for partition in topic["partitions"]
    ]


def _done(results: Any, name: str) -> list[str]:
    return [result[name] for result in results if result["errorCode"] == 0]


def _until(is_so: Callable[[], bool]) -> None:
    """Asks until it is so; each question is a round trip, so nothing sleeps.

    RuntimeError if a broker has not carried out what it has confirmed.
    """
    end_s = time.monotonic() + LIMIT_S
    while not is_so():
        if time.monotonic() > end_s:
            raise RuntimeError(f"expected a broker to do within {LIMIT_S:.0f} s what it confirmed")
