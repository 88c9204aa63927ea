"""What a broker's listener replies where a broker would need groups or transactions: it has none.

Each refusal has a code that clients do not retry, and a text where the response has room for one.
The codes were chosen with kafka-python, aiokafka, librdkafka, the Java clients and franz-go
(`tests/interop/test_data_plane.py`, `docs/data-plane.md`).
"""

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from kraftsim.controller.core import rpc
from kraftsim.controller.core.apis import row_of
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.security.not_configured import refused_token
from kraftsim.controller.raft.protocol import Reply

from .log.retention_bytes import RETENTION_BYTES
from .log.waits import FetchWaits

if TYPE_CHECKING:
    from kraftsim.controller.core.rpc.transactions import (
        ListTransactionsRequest,
        ListTransactionsResponse,
    )

TEXT = (
    "kraftsim has no groups and no transactions: a simulated broker stores messages, which clients "
    "produce without transactions and consume by assignment. Use a Kafka broker for the others."
)
NO_SASL = "This listener expects no SASL authentication."
FIND_COORDINATOR = 10
TRANSACTION_STATES = (
    *("Empty", "Ongoing", "PrepareCommit", "PrepareAbort", "CompleteCommit", "CompleteAbort"),
    *("Dead", "PrepareEpochFence"),
)
"""Kafka's names of the states of a transaction (TransactionState)."""
TRANSACTION = 1  # the type of the key of a coordinator of transactions


def list_transactions(
    request: "ListTransactionsRequest", is_expression: Callable[[str], bool]
) -> "ListTransactionsResponse":
    """Returns no transaction, and the states that Kafka does not know (TransactionStateManager).

    A pattern of transactional ids that is no regular expression is INVALID_REGULAR_EXPRESSION.
    """
    from kraftsim.controller.core.rpc.transactions import ListTransactionsResponse  # large

    pattern = request.transactional_id_pattern
    if pattern and not is_expression(pattern):
        return ListTransactionsResponse(error_code=ErrorCode.INVALID_REGULAR_EXPRESSION)
    unknown = tuple(name for name in request.state_filters if name not in TRANSACTION_STATES)
    return ListTransactionsResponse(unknown_state_filters=unknown)


class DataPlane:
    """Replies to the requests of one cluster's data plane, and counts them by API key.

    `warn` gets a sentence when the first request is refused, since many clients show the code of a
    refusal without its text, and when the first Produce request with acks=0 is refused. Its client
    asks for no response, so it takes every message for written. `waits` has the Fetch requests that
    wait for messages; `retention_bytes` bounds the batches in all logs.
    """

    def __init__(self, warn: Callable[[str], None], retention_bytes: int = RETENTION_BYTES) -> None:
        self.refused: Counter[int] = Counter()
        self.lost_produce_requests = 0
        self.waits = FetchWaits()
        self.retention_bytes = retention_bytes
        self._warn = warn
        self._has_dropped = False

    def begin(self) -> None:
        """Forgets who waits, because another world of the cluster goes on."""
        self.waits = FetchWaits()

    def note_dropped(self) -> None:
        """Warns once that batches were dropped because the logs held too many bytes."""
        if not self._has_dropped:
            self._has_dropped = True
            self._warn(
                f"the logs of the brokers hold {self.retention_bytes} bytes, their bound "
                "(--retention-bytes): from now on the oldest messages make room for new ones"
            )

    def reply(self, request: rpc.Request) -> Reply:
        """Returns the reply to a request."""
        row = row_of(request)
        if row.broker_error == ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED:
            return refused_token(request)
        return self._refusal(request)

    def _refusal(self, request: rpc.Request) -> ApiError:
        """Counts a request that is refused, and returns its error."""
        code = code_of(request)
        text = NO_SASL if code == ErrorCode.ILLEGAL_SASL_STATE else TEXT
        self._count_refused(row_of(request).key, text)
        return ApiError(code, text)

    def _count_refused(self, api_key: int, text: str) -> None:
        if not self.refused:
            self._warn(f"a request of a client was refused: {text} (only the first is reported)")
        self.refused[api_key] += 1

    def count_lost(self) -> None:
        """Counts a Produce request with acks=0 that was refused."""
        if not self.lost_produce_requests:
            self._warn(
                "a producer with acks=0 sent messages that were refused and are lost: it expects no"
                " response, so its connection was closed instead (only the first is reported)"
            )
        self.lost_produce_requests += 1


def code_of(request: rpc.Request) -> ErrorCode:
    """Returns the code that refuses a request."""
    row = row_of(request)
    if row.key == FIND_COORDINATOR and getattr(request, "key_type", 0) == TRANSACTION:
        return ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    return row.broker_error
