"""S45: the voters change one at a time, as somebody asked, and the log says who votes.

Rules 10.26, 10.28, 10.49 to 10.53; KIP-853.
"""

from collections import deque
from collections.abc import Iterable
from typing import Any, ClassVar, NamedTuple

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.control_records import LeaderChange, Voter, Voters
from kraftsim.controller.core.node_id import controller_node
from kraftsim.controller.core.rpc import (
    AddRaftVoterRequest,
    RemoveRaftVoterRequest,
    UpdateRaftVoterRequest,
)
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn
from kraftsim.controller.raft.quorum import Quorum
from kraftsim.controller.raft.roles import Leader
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

from ...oracles.breach_words import words
from ...oracles.property import Broken, Kinds, Property

CHANGES = (AddRaftVoterRequest, RemoveRaftVoterRequest, UpdateRaftVoterRequest)
OPEN_MAX = 100  # open requests to remember of a controller
VoterSet = tuple[Voter, ...]


class Written(NamedTuple):
    """A set of voters in a log; it `begins` an epoch if it is in the batch of the LeaderChange."""

    offset: int
    voters: VoterSet
    begins: bool


Places = frozenset[tuple[str, str, int]]
"""The names, hosts and ports of a voter's listeners."""
Asked = tuple[type, int, bytes, Places]
"""A request about a voter: its id, its directory and its addresses."""


class Received(NamedTuple):
    """An open request of a controller: the epoch and the time at which it handles the request.

    A paused process handles its requests at the end of the pause. `at_us` is None until then, and
    `epoch` is always None for such a request.
    """

    asked: Asked
    epoch: int | None
    at_us: int | None
    at_ms: int


