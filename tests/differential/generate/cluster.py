"""What concerns the whole cluster: descriptions, features, controllers and voters."""

from typing import Any

from kraftsim.controller.core.feature_levels import bootstrap_levels
from tests.differential.generate.draft import Draft, named_uuid
from tests.differential.sequence import Ask, Step
from tests.released.controller import NODE_ID
from tests.released.releases import RELEASES, Release

_CONTROLLER_ENDPOINT, _BROKER_ENDPOINT = 2, 1
_UPGRADE, _SAFE_DOWNGRADE, _UNSAFE_DOWNGRADE = 1, 2, 3


def describe_cluster(draft: Draft) -> Ask:
    version = draft.random.randint(0, draft.release.newest("DescribeCluster"))
    body: dict[str, Any] = {"includeClusterAuthorizedOperations": draft.chance(0.2)}
    if version >= 1:
        body["endpointType"] = draft.one_of(2, 2, 2, 1, 0, 3)
    if version >= 2:
        body["includeFencedBrokers"] = draft.chance(0.3)
    return Ask("DescribeCluster", version, body)


def describe_quorum(draft: Draft) -> Ask:
    partitions = draft.one_of([0], [0], [0], [1], [], [0, 1], [0, 0])
    name = "__cluster_metadata" if draft.chance(0.85) else draft.one_of("t1", "")
    topic = {"topicName": name, "partitions": [{"partitionIndex": p} for p in partitions]}
    topics = [topic] if draft.chance(0.93) else draft.one_of([], [topic, topic])
    return Ask("DescribeQuorum", draft.random.randint(0, 2), {"topics": topics})


def update_features(draft: Draft) -> Ask:
    """An upgrade from an old level is mostly validated only: there is no way back from it."""
    draft.has_changed_features = True
    count = 1 if draft.chance(0.8) else draft.random.randint(0, 3)
    only_validates = draft.chance(0.3 if draft.starts_with_newest else 0.95)
    oldest = 0 if draft.starts_with_newest else 1
    version = draft.random.randint(oldest, draft.release.newest("UpdateFeatures"))
    names = [name for name, _, _ in draft.release.profile.supported_features]
    names += ["unheard.of", "eligible.leader.replicas.version"]
    updates = [_feature_update(draft, draft.one_of(*names), version) for _ in range(count)]
    body: dict[str, Any] = {"timeoutMs": 10000, "featureUpdates": updates}
    if version >= 1:
        body["validateOnly"] = only_validates
    return Ask("UpdateFeatures", version, body)


def _feature_update(draft: Draft, name: str, version: int) -> dict[str, Any]:
    if name == "metadata.version":
        newest = draft.release.profile.metadata_version
        level = draft.one_of(newest, newest, newest - 1, newest + 1, 3, 0, 1, 99, -1, 21, 17)
    else:
        level = draft.one_of(0, 1, 1, 2, 3, -1)
    update = {"feature": name, "maxVersionLevel": level}
    if version == 0:
        return update | {"allowDowngrade": draft.chance(0.4)}
    kinds = (_UPGRADE, _UPGRADE, _SAFE_DOWNGRADE, _UNSAFE_DOWNGRADE, 0, 4)
    return update | {"upgradeType": draft.one_of(*kinds)}


def restore_features(draft: Draft) -> list[Step]:
    """Back to the levels of the start, feature by feature, whichever way that is."""
    return [
        Ask("UpdateFeatures", 1, _restoring(name, level, kind))
        for name, level in bootstrap_levels(draft.level).items()
        for kind in (_UPGRADE, _SAFE_DOWNGRADE)
    ]


def _restoring(name: str, level: int, kind: int) -> dict[str, Any]:
    update = {"feature": name, "maxVersionLevel": level, "upgradeType": kind}
    return {"timeoutMs": 10000, "featureUpdates": [update], "validateOnly": False}


def register_controller(draft: Draft) -> Ask:
    controller_id = draft.one_of(NODE_ID + 1, NODE_ID + 2, NODE_ID + 3)
    draft.controllers.add(controller_id)
    release = RELEASES[draft.one_of(*RELEASES)] if draft.chance(0.6) else draft.release
    body = _plain_controller(release, controller_id)
    if draft.chance(0.2):
        body["features"] = body["features"][: draft.random.randrange(len(body["features"]))]
    body["incarnationId"] = named_uuid(f"controller-{draft.random.randrange(3)}")
    body["zkMigrationReady"] = draft.chance(0.1)
    body["listeners"] = body["listeners"][: draft.one_of(0, 1, 1, 1)]
    return Ask("ControllerRegistration", 0, body)


