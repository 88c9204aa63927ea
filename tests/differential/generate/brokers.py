"""Registrations, heartbeats and unregistrations."""

from typing import Any

from tests.differential.generate.draft import Draft, named_uuid
from tests.differential.sequence import Ask

OTHER_CLUSTER = "anotherClusterAltogeth"
_RESERVED_DIRECTORIES = (
    "AAAAAAAAAAAAAAAAAAAAAA",
    "AAAAAAAAAAAAAAAAAAAAAQ",
    "AAAAAAAAAAAAAAAAAAAAYw",
    "AAAAAAAAAAD__________w",
)


def register(draft: Draft, broker_id: int | None = None) -> Ask:
    """Any registration: the same incarnation or another, with one thing in it changed at times."""
    if broker_id is None:
        broker_id = draft.random.choice(draft.ids)
    is_new = broker_id not in draft.incarnations
    if is_new or draft.chance(0.6):
        draft.incarnations[broker_id] = draft.incarnations.get(broker_id, -1) + 1
    body = plain_registration(draft, broker_id)
    if draft.chance(0.35):
        _ODDITIES[draft.random.randrange(len(_ODDITIES))](draft, body)
    version = draft.one_of(0, 1, 2, 3) if draft.chance(0.15) else 4
    return Ask("BrokerRegistration", version, body)


def plain_registration(draft: Draft, broker_id: int) -> dict[str, Any]:
    return {
        "brokerId": broker_id,
        "clusterId": draft.cluster_id,
        "incarnationId": draft.incarnation(broker_id),
        "listeners": [
            {"name": "PLAINTEXT", "host": "broker.test", "port": 9092, "securityProtocol": 0}
        ],
        "features": _features(draft),
        "rack": None,
        "isMigratingZkBroker": False,
        "logDirs": [draft.directory(broker_id)],
        "previousBrokerEpoch": _previous_epoch(draft, broker_id),
    }


def _features(draft: Draft) -> list[dict[str, Any]]:
    return [
        {"name": name, "minSupportedVersion": low, "maxSupportedVersion": high}
        for name, low, high in draft.release.profile.supported_features
    ]


def _previous_epoch(draft: Draft, broker_id: int) -> Any:
    return draft.one_of(-1, -1, {"$epoch": [broker_id, -1, 0]}, {"$epoch": [broker_id, -2, 0]}, -2)


def _other_cluster(draft: Draft, body: dict[str, Any]) -> None:
    body["clusterId"] = draft.one_of(OTHER_CLUSTER, "", draft.cluster_id.lower())


def _migrating(draft: Draft, body: dict[str, Any]) -> None:
    body["isMigratingZkBroker"] = True


def _listeners(draft: Draft, body: dict[str, Any]) -> None:
    listener = body["listeners"][0]
    second = {"name": "SSL", "host": "other.test", "port": 65535, "securityProtocol": 1}
    body["listeners"] = draft.one_of(
        [], [listener, second], [second, listener], [listener | {"securityProtocol": 3}]
    )


def _rack(draft: Draft, body: dict[str, Any]) -> None:
    body["rack"] = draft.one_of("a", "b", "", "rack with blanks")


def _directories(draft: Draft, body: dict[str, Any]) -> None:
    broker_id = body["brokerId"]
    own = [draft.directory(broker_id, number) for number in range(3)]
    body["logDirs"] = draft.one_of(
        [],
        [own[0], own[1]],
        [own[2], own[1], own[0]],
        [own[1]],
        [own[0], own[0]],
        [draft.directory(draft.random.choice(draft.ids))],
        [own[0], draft.one_of(*_RESERVED_DIRECTORIES)],
    )


def _offered_features(draft: Draft, body: dict[str, Any]) -> None:
    """A feature is left out, has another range, or is none that the controller knows."""
    features = body["features"]
    place = draft.random.randrange(len(features))
    feature = features[place]
    low, high = draft.one_of((0, 0), (5, 3), (0, 1), (1, 40), (99, 100), (-1, 30))
    changed = feature | {"minSupportedVersion": low, "maxSupportedVersion": high}
    unknown = {"name": "unheard.of", "minSupportedVersion": low, "maxSupportedVersion": high}
    without = features[:place] + features[place + 1 :]
    body["features"] = draft.one_of(without, [*without, changed], [*features, unknown], [])


def _previous(draft: Draft, body: dict[str, Any]) -> None:
    body["previousBrokerEpoch"] = draft.one_of({"$epoch": [body["brokerId"], -1, 1]}, 0, -3)


def _zero_incarnation(draft: Draft, body: dict[str, Any]) -> None:
    body["incarnationId"] = draft.one_of("AAAAAAAAAAAAAAAAAAAAAA", named_uuid("shared"))


