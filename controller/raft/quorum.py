"""The state of one replica in the quorum: epoch, vote, role, log and voters.

The modules for the messages change this state: `elections` (Vote), `epochs` (Begin- and
EndQuorumEpoch), `leading` and `following` (Fetch), `snapshots` (FetchSnapshot), `membership`
(KIP-853), `description` (DescribeQuorum). `conduct` dispatches events to them. This module has the
transitions between roles, and the state that must be durable before other replicas learn of it
(rule 10.5).
"""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Any

from ..core.errors import Impossible
from ..core.log.batch import Batch, ControlRecord, VersionRange, Voter, VoterEndpoint
from ..core.log.records import Record
from ..core.rpc import SnapshotId
from ..core.settings import Settings
from ..time.timeline import NEVER_MS
from .log import MetadataLog
from .parked import ParkedFetches
from .peers import Peers
from .protocol import Channel, ElectionState, Turn
from .roles import Candidate, Follower, Leader, Prospective, Resigned, Role, Unattached, VoterChange
from .snapshot import Download, Reading, Snapshot, SnapshotFormat
from .voters import ReplicaKey, VoterHistory, VoterSet

LISTENER = "CONTROLLER"
RAFT_VERSIONS = VersionRange(min_supported_version=0, max_supported_version=1)


@dataclass(slots=True, kw_only=True)
class Identity:
    """The identity of a replica, and the voters it knows before it reads a log.

    `voters` are those at kraft.version `kraft_version`. `is_volatile`: log and vote are lost when
    the process ends. `updates_static_voters`: accept UpdateRaftVoter at kraft.version 0, unlike
    Kafka 3.9. `as_voter` is this replica's entry in a voters record.
    """

    key: ReplicaKey
    cluster_id: str
    endpoint: VoterEndpoint
    voters: VoterSet
    kraft_version: int = 1
    is_volatile: bool = False
    updates_static_voters: bool = True
    as_voter: Voter = field(init=False)

    def __post_init__(self) -> None:
        self.as_voter = Voter(
            voter_id=self.key.node_id,
            voter_directory_id=self.key.directory_id,
            endpoints=(self.endpoint,),
            k_raft_version_feature=RAFT_VERSIONS,
        )

    def with_voters(self, voters: tuple[Voter, ...]) -> "Identity":
        """Returns a copy with other voters."""
        return replace(self, voters=VoterSet(voters))


class LostMemoryError(Exception):
    """A voter without durable state returned to a quorum in which it may have voted before."""


