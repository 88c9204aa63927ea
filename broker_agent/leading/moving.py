"""How a replica moves between the directories of its broker, as ReplicaAlterLogDirsThread moves it.

The future replica copies the current one part by part, up to its end (B7.51), as the rate
`replica.alter.log.dirs.io.max.bytes.per.second` allows. Without that rate, and unless a disk is
slow, it has everything at once. Then the broker reports it to the controller (`directories/`),
and it takes the place of the current one as soon as the controller has accepted it. A broker copies
its replicas one after the other, in the order of topic and partition.

The modules of logs are imported with the first message.
"""

from functools import partial
from typing import TYPE_CHECKING

from kraftsim.controller.core.image.partition import PartitionKey
from kraftsim.controller.core.uuid import Uuid

from ..agent import Agent
from ..hosted_agent import HostedAgent
from ..replica_store import Move
from . import throttles
from .stored_logs import instant, settings_of

if TYPE_CHECKING:
    from ..log.log import Log


def current_directory(agent: Agent, key: PartitionKey) -> Uuid:
    """Returns the directory in which a replica is."""
    own = [directory.directory_id for directory in agent.config.log_dirs]
    if agent.assignments is None:
        return own[0]
    return agent.assignments.place_of(agent.image, key, own, agent.store)


def move(hosted: HostedAgent, key: PartitionKey, target: Uuid) -> None:
    """Begins to move a replica to another directory; its own directory ends a move (B7.50)."""
    assignments = hosted.agent.assignments
    if assignments is not None:
        assignments.move(key, current_directory(hosted.agent, key), target, hosted.store)
        hosted.report_moves()
        go_on(hosted)


def go_on(hosted: HostedAgent) -> None:
    """Copies what the replicas that move lack, reports them, and ends the moves that are over."""
    moves, assignments = hosted.store.moves, hosted.agent.assignments
    if assignments is None or assignments.copies_later:
        return
    topics = hosted.agent.image.topics
    known = [key for key in moves if key[0] in topics]
    for key in sorted(known, key=lambda key: (topics[key[0]].name, key[1])):
        while key in moves and _has_work(hosted, key, moves[key]):
            if throttles.holds_moves_back(hosted):
                assignments.copies_later = True
                _look_later(hosted, hosted.agent)
                return
            if hosted.disk.is_slow and _lacks(hosted, key, moves[key]):
                assignments.copies_later = True
                hosted.disk.write(partial(_written, hosted, hosted.agent, key))
                return
            if not _do_next(hosted, key, moves[key]):
                break


def _look_later(hosted: HostedAgent, agent: Agent) -> None:
    wait_us = agent.config.replica_fetch_backoff_ms * 1000
    hosted.clock.timeline.after(wait_us, partial(_look_again, hosted, agent))


def _look_again(hosted: HostedAgent, agent: Agent) -> None:
    """Looks whether the rate lets the process copy; a paused one looks later."""
    if agent is not hosted.agent or not hosted.is_alive or agent.assignments is None:
        return
    if hosted.is_paused:
        _look_later(hosted, agent)
        return
    agent.assignments.copies_later = False
    go_on(hosted)


def _written(hosted: HostedAgent, agent: Agent, key: PartitionKey) -> None:
    """Appends a part that a slow disk has written."""
    move = hosted.store.moves.get(key)
    if agent is not hosted.agent or not hosted.is_alive or agent.assignments is None:
        return
    agent.assignments.copies_later = False
    if move is not None and _lacks(hosted, key, move):
        _copy_part(hosted, key, move, hosted.store.logs[key])
    go_on(hosted)


def _has_work(hosted: HostedAgent, key: PartitionKey, move: Move) -> bool:
    """True if there is something to copy, to report, or to put in its place."""
    return _lacks(hosted, key, move) or not move.is_copied or _is_accepted(hosted, key, move)


def _lacks(hosted: HostedAgent, key: PartitionKey, move: Move) -> bool:
    log = hosted.store.logs.get(key)
    return log is not None and (move.future is None or move.future.end_offset != log.end_offset)


def _is_accepted(hosted: HostedAgent, key: PartitionKey, move: Move) -> bool:
    """True if the metadata has the replica in its new directory."""
    partition = hosted.known(key)
    if partition is None:
        return False
    return partition.directory_of(hosted.agent.config.broker_id) == move.target


def _do_next(hosted: HostedAgent, key: PartitionKey, move: Move) -> bool:
    """Copies a part, reports a copied replica, or ends the move; False if it cannot copy."""
    if _lacks(hosted, key, move):
        return _copy_part(hosted, key, move, hosted.store.logs[key])
    if not move.is_copied:
        move.is_copied = True
        hosted.report_moves()
        return True
    _end(hosted, key, move)
    return True


def _copy_part(hosted: HostedAgent, key: PartitionKey, move: Move, log: "Log") -> bool:
    """Copies what one Fetch has; False for a damaged batch, or if the directory is full (B7.62)."""
    from ..replication import copying

    if not hosted.can_write(move.target):
        return False
    at = instant(hosted)
    if move.future is None:
        move.future = copying.begin_future(log, at.now_ms)
    future = move.future
    copying.cut_where_logs_part(log, future, at.now_ms)  # B7.53
    bytes_max = hosted.agent.config.number(*copying.FETCH_BYTES)
    end, size = copying.part_of(log, copying.start_of(log, future), bytes_max)
    is_copied = copying.copy_rest(log, future, at, settings_of(hosted, key), end)
    copying.follow_marks(log, future, at.now_ms)
    throttles.note_moved(hosted, size)
    return is_copied


def _end(hosted: HostedAgent, key: PartitionKey, move: Move) -> None:
    """Puts the future replica in the place of the current one."""
    from ..replication.copying import follow_marks, take_place

    store = hosted.store
    del store.moves[key]
    log = store.logs.get(key)
    if log is not None and move.future is not None:
        follow_marks(log, move.future, hosted.clock.now_ms)
        take_place(log, move.future)
        store.logs[key] = move.future
    hosted.report_moves()
    hosted.report_change()
