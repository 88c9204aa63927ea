"""What a broker's listener replies where a broker would need stored messages: it has none.

Each refusal has a code that clients do not retry, and a text where the response has room for one.
The codes were chosen with kafka-python, aiokafka, librdkafka, the Java clients and franz-go
(`tests/interop/test_data_plane.py`, `docs/data-plane.md`).
"""

from collections import Counter
from collections.abc import Callable, Container, Mapping
from dataclasses import replace
from typing import Any

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.rpc import (
    DataPlaneRequest,
    DataPlaneResponse,
    FetchPartitionData,
    FetchRequest,
    FetchResponse,
    FetchTopicData,
)
from kraftsim.controller.core.rpc.data_plane import DIRS
from kraftsim.controller.core.security.not_configured import refused_token

TEXT = (
    "kraftsim stores no messages, groups or transactions: it simulates the control plane of Kafka "
    "only. Use a Kafka broker to produce and to consume."
)
NO_SASL = "This listener expects no SASL authentication."
NO_SUCH_DIRECTORY = "The broker has no log directory of this path."
FETCH = 1
FIND_COORDINATOR = 10
ALTER_REPLICA_LOG_DIRS = 34
TRANSACTION = 1  # the type of the key of a coordinator of transactions

REFUSED_WITH: Mapping[int, ErrorCode] = {
    FETCH: ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    2: ErrorCode.TOPIC_AUTHORIZATION_FAILED,  # ListOffsets: consumers retry all other codes
    17: ErrorCode.ILLEGAL_SASL_STATE,
    22: ErrorCode.CLUSTER_AUTHORIZATION_FAILED,
    36: ErrorCode.ILLEGAL_SASL_STATE,
}
"""The codes by key, where it is not POLICY_VIOLATION."""
TOKENS = frozenset(range(38, 42))
EMPTY = frozenset({16, 66})
"""ListGroups and ListTransactions: an empty list is the truth."""


class DataPlane:
    """Replies to the requests of one cluster's data plane, and counts them by API key.

    `warn` gets a sentence when the first request is refused, since many clients show the code of a
    refusal without its text, and when the first Produce request with acks=0 arrives. Its client
    asks for no response, so it takes every message for written.
    """

    def __init__(self, warn: Callable[[str], None]) -> None:
        self.refused: Counter[int] = Counter()
        self.lost_produce_requests = 0
        self._warn = warn

    def reply(self, request: DataPlaneRequest) -> DataPlaneResponse | ApiError:
        """Returns the reply to a request."""
        if request.api_key in EMPTY:
            return request.response()
        if request.api_key in TOKENS:
            return refused_token(request)
        return self._refusal(request)

    def _refusal(self, request: DataPlaneRequest) -> ApiError:
        """Counts a request that is refused, and returns its error."""
        code = code_of(request)
        text = NO_SASL if code == ErrorCode.ILLEGAL_SASL_STATE else TEXT
        self._count_refused(request.api_key, text)
        if request.is_one_way:
            self._count_lost()
        return ApiError(code, text)

    def alter_log_dirs(
        self, request: DataPlaneRequest, log_dirs: Container[str]
    ) -> DataPlaneResponse:
        """Refuses AlterReplicaLogDirs (34) directory by directory.

        A path that is none of the broker's `log_dirs` is LOG_DIR_NOT_FOUND for each of its
        partitions, whatever they are, as in Kafka 4.3.1.
        """
        asked: Any = request
        results: list[object] = []
        for directory in getattr(asked, DIRS):
            part = replace(asked, **{DIRS: (directory,)})
            refusal = ApiError(ErrorCode.LOG_DIR_NOT_FOUND, NO_SUCH_DIRECTORY)
            if directory.path in log_dirs:
                refusal = self._refusal(part)
            results += part.refused(refusal).results
        response: DataPlaneResponse = asked.response(results=tuple(results))
        return response

    def fetch(self, request: FetchRequest) -> FetchResponse:
        """Refuses every partition of a Fetch request; a consumer ignores a code for the whole."""
        self._count_refused(FETCH, TEXT)
        return FetchResponse(
            responses=tuple(
                FetchTopicData(
                    topic=topic.topic,
                    topic_id=topic.topic_id,
                    partitions=tuple(
                        FetchPartitionData(
                            partition_index=partition.partition,
                            error_code=REFUSED_WITH[FETCH],
                            records=(),
                        )
                        for partition in topic.partitions
                    ),
                )
                for topic in request.topics
            )
        )

    def _count_refused(self, api_key: int, text: str) -> None:
        if not self.refused:
            self._warn(f"a request of a client was refused: {text} (only the first is reported)")
        self.refused[api_key] += 1

    def _count_lost(self) -> None:
        if not self.lost_produce_requests:
            self._warn(
                "a producer with acks=0 sent messages, which are lost: it expects no response, so "
                "it was not told that kraftsim stores none (only the first is reported)"
            )
        self.lost_produce_requests += 1


def code_of(request: DataPlaneRequest) -> ErrorCode:
    """Returns the code that refuses a request."""
    if request.api_key == FIND_COORDINATOR and getattr(request, "key_type", 0) == TRANSACTION:
        return ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    return REFUSED_WITH.get(request.api_key, ErrorCode.POLICY_VIOLATION)