class Quorum:
    """The state of one replica."""

    def __init__(
        self,
        identity: Identity,
        *,
        settings: Settings,
        random: Callable[[], float],
        snapshot_format: SnapshotFormat,
        log: MetadataLog,
        stored: ElectionState,
        snapshot: Snapshot | None = None,
    ) -> None:
        self.identity = identity
        self.me = identity.key
        self.settings = settings
        self.random = random
        self.log = log
        self.snapshot = snapshot
        self.snapshot_format = snapshot_format
        self.download: Download | None = None
        self.reading: Reading | None = None
        self.history = VoterHistory(identity.voters, identity.kraft_version)
        if snapshot is not None:
            self.history.restart(snapshot.batches)
        for batch in log.batches:
            self.history.appended(batch)
        self.durable = stored
        self.epoch, self.leader_id, self.voted = stored.epoch, stored.leader_id, stored.voted
        self.leader_endpoint: VoterEndpoint | None = None
        held = 0 if snapshot is None else snapshot.snapshot_id.end_offset
        self.high_watermark = max(log.start_offset, held)
        self.persisted_offset = log.end_offset
        self.role: Role = Unattached(NEVER_MS)
        self.peers = Peers(
            Channel.RAFT,
            request_timeout_ms=settings.controller_quorum_request_timeout_ms,
            retry_backoff_ms=settings.controller_quorum_retry_backoff_ms,
        )
        self.abandoned: VoterChange | None = None  # of a former leader, to be answered
        self.parked: ParkedFetches[Any] = ParkedFetches()
        self.next_asked = 0  # index in `others` of the voter to fetch from next
        self.epoch_reach = 0  # the highest epoch to learn before `epoch_reach_ms`
        self.epoch_reach_ms = 0
        self.leader_high_watermark = -1
        self.update_voter_ms = 0  # earliest time of the next UpdateRaftVoter
        self.heard_of_no_epoch: frozenset[int] | None = None  # a set while it may not vote

    @property
    def voters(self) -> VoterSet:
        """The voters by the latest record, committed or not."""
        return self.history.latest

    @property
    def known_voters(self) -> VoterSet:
        """The voters with their latest descriptions.

        At kraft.version 0 the log has none; then the leader has those of UpdateRaftVoter (rule
        10.53).
        """
        if isinstance(self.role, Leader) and self.history.kraft_version == 0:
            return self.role.told
        return self.voters

    @property
    def is_voter(self) -> bool:
        """True if this replica is a voter."""
        return self.voters.includes(self.me)

    @property
    def is_leader(self) -> bool:
        """True if this replica leads."""
        return isinstance(self.role, Leader)

    @property
    def others(self) -> tuple[Voter, ...]:
        """The voters other than this replica."""
        return self.voters.others(self.me.node_id)

    @property
    def snapshot_id(self) -> SnapshotId | None:
        """The id of the latest snapshot, or None."""
        return None if self.snapshot is None else self.snapshot.snapshot_id

    def fingerprint(self) -> Hashable:
        """Returns the state as a hashable value, for a search over histories.

        Two states with equal fingerprints and equal messages in flight behave equally from here on.
        """
        role: Hashable = self.role
        if isinstance(self.role, Leader):
            role = self.role.fingerprint()
        log = tuple((batch.base_offset, batch.epoch) for batch in self.log.batches)
        marks = (self.high_watermark, self.leader_high_watermark, self.persisted_offset)
        return (role, self.durable, self.leader_id, log, marks, self.next_asked)

    # Times (rules 10.7, 10.54)

    def election_ms(self, turn: Turn) -> int:
        """Returns the end of an election timeout, from [t, 2t); observers have none."""
        return self.resigned_ms(turn) if self.is_voter else NEVER_MS

    def resigned_ms(self, turn: Turn) -> int:
        """Returns the end of an election timeout, also for a leader that is no longer a voter."""
        timeout_ms = self.settings.controller_quorum_election_timeout_ms
        return turn.now_ms + timeout_ms + int(self.random() * timeout_ms)

    def fetch_ms(self, turn: Turn) -> int:
        """Returns the end of a fetch timeout."""
        return turn.now_ms + self.settings.controller_quorum_fetch_timeout_ms

    # Transitions

    def become_unattached(self, epoch: int, turn: Turn, *, voted: ReplicaKey | None = None) -> None:
        """Become unattached; the election timeout continues, except after a vote (rule 10.7)."""
        role, election_ms = self.role, NEVER_MS
        if voted is None and self.is_voter and not isinstance(role, Follower | Leader):
            election_ms = role.election_ms
        if election_ms == NEVER_MS:
            election_ms = self.election_ms(turn)
        if epoch > self.epoch:
            self.voted = None
        self._enter(Unattached(election_ms), turn, epoch=epoch, leader_id=-1)
        if voted is not None:
            self.voted = voted
        self._note_election(turn)

    def become_prospective(self, turn: Turn) -> None:
        """Become prospective, with this replica's own pre-vote."""
        self._enter(
            Prospective(self.election_ms(turn), frozenset({self.me.node_id})),
            turn,
            epoch=self.epoch,
            leader_id=self.leader_id,
        )

    def become_candidate(self, turn: Turn) -> None:
        """Raise the epoch and vote for this replica (rule 10.16)."""
        self.voted = self.me
        self._enter(
            Candidate(self.election_ms(turn), frozenset({self.me.node_id})),
            turn,
            epoch=self.epoch + 1,
            leader_id=-1,
        )
        self._note_election(turn)

    def become_follower(
        self, epoch: int, leader_id: int, endpoint: VoterEndpoint, turn: Turn
    ) -> None:
        """Follow a leader; raises Impossible for a second leader of an epoch."""
        if epoch > self.epoch:
            self.voted = None
        if leader_id == self.me.node_id:
            raise Impossible(f"told that it leads epoch {epoch}, which it does not")
        if self.leader_id not in (-1, leader_id) and epoch <= self.epoch:
            raise Impossible(f"epoch {epoch} is led by {self.leader_id} and by {leader_id}")
        self.leader_endpoint = endpoint
        self.update_voter_ms = self.fetch_ms(turn)  # about as early as released Kafka (golden A2)
        self.peers.forget()
        self._enter(Follower(self.fetch_ms(turn)), turn, epoch=epoch, leader_id=leader_id)
        self._note_election(turn)

    def become_resigned(self, turn: Turn, successors: tuple[ReplicaKey, ...]) -> None:
        """Resign; a removed leader waits for an election timeout too (rule 10.39)."""
        self._enter(
            Resigned(self.resigned_ms(turn), successors),
            turn,
            epoch=self.epoch,
            leader_id=self.leader_id,
        )

    def become_leader(self, role: Leader, turn: Turn) -> None:
        """Become leader of the present epoch."""
        self._enter(role, turn, epoch=self.epoch, leader_id=self.me.node_id)
        self._note_election(turn)

    def _enter(self, role: Role, turn: Turn, *, epoch: int, leader_id: int) -> None:
        if epoch < self.epoch:
            raise Impossible(f"epoch {epoch} after {self.epoch}")
        if epoch > self.epoch or leader_id != self.leader_id:
            self.leader_high_watermark, self.download = -1, None
        self.reading = None
        if isinstance(self.role, Leader):
            self.abandoned = self.role.change
        self.role, self.epoch, self.leader_id = role, epoch, leader_id

    def _note_election(self, turn: Turn) -> None:
        state = ElectionState(self.epoch, self.leader_id, self.voted)
        if state != self.durable:
            self.durable = turn.election = state
            turn.is_plain = False

    # The log

    def append(
        self,
        records: tuple[Record, ...] | tuple[ControlRecord, ...],
        versions: tuple[int, ...],
        turn: Turn,
        *,
        is_control: bool = False,
    ) -> Batch:
        """Append new records; only a leader may (rule 10.24)."""
        if not self.is_leader:
            raise Impossible(f"{self.role} appends")
        batch = Batch(
            base_offset=self.log.end_offset,
            epoch=self.epoch,
            timestamp_ms=turn.wall_ms,
            records=records,
            versions=versions,
            is_control=is_control,
        )
        self.accept(batch, turn)
        return batch

    def accept(self, batch: Batch, turn: Turn) -> None:
        """Append a batch, of this replica or of the leader."""
        self.log.append(batch)
        self.history.appended(batch)
        turn.persist += (batch,)
        turn.is_plain = False

    def truncate(self, end_offset: int, turn: Turn) -> None:
        """Truncate the log; raises Impossible below the high watermark."""
        self.log.truncate(end_offset)
        end_offset = self.log.end_offset  # the log truncates whole batches
        if end_offset < self.high_watermark:
            watermark = self.high_watermark
            raise Impossible(f"truncation to {end_offset}, below the high watermark {watermark}")
        self.history.truncated(end_offset)
        self.persisted_offset = min(self.persisted_offset, end_offset)
        turn.truncate_to = end_offset
        turn.is_plain = False

    def take_snapshot(
        self, snapshot: Snapshot, turn: Turn, *, begin: SnapshotId | None = None
    ) -> None:
        """Take this replica's own snapshot, and remove the records that it replaces.

        The log then begins at the snapshot, or at the earlier snapshot `begin`, so that a follower
        that is only slightly behind can still fetch records.
        """
        end_offset = snapshot.snapshot_id.end_offset
        if end_offset > self.high_watermark:
            raise Impossible(f"{end_offset} over {self.high_watermark} (9.46)")
        start = snapshot.snapshot_id if begin is None else begin
        self.history.forget_before(start.end_offset)
        self.log.begin_at(start.end_offset, start.epoch)
        self.snapshot = turn.snapshot = snapshot
        turn.is_plain = False

    def replace_log(self, snapshot: Snapshot, turn: Turn) -> None:
        """Replace the whole log by a snapshot of the leader (rule 10.45)."""
        end_offset = snapshot.snapshot_id.end_offset
        self.log.restart(end_offset, snapshot.snapshot_id.epoch)
        self.history.restart(snapshot.batches)
        self.persisted_offset = end_offset
        self.high_watermark = max(self.high_watermark, end_offset)
        self.snapshot = turn.snapshot = snapshot
        turn.is_plain = False
