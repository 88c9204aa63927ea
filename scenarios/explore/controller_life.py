"""A controller's process in a search: the real node over a disk.

Time passes only by events. Half a session that passes is such an event, and so is a check of the
leases.
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

NEVER_IN_A_SEARCH_MS = 10**9  # milliseconds; only an event ends a wait of this length
SETTINGS = Settings(
    controller_quorum_retry_backoff_ms=0,
    controller_quorum_request_timeout_ms=NEVER_IN_A_SEARCH_MS,
    metadata_max_idle_interval_ms=0,
    metadata_log_max_snapshot_interval_ms=0,
)
SESSION_MS = SETTINGS.broker_session_timeout_ms
HALF_MS = SESSION_MS // 2 + 1  # twice that is more than a session
AGES = 3  # ages of a contact, in halves of a session: 0, 1, and 2 or more
TOPIC = CreateTopicsRequest(
    topics=(CreatableTopic(name="t", num_partitions=1, replication_factor=1),)
)
ADMIN = "admin"


class ControllerLife:
    """One process of a controller.

    `heard_ms` is when it last accepted a heartbeat of the broker, or became active with the
    broker unfenced. It is recorded independently of the node's own leases.
    """

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
        """Applies an event and makes every write durable; returns one turn with all effects."""
        node = self.node
        node.quorum.fetch_next_from(next_asked)
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
        quorum.log.batches[:] = [without_grants(batch) for batch in quorum.log.batches]
        durable = quorum.persisted_offset
        self.disk.batches = [batch for batch in quorum.log.batches if batch.last_offset < durable]

    def _note_activation(self) -> None:
        is_active, broker = self.node.is_active, self.broker
        if is_active and not self._was_active:
            self.heard_ms = self.now_ms if broker is not None and not broker.fenced else None
        self._was_active = is_active

    @property
    def broker(self) -> BrokerRegistration | None:
        """The broker's registration in the latest state, or None."""
        known: BrokerRegistration | None = self.node.latest.brokers.get(BROKER_ID)
        return known

    @property
    def is_within_session(self) -> bool:
        """True if the last contact is at most a session ago."""
        return self.heard_ms is not None and self.heard_ms + SESSION_MS >= self.now_ms

    def age(self, contact_ms: int) -> int:
        """Returns the age of a contact in halves of a session, at most 2."""
        return min((self.now_ms - contact_ms) // HALF_MS, AGES - 1)

    # Events

    def restarts(self) -> Turn:
        """Starts the process."""
        return self.node.step(Started(), self.now_ms, 0)

    def hears(self, asker: Asker, request: Request) -> Turn:
        """Handles a request whose sender waits for the reply."""
        return self._submit(Asked(asker, request, True))

    def hears_late(self, asker: Asker, request: Request) -> Turn:
        """Handles a request whose sender no longer waits, or has its reply already."""
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
        """Handles the response of another controller; None: the request failed."""
        number = quorum_events.lines(self.node.quorum)[peer].number
        return self.node.step(
            Answered(channel=Channel.RAFT, peer_id=peer, number=number, response=response),
            self.now_ms,
            0,
        )

    def gives_up_on(self, peer: int) -> Turn:
        """Handles a request timeout."""
        return self.is_told(peer, None)

    def lets_go(self, asker: Asker) -> Turn:
        """Answers a parked fetch whose wait time is over (10.35)."""
        turn = Turn(self.now_ms, 0)
        turn.replies = quorum_events.unpark(self.node.quorum, asker)
        return turn

    def is_left_by(self, asker: Asker) -> Turn:
        """Forgets a parked request, because its sender no longer waits."""
        quorum_events.unpark(self.node.quorum, asker)
        for asked in self._tokens:
            asked.is_awaited = asked.is_awaited and asked.asker != asker
        return Turn(self.now_ms, 0)

    def loses_patience(self) -> Turn:
        """Handles the timeout of the present role."""
        turn = Turn(self.now_ms, 0)
        quorum_events.lose_patience(self.node.quorum, turn)
        self.node._follow_quorum(turn)
        return turn

    def says_again_that_it_leads_to(self, peer: int) -> Turn:
        """Sends BeginQuorumEpoch again to a voter that has not fetched."""
        turn = Turn(self.now_ms, 0)
        quorum_events.say_again(self.node.quorum, peer, turn)
        return turn

    def sees_half_a_session_pass(self) -> Turn:
        """Advances the clock by half a session; timeouts of the quorum are events of their own."""
        self.now_ms += HALF_MS
        return Turn(self.now_ms, 0)

    def looks_at_the_leases(self) -> Turn:
        """Checks the leases now; in a search at any moment (2.47)."""
        turn, active = Turn(self.now_ms, 0), self.node.active
        if active is None:
            raise Impossible("only the active controller has leases")
        active._lease_check_ms = self.now_ms
        active.on_deadline(turn)
        return turn

    def creates_a_topic(self) -> Turn:
        """Handles an admin's request for a topic."""
        return self._submit(Asked(ADMIN, TOPIC, False))

    def unregisters_the_broker(self) -> Turn:
        """Handles an admin's request to unregister the broker."""
        return self._submit(Asked(ADMIN, UnregisterBrokerRequest(broker_id=BROKER_ID), False))

    # Waiting replies

    def deferred(self) -> list[tuple[int, Asked, Answer]]:
        """Returns the replies that wait for a commit and whose requester still waits."""
        active = self.node.active
        waiting = () if active is None else active._deferred._waiting
        return [entry for entry in waiting if entry[1].is_awaited]


def raft_sends(turn: Turn) -> list[Send]:
    """Returns the requests of a turn; raises Impossible if a request is not of the raft channel.

    At this metadata version controllers do not register.
    """
    if any(send.channel is not Channel.RAFT for send in turn.sends):
        raise Impossible(f"expected nothing but raft, got {turn.sends}")
    return list(turn.sends)
