"""Formats the log directories of a node: what to write is decided first, then written.

The files, the order of the checks and the messages are those of Kafka's Formatter (4.3.1).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from kraftsim.configuration.roles import NodeRoles
from kraftsim.controller.core.feature_levels import KRAFT_VERSION, LEVEL_NAMES, METADATA_VERSION
from kraftsim.controller.core.feature_levels import SCRAM_FROM as SCRAM
from kraftsim.controller.core.hash_order import in_hash_order
from kraftsim.controller.core.log.control_records import Voter
from kraftsim.controller.core.log.records import FeatureLevelRecord, Record
from kraftsim.controller.core.profile import Profile
from kraftsim.controller.core.uuid import random_uuid, uuid_text

from ..errors import FormatRefused
from ..files.log_directories import directories_of, metadata_directory_of
from .bootstrap_text import bootstrap_text
from .checkpoints import BOOTSTRAP_FILE, INITIAL_SNAPSHOT, bootstrap_checkpoint, initial_snapshot
from .chosen_features import chosen_features
from .format_request import FormatRequest, checked_voters, is_dynamic, node_of
from .meta_properties import META_PROPERTIES, MetaProperties, expect_own_ids, found_in, meta_text
from .scram_arguments import Random, scram_records
from .synced_files import write_synced

ALL_FORMATTED = "All of the log directories are already formatted."


@dataclass(frozen=True, kw_only=True)
class Formatting:
    """What one run of `storage format` does: lines to print, then directories to format.

    `records` are the first records of the log. They stand in the snapshot 0-0 if
    `bootstraps_by_snapshot`, else in `bootstrap.checkpoint`. `voters` are the initial voters of a
    dynamic quorum.
    """

    node: NodeRoles
    cluster_id: str
    levels: Mapping[str, int]
    records: tuple[Record, ...]
    voters: tuple[Voter, ...]
    notes: tuple[str, ...]
    directories: tuple[str, ...]
    metadata_directory: str
    bootstraps_by_snapshot: bool

    @property
    def own_voter(self) -> Voter | None:
        """This node's entry among the initial voters."""
        return next((v for v in self.voters if v.voter_id == self.node.node_id), None)


def decide(
    profile: Profile, pairs: Mapping[str, str], request: FormatRequest, random: Random
) -> Formatting:
    """Returns what to format; raises FormatRefused if Kafka's tool refuses the request."""
    node = node_of(profile, pairs)
    voters = checked_voters(request, node, random)
    levels = chosen_features(
        profile, request.release, request.features, is_dynamic=is_dynamic(request, node)
    )
    records = _bootstrap_records(levels, request, random)
    notes, directories = _empty_directories(directories_of(pairs), node, request)
    return Formatting(
        node=node,
        cluster_id=request.cluster_id,
        levels=levels,
        records=records,
        voters=voters,
        notes=notes,
        directories=directories,
        metadata_directory=metadata_directory_of(pairs),
        bootstraps_by_snapshot=profile.bootstraps_by_snapshot,
    )


def _bootstrap_records(
    levels: Mapping[str, int], request: FormatRequest, random: Random
) -> tuple[Record, ...]:
    features: list[Record] = [
        FeatureLevelRecord(name=name, feature_level=level)
        for name, level in levels.items()
        if name != KRAFT_VERSION and level > 0
    ]
    if request.scram and levels[METADATA_VERSION] < SCRAM:
        raise FormatRefused(
            f"SCRAM is only supported in {METADATA_VERSION} {LEVEL_NAMES[SCRAM - 1]} or later."
        )
    return (*features, *scram_records(request.scram, random))


def _empty_directories(
    names: list[str], node: NodeRoles, request: FormatRequest
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Returns notes about unreadable directories, and the directories that are not formatted."""
    formatted: dict[str, MetaProperties] = {}
    unreadable: list[str] = []
    for name in names:
        try:
            found = found_in(Path(name))
        except (OSError, ValueError):
            unreadable.append(name)
            continue
        if found is not None:
            found.expect(name, request.cluster_id, node.node_id)
            formatted[name] = found
    expect_own_ids(formatted)
    if formatted and not request.ignore_formatted:
        raise FormatRefused(
            f"Log directory {next(iter(formatted))} is already formatted. Use --ignore-formatted "
            "to ignore this directory and format the others."
        )
    if unreadable and len(unreadable) == len(names):
        raise FormatRefused(
            f"I/O error trying to read log directory {', '.join(unreadable)}. No available log "
            "directories to format."
        )
    notes = (f"I/O error trying to read log directory {name}. Ignoring..." for name in unreadable)
    empty = [name for name in names if name not in formatted and name not in unreadable]
    return tuple(notes), tuple(in_hash_order(empty))


def apply(formatting: Formatting, now_ms: int, random: Random) -> Iterator[str]:
    """Formats the directories, and yields the lines that Kafka's tool prints."""
    yield from formatting.notes
    if not formatting.directories:
        yield ALL_FORMATTED
        return
    level = formatting.levels[METADATA_VERSION]
    yield f"Bootstrap metadata: {bootstrap_text(formatting.records, level)}"
    for name in formatting.directories:
        yield (
            f"Formatting {_description(formatting, name)} {name} with {METADATA_VERSION} "
            f"{LEVEL_NAMES[level - 1]}."
        )
        for file, content in _files(formatting, name, now_ms, random):
            write_synced(Path(name) / file, content)


def _description(formatting: Formatting, name: str) -> str:
    if name != formatting.metadata_directory:
        return "data directory"
    if not formatting.voters:
        return "metadata directory"
    is_voter = formatting.own_voter is not None
    return "dynamic metadata voter directory" if is_voter else "dynamic metadata directory"


def _files(
    formatting: Formatting, name: str, now_ms: int, random: Random
) -> Iterator[tuple[str, bytes]]:
    """Yields the files of a directory; `meta.properties` is last and marks it as formatted."""
    own = formatting.own_voter if name == formatting.metadata_directory else None
    directory_id = random_uuid(random) if own is None else own.voter_directory_id
    meta = MetaProperties(
        cluster_id=formatting.cluster_id,
        node_id=formatting.node.node_id,
        directory_id=uuid_text(directory_id),
    )
    is_metadata = name == formatting.metadata_directory
    version, records = formatting.levels.get(KRAFT_VERSION, 0), formatting.records
    if formatting.bootstraps_by_snapshot:
        if is_metadata:
            snapshot = initial_snapshot(formatting.voters, version, now_ms, records)
            yield INITIAL_SNAPSHOT, snapshot
    else:
        yield BOOTSTRAP_FILE, bootstrap_checkpoint(records, now_ms)
        if formatting.voters and is_metadata:
            yield INITIAL_SNAPSHOT, initial_snapshot(formatting.voters, version, now_ms)
    yield META_PROPERTIES, meta_text(meta, now_ms).encode("utf-8")
