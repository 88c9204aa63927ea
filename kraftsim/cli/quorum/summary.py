"""`quorum show` for people: the quorum as Kafka's kafka-metadata-quorum describes it.

Lags and ages are computed as that tool does (rules 6.33 and 6.35): against the leader, whose times
are the present time of the quorum.
"""

from collections.abc import Sequence

from kraftsim.controller.wire.json.document import Document

UNKNOWN = -1  # an offset or a time that the leader does not know


def quorum_summary(quorum: Document) -> Document:
    """Returns the quorum with the lag of its slowest voter, and all replicas in one list.

    A leader that is being removed is no voter, and leaves nothing to compare with: then the quorum
    is returned as it is.
    """
    voters, observers = _replicas(quorum["voters"]), _replicas(quorum["observers"])
    leader = next((voter for voter in voters if voter["nodeId"] == quorum["leaderId"]), None)
    if leader is None:
        return quorum
    slowest = min(voters, key=lambda voter: number_of(voter, "logEndOffset"))
    return {
        "leaderId": quorum["leaderId"],
        "leaderEpoch": quorum["leaderEpoch"],
        "highWatermark": quorum["highWatermark"],
        "highWatermarkUpdateTimeMs": quorum["highWatermarkUpdateTimeMs"],
        "maxFollowerLag": lag(leader, slowest),
        "maxFollowerLagAge": _age(leader, slowest, "lastCaughtUpTimestamp"),
        "replicas": [
            *(_row(leader, voter, _status(leader, voter)) for voter in voters),
            *(_row(leader, observer, "Observer") for observer in observers),
        ],
    }


def _status(leader: Document, voter: Document) -> str:
    return "Leader" if voter is leader else "Follower"


def _row(leader: Document, replica: Document, status: str) -> Document:
    return {
        "nodeId": replica["nodeId"],
        "status": status,
        "logEndOffset": replica["logEndOffset"],
        "lag": lag(leader, replica),
        "lastFetch": _age(leader, replica, "lastFetchTimestamp"),
        "lastCaughtUp": _age(leader, replica, "lastCaughtUpTimestamp"),
        "endpoint": replica["endpoint"],
        "directoryId": replica["directoryId"],
    }


def lag(leader: Document, replica: Document) -> int:
    """Returns how many records a replica is behind the leader."""
    return number_of(leader, "logEndOffset") - number_of(replica, "logEndOffset")


def _age(leader: Document, replica: Document, key: str) -> str:
    """Returns how long ago a time was, in words; "never" if it is unknown."""
    then_ms = number_of(replica, key)
    if replica is leader:
        return "now"
    if then_ms == UNKNOWN:
        return "never"
    return f"{(number_of(leader, key) - then_ms) / 1000:.3f} s ago"


def number_of(replica: Document, key: str) -> int:
    """Returns an offset or a time of a replica."""
    number = replica[key]
    assert isinstance(number, int), replica
    return number


def _replicas(rows: object) -> Sequence[Document]:
    assert isinstance(rows, list), rows
    return rows
