"""A controller's process while a search holds it: the real node over a disk, where only events make
time pass. A session that passes is one of them, and so is a look at the leases.
"""

from typing import Any

from kraftsim.controller.core.errors import Impossible
from kraftsim.controller.core.image.broker import BrokerRegistration
from kraftsim.controller.core.profile import DEFAULT_PROFILE
from kraftsim.controller.core.rpc import (
    BrokerHeartbeatRequest,
    CreatableTopic,
    CreateTopicsRequest,
    Request,
    UnregisterBrokerRequest,
)
from kraftsim.controller.core.settings import Settings
from kraftsim.controller.node.config import NodeConfig
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.log import MetadataLog
from kraftsim.controller.raft.protocol import Answered, Channel, Persisted, Send, Started, Turn
from kraftsim.controller.raft.snapshot import by_reference

from . import quorum_events
from .identities import BROKER_ID, Disk
from .keys import without_grants
from .lone import Answer, Asked, Asker

NEVER_IN_A_SEARCH_MS = 10**9  # what waits for that long is let go by an event, or not at all
SETTINGS = Settings(
    controller_quorum_retry_backoff_ms=0,
    controller_quorum_request_timeout_ms=NEVER_IN_A_SEARCH_MS,
    metadata_max_idle_interval_ms=0,
    metadata_log_max_snapshot_interval_ms=0,
)
SESSION_MS = SETTINGS.broker_session_timeout_ms
HALF_MS = SESSION_MS // 2 + 1  # twice that is more than a session
AGES = 3  # of a contact: of now, of this session, older
TOPIC = CreateTopicsRequest(
    topics=(CreatableTopic(name="t", num_partitions=1, replication_factor=1),)
)
ADMIN = "admin"