class VotersChangeAsAsked(Property):
    """Compares each set of voters that a leader writes with the previous set.

    The previous set is in the leader's log, or is the last committed set if a snapshot has replaced
    that part of the log. A leader removes or updates a voter in the step in which it gets the
    request; before it adds a voter, it waits for the voter's versions for at most a request timeout
    (rules 10.51 to 10.53). Each copy of a request permits one change.
    """

    number = "S45"
    name = "voters-change-as-asked"
    claim = (
        "A replica counts the voters of its log; a leader changes one of them at a time, as it was"
        " asked to, once the last change is committed, and stops when it votes no more."
    )
    kinds: ClassVar[Kinds] = CHANGES

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._received: dict[int, deque[Received]] = {}  # by the id of the receiver
        self._committed: dict[int, Written] = {}  # by offset

    def arrived(self, message: Message) -> None:
        process, request = self.world.controller_of(message.receiver), message.request
        if process is None or not process.is_alive or not isinstance(request, CHANGES):
            return
        listeners = () if isinstance(request, RemoveRaftVoterRequest) else request.listeners
        places = _places(listeners)
        key = request.voter_id, bytes(request.voter_directory_id)
        asked: Asked = type(request), *key, places
        now_ms, now_us = self.world.clock_ms(message.receiver), self.world.timeline.now_us
        received = Received(asked, process.node.quorum.epoch, now_us, now_ms)
        if not process.is_running:
            received = Received(asked, None, None, now_ms)
        self._received.setdefault(message.receiver.number, deque(maxlen=OPEN_MAX)).append(received)

    def controller_changed(self, node_id: int, state: ProcessState) -> None:
        """Dates the requests of a pause at its end, and drops the requests of a dead process."""
        now_us, now_ms = self.world.timeline.now_us, self.world.clock_ms(controller_node(node_id))
        if state is ProcessState.NOT_RUNNING:
            self._received.pop(node_id, None)
        elif state is ProcessState.RUNNING:
            known = self._received.get(node_id, deque())
            for number, received in enumerate(known):
                if received.at_us is None:
                    known[number] = received._replace(at_us=now_us, at_ms=now_ms)

    def committed(self, node_id: int, batch: Batch) -> None:
        self._committed.update({written.offset: written for written in _sets_in((batch,))})

    def led(self, node: Node, turn: Turn) -> None:
        quorum = node.quorum
        if not quorum.is_voter:
            self.exercised += 1
            if quorum.history.latest_offset < quorum.high_watermark:
                raise Broken(
                    f"controller {node.config.node_id} leads, and is none of the committed voters"
                )

    def wrote_news(self, node: Node, turn: Turn) -> None:
        is_control = any(batch.is_control for batch in turn.persist)
        if not is_control and turn.truncate_to is None:
            return
        sets = _sets_in(node.log.batches)
        if not sets:
            return  # a snapshot has the voters, or the configuration
        self.exercised += 1
        last, quorum = sets[-1], node.quorum
        if quorum.voters.voters != last.voters:
            raise Broken(
                f"controller {node.config.node_id} counts the voters {words(quorum.voters.ids)}, "
                f"and its log has {words(last.voters)}"
            )
        first = turn.persist[0].base_offset if turn.persist else last.offset + 1
        before = sets[-2] if len(sets) > 1 else self._committed_before(last.offset)
        if before is not None and last.offset >= first and isinstance(quorum.role, Leader):
            self._judge(quorum, quorum.role, before, last, turn.now_ms)

    def _committed_before(self, offset: int) -> Written | None:
        earlier = [known for known in self._committed if known < offset]
        return self._committed[max(earlier)] if earlier else None

    def _judge(
        self, quorum: Quorum, leader: Leader, last: Written, new_set: Written, now_ms: int
    ) -> None:
        """Judges a new set; with its epoch, a leader writes its own address (rule 10.49)."""
        before, voters, me = last.voters, new_set.voters, quorum.me.node_id
        gone, new = {*before} - {*voters}, {*voters} - {*before}
        is_of_itself = _keys(gone) == _keys(new) and {id_ for id_, _ in _keys(new)} <= {me}
        if new_set.begins and is_of_itself:
            return
        if max(last.offset, leader.epoch_start) >= quorum.high_watermark:
            raise Broken(
                f"controller {me} changes voters before it has committed offset {last.offset}"
            )
        asked = _asked(gone, new) if len(gone) <= 1 and len(new) <= 1 else None
        if asked is None or not self._answers(quorum, asked, now_ms):
            raise Broken(
                f"controller {me} changes the voters {words(before)} to {words(voters)}, unasked"
            )

    def _answers(self, quorum: Quorum, asked: Asked, now_ms: int) -> bool:
        """Returns True if a change answers an open request, and drops that request."""
        timeout_ms = quorum.settings.controller_quorum_request_timeout_ms
        known = self._received.get(quorum.me.node_id, deque())
        for received in known:
            is_now = received.at_us in (None, self.world.timeline.now_us)
            is_awaited = asked[0] is AddRaftVoterRequest and now_ms <= received.at_ms + timeout_ms
            is_of_epoch = received.epoch in (None, quorum.epoch)
            if received.asked == asked and is_of_epoch and (is_now or is_awaited):
                known.remove(received)
                return True
        return False


def _places(listeners: Iterable[Any]) -> Places:
    return frozenset((place.name, place.host, place.port) for place in listeners)


def _keys(voters: set[Voter]) -> set[tuple[int, bytes]]:
    return {(voter.voter_id, bytes(voter.voter_directory_id)) for voter in voters}


def _asked(gone: set[Voter], new: set[Voter]) -> Asked | None:
    """Returns the request that replaces the voter `gone` by `new`; None if there is none."""
    for voter in new:
        key = voter.voter_id, bytes(voter.voter_directory_id)
        places = _places(voter.endpoints)
        if gone and _keys(gone) != {key}:
            return None
        return UpdateRaftVoterRequest if gone else AddRaftVoterRequest, *key, places
    for voter in gone:
        key = voter.voter_id, bytes(voter.voter_directory_id)
        return RemoveRaftVoterRequest, *key, frozenset()
    return None


def _sets_in(batches: Iterable[Batch]) -> list[Written]:
    """Returns the sets of voters in batches of a log."""
    return [
        Written(offset, record.voters, isinstance(batch.records[0], LeaderChange))
        for batch in batches
        if batch.is_control
        for offset, record in enumerate(batch.records, batch.base_offset)
        if isinstance(record, Voters)
    ]


CLASSES: tuple[type[Property], ...] = (VotersChangeAsAsked,)
