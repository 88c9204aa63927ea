"""What a cluster says of itself, in Kafka's protocol: ours and a released one are asked alike."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import Any

from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.json.json_form import from_json, to_json
from tests.released.controller import Connection

LIMIT_S = 10.0
METADATA, API_VERSIONS, DESCRIBE_CONFIGS, DESCRIBE_QUOTAS = 3, 18, 32, 48
DESCRIBE_CREDENTIALS, UPDATE_FEATURES, DESCRIBE_CLUSTER, REGISTER = 50, 57, 60, 62
TOPIC, BROKER = 2, 4
RATE = 1048576.0
FEATURE = "transaction.version"


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster whose calls are checked, by the ports of a broker and of a controller.

    A client moves partition 0 to the broker `target` and unregisters the broker `ghost`.
    """

    servers: str
    controller_port: int
    cluster_id: str
    target: int
    ghost: int

    def prepare(self) -> None:
        """Registers the ghost, a broker that sends no heartbeat, and lowers a feature's level."""
        features = {"metadata.version": (7, 30), "kraft.version": (0, 1), "group.version": (0, 1)}
        features |= {"share.version": (0, 1), "streams.version": (0, 1)}
        features |= {"eligible.leader.replicas.version": (0, 1), FEATURE: (0, 2)}
        registration = {
            "brokerId": self.ghost,
            "clusterId": self.cluster_id,
            "incarnationId": "AAAAAAAAAAEAAAAAAAAAAQ",
            "listeners": [
                {"name": "PLAINTEXT", "host": "localhost", "port": 1, "securityProtocol": 0}
            ],
            "features": [
                {"name": name, "minSupportedVersion": low, "maxSupportedVersion": high}
                for name, (low, high) in features.items()
            ],
            "logDirs": ["AAAAAAAAAAIAAAAAAAAAAg"],
        }
        reply = self._ask(REGISTER, 4, registration, self.controller_port)
        assert reply["errorCode"] == 0, reply
        lower = {"feature": FEATURE, "maxVersionLevel": 1, "upgradeType": 2}
        reply = self._ask(UPDATE_FEATURES, 1, {"featureUpdates": [lower]}, self.controller_port)
        assert reply["errorCode"] == 0, reply

    def check(self, call: str, topic: str) -> None:
        """Fails unless the cluster is as a successful call leaves it; brokers may lag behind."""
        look = CHECKS.get(call)
        if look is None:
            return
        find, expected = look
        end_s = monotonic() + LIMIT_S
        while (found := find(self, topic)) != self._value(expected) and monotonic() < end_s:
            pass
        assert found == self._value(expected), call

    def _value(self, expected: object) -> object:
        return [self.target] if expected is TARGET else expected

    def ask(self, key: int, version: int, document: dict[str, Any]) -> dict[str, Any]:
        """Returns the reply of the first broker."""
        port = int(self.servers.split(",")[0].rpartition(":")[2])
        return self._ask(key, version, document, port)

    def _ask(self, key: int, version: int, document: Any, port: int) -> dict[str, Any]:
        connection = Connection(port)
        try:
            response = connection.ask(key, version, from_json(APIS[key].request, document))
        finally:
            connection.close()
        found = to_json(APIS[key].response, response, version)
        assert isinstance(found, dict)
        return found


TARGET = object()


def _partitions(cluster: Cluster, topic: str) -> list[dict[str, Any]]:
    reply = cluster.ask(METADATA, 9, {"topics": [{"name": topic}]})
    partitions: list[dict[str, Any]] = reply["topics"][0]["partitions"]
    return partitions


def _replicas(cluster: Cluster, topic: str) -> list[int]:
    (first,) = [row for row in _partitions(cluster, topic) if row["partitionIndex"] == 0]
    replicas: list[int] = first["replicaNodes"]
    return replicas


def _config(cluster: Cluster, kind: int, resource: str, name: str) -> str | None:
    wanted = {"resourceType": kind, "resourceName": resource, "configurationKeys": [name]}
    (result,) = cluster.ask(DESCRIBE_CONFIGS, 4, {"resources": [wanted]})["results"]
    return next((row["value"] for row in result["configs"]), None)


def _retention(cluster: Cluster, topic: str) -> str | None:
    return _config(cluster, TOPIC, topic, "retention.ms")


def _threads(cluster: Cluster, topic: str) -> str | None:
    return _config(cluster, BROKER, "", "log.cleaner.threads")


def _level(cluster: Cluster, topic: str) -> int | None:
    software = {"clientSoftwareName": "check", "clientSoftwareVersion": "1"}
    reply = cluster.ask(API_VERSIONS, 4, software)
    levels = {row["name"]: row["maxVersionLevel"] for row in reply["finalizedFeatures"]}
    return levels.get(FEATURE)


def _knows_the_ghost(cluster: Cluster, topic: str) -> bool:
    reply = cluster.ask(DESCRIBE_CLUSTER, 2, {"includeFencedBrokers": True})
    return cluster.ghost in {row["brokerId"] for row in reply["brokers"]}


def _quota(cluster: Cluster, user: str) -> list[float]:
    wanted = {"entityType": "user", "matchType": 0, "match": user}
    reply = cluster.ask(DESCRIBE_QUOTAS, 1, {"components": [wanted], "strict": True})
    return [value["value"] for entry in reply["entries"] or () for value in entry["values"]]


def _iterations(cluster: Cluster, user: str) -> list[int]:
    reply = cluster.ask(DESCRIBE_CREDENTIALS, 0, {"users": [{"name": user}]})
    return [row["iterations"] for result in reply["results"] for row in result["credentialInfos"]]


CHECKS: Mapping[str, tuple[Callable[[Cluster, str], object], object]] = {
    "createTopics": (lambda cluster, topic: len(_partitions(cluster, topic)), 2),
    "createPartitions": (lambda cluster, topic: len(_partitions(cluster, topic)), 3),
    "deleteTopics": (_partitions, []),
    "incrementalAlterConfigs": (_retention, "60000"),
    "alterConfigs": (_retention, "120000"),
    "incrementalAlterConfigs of brokers": (_threads, "1"),
    "alterPartitionReassignments": (_replicas, TARGET),
    "updateFeatures": (_level, 2),
    "unregisterBroker": (_knows_the_ghost, False),
    "alterClientQuotas": (_quota, [RATE]),
    "alterUserScramCredentials": (_iterations, [4096]),
}
"""What a broker shows after a call that changed something."""
