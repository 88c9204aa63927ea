"""Bugs of elections: candidates, votes and resignations."""

from itertools import count
from typing import Any

from kraftsim.controller.raft import elections, epochs, following, leading, membership
from kraftsim.controller.raft.protocol import ElectionState
from kraftsim.controller.raft.quorum import Quorum
from kraftsim.controller.raft.roles import Leader, Resigned
from kraftsim.controller.raft.voters import ReplicaKey

from .mutant import Swaps, mutant
from .seams import is_pre_vote


@mutant(
    "M22",
    "A single voter resigns because no other voter fetches",
    defect="KAFKA-16144, apache/kafka#15235",
    scenario="single-voter-check-quorum",
    broken="never[0]",
)
def single_voter_checks_quorum(swaps: Swaps) -> None:
    """Gives the leader of a quorum with one voter a check-quorum deadline."""

    def buggy(quorum: Quorum, turn: Any) -> int:
        return int(turn.now_ms + quorum.settings.controller_quorum_fetch_timeout_ms * 3 // 2)

    swaps.attribute(leading, "_check_quorum_ms", buggy)


@mutant(
    "M23",
    "A leader that has resigned refuses pre-votes",
    defect="KAFKA-20895, apache/kafka#23168",
    scenario="graceful-controller-handover",
    broken="leads_to[0]",
)
def resigned_leader_refuses_pre_votes(swaps: Swaps) -> None:
    """Refuses pre-votes as a resigned leader."""
    grants = elections._grants

    def buggy(quorum: Quorum, request: Any, candidate: ReplicaKey) -> bool:
        if is_pre_vote(request) and isinstance(quorum.role, Resigned):
            return False
        return grants(quorum, request, candidate)

    swaps.attribute(elections, "_grants", buggy)


@mutant(
    "M26",
    "A voter votes for two candidates in an epoch",
    defect="textbook: double vote",
    scenario="active-controller-crash",
    broken="vote-once",
)
def two_votes(swaps: Swaps) -> None:
    """Stores each vote under a candidate id that got no vote, so that a restart forgets it."""
    numbers = count(7000)

    def note(quorum: Quorum, turn: Any) -> None:
        voted = quorum.voted and quorum.voted._replace(node_id=next(numbers))
        quorum.durable = ElectionState(quorum.epoch, quorum.leader_id, voted)
        turn.write_election(quorum.durable)

    swaps.attribute(Quorum, "_note_election", note)


@mutant(
    "M27",
    "A voter votes for a candidate whose log is too short",
    defect="textbook: stale-log vote",
    scenario="short-log-candidate",
    broken="leader-completeness",
)
def votes_for_short_logs(swaps: Swaps) -> None:
    """Grants votes as if the voter's own log were empty."""
    grants = elections._grants

    def blind(quorum: Quorum, request: Any, candidate: ReplicaKey) -> bool:
        log, quorum.log = quorum.log, type(quorum.log)()
        granted = grants(quorum, request, candidate)
        quorum.log = log
        return granted

    swaps.attribute(elections, "_grants", blind)


@mutant(
    "M46",
    "A voter with a live leader grants a pre-vote",
    defect="textbook: a voter that was cut off disturbs the others (KIP-996)",
    scenario="one-way-standby",
    broken="stability",
)
def pre_votes_for_all(swaps: Swaps) -> None:
    """Grants every pre-vote."""
    grants = elections._grants

    def buggy(quorum: Quorum, request: Any, candidate: ReplicaKey) -> bool:
        return is_pre_vote(request) or grants(quorum, request, candidate)

    swaps.attribute(elections, "_grants", buggy)


@mutant(
    "M49",
    "An isolated leader never resigns",
    defect="Krabka: no check-quorum",
    scenario="isolated-active-controller",
    broken="leads_to[0]",
)
def no_check_quorum(swaps: Swaps) -> None:
    """Sets the check-quorum deadline to the far future."""
    swaps.attribute(leading, "_check_quorum_ms", lambda quorum, turn: 1 << 62)


@mutant(
    "M60",
    "No vote is granted after the first epoch, so no leader is elected again",
    defect="robot-head/crabka#364",
    scenario="active-controller-crash",
    broken="leader-in-time",
)
def grants_vanish(swaps: Swaps) -> None:
    """Grants no vote in epoch 2 and later epochs."""
    grants = elections._grants

    def stingy(quorum: Quorum, request: Any, candidate: ReplicaKey) -> bool:
        return quorum.epoch < 2 and grants(quorum, request, candidate)

    swaps.attribute(elections, "_grants", stingy)


@mutant(
    "M78",
    "A voter without a leader starts an election without a pre-vote",
    defect="robot-head/crabka#76; KIP-996",
    scenario="one-way-standby",
    broken="stability",
)
def no_pre_vote(swaps: Swaps) -> None:
    """Skips the pre-vote before an election."""

    def stand(quorum: Quorum, turn: Any) -> None:
        quorum.become_candidate(turn)
        elections.count(quorum, turn)

    swaps.attribute(elections, "stand", stand)


@mutant(
    "M79",
    "A stopped leader sends no EndQuorumEpoch",
    defect="robot-head/crabka#591: no EndQuorumEpoch on SIGTERM",
    scenario="graceful-controller-handover",
    broken="never[0]",
)
def resigns_without_end_quorum_epoch(swaps: Swaps) -> None:
    """Sends no EndQuorumEpoch."""
    swaps.attribute(epochs, "announce_resignation", lambda quorum, turn: None)


@mutant(
    "M80",
    "A leader that was removed from the voters does not resign",
    defect="Krabka: a leader that removes itself",
    scenario="remove-leader-voter",
    broken="never[3]",
)
def removed_leader_keeps_leading(swaps: Swaps) -> None:
    """Skips the resignation of a leader that was removed from the voters."""
    on_commit = membership.on_commit

    def buggy(quorum: Quorum, turn: Any) -> None:
        if not isinstance(quorum.role, Leader) or quorum.is_voter:
            on_commit(quorum, turn)

    swaps.attribute(membership, "on_commit", buggy)


@mutant(
    "M94",
    "A voter that has moved does not announce its new address",
    defect="robot-head/crabka#591: an address that is never updated",
    scenario="stale-dns-after-move",
    broken="leads_to[0]",
)
def moves_without_update_raft_voter(swaps: Swaps) -> None:
    """Sends no UpdateRaftVoter after a move."""
    swaps.attribute(following, "_own_address", lambda quorum, turn: None)
