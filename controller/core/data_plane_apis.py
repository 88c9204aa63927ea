"""The rows of the APIs of messages, transactions, groups and authentication.

A broker's listener refuses most of them, because kraftsim stores no messages
(`broker_agent/data_plane.py`).
"""

from .api_row import ABSENT, READ, REFUSE, STORE, ApiRow
from .errors import ErrorCode

_NO_TOKENS = ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED

DATA_PLANE = (
    # Messages
    ApiRow(
        0,
        "Produce",
        broker=STORE,
        newest={"3.9": 11},
        listed_since=0,
        repeats={"responses": "topic_data", "partition_responses": "partition_data"},
        one_way=True,
    ),
    ApiRow(
        2,
        "ListOffsets",
        broker=STORE,
        newest={"3.9": 9, "4.1": 10},
        broker_error=ErrorCode.TOPIC_AUTHORIZATION_FAILED,
    ),
    ApiRow(
        17,
        "SaslHandshake",
        controller=REFUSE,
        broker=REFUSE,
        broker_error=ErrorCode.ILLEGAL_SASL_STATE,
        controller_error=ErrorCode.ILLEGAL_SASL_STATE,
    ),
    ApiRow(21, "DeleteRecords", broker=STORE),
    ApiRow(23, "OffsetForLeaderEpoch", broker=STORE),
    ApiRow(
        34,
        "AlterReplicaLogDirs",
        broker=STORE,
        repeats={"results": "dirs.topics", "topic_name": "name"},
    ),
    ApiRow(
        36,
        "SaslAuthenticate",
        controller=REFUSE,
        broker=REFUSE,
        secret="auth_bytes",
        repeats={"auth_bytes": ""},
        broker_error=ErrorCode.ILLEGAL_SASL_STATE,
        controller_error=ErrorCode.ILLEGAL_SASL_STATE,
    ),
    # Transactions
    ApiRow(22, "InitProducerId", broker=STORE, broker_error=ErrorCode.CLUSTER_AUTHORIZATION_FAILED),
    ApiRow(
        24,
        "AddPartitionsToTxn",
        broker=STORE,
        repeats={
            "results_by_transaction": "transactions",
            "topic_results": "topics",
            "results_by_partition": "partitions",
            "results_by_topic_v3_and_below": "v3_and_below_topics",
        },
    ),
    ApiRow(25, "AddOffsetsToTxn", broker=STORE),
    ApiRow(26, "EndTxn", broker=STORE, newest={"3.9": 4}),
    ApiRow(
        27,
        "WriteTxnMarkers",
        broker=STORE,
        newest={"3.9": 1, "4.1": 1},
        repeats={"partitions": "partition_indexes"},
    ),
    ApiRow(28, "TxnOffsetCommit", broker=STORE, newest={"3.9": 4, "4.1": 5, "4.3": 5}),
    ApiRow(61, "DescribeProducers", broker=STORE, repeats={"partitions": "partition_indexes"}),
    ApiRow(
        65,
        "DescribeTransactions",
        broker=STORE,
        repeats={"transaction_states": "transactional_ids"},
    ),
    ApiRow(66, "ListTransactions", broker=READ, newest={"3.9": 1}),
    # Groups
    ApiRow(8, "OffsetCommit", broker=STORE, newest={"3.9": 9, "4.1": 9}),
    ApiRow(
        9,
        "OffsetFetch",
        broker=STORE,
        newest={"3.9": 9, "4.1": 9},
        repeats={"partitions": "partition_indexes"},
    ),
    ApiRow(10, "FindCoordinator", broker=STORE, repeats={"coordinators": "coordinator_keys"}),
    ApiRow(11, "JoinGroup", broker=STORE),
    ApiRow(12, "Heartbeat", broker=STORE),
    ApiRow(13, "LeaveGroup", broker=STORE),
    ApiRow(14, "SyncGroup", broker=STORE),
    ApiRow(15, "DescribeGroups", broker=STORE, newest={"3.9": 5}),
    ApiRow(16, "ListGroups", broker=READ),
    ApiRow(
        42,
        "DeleteGroups",
        broker=STORE,
        newest={"3.9": 2, "4.1": 2, "4.3": 2},
        repeats={"results": "groups_names"},
    ),
    ApiRow(47, "OffsetDelete", broker=STORE),
    ApiRow(68, "ConsumerGroupHeartbeat", broker=STORE, newest={"3.9": 0}),
    ApiRow(
        69,
        "ConsumerGroupDescribe",
        broker=STORE,
        newest={"3.9": 0},
        repeats={"groups": "group_ids"},
    ),
    # Share groups
    ApiRow(76, "ShareGroupHeartbeat", broker=STORE, newest={"3.9": ABSENT}),
    ApiRow(
        77,
        "ShareGroupDescribe",
        broker=STORE,
        newest={"3.9": ABSENT},
        repeats={"groups": "group_ids"},
    ),
    ApiRow(
        78,
        "ShareFetch",
        broker=STORE,
        newest={"3.9": ABSENT, "4.1": 1},
        repeats={"responses": "topics"},
    ),
    ApiRow(
        79,
        "ShareAcknowledge",
        broker=STORE,
        newest={"3.9": ABSENT, "4.1": 1},
        repeats={"responses": "topics"},
    ),
    ApiRow(
        83,
        "InitializeShareGroupState",
        broker=STORE,
        newest={"3.9": ABSENT},
        repeats={"results": "topics"},
    ),
    ApiRow(
        84,
        "ReadShareGroupState",
        broker=STORE,
        newest={"3.9": ABSENT},
        repeats={"results": "topics"},
    ),
    ApiRow(
        85,
        "WriteShareGroupState",
        broker=STORE,
        newest={"3.9": ABSENT, "4.1": 0},
        repeats={"results": "topics"},
    ),
    ApiRow(
        86,
        "DeleteShareGroupState",
        broker=STORE,
        newest={"3.9": ABSENT},
        repeats={"results": "topics"},
    ),
    ApiRow(
        87,
        "ReadShareGroupStateSummary",
        broker=STORE,
        newest={"3.9": ABSENT, "4.1": 0},
        repeats={"results": "topics"},
    ),
    ApiRow(90, "DescribeShareGroupOffsets", broker=STORE, newest={"3.9": ABSENT, "4.1": 0}),
    ApiRow(
        91,
        "AlterShareGroupOffsets",
        broker=STORE,
        newest={"3.9": ABSENT},
        repeats={"responses": "topics"},
    ),
    ApiRow(
        92,
        "DeleteShareGroupOffsets",
        broker=STORE,
        newest={"3.9": ABSENT},
        repeats={"responses": "topics"},
    ),
    # Streams groups
    ApiRow(
        88, "StreamsGroupHeartbeat", broker=STORE, newest={"3.9": ABSENT, "4.1": ABSENT, "4.3": 0}
    ),
    ApiRow(
        89,
        "StreamsGroupDescribe",
        broker=STORE,
        newest={"3.9": ABSENT, "4.1": ABSENT, "4.3": 0},
        repeats={"groups": "group_ids"},
    ),
    ApiRow(
        93,
        "StreamsGroupTopologyDescriptionUpdate",
        broker=STORE,
        newest={"3.9": ABSENT, "4.1": ABSENT, "4.3": ABSENT},
    ),
    # Authentication and tokens
    ApiRow(
        38,
        "CreateDelegationToken",
        controller=REFUSE,
        broker=REFUSE,
        forwardable=True,
        broker_error=_NO_TOKENS,
        controller_error=_NO_TOKENS,
    ),
    ApiRow(
        39,
        "RenewDelegationToken",
        controller=REFUSE,
        broker=REFUSE,
        forwardable=True,
        broker_error=_NO_TOKENS,
        controller_error=_NO_TOKENS,
    ),
    ApiRow(
        40,
        "ExpireDelegationToken",
        controller=REFUSE,
        broker=REFUSE,
        forwardable=True,
        broker_error=_NO_TOKENS,
        controller_error=_NO_TOKENS,
    ),
    ApiRow(
        41, "DescribeDelegationToken", controller=REFUSE, broker=REFUSE, broker_error=_NO_TOKENS
    ),
)