def restore_controllers(draft: Draft) -> list[Step]:
    """A controller stays registered for good (before 4.4): let it support everything, so that no
    later update of a feature fails because of it."""
    return [
        Ask("ControllerRegistration", 0, _plain_controller(draft.release, controller_id))
        for controller_id in sorted(draft.controllers)
    ]


def unregister_controller(draft: Draft) -> Ask:
    """Another request for a release that does not have it."""
    if draft.release.profile.newest_versions.get(94) == -1:
        return describe_quorum(draft)
    controller_id = draft.one_of(NODE_ID + 1, NODE_ID + 2, NODE_ID + 3, -1)
    return Ask("UnregisterController", 0, {"controllerId": controller_id})


def _plain_controller(release: Release, controller_id: int) -> dict[str, Any]:
    features = [
        {"name": name, "minSupportedVersion": low, "maxSupportedVersion": high}
        for name, low, high in release.profile.supported_features
    ]
    listener = {"name": "CONTROLLER", "host": "127.0.0.1", "port": 9990, "securityProtocol": 0}
    return {
        "controllerId": controller_id,
        "incarnationId": named_uuid("controller"),
        "zkMigrationReady": False,
        "listeners": [listener],
        "features": features,
    }


def change_voters(draft: Draft) -> Ask:
    return draft.one_of(_remove_voter, _update_voter, _add_voter)(draft)


def _cluster_id(draft: Draft) -> str | None:
    return draft.cluster_id if draft.chance(0.85) else draft.one_of("anotherClusterAltogeth", None)


def _voter_id(draft: Draft) -> int:
    return draft.one_of(NODE_ID, NODE_ID + 1, -1)


def _directory(draft: Draft) -> Any:
    return draft.one_of({"$directory": NODE_ID}, named_uuid("directory"), "AAAAAAAAAAAAAAAAAAAAAA")


def _listeners(draft: Draft) -> list[dict[str, Any]]:
    listener = {"name": "CONTROLLER", "host": "127.0.0.1", "port": 9990}
    return draft.one_of([listener], [listener], [listener | {"name": "OTHER"}], [])


def _remove_voter(draft: Draft) -> Ask:
    body = {"clusterId": _cluster_id(draft), "voterId": _voter_id(draft)}
    return Ask("RemoveRaftVoter", 0, body | {"voterDirectoryId": _directory(draft)})


def _add_voter(draft: Draft) -> Ask:
    """Never one that could be added: it would have to follow the leader, and only then could a
    voter be removed. Its name for the listener is another, or it is there."""
    body = {
        "clusterId": _cluster_id(draft),
        "timeoutMs": 1000,
        "voterId": draft.one_of(NODE_ID, NODE_ID + 1),
        "voterDirectoryId": _directory(draft),
        "listeners": [{"name": "OTHER", "host": "127.0.0.1", "port": 9990}],
    }
    if body["voterId"] == NODE_ID:
        body["listeners"] = _listeners(draft)
    return Ask("AddRaftVoter", draft.random.randint(0, draft.release.newest("AddRaftVoter")), body)


def _update_voter(draft: Draft) -> Ask:
    """Never of the leader itself under its own directory, the only update that could succeed: it
    ends a released controller."""
    body = {
        "clusterId": _cluster_id(draft),
        "currentLeaderEpoch": draft.one_of({"$quorum_epoch": 0}, 0, 99),
        "voterId": draft.one_of(NODE_ID + 1, NODE_ID + 1, -1),
        "voterDirectoryId": _directory(draft),
        "listeners": _listeners(draft),
        "kRaftVersionFeature": {
            "minSupportedVersion": draft.one_of(0, 0, 1),
            "maxSupportedVersion": draft.one_of(1, 1, 0),
        },
    }
    return Ask("UpdateRaftVoter", 0, body)


DRAWS = (
    (update_features, 40),
    (register_controller, 5),
    (unregister_controller, 2),
    (change_voters, 20),
)
"""What changes the whole cluster, with weights; a new kind of request needs a line here."""
