"""A controller's process in a search: the real node over a disk.

Its clock moves only by the event `sees_half_a_session_pass`. Timeouts of the quorum and checks of
the leases are events too.
"""

from typing import Any, ClassVar

from kraftsim.controller.core import rpc
from kraftsim.controller.core.errors import Impossible
from kraftsim.controller.core.image.broker import BrokerRegistration
from kraftsim.controller.core.profile import DEFAULT_PROFILE
from kraftsim.controller.core.settings import Settings
from kraftsim.controller.node.config import NodeConfig
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.log import MetadataLog
from kraftsim.controller.raft.protocol import Answered, Channel, Persisted, Send, Started, Turn
from kraftsim.controller.raft.snapshot import by_reference

from . import quorum_events
from .identities import BROKER_ID, Disk
from .keys import without_grants
from .lone import Answer, Arrival, Requester

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
TOPIC = rpc.CreateTopicsRequest(
    topics=(rpc.CreatableTopic(name="t", num_partitions=1, replication_factor=1),)
)
ADMIN = "admin"


class ControllerLife:
    """One process of a controller, from its start to its end.

    `last_contact_ms` is the time at which the controller last accepted a heartbeat of the
    broker, or became active while the broker was unfenced. The checks compare it with the
    node's own leases, so it is recorded independently of them.
    """

    settings: ClassVar[Settings] = SETTINGS

    def __init__(self, config: NodeConfig, disk: Disk) -> None:
        log = MetadataLog()
        for batch in disk.batches:
            log.append(batch)
        self.disk = disk
        self.now_ms = 0
        self.last_contact_ms: int | None = None
        self.node = Node(
            config,
            profile=DEFAULT_PROFILE,
            settings=self.settings,
            random=lambda: 0.0,
            snapshot_format=by_reference(),
            log=log,
            stored=disk.election,
        )
        self._tokens: list[Arrival] = []
        self._was_active = False

    def apply(self, event: str, arguments: tuple[Any, ...], next_peer: int) -> Turn:
        """Applies an event and makes every write durable; returns one turn with all effects.

        `event` is the name of a method below. If the node sends a request to any voter, it goes
        to the voter at index `next_peer` of the other voters.
        """
        node = self.node
        node.quorum.fetch_next_from(next_peer)
        whole: Turn = getattr(self, event)(*arguments)
        self._carry_out(whole)
        while node.quorum.persisted_offset < node.log.end_offset:
            turn = node.step(Persisted(node.log.end_offset), self.now_ms, 0)
            self._carry_out(turn)
            whole.sends, whole.replies = whole.sends + turn.sends, whole.replies + turn.replies
        quorum_events.drop_unawaited_fetches(node.quorum)
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
            self.last_contact_ms = self.now_ms if broker is not None and not broker.fenced else None
        self._was_active = is_active

    @property
    def broker(self) -> BrokerRegistration | None:
        """The broker's registration in the latest image; None if the broker is not registered.

        The latest image includes records that are not yet committed.
        """
        known: BrokerRegistration | None = self.node.latest.brokers.get(BROKER_ID)
        return known

    @property
    def is_within_session(self) -> bool:
        """True if the last contact with the broker is at most one session timeout ago."""
        return self.last_contact_ms is not None and self.last_contact_ms + SESSION_MS >= self.now_ms

    def age(self, contact_ms: int) -> int:
        """Returns the age of a contact in half sessions, rounded down; at most 2."""
        return min((self.now_ms - contact_ms) // HALF_MS, AGES - 1)

    # Events

    def restarts(self) -> Turn:
        """Starts the process."""
        return self.node.step(Started(), self.now_ms, 0)

    def receives(self, requester: Requester, request: rpc.Request) -> Turn:
        """Handles a request whose sender waits for the reply."""
        return self._submit(Arrival(requester, request, True))

    def receives_late(self, requester: Requester, request: rpc.Request) -> Turn:
        """Handles a request whose sender has given up, or already has its reply."""
        return self._submit(Arrival(requester, request, False))

    def _submit(self, arrival: Arrival) -> Turn:
        request, broker = arrival.request, self.broker
        if arrival.is_awaited:
            self._tokens.append(arrival)
        turn = self.node.submit(request, arrival, self.now_ms, 0)
        if isinstance(request, rpc.BrokerHeartbeatRequest) and self._is_of(broker, request):
            self.last_contact_ms = self.now_ms
        return turn

    def _is_of(
        self, broker: BrokerRegistration | None, request: rpc.BrokerHeartbeatRequest
    ) -> bool:
        is_known = broker is not None and broker.broker_epoch == request.broker_epoch
        return is_known and self.node.is_active

    def receives_response(self, peer: int, response: Any) -> Turn:
        """Handles the response of the controller `peer`; None means that the request failed."""
        number = quorum_events.lines(self.node.quorum)[peer].number
        return self.node.step(
            Answered(channel=Channel.RAFT, peer_id=peer, number=number, response=response),
            self.now_ms,
            0,
        )

    def times_out_on(self, peer: int) -> Turn:
        """Handles the timeout of the open request to `peer`."""
        return self.receives_response(peer, None)

    def answers_parked_fetch_of(self, requester: Requester) -> Turn:
        """Replies to the parked fetch of `requester`: its maximum wait is over (rule 10.35)."""
        turn = Turn(self.now_ms, 0)
        turn.replies = quorum_events.unpark(self.node.quorum, requester)
        return turn

    def forgets_request_of(self, requester: Requester) -> Turn:
        """Forgets the waiting requests of `requester`, which no longer waits for their replies."""
        quorum_events.unpark(self.node.quorum, requester)
        for arrival in self._tokens:
            arrival.is_awaited = arrival.is_awaited and arrival.requester != requester
        return Turn(self.now_ms, 0)

    def role_times_out(self) -> Turn:
        """Handles the timeout of the current role: a leader resigns, others start an election."""
        turn = Turn(self.now_ms, 0)
        quorum_events.time_out_role(self.node.quorum, turn)
        self.node._follow_quorum(turn)
        return turn

    def announces_again_to(self, peer: int) -> Turn:
        """Sends BeginQuorumEpoch again to the voter `peer`, which has not fetched."""
        turn = Turn(self.now_ms, 0)
        quorum_events.announce_again(self.node.quorum, peer, turn)
        return turn

    def sees_half_a_session_pass(self) -> Turn:
        """Advances the clock by half a session; timeouts of the quorum are separate events."""
        self.now_ms += HALF_MS
        return Turn(self.now_ms, 0)

    def looks_at_the_leases(self) -> Turn:
        """Checks the leases now; a search tries the check at any moment (rule 2.47)."""
        turn, active = Turn(self.now_ms, 0), self.node.active
        if active is None:
            raise Impossible("only the active controller has leases")
        active.state.leases.check_at(self.now_ms)
        active.on_deadline(turn)
        return turn

    def creates_a_topic(self) -> Turn:
        """Handles an admin's CreateTopics request."""
        return self._submit(Arrival(ADMIN, TOPIC, False))

    def unregisters_the_broker(self) -> Turn:
        """Handles an admin's UnregisterBroker request."""
        return self._submit(Arrival(ADMIN, rpc.UnregisterBrokerRequest(broker_id=BROKER_ID), False))

    # Waiting replies

    def deferred(self) -> list[tuple[int, Arrival, Answer]]:
        """Returns the replies that wait for a commit while their requesters wait for them.

        Each is (offset that must be committed, request, reply).
        """
        active = self.node.active
        waiting = () if active is None else active._deferred._waiting
        return [entry for entry in waiting if entry[1].is_awaited]


def raft_sends(turn: Turn) -> list[Send]:
    """Returns the requests of a turn; raises Impossible for a request of another channel than raft.

    Only the registration of a controller would use another channel, and controllers do not
    register at the metadata version of a search.
    """
    if any(send.channel is not Channel.RAFT for send in turn.sends):
        raise Impossible(f"expected nothing but raft, got {turn.sends}")
    return list(turn.sends)