class ControllerLife:
    """`heard_ms`: when it last heard of the broker by a heartbeat that it took, or became active
    with it unfenced; kept apart from what the node itself knows of it."""

    def __init__(self, config: NodeConfig, disk: Disk) -> None:
        log = MetadataLog()
        for batch in disk.batches:
            log.append(batch)
        self.disk = disk
        self.now_ms = 0
        self.heard_ms: int | None = None
        self.node = Node(
            config,
            profile=DEFAULT_PROFILE,
            settings=SETTINGS,
            random=lambda: 0.0,
            snapshot_format=by_reference(),
            log=log,
            stored=disk.election,
        )
        self._tokens: list[Asked] = []
        self._was_active = False

    def meet(self, event: str, about: tuple[Any, ...], next_asked: int) -> Turn:
        """What became of it and of all that it wrote meanwhile, in one turn."""
        node = self.node
        node.quorum.next_asked = next_asked
        whole: Turn = getattr(self, event)(*about)
        self._carry_out(whole)
        while node.quorum.persisted_offset < node.log.end_offset:
            turn = node.step(Persisted(node.log.end_offset), self.now_ms, 0)
            self._carry_out(turn)
            whole.sends, whole.replies = whole.sends + turn.sends, whole.replies + turn.replies
        quorum_events.forget_the_unheard(node.quorum)
        self._note_activation()
        return whole

    def _carry_out(self, turn: Turn) -> None:
        if turn.election is not None:
            self.disk.election = turn.election
        quorum = self.node.quorum
        quorum.log.batches[:] = [without_grants(one) for one in quorum.log.batches]
        durable = quorum.persisted_offset
        self.disk.batches = [one for one in quorum.log.batches if one.last_offset < durable]

    def _note_activation(self) -> None:
        is_active, broker = self.node.is_active, self.broker
        if is_active and not self._was_active:
            self.heard_ms = self.now_ms if broker is not None and not broker.fenced else None
        self._was_active = is_active

    @property
    def broker(self) -> BrokerRegistration | None:
        """As the latest state has it."""
        known: BrokerRegistration | None = self.node.latest.brokers.get(BROKER_ID)
        return known

    @property
    def is_within_session(self) -> bool:
        """Has it heard of the broker less than a session ago?"""
        return self.heard_ms is not None and self.heard_ms + SESSION_MS >= self.now_ms

    def age(self, contact_ms: int) -> int:
        """In halves of a session, as far as that matters."""
        return min((self.now_ms - contact_ms) // HALF_MS, AGES - 1)

    # What may happen to it

    def restarts(self) -> Turn:
        return self.node.step(Started(), self.now_ms, 0)

    def hears(self, asker: Asker, request: Request) -> Turn:
        return self._submit(Asked(asker, request, True))

    def hears_late(self, asker: Asker, request: Request) -> Turn:
        """Its sender waits no more, or has been answered already."""
        return self._submit(Asked(asker, request, False))

    def _submit(self, asked: Asked) -> Turn:
        request, broker = asked.request, self.broker
        if asked.is_awaited:
            self._tokens.append(asked)
        turn = self.node.submit(request, asked, self.now_ms, 0)
        if isinstance(request, BrokerHeartbeatRequest) and self._is_of(broker, request):
            self.heard_ms = self.now_ms
        return turn

    def _is_of(self, broker: BrokerRegistration | None, request: BrokerHeartbeatRequest) -> bool:
        is_known = broker is not None and broker.broker_epoch == request.broker_epoch
        return is_known and self.node.is_active

    def is_told(self, peer: int, response: Any) -> Turn:
        number = quorum_events.lines(self.node.quorum)[peer].number
        return self.node.step(
            Answered(channel=Channel.RAFT, peer_id=peer, number=number, response=response),
            self.now_ms,
            0,
        )

    def gives_up_on(self, peer: int) -> Turn:
        return self.is_told(peer, None)

    def lets_go(self, asker: Asker) -> Turn:
        """The fetch has waited for as long as it may (10.35)."""
        turn = Turn(self.now_ms, 0)
        turn.replies = quorum_events.unpark(self.node.quorum, asker)
        return turn

    def is_left_by(self, asker: Asker) -> Turn:
        """It does not wait for an answer any more."""
        quorum_events.unpark(self.node.quorum, asker)
        for asked in self._tokens:
            asked.is_awaited = asked.is_awaited and asked.asker != asker
        return Turn(self.now_ms, 0)

    def loses_patience(self) -> Turn:
        turn = Turn(self.now_ms, 0)
        quorum_events.lose_patience(self.node.quorum, turn)
        self.node._follow_quorum(turn)
        return turn

    def says_again_that_it_leads_to(self, peer: int) -> Turn:
        turn = Turn(self.now_ms, 0)
        quorum_events.say_again(self.node.quorum, peer, turn)
        return turn

    def sees_half_a_session_pass(self) -> Turn:
        """Nothing happens but that; the quorum's own times are events of their own."""
        self.now_ms += HALF_MS
        return Turn(self.now_ms, 0)

    def looks_at_the_leases(self) -> Turn:
        """Whenever it likes: how often it does is a matter of time (2.47)."""
        turn, active = Turn(self.now_ms, 0), self.node.active
        if active is None:
            raise Impossible("only the active controller has leases")
        active._lease_check_ms = self.now_ms
        active.on_deadline(turn)
        return turn

    def creates_a_topic(self) -> Turn:
        return self._submit(Asked(ADMIN, TOPIC, False))

    def unregisters_the_broker(self) -> Turn:
        return self._submit(Asked(ADMIN, UnregisterBrokerRequest(broker_id=BROKER_ID), False))

    # What waits here

    def deferred(self) -> list[tuple[int, Asked, Answer]]:
        """Answers that wait for what is not committed yet, and are awaited."""
        active = self.node.active
        waiting = () if active is None else active._deferred._waiting
        return [one for one in waiting if one[1].is_awaited]


def raft_sends(turn: Turn) -> list[Send]:
    """All that it says to others: at this level controllers do not register."""
    if any(one.channel is not Channel.RAFT for one in turn.sends):
        raise Impossible(f"expected nothing but raft, got {turn.sends}")
    return list(turn.sends)
