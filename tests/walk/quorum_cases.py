"""Valid requests of each API with which controllers and brokers follow the quorum."""

from typing import Any

from kraftsim.controller.core.uuid import METADATA_TOPIC_ID, uuid_text
from tests.builders import CLUSTER_ID, uuid_of
from tests.differential.sequence import Body
from tests.other_controllers import CONTROLLER_ID, OTHER_CONTROLLER_ID
from tests.walk.bodies import (
    DIRECTORY,
    ENDPOINT,
    OTHER_DIRECTORY,
    QUORUM_TOPIC,
    Case,
    ask,
)

OWN_DIRECTORY = uuid_text(uuid_of("controller"))
SNAPSHOT: Body = {"endOffset": "the newest snapshot's end", "epoch": 1}


def _fetch(partition: Body, **fields: Any) -> Body:
    topic = {"topicId": uuid_text(METADATA_TOPIC_ID), "partitions": [partition]}
    return {
        "clusterId": CLUSTER_ID,
        "replicaState": {"replicaId": 1, "replicaEpoch": -1},
        "maxWaitMs": 500,
        "minBytes": 0,
        "topics": [topic],
    } | fields


def _position(**fields: Any) -> Body:
    return {
        "partition": 0,
        "currentLeaderEpoch": {"$quorum_epoch": 0},
        "fetchOffset": {"$end": 0},
        "lastFetchedEpoch": {"$quorum_epoch": 0},
        "replicaDirectoryId": DIRECTORY,
    } | fields


_VOTE = {
    "partitionIndex": 0,
    "replicaEpoch": {"$quorum_epoch": 1},
    "replicaId": OTHER_CONTROLLER_ID,
    "replicaDirectoryId": OTHER_DIRECTORY,
    "voterDirectoryId": OWN_DIRECTORY,
    "lastOffsetEpoch": {"$quorum_epoch": 0},
    "lastOffset": {"$end": 0},
    "preVote": False,
}
_LEADS = {
    "partitionIndex": 0,
    "voterDirectoryId": OWN_DIRECTORY,
    "leaderId": OTHER_CONTROLLER_ID,
    "leaderEpoch": {"$quorum_epoch": 1},
}
_BEGIN = {
    "clusterId": CLUSTER_ID,
    "voterId": CONTROLLER_ID,
    "topics": [{"topicName": QUORUM_TOPIC, "partitions": [_LEADS]}],
    "leaderEndpoints": [ENDPOINT],
}
_END = {
    "partitionIndex": 0,
    "leaderId": OTHER_CONTROLLER_ID,
    "leaderEpoch": {"$quorum_epoch": 1},
    "preferredCandidates": [
        {"candidateId": CONTROLLER_ID, "candidateDirectoryId": OWN_DIRECTORY},
        {"candidateId": 3005, "candidateDirectoryId": OTHER_DIRECTORY},
    ],
}

CASES: tuple[Case, ...] = (
    Case(
        "AddRaftVoter",
        {
            "clusterId": CLUSTER_ID,
            "timeoutMs": 700,
            "voterId": CONTROLLER_ID,
            "voterDirectoryId": OWN_DIRECTORY,
            "listeners": [ENDPOINT],
        },
    ),
    Case(
        "AddRaftVoter",
        {
            "clusterId": CLUSTER_ID,
            "timeoutMs": 700,
            "voterId": OTHER_CONTROLLER_ID,
            "voterDirectoryId": OTHER_DIRECTORY,
            "listeners": [ENDPOINT],
            "ackWhenCommitted": True,
        },
    ),
    Case(
        "RemoveRaftVoter",
        {"clusterId": CLUSTER_ID, "voterId": CONTROLLER_ID, "voterDirectoryId": OWN_DIRECTORY},
    ),
    Case(
        "UpdateRaftVoter",
        {
            "clusterId": CLUSTER_ID,
            "currentLeaderEpoch": {"$quorum_epoch": 0},
            "voterId": CONTROLLER_ID,
            "voterDirectoryId": OWN_DIRECTORY,
            "listeners": [ENDPOINT],
            "kRaftVersionFeature": {"minSupportedVersion": 0, "maxSupportedVersion": 1},
        },
    ),
    Case("Fetch", _fetch(_position())),
    Case("Fetch", _fetch(_position(fetchOffset=1, lastFetchedEpoch=1))),
    Case(
        "Fetch",
        _fetch(
            _position(fetchOffset=1, lastFetchedEpoch=1),
            replicaState={"replicaId": -1, "replicaEpoch": -1},
        ),
    ),
    Case(
        "Fetch",
        _fetch(
            _position(replicaDirectoryId=OTHER_DIRECTORY),
            replicaState={"replicaId": OTHER_CONTROLLER_ID, "replicaEpoch": -1},
            forgottenTopicsData=[{"topicId": OTHER_DIRECTORY, "partitions": [0]}],
        ),
    ),
    Case("Fetch", _fetch(_position(fetchOffset={"$end": -8}))),
    Case(
        "Vote",
        {
            "clusterId": CLUSTER_ID,
            "voterId": CONTROLLER_ID,
            "topics": [{"topicName": QUORUM_TOPIC, "partitions": [_VOTE]}],
        },
        after=(
            ask(
                "Vote",
                voterId=CONTROLLER_ID,
                topics=[
                    {
                        "topicName": QUORUM_TOPIC,
                        "partitions": [
                            _VOTE
                            | {"replicaEpoch": 2, "replicaDirectoryId": uuid_text(uuid_of("third"))}
                        ],
                    }
                ],
            ),
        ),
    ),
    Case("BeginQuorumEpoch", _BEGIN),
    Case(
        "EndQuorumEpoch",
        {
            "clusterId": CLUSTER_ID,
            "topics": [{"topicName": QUORUM_TOPIC, "partitions": [_END]}],
            "leaderEndpoints": [ENDPOINT],
        },
        (ask("BeginQuorumEpoch", **_BEGIN),),
    ),
    Case(
        "EndQuorumEpoch",
        {
            "topics": [{"topicName": QUORUM_TOPIC, "partitions": [_END]}],
            "leaderEndpoints": [ENDPOINT],
        },
    ),
    Case(
        "EndQuorumEpoch",
        {
            "topics": [
                {
                    "topicName": QUORUM_TOPIC,
                    "partitions": [
                        _END | {"preferredCandidates": [], "preferredSuccessors": [CONTROLLER_ID]}
                    ],
                }
            ]
        },
        (ask("BeginQuorumEpoch", **_BEGIN),),
    ),
    Case(
        "FetchSnapshot",
        {
            "clusterId": CLUSTER_ID,
            "replicaId": 1,
            "topics": [
                {
                    "name": QUORUM_TOPIC,
                    "partitions": [
                        {
                            "partition": 0,
                            "currentLeaderEpoch": {"$quorum_epoch": 0},
                            "snapshotId": SNAPSHOT,
                            "position": 0,
                            "replicaDirectoryId": DIRECTORY,
                        }
                    ],
                }
            ],
        },
        settings={"metadata_log_max_record_bytes_between_snapshots": 1_000},
    ),
)
