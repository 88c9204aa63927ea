"""A formatted directory as `kraftsim controller run` reads it: identity, bootstrap and voters.

Kraftsim's controllers keep their log in memory, so a directory that has a log is refused.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.control_records import KRaftVersion, Voter, Voters
from kraftsim.controller.core.log.records import FeatureLevelRecord, Record
from kraftsim.controller.core.profile import Profile
from kraftsim.controller.core.uuid import Uuid, parse_uuid
from kraftsim.controller.wire.errors import DecodeError
from kraftsim.controller.wire.records.snapshot_file import decode_snapshot
from kraftsim.pipeline.live.segments import PARTITION

from ..files.log_directories import metadata_directory_of
from .checkpoints import BOOTSTRAP_FILE, INITIAL_SNAPSHOT
from .meta_properties import META_PROPERTIES, found_in
from .quorum_state import has_run


@dataclass(frozen=True, kw_only=True)
class Formatted:
    """What a formatted metadata directory says of its controller.

    `bootstrap` are the records with which the cluster begins, if it is new. `voters` are the
    initial voters of a dynamic quorum; a static quorum has none. `has_run`: a controller has run
    with the directory.
    """

    path: Path
    cluster_id: str
    node_id: int
    directory_id: Uuid
    bootstrap: tuple[Record, ...]
    voters: tuple[Voter, ...]
    has_run: bool


def names_directories(pairs: Mapping[str, object]) -> bool:
    """Returns whether the configurations name a log directory."""
    return any(key in pairs for key in ("log.dirs", "log.dir", "metadata.log.dir"))


def formatted_of(pairs: Mapping[str, object], profile: Profile) -> Formatted | None:
    """Returns the metadata directory of a node's configurations; None if it is not formatted.

    Raises ValueError if the directory cannot be used.
    """
    path = Path(metadata_directory_of({key: str(text) for key, text in pairs.items()}))
    try:
        meta = found_in(path)
    except OSError as error:
        raise ValueError(f"{path / META_PROPERTIES}: {error.strerror or error}") from None
    except ValueError as error:
        raise ValueError(f"{path / META_PROPERTIES}: {error}") from None
    if meta is None:
        return None
    _expect_no_log(path)
    bootstrap = _bootstrap(_bootstrap_file(path, profile), profile)
    try:
        directory_id = parse_uuid(meta.directory_id)
    except ValueError as error:
        raise ValueError(f"{path / META_PROPERTIES}: directory.id: {error}") from None
    return Formatted(
        path=path,
        cluster_id=meta.cluster_id,
        node_id=meta.node_id,
        directory_id=directory_id,
        bootstrap=bootstrap,
        voters=_voters(path / INITIAL_SNAPSHOT),
        has_run=has_run(path),
    )


def _expect_no_log(path: Path) -> None:
    found = sorted((path / PARTITION).glob("*.log"))
    if found:
        raise ValueError(
            f"{found[0]}: expected a directory that was formatted and not used, got one with a "
            "metadata log: kraftsim's controllers keep their log in memory and read none"
        )


def _bootstrap_file(path: Path, profile: Profile) -> Path:
    """Returns the file with the first records: `bootstrap.checkpoint`, which 4.4 does not write.

    A release that writes the first records into the snapshot 0-0 also reads the older file.
    """
    older = path / BOOTSTRAP_FILE
    return (
        older if older.exists() or not profile.bootstraps_by_snapshot else path / INITIAL_SNAPSHOT
    )


def _bootstrap(path: Path, profile: Profile) -> tuple[Record, ...]:
    """Returns the first records of the log, whose levels the profile must support."""
    records = tuple(
        cast(Record, record)
        for batch in _batches(path)
        if not batch.is_control
        for record in batch.records
    )
    supported = {name: high for name, _, high in profile.supported_features}
    for record in records:
        if isinstance(record, FeatureLevelRecord):
            high = supported.get(record.name, 0)
            if record.feature_level > high:
                raise ValueError(
                    f"{path}: {record.name}: expected a level of at most {high}, because "
                    f"--profile is {profile.name}, got {record.feature_level}"
                )
    return records


def _voters(path: Path) -> tuple[Voter, ...]:
    if not path.exists():
        return ()
    records = [record for batch in _batches(path) if batch.is_control for record in batch.records]
    if not any(isinstance(record, KRaftVersion) for record in records):
        return ()
    found = [record for record in records if isinstance(record, Voters)]
    return found[-1].voters if found else ()


def _batches(path: Path) -> list[Batch]:
    try:
        return decode_snapshot(path.read_bytes())
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror}") from None
    except DecodeError as error:
        raise ValueError(f"{path}: {error}") from None
