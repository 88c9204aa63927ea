"""Registers a controller with the active one until the committed log has its incarnation.

Rules 5.61 to 5.63.
"""

from collections.abc import Callable

from ..core.cluster import bootstrap
from ..core.image.image import Image
from ..core.profile import Profile
from ..core.rpc import (
    BrokerFeature,
    BrokerListener,
    ControllerRegistrationRequest,
    ControllerRegistrationResponse,
)
from ..core.settings import Settings
from ..core.uuid import Uuid, random_uuid
from ..raft.peers import Peers
from ..raft.protocol import Answered, Channel, Turn
from ..raft.quorum import Quorum
from ..time.timeline import NEVER_MS
from .config import NodeConfig

RETRY_FIRST_MS, RETRY_MAX_MS = 100, 30_000  # Kafka doubles the pause after each try
COMMITTED_MS = 2000  # longer than a follower needs to learn of a commit


class Registrar:
    """Sends ControllerRegistration until the committed log has this incarnation."""

    def __init__(
        self, config: NodeConfig, profile: Profile, settings: Settings, random: Callable[[], float]
    ) -> None:
        self._config = config
        self.request = _request(config, profile, random_uuid(random))
        self._failures = 0
        self._next_ms = 0
        self._peers = Peers(
            Channel.REGISTRATION,
            request_timeout_ms=settings.controller_quorum_request_timeout_ms,
            retry_backoff_ms=0,
        )

    def poll(self, committed: Image, quorum: Quorum, is_active: bool, turn: Turn) -> None:
        """Send the registration to the active controller, unless the log already has it."""
        self._peers.expire(turn.now_ms)  # also expires a request to a former leader
        leader_id = quorum.leader_id
        if is_active or leader_id in (-1, self._config.node_id):
            return
        if turn.now_ms < self._next_ms or not self._is_missing(committed):
            return
        if self._peers.is_free(leader_id, turn.now_ms):
            self._next_ms = turn.now_ms + self._pause_ms()
            self._failures += 1
            self._peers.send(leader_id, quorum.leader_endpoint, self.request, turn)

    def on_answer(self, event: Answered, turn: Turn) -> bool:
        """Handle a response; returns False if it belongs to another channel."""
        if event.channel is not Channel.REGISTRATION:
            return False
        self._peers.take(event.peer_id, event.number)
        response = event.response
        if isinstance(response, ControllerRegistrationResponse) and not response.error_code:
            self._failures = 0
            self._next_ms = turn.now_ms + COMMITTED_MS  # by then this node's log has the record
        return True

    def deadline_ms(self, now_ms: int) -> int:
        """Returns the time of the next registration, or at which the present request times out."""
        lost_ms = self._peers.next_ms(now_ms)
        return min(lost_ms, self._next_ms if self._next_ms > now_ms else NEVER_MS)

    def _is_missing(self, committed: Image) -> bool:
        known = committed.controllers.get(self._config.node_id)
        is_known = known is not None and known.incarnation_id == self.request.incarnation_id
        return not is_known and bootstrap.may_register_controllers(committed)

    def _pause_ms(self) -> int:
        return min(RETRY_FIRST_MS << min(self._failures, 16), RETRY_MAX_MS)


def _request(
    config: NodeConfig, profile: Profile, incarnation_id: Uuid
) -> ControllerRegistrationRequest:
    """Returns the registration of this process; an active controller writes the same content."""
    listener = BrokerListener(name=config.listener_name, host=config.host, port=config.port)
    return ControllerRegistrationRequest(
        controller_id=config.node_id,
        incarnation_id=incarnation_id,
        listeners=(listener,),
        features=tuple(
            BrokerFeature(name=name, min_supported_version=low, max_supported_version=high)
            for name, low, high in profile.supported_features
        ),
    )