_ODDITIES = (
    _other_cluster,
    _migrating,
    _listeners,
    _rack,
    _rack,
    _directories,
    _directories,
    _directories,
    _offered_features,
    _offered_features,
    _previous,
    _zero_incarnation,
)


def heartbeat(draft: Draft, broker_id: int | None = None) -> Ask:
    if broker_id is None:
        broker_id = draft.broker_id()
    body = {
        "brokerId": broker_id,
        "brokerEpoch": draft.broker_epoch(broker_id),
        "currentMetadataOffset": _metadata_offset(draft, broker_id),
        "wantFence": draft.chance(0.1),
        "wantShutDown": draft.chance(0.12),
    }
    version = draft.random.randint(0, draft.release.newest("BrokerHeartbeat"))
    if version >= 1 and draft.chance(0.1) and not _may_make_kafka_resign(draft):
        body["offlineLogDirs"] = _some_directories(draft, broker_id)
    if version >= 2 and draft.chance(0.15):
        body["cordonedLogDirs"] = draft.one_of(None, _some_directories(draft, broker_id))
    return Ask("BrokerHeartbeat", version, body)


def _may_make_kafka_resign(draft: Draft) -> bool:
    """A lost directory of a deleted topic does (docs/differences.toml)."""
    return draft.is_side_by_side and draft.has_deleted


def fence_leader(draft: Draft) -> Ask:
    """The leader of a partition asks to be fenced: elections, some of them unclean."""
    name, index = draft.standing_partition() or draft.partition()
    body = {
        "brokerId": {"$leader": [name, index]},
        "brokerEpoch": {"$epoch_of_leader": [name, index]},
        "currentMetadataOffset": {"$end": -1},
        "wantFence": draft.chance(0.8),
        "wantShutDown": draft.chance(0.3),
    }
    return Ask("BrokerHeartbeat", 1, body)


def serve_any(draft: Draft) -> Ask:
    return serve(draft, draft.broker_id())


def register_another(draft: Draft, broker_id: int | None = None) -> Ask:
    """Another incarnation of a broker, without oddities: refused while the old one has a lease."""
    if broker_id is None:
        broker_id = draft.broker_id()
    draft.incarnations[broker_id] = draft.incarnations.get(broker_id, -1) + 1
    return Ask("BrokerRegistration", 4, plain_registration(draft, broker_id))


def cordon(draft: Draft) -> Ask:
    """A broker that is caught up cordons its only directory, several, or none any longer."""
    broker_id = draft.broker_id()
    version = draft.release.newest("BrokerHeartbeat")
    own = [draft.directory(broker_id, number) for number in range(3)]
    directories = draft.one_of([own[0]], [own[0]], own, [own[1]], [])
    cordoned = {"cordonedLogDirs": directories} if version >= 2 else {}
    return Ask("BrokerHeartbeat", version, serve(draft, broker_id).body | cordoned)


def register_with_directories(draft: Draft) -> Ask:
    """Another incarnation with several directories, some of which its replicas may be in."""
    broker_id = draft.broker_id()
    ask = register_another(draft, broker_id)
    own = [draft.directory(broker_id, number) for number in range(3)]
    directories = draft.one_of(own, own[:2], own[1:], own[:1])
    return Ask(ask.api, ask.version, ask.body | {"logDirs": directories})


def serve(draft: Draft, broker_id: int) -> Ask:
    """The heartbeat that unfences: caught up, wanting nothing else."""
    body = {
        "brokerId": broker_id,
        "brokerEpoch": {"$epoch": [broker_id, -1, 0]},
        "currentMetadataOffset": {"$end": -1},
        "wantFence": False,
        "wantShutDown": False,
    }
    return Ask("BrokerHeartbeat", 1, body)


def _metadata_offset(draft: Draft, broker_id: int) -> Any:
    if draft.chance(0.7):
        return {"$end": -1}
    return draft.one_of(
        {"$register_offset": [broker_id, -1]},
        {"$register_offset": [broker_id, 0]},
        {"$register_offset": [broker_id, 1]},
        {"$end": 5},
        0,
        -1,
    )


def _some_directories(draft: Draft, broker_id: int) -> list[str]:
    own = [draft.directory(broker_id, number) for number in range(3)]
    chosen: list[str] = draft.one_of(
        [], [own[0]], [own[1]], [own[0], own[1]], own, [named_uuid("nobody's")], [own[0], own[0]]
    )
    return chosen


def unregister(draft: Draft) -> Ask:
    return Ask("UnregisterBroker", 0, {"brokerId": draft.broker_id()})
