"""Bugs of the quorum: votes, commits, what is durable before it is said."""

from dataclasses import replace
from itertools import count
from typing import Any

from kraftsim.controller import deferred
from kraftsim.controller.raft import elections, fetch_answer, following, leading
from kraftsim.controller.raft.protocol import ElectionState
from kraftsim.controller.raft.quorum import Quorum

from .mutant import Swaps, mutant


@mutant(
    "M26",
    "A voter votes twice in an epoch",
    defect="textbook: double vote",
    scenario="active-controller-crash",
    broken="vote-once",
)
def two_votes(swaps: Swaps) -> None:
    numbers = count(7000)

    def note(quorum: Quorum, turn: Any) -> None:
        voted = quorum.voted and quorum.voted._replace(node_id=next(numbers))
        quorum.durable = turn.election = ElectionState(quorum.epoch, quorum.leader_id, voted)

    swaps.attribute(Quorum, "_note_election", note)


@mutant(
    "M28",
    "A leader commits what no majority has",
    defect="textbook: commit by count",
    scenario="active-controller-crash",
    broken="high-watermark",
)
def commits_alone(swaps: Swaps) -> None:
    def end_offset(quorum: Quorum, role: Any, node_id: int) -> int:
        return quorum.persisted_offset

    swaps.attribute(leading, "_end_offset", end_offset)


@mutant(
    "M29",
    "Epoch and vote are not durable before the reply",
    defect="textbook: no persist before reply",
    scenario="rolling-restart-controllers",
    broken="epoch-monotone",
)
def votes_in_memory(swaps: Swaps) -> None:
    swaps.attribute(Quorum, "_note_election", lambda quorum, turn: None)


@mutant(
    "M33",
    "A reply leaves before its records are committed",
    defect="textbook: reply before commit",
    scenario="steady-heartbeats",
    broken="answer-after-commit",
)
def answers_at_once(swaps: Swaps) -> None:
    def add(_: Any, offset: int, token: Any, reply: Any) -> None:
        token(reply)

    swaps.attribute(deferred.DeferredReplies, "add", add)


@mutant(
    "M38",
    "Nobody is ever elected",
    defect="robot-head/crabka#364: grants that vanish",
    scenario="active-controller-crash",
    broken="leader-in-time",
)
def grants_nobody(swaps: Swaps) -> None:
    grants = elections._grants

    def stingy(quorum: Quorum, request: Any, candidate: Any) -> bool:
        return quorum.epoch < 2 and grants(quorum, request, candidate)

    swaps.attribute(elections, "_grants", stingy)


@mutant(
    "M46",
    "Anybody gets a vote, and as many as ask",
    defect="textbook",
    scenario="one-way-standby",
    broken="assertion",
)
def grants_anybody(swaps: Swaps) -> None:
    swaps.attribute(elections, "_grants", lambda quorum, request, candidate: True)


@mutant(
    "M47",
    "Followers never learn what is committed",
    defect="independent.md 2.30: an observer that does not advance",
    scenario="steady-heartbeats",
    broken="images-converge",
)
def followers_never_commit(swaps: Swaps) -> None:
    swaps.attribute(following, "advance", lambda quorum: None)


@mutant(
    "M48",
    "A follower changes the stamps of what it takes",
    defect="textbook",
    scenario="steady-heartbeats",
    broken="log-matching",
)
def follower_changes_stamps(swaps: Swaps) -> None:
    accept = Quorum.accept

    def buggy(quorum: Quorum, batch: Any, turn: Any) -> None:
        changed = replace(batch, timestamp_ms=batch.timestamp_ms + 1)
        accept(quorum, batch if quorum.is_leader else changed, turn)

    swaps.attribute(Quorum, "accept", buggy)


@mutant(
    "M49",
    "An isolated leader never resigns",
    defect="independent.md 2.22: no check-quorum",
    scenario="isolated-active-controller",
    broken="leads_to[0]",
)
def no_check_quorum(swaps: Swaps) -> None:
    swaps.attribute(leading, "_check_quorum_ms", lambda quorum, turn: 1 << 62)


@mutant(
    "M50",
    "A follower whose log has parted keeps its tail",
    defect="independent.md 2.35: truncate to the intersection of epochs",
    scenario="isolated-active-controller",
    broken="log-matching",
)
def never_diverges(swaps: Swaps) -> None:
    swaps.attribute(fetch_answer, "_diverging", lambda log, wanted: None)
