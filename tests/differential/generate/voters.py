"""Changes of the voters beside a second controller that fetches, so that they are accepted."""

from typing import Any

from tests.differential.generate.draft import Draft, named_uuid
from tests.differential.second_voter import DIRECTORY_TEXT, SECOND_ID
from tests.differential.sequence import Ask, Step
from tests.released.controller import NODE_ID

_NOBODY = NODE_ID + 7
_OTHER_DIRECTORIES = (named_uuid("directory"), "AAAAAAAAAAAAAAAAAAAAAA")


def add(draft: Draft) -> Ask:
    """Mostly adds the second controller, else one that does not run, or the leader."""
    voter_id, directory = _replica(draft)
    body = {
        "clusterId": _cluster_id(draft),
        "timeoutMs": 1000,
        "voterId": voter_id,
        "voterDirectoryId": directory,
        "listeners": _listeners(draft),
    }
    version = draft.random.randint(0, draft.release.newest("AddRaftVoter"))
    if version >= 1:
        body["ackWhenCommitted"] = draft.chance(0.5)
    return Ask("AddRaftVoter", version, body)


def remove(draft: Draft) -> Ask:
    """Never removes the leader under its own directory: no other voter stands for election."""
    voter_id, directory = _replica(draft)
    return _removal(_cluster_id(draft), voter_id, directory)


def update(draft: Draft) -> Ask:
    """Never updates the leader under its own directory: a released controller ends then."""
    voter_id, directory = _replica(draft)
    low, high = draft.one_of(*[(0, 1)] * 6, (1, 1), (0, 2), (0, 0), (1, 0), (2, 2))
    body = {
        "clusterId": _cluster_id(draft),
        "currentLeaderEpoch": {"$quorum_epoch": draft.one_of(*[0] * 9, -1, 1)},
        "voterId": voter_id,
        "voterDirectoryId": directory,
        "listeners": _listeners(draft),
        "kRaftVersionFeature": {"minSupportedVersion": low, "maxSupportedVersion": high},
    }
    return Ask("UpdateRaftVoter", 0, body)


def restore(draft: Draft) -> list[Step]:
    """Removes the second controller, which need not be a voter, from the voters."""
    if not draft.has_second_voter:
        return []
    return [_removal(draft.cluster_id, SECOND_ID, DIRECTORY_TEXT)]


def _removal(cluster_id: str | None, voter_id: int, directory: Any) -> Ask:
    body = {"clusterId": cluster_id, "voterId": voter_id, "voterDirectoryId": directory}
    return Ask("RemoveRaftVoter", 0, body)


def _replica(draft: Draft) -> tuple[int, Any]:
    if draft.chance(0.8):
        return SECOND_ID, DIRECTORY_TEXT
    voter_id = draft.one_of(SECOND_ID, SECOND_ID, NODE_ID, _NOBODY, -1)
    return voter_id, draft.one_of(*_OTHER_DIRECTORIES)


def _cluster_id(draft: Draft) -> str | None:
    return draft.cluster_id if draft.chance(0.9) else draft.one_of("anotherClusterAltogeth", None)


def _listeners(draft: Draft) -> list[dict[str, Any]]:
    """Mostly the second controller's listener, alone or beside another listener."""
    own = {"name": "CONTROLLER", "host": "127.0.0.1", "port": {"$second_port": 0}}
    other = {"name": "OTHER", "host": "127.0.0.1", "port": 9990}
    listeners: list[dict[str, Any]] = draft.one_of(
        *[[own]] * 8, [own, other], [other, own], [other], []
    )
    return listeners
