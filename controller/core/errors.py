"""Kafka's error codes, and the exceptions of the core.

There are three kinds of failure. `ApiError` refuses a request: a decision raises it, it changes
nothing, and `handlers.refusal` translates it to a response. `DecodeError` of the wire reports
malformed bytes. `Impossible` reports a broken invariant.
"""

from enum import IntEnum


class ErrorCode(IntEnum):
    """Kafka's error codes (rule 0.7).

    10001 stands for an error of KIP-631's draft, which has no number.
    """

    UNKNOWN_SERVER_ERROR = -1
    NONE = 0
    OFFSET_OUT_OF_RANGE = 1
    CORRUPT_MESSAGE = 2
    UNKNOWN_TOPIC_OR_PARTITION = 3
    LEADER_NOT_AVAILABLE = 5
    NOT_LEADER_OR_FOLLOWER = 6
    REQUEST_TIMED_OUT = 7
    BROKER_NOT_AVAILABLE = 8
    REPLICA_NOT_AVAILABLE = 9
    MESSAGE_TOO_LARGE = 10
    COORDINATOR_LOAD_IN_PROGRESS = 14
    COORDINATOR_NOT_AVAILABLE = 15
    INVALID_TOPIC_EXCEPTION = 17
    RECORD_LIST_TOO_LARGE = 18
    NOT_ENOUGH_REPLICAS = 19
    INVALID_REQUIRED_ACKS = 21
    TOPIC_AUTHORIZATION_FAILED = 29
    GROUP_AUTHORIZATION_FAILED = 30
    CLUSTER_AUTHORIZATION_FAILED = 31
    INVALID_TIMESTAMP = 32
    UNSUPPORTED_SASL_MECHANISM = 33
    ILLEGAL_SASL_STATE = 34
    UNSUPPORTED_VERSION = 35
    TOPIC_ALREADY_EXISTS = 36
    INVALID_PARTITIONS = 37
    INVALID_REPLICATION_FACTOR = 38
    INVALID_REPLICA_ASSIGNMENT = 39
    INVALID_CONFIG = 40
    NOT_CONTROLLER = 41
    INVALID_REQUEST = 42
    POLICY_VIOLATION = 44
    OUT_OF_ORDER_SEQUENCE_NUMBER = 45
    INVALID_PRODUCER_EPOCH = 47
    TRANSACTIONAL_ID_AUTHORIZATION_FAILED = 53
    SECURITY_DISABLED = 54
    OPERATION_NOT_ATTEMPTED = 55
    KAFKA_STORAGE_ERROR = 56
    LOG_DIR_NOT_FOUND = 57
    DELEGATION_TOKEN_REQUEST_NOT_ALLOWED = 64
    GROUP_ID_NOT_FOUND = 69
    FETCH_SESSION_ID_NOT_FOUND = 70
    INVALID_FETCH_SESSION_EPOCH = 71
    LISTENER_NOT_FOUND = 72
    TOPIC_DELETION_DISABLED = 73
    FENCED_LEADER_EPOCH = 74
    UNKNOWN_LEADER_EPOCH = 75
    UNSUPPORTED_COMPRESSION_TYPE = 76
    STALE_BROKER_EPOCH = 77
    OFFSET_NOT_AVAILABLE = 78
    PREFERRED_LEADER_NOT_AVAILABLE = 80
    ELIGIBLE_LEADERS_NOT_AVAILABLE = 83
    ELECTION_NOT_NEEDED = 84
    NO_REASSIGNMENT_IN_PROGRESS = 85
    INVALID_RECORD = 87
    THROTTLING_QUOTA_EXCEEDED = 89
    RESOURCE_NOT_FOUND = 91
    DUPLICATE_RESOURCE = 92
    UNACCEPTABLE_CREDENTIAL = 93
    INVALID_UPDATE_VERSION = 95
    PRINCIPAL_DESERIALIZATION_FAILURE = 97
    SNAPSHOT_NOT_FOUND = 98
    POSITION_OUT_OF_RANGE = 99
    UNKNOWN_TOPIC_ID = 100
    DUPLICATE_BROKER_REGISTRATION = 101
    BROKER_ID_NOT_REGISTERED = 102
    INCONSISTENT_TOPIC_ID = 103
    INCONSISTENT_CLUSTER_ID = 104
    TRANSACTIONAL_ID_NOT_FOUND = 105
    FETCH_SESSION_TOPIC_ID_ERROR = 106
    INELIGIBLE_REPLICA = 107
    NEW_LEADER_ELECTED = 108
    MISMATCHED_ENDPOINT_TYPE = 114
    UNSUPPORTED_ENDPOINT_TYPE = 115
    UNKNOWN_SUBSCRIPTION_ID = 117
    TELEMETRY_TOO_LARGE = 118
    INVALID_REGISTRATION = 119
    INVALID_VOTER_KEY = 125
    DUPLICATE_VOTER = 126
    VOTER_NOT_FOUND = 127
    INVALID_REGULAR_EXPRESSION = 128
    REBOOTSTRAP_REQUIRED = 129
    CONTROLLER_ID_NOT_REGISTERED = 136
    BROKER_REQUIRED_FOR_PARTITIONS = 10001


def error_name(code: int) -> str:
    """Returns Kafka's name of an error code, `ERROR_N` for an unknown code N."""
    return ErrorCode(code).name if code in set(ErrorCode) else f"ERROR_{code}"


class Impossible(Exception):
    """A state that no rule permits: a defect, or a planted bug.

    It ends the process whose step raised it, and the run reports it. An exception is used because
    `python -O` removes `assert`.
    """


class UnknownMetadataVersionError(Impossible):
    """A committed metadata.version that the release of a controller does not know.

    It is a fatal fault of Kafka's controller, whose process ends with 1.
    """

    def __init__(self, node_id: int, level: int, release: str, lowest: int, highest: int) -> None:
        super().__init__(
            f"controller {node_id} ends with a fatal fault: No MetadataVersion with feature level "
            f"{level}. Valid feature levels are from {lowest} to {highest}. Start it with the "
            f"release that the cluster runs: --profile is {release}"
        )


class ApiError(Exception):
    """A refused request. `message` states the expected and the received value.

    An error that becomes a reply loses its traceback: the frames of the decision have the request,
    and that which caught the error also has the reply. A service with much metadata would never
    free such a cycle (`service/garbage_collection.py`).
    """

    def __init__(self, code: ErrorCode, message: str) -> None:
        super().__init__(f"{code.name}: {message}")
        self.code = code
        self.message = message


class ClosedConnection(ApiError):
    """In place of a reply: the broker that forwarded the request ends its client's connection.

    The controller does not have the API, or its version, which the client knows of the broker: its
    release may be another than when the client connected (rule 5.48a).
    """

    def __init__(self, reason: str) -> None:
        super().__init__(ErrorCode.UNSUPPORTED_VERSION, reason)


class PolicyFailure(ApiError):
    """A policy about new topics raised an exception (rule 4.60).

    It refuses the topic without a text. Before 4.3 it refuses the whole request, and the active
    controller resigns.
    """

    def __init__(self) -> None:
        super().__init__(ErrorCode.UNKNOWN_SERVER_ERROR, "")


def expect_time(timeout_ms: int) -> None:
    """Raises REQUEST_TIMED_OUT if the timeout of a request is 0 or less (rule 0A.9)."""
    if timeout_ms <= 0:
        raise ApiError(ErrorCode.REQUEST_TIMED_OUT, "")
