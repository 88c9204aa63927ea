"""One replica's place in the quorum: its epoch, its vote, its role, its log, and who else there is.

This is the state that the families of messages work on: `elections` (Vote), `epochs` (Begin- and
EndQuorumEpoch), `leading` and `following` (Fetch), `snapshots` (FetchSnapshot), `membership`
(KIP-853), `description` (DescribeQuorum). `conduct` leads each event to its family. Here stand the
transitions between the roles, and what must be durable before anybody hears of them (rule 10.5).
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
    """Who this replica is, and whom it knows before it has read a log: `voters` at kraft.version
    `kraft_version`. One that `is_volatile` has lost its log and its vote with its last process.
    One that `updates_static_voters` accepts UpdateRaftVoter at kraft.version 0, unlike Kafka 3.9.
    `as_voter` is how the log tells of it."""

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
        return replace(self, voters=VoterSet(voters))


class LostMemoryError(Exception):
    """A voter without a disk came back to a quorum that it has promised things to."""


class Quorum:
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
        self.abandoned: VoterChange | None = None  # by a leader that leads no more
        self.parked: ParkedFetches[Any] = ParkedFetches()
        self.next_asked = 0  # whom an unattached voter asks next, by place in `others`
        self.epoch_reach = 0  # the highest epoch that may be learned before `epoch_reach_ms`
        self.epoch_reach_ms = 0
        self.leader_high_watermark = -1
        self.update_voter_ms = 0  # not before it is said again where this voter listens
        self.heard_of_no_epoch: frozenset[int] | None = None  # a set while it only listens

    @property
    def voters(self) -> VoterSet:
        return self.history.latest

    @property
    def known_voters(self) -> VoterSet:
        """The voters with what is known of each: by the log, or at kraft.version 0 by what each has
        told its leader (rule 10.53)."""
        if isinstance(self.role, Leader) and self.history.kraft_version == 0:
            return self.role.told
        return self.voters

    @property
    def is_voter(self) -> bool:
        return self.voters.includes(self.me)

    @property
    def is_leader(self) -> bool:
        return isinstance(self.role, Leader)

    @property
    def others(self) -> tuple[Voter, ...]:
        return self.voters.others(self.me.node_id)

    @property
    def snapshot_id(self) -> SnapshotId | None:
        return None if self.snapshot is None else self.snapshot.snapshot_id

    def fingerprint(self) -> Hashable:
        """The state as a value: two replicas of one with the same fingerprint, whose conversations
        are the same, do the same from here on. A search over histories stops where it has been."""
        role: Hashable = self.role
        if isinstance(self.role, Leader):
            role = self.role.fingerprint()
        log = tuple((batch.base_offset, batch.epoch) for batch in self.log.batches)
        marks = (self.high_watermark, self.leader_high_watermark, self.persisted_offset)
        return (role, self.durable, self.leader_id, log, marks, self.next_asked)

    # Times (rules 10.7, 10.54)

    def election_ms(self, turn: Turn) -> int:
        """When patience without a leader ends: drawn from [t, 2t); observers wait for ever."""
        return self.resigned_ms(turn) if self.is_voter else NEVER_MS

    def resigned_ms(self, turn: Turn) -> int:
        """A leader that was removed does not wait for ever before it looks for the next one."""
        timeout_ms = self.settings.controller_quorum_election_timeout_ms
        return turn.now_ms + timeout_ms + int(self.random() * timeout_ms)

    def fetch_ms(self, turn: Turn) -> int:
        """When a leader that does not answer is given up."""
        return turn.now_ms + self.settings.controller_quorum_fetch_timeout_ms

    # Transitions

    def become_unattached(self, epoch: int, turn: Turn, *, voted: ReplicaKey | None = None) -> None:
        """What was left of an election's patience stays; a vote draws anew (rule 10.7)."""
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
        self._enter(
            Prospective(self.election_ms(turn), frozenset({self.me.node_id})),
            turn,
            epoch=self.epoch,
            leader_id=self.leader_id,
        )

    def become_candidate(self, turn: Turn) -> None:
        """Raise the epoch and vote for oneself (rule 10.16)."""
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
        if epoch > self.epoch:
            self.voted = None
        if leader_id == self.me.node_id:
            raise Impossible(f"told that it leads epoch {epoch}, which it does not")
        if self.leader_id not in (-1, leader_id) and epoch <= self.epoch:
            raise Impossible(f"epoch {epoch} is led by {self.leader_id} and by {leader_id}")
        self.leader_endpoint = endpoint
        self.update_voter_ms = self.fetch_ms(turn)  # about as soon as released ones (golden A2)
        self.peers.forget()
        self._enter(Follower(self.fetch_ms(turn)), turn, epoch=epoch, leader_id=leader_id)
        self._note_election(turn)

    def become_resigned(self, turn: Turn, successors: tuple[ReplicaKey, ...]) -> None:
        """One that was removed waits no longer than the others (rule 10.39)."""
        self._enter(
            Resigned(self.resigned_ms(turn), successors),
            turn,
            epoch=self.epoch,
            leader_id=self.leader_id,
        )

    def become_leader(self, role: Leader, turn: Turn) -> None:
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
        """Only a leader appends what is new (rule 10.24)."""
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
        """Take a batch into the log, one's own or the leader's."""
        self.log.append(batch)
        self.history.appended(batch)
        turn.persist += (batch,)
        turn.is_plain = False

    def truncate(self, end_offset: int, turn: Turn) -> None:
        self.log.truncate(end_offset)
        end_offset = self.log.end_offset  # whole batches go
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
        """Our own: what it holds need not stay in the log, which begins there from now on, or at
        the earlier snapshot `begin`, so that who is only a little behind can still follow."""
        end_offset = snapshot.snapshot_id.end_offset
        if end_offset > self.high_watermark:
            raise Impossible(f"{end_offset} over {self.high_watermark} (9.46)")
        start = snapshot.snapshot_id if begin is None else begin
        self.history.forget_before(start.end_offset)
        self.log.begin_at(start.end_offset, start.epoch)
        self.snapshot = turn.snapshot = snapshot
        turn.is_plain = False

    def replace_log(self, snapshot: Snapshot, turn: Turn) -> None:
        """The leader's: it stands for everything that we may have had (rule 10.45)."""
        end_offset = snapshot.snapshot_id.end_offset
        self.log.restart(end_offset, snapshot.snapshot_id.epoch)
        self.history.restart(snapshot.batches)
        self.persisted_offset = end_offset
        self.high_watermark = max(self.high_watermark, end_offset)
        self.snapshot = turn.snapshot = snapshot
        turn.is_plain = False
