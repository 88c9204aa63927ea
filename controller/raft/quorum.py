"""The state of one replica in the quorum: role, epoch, vote, leader, log and voters.

Other modules read this state and change it only by the transitions here and in `replica_log`
(`tests/raft/test_transitions.py`). The modules for the messages choose the transition: `elections`
(Vote), `epochs` (Begin- and EndQuorumEpoch), `leading` and `following` (Fetch), `snapshots`
(FetchSnapshot), `membership` (KIP-853). `conduct` dispatches events to them.
"""

from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

from ..core.errors import Impossible
from ..core.log.batch import Batch
from ..core.log.control_records import ControlRecord, VoterEndpoint
from ..core.log.records import Record
from ..core.settings import Settings
from ..time.timeline import NEVER_MS
from . import roles
from .identity import Identity
from .log import MetadataLog
from .parked import ParkedFetches
from .peers import Peers
from .protocol import Channel, ElectionState, Turn
from .replica_log import ReplicaLog
from .snapshot import Snapshot, SnapshotFormat
from .voters import ReplicaKey, VoterSet


class LostMemoryError(Exception):
    """A replica that has lost its log and its vote must not take part in the quorum.

    It may have voted and acknowledged records, and does not know which. `evidence` says how the
    loss is known.
    """

    def __init__(self, node_id: int, evidence: str) -> None:
        super().__init__(
            f"controller {node_id} has lost its log and its vote, which it keeps in memory "
            f"({evidence}). Remove its voter from the quorum, start it with a new directory id "
            "(a new --directory-id, or log directories that are deleted and formatted anew with "
            "--no-initial-controllers), and add the new voter. If no voter can be removed, because "
            "the voters are static or too few of them run, start a new quorum: format every "
            "controller anew"
        )


