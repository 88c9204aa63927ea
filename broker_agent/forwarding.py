"""Forwards a client's request to the active controller, and retries until one is found.

Kafka's brokers do the same: NOT_CONTROLLER and an unreachable controller are hidden from the client
until its timeout (rule 0A.2; golden 4.3.1 A2, seq 2409 to 2413).
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

from kraftsim.controller.core import rpc
from kraftsim.controller.core.apis import row_of
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.refusals import code_of
from kraftsim.controller.core.rpc import Request, UpdateFeaturesRequest
from kraftsim.controller.core.rpc.senders import Requester
from kraftsim.controller.raft.protocol import Reply
from kraftsim.controller.time.timeline import Timeline

RETRY_US = 50_000
LIMIT_US = 60_000_000  # fixed in BrokerServer, whatever request.timeout.ms is
_CODE, _TEXT = ErrorCode.REQUEST_TIMED_OUT, "The request timed out."
_TIMED_OUT: Mapping[type[Request], Reply] = {
    rpc.DescribeQuorumRequest: rpc.DescribeQuorumResponse(error_code=_CODE, error_message=_TEXT),
    rpc.UnregisterBrokerRequest: rpc.UnregisterBrokerResponse(error_code=_CODE, error_message=None),
}
"""What AbstractRequest.getErrorResponse makes of a TimeoutException, where that differs."""

SendToController = Callable[[Request, Callable[[Reply | None], None], int], None]


class Forwarding:
    """Forwards requests of a broker's clients.

    `send(request, reply_to, controller_id)` sends to a controller; `controller_id()` returns the id
    of the active controller as far as this broker knows it.
    """

    def __init__(
        self, timeline: Timeline, send: SendToController, controller_id: Callable[[], int]
    ) -> None:
        self._timeline = timeline
        self._send = send
        self._controller_id = controller_id
        self.reached_id = -1  # the controller that last replied, whose versions the broker knows

    def forward(self, request: Request, reply_to: Callable[[Reply], None]) -> None:
        """Forward a request; replies REQUEST_TIMED_OUT after 60 s without an active controller."""
        self._try(request, reply_to, self._timeline.now_us + LIMIT_US)

    def _try(self, request: Request, reply_to: Callable[[Reply], None], until_us: int) -> None:
        controller_id = self._controller_id()
        answered = partial(self._answered, request, reply_to, until_us, controller_id)
        self._send(request, answered, controller_id)

    def _answered(
        self,
        request: Request,
        reply_to: Callable[[Reply], None],
        until_us: int,
        controller_id: int,
        reply: Reply | None,
    ) -> None:
        if reply is not None:
            self.reached_id = controller_id
        if reply is not None and not _is_not_controller(reply):
            reply_to(reply)
        elif self._timeline.now_us + RETRY_US > until_us:
            text = _TEXT if isinstance(request, rpc.AlterClientQuotasRequest) else ""
            reply_to(_TIMED_OUT.get(type(request)) or ApiError(_CODE, text))
        else:
            self._timeline.after(RETRY_US, partial(self._try, request, reply_to, until_us))


def client_id_and_version(request: Request) -> tuple[str | None, int | None]:
    """Returns the client id and the highest version of a forwarded request; None: the broker's own.

    Kafka forwards both in an Envelope. A version above the client's would lose names of topics
    (DeleteTopics 6) and results (UpdateFeatures 2).
    """
    if row_of(request).strict_since is not None:
        client: Requester = cast(Any, request).requester
        return client.client_id, client.version
    if isinstance(request, UpdateFeaturesRequest):
        allows_downgrade = any(update.allow_downgrade for update in request.feature_updates)
        return None, 0 if allows_downgrade else 1
    return None, None


def _is_not_controller(reply: Reply) -> bool:
    """True if the reply is NOT_CONTROLLER.

    Within a process a refusal is an ApiError; over a socket it is in the response.
    """
    code = reply.code if isinstance(reply, ApiError) else code_of(reply)
    return code == ErrorCode.NOT_CONTROLLER
