"""`quorum-state`: in Kafka a replica's epoch and vote, here the mark that a controller has run.

Controllers of kraftsim keep their log and their vote in memory. At its first start a controller
writes the file with which a controller of Kafka begins: epoch 0, no leader, no vote. A directory
with the file belongs to a controller that has lost its log and its vote.
"""

import json
from collections.abc import Iterable
from pathlib import Path

from kraftsim.controller.core.uuid import ZERO_UUID, uuid_text
from kraftsim.pipeline.live.segments import PARTITION

from .synced_files import sync_directory, write_synced

QUORUM_STATE = f"{PARTITION}/quorum-state"


def has_run(directory: Path) -> bool:
    """Returns True if a controller has run with this metadata directory."""
    return (directory / QUORUM_STATE).exists()


def mark_first_run(directory: Path, kraft_version: int, voter_ids: Iterable[int]) -> None:
    """Writes durably that a controller runs with this metadata directory.

    Raises OSError if the file cannot be written.
    """
    write_synced(directory / QUORUM_STATE, _first_state(kraft_version, voter_ids))
    sync_directory(directory)


def _first_state(kraft_version: int, voter_ids: Iterable[int]) -> bytes:
    """Returns the content for epoch 0 without a leader and a vote (rule 10.6)."""
    if kraft_version == 0:
        state: dict[str, object] = {
            "clusterId": "",
            "leaderId": -1,
            "leaderEpoch": 0,
            "votedId": -1,
            "appliedOffset": 0,
            "currentVoters": [{"voterId": voter_id} for voter_id in voter_ids],
            "data_version": 0,
        }
    else:
        state = {
            "leaderId": -1,
            "leaderEpoch": 0,
            "votedId": -1,
            "votedDirectoryId": uuid_text(ZERO_UUID),
            "data_version": 1,
        }
    return json.dumps(state, separators=(",", ":")).encode()