class Quorum(ReplicaLog):
    """The state of one replica.

    A transition records its effects in a `Turn`, which the driver carries out: it writes them to
    the disk in one write, then sends `sends`, then `replies`. An `election` must be durable before
    any message of its turn or of a later turn leaves. Batches need not be: until `Persisted` the
    replica neither counts them for the high watermark nor acknowledges them by a Fetch.
    docs/quorum-contract.md has all events.
    """

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
        super().__init__(identity, log, snapshot)
        self.settings = settings
        self.begin_period_ms = settings.controller_quorum_fetch_timeout_ms // 2
        self.random = random
        self.snapshot_format = snapshot_format
        self.durable = stored
        self.epoch, self.leader_id, self.voted = stored.epoch, stored.leader_id, stored.voted
        self.leader_endpoint: VoterEndpoint | None = None
        self.role: roles.Role = roles.Unattached(NEVER_MS)
        self.peers = Peers(
            Channel.RAFT,
            request_timeout_ms=settings.controller_quorum_request_timeout_ms,
            retry_backoff_ms=settings.controller_quorum_retry_backoff_ms,
        )
        self.abandoned: roles.VoterChange | None = None  # of a former leader, to be answered
        self.parked: ParkedFetches[Any] = ParkedFetches()
        self.next_fetch_index = 0  # index in `other_voters` of the voter to fetch from next
        self.epoch_reach = 0  # the highest epoch to learn before `epoch_reach_ms`
        self.epoch_reach_ms = 0
        self.update_voter_ms = 0  # earliest time of the next UpdateRaftVoter
        self.peers_without_epoch: frozenset[int] | None = None  # a set while it may not vote
        self.is_stopping = False  # the process got SIGTERM

    @property
    def known_voters(self) -> VoterSet:
        """The voters, each with its latest address and versions.

        At kraft.version 0 the log has none; then the leader has those of UpdateRaftVoter (rule
        10.53).
        """
        if isinstance(self.role, roles.Leader) and self.history.kraft_version == 0:
            return self.role.descriptions
        return self.voters

    def endpoint_of(self, endpoints: tuple[VoterEndpoint, ...]) -> VoterEndpoint:
        """Returns a voter's endpoint of the controllers' listener; without it, the first one."""
        name = self.identity.endpoint.name
        return next((endpoint for endpoint in endpoints if endpoint.name == name), endpoints[0])

    @property
    def is_leader(self) -> bool:
        """True if this replica leads."""
        return isinstance(self.role, roles.Leader)

    def fingerprint(self) -> Hashable:
        """Returns the state as a hashable value, for a search over histories.

        Two states with equal fingerprints and equal messages in flight behave equally from here on.
        """
        role: Hashable = self.role
        if isinstance(self.role, roles.Leader):
            role = self.role.fingerprint()
        log = tuple((batch.base_offset, batch.epoch) for batch in self.log.batches)
        marks = (self.high_watermark, self.leader_high_watermark, self.persisted_offset)
        state = (role, self.durable, self.leader_id, self.is_stopping)
        return (*state, log, marks, self.next_fetch_index)

    # Times (rules 10.7, 10.54)

    def election_ms(self, turn: Turn) -> int:
        """Returns the end of a new election timeout, drawn from [t, 2t); observers have none."""
        return self.resigned_ms(turn) if self.is_voter else NEVER_MS

    def resigned_ms(self, turn: Turn) -> int:
        """Returns the end of a new election timeout.

        A leader that is no longer a voter has one as well.
        """
        timeout_ms = self.settings.controller_quorum_election_timeout_ms
        return turn.now_ms + timeout_ms + int(self.random() * timeout_ms)

    def election_timeout_is_over(self, turn: Turn) -> bool:
        """True if the election timeout of an unattached replica has ended."""
        return isinstance(self.role, roles.Unattached) and self.role.election_ms <= turn.now_ms

    def fetch_ms(self, turn: Turn) -> int:
        """Returns the end of a fetch timeout that begins now."""
        return turn.now_ms + self.settings.controller_quorum_fetch_timeout_ms

    # Transitions to a role

    def become_unattached(
        self,
        epoch: int,
        turn: Turn,
        *,
        voted: ReplicaKey | None = None,
        draws_timeout: bool = False,
    ) -> None:
        """Become unattached; the election timeout continues, except after a vote (rule 10.7).

        `voted` is the replica that gets this replica's vote. `draws_timeout` begins a new election
        timeout in any case.
        """
        role, election_ms = self.role, NEVER_MS
        continues = voted is None and not draws_timeout and self.is_voter
        if continues and not isinstance(role, roles.Follower | roles.Leader):
            election_ms = role.election_ms
        if election_ms == NEVER_MS:
            election_ms = self.election_ms(turn)
        if epoch > self.epoch:
            self.voted = None
        self._enter(roles.Unattached(election_ms), turn, epoch=epoch, leader_id=-1)
        if voted is not None:
            self.voted = voted
        self._note_election(turn)

    def become_prospective(self, turn: Turn) -> None:
        """Become prospective, with this replica's own pre-vote."""
        self._enter(
            roles.Prospective(self.election_ms(turn), frozenset({self.me.node_id})),
            turn,
            epoch=self.epoch,
            leader_id=self.leader_id,
        )

    def become_candidate(self, turn: Turn) -> None:
        """Raise the epoch and vote for this replica (rule 10.16)."""
        self.voted = self.me
        self._enter(
            roles.Candidate(self.election_ms(turn), frozenset({self.me.node_id})),
            turn,
            epoch=self.epoch + 1,
            leader_id=-1,
        )
        self._note_election(turn)

    def become_follower(
        self, epoch: int, leader_id: int, endpoint: VoterEndpoint, turn: Turn
    ) -> None:
        """Follow a leader; raises Impossible if the epoch already has another leader."""
        if epoch > self.epoch:
            self.voted = None
        if leader_id == self.me.node_id:
            raise Impossible(
                f"expected another voter to lead epoch {epoch}, got this node, {leader_id}, which "
                "did not win its election: give each controller an id of its own"
            )
        if self.leader_id not in (-1, leader_id) and epoch <= self.epoch:
            raise Impossible(f"epoch {epoch} is led by {self.leader_id} and by {leader_id}")
        self.leader_endpoint = endpoint
        self.update_voter_ms = self.fetch_ms(turn)  # about as early as released Kafka (golden A2)
        self.peers.forget()
        self._enter(roles.Follower(self.fetch_ms(turn)), turn, epoch=epoch, leader_id=leader_id)
        self._note_election(turn)

    def become_resigned(self, turn: Turn, successors: tuple[ReplicaKey, ...]) -> None:
        """Resign from leadership (rule 10.39).

        A leader that was removed from the voters waits for an election timeout, too.
        """
        self._enter(
            roles.Resigned(self.resigned_ms(turn), successors),
            turn,
            epoch=self.epoch,
            leader_id=self.leader_id,
        )

    def begin_to_stop(self) -> None:
        """Begin no election from now on (rule 10.26)."""
        self.is_stopping = True

    def become_leader(self, role: roles.Leader, turn: Turn) -> None:
        """Become leader of the present epoch."""
        self._enter(role, turn, epoch=self.epoch, leader_id=self.me.node_id)
        self._note_election(turn)

    def resume_candidate(self, turn: Turn) -> None:
        """Stand again in the epoch in which the previous process voted for itself (rule 10.3)."""
        self.role = roles.Candidate(self.election_ms(turn), frozenset({self.me.node_id}))

    def resume_unattached(self, turn: Turn) -> None:
        """Wait for an election timeout in the epoch of the previous process (rule 10.3)."""
        self.role = roles.Unattached(self.election_ms(turn))

    def _enter(self, role: roles.Role, turn: Turn, *, epoch: int, leader_id: int) -> None:
        if epoch < self.epoch:
            raise Impossible(f"epoch {epoch} after {self.epoch}")
        if epoch > self.epoch or leader_id != self.leader_id:
            self.forget_leader()
        self.end_reading()
        if isinstance(self.role, roles.Leader):
            self.abandoned = self.role.change
        self.role, self.epoch, self.leader_id = role, epoch, leader_id

    def _note_election(self, turn: Turn) -> None:
        state = ElectionState(self.epoch, self.leader_id, self.voted)
        if state != self.durable:
            self.durable = state
            turn.write_election(state)

    # Transitions within a role

    def count_vote(self, peer_id: int, *, granted: bool) -> None:
        """Count the vote or pre-vote of a peer."""
        role = roles.asking_role(self.role)
        if granted:
            self.role = replace(role, granted=role.granted | {peer_id})
        else:
            self.role = replace(role, refused=role.refused | {peer_id})

    def delay_candidacy(self, stands_ms: int) -> None:
        """Stay prospective until `stands_ms`, even if a majority grants the pre-vote."""
        self.role = replace(roles.prospective_role(self.role), stands_ms=stands_ms)

    def note_fetched(self, turn: Turn) -> None:
        """Restart the fetch timeout after a response of the leader."""
        roles.follower_role(self.role)
        self.role = roles.Follower(self.fetch_ms(turn), has_fetched=True)

    def end_fetch_timeout_at(self, fetch_ms: int) -> None:
        """Move the end of the fetch timeout."""
        self.role = roles.Follower(fetch_ms, roles.follower_role(self.role).has_fetched)

    def note_acknowledged(self, peer_id: int) -> None:
        """Record that a peer acknowledged EndQuorumEpoch."""
        role = roles.resigned_role(self.role)
        self.role = roles.Resigned(role.election_ms, role.successors, role.acknowledged | {peer_id})

    def take_abandoned(self) -> roles.VoterChange | None:
        """Removes and returns the pending voter change of a former leader, to be answered."""
        change, self.abandoned = self.abandoned, None
        return change

    # Votes of a voter whose former process may have voted: it kept its vote in memory

    def withhold_votes(self) -> None:
        """Grant no vote until `allow_votes`."""
        self.peers_without_epoch = frozenset()

    def note_without_epoch(self, peer_id: int) -> None:
        """Record that a peer has no epoch either."""
        if self.peers_without_epoch is not None:
            self.peers_without_epoch |= {peer_id}

    def allow_votes(self, turn: Turn) -> None:
        """Grant votes from now on; the election timeout begins."""
        self.peers_without_epoch = None
        self.role = roles.Unattached(self.election_ms(turn))

    # Limits and pauses

    def limit_epoch(self, highest: int, until_ms: int) -> None:
        """Learn no epoch above `highest` before `until_ms`."""
        self.epoch_reach, self.epoch_reach_ms = highest, until_ms

    def postpone_voter_update(self, until_ms: int) -> None:
        """Send no UpdateRaftVoter before `until_ms`."""
        self.update_voter_ms = until_ms

    def fetch_next_from(self, index: int) -> None:
        """Fetch next from the voter at `index` of `other_voters`, while no leader answers."""
        self.next_fetch_index = index

    # New records

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
