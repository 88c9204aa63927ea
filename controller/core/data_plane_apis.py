"""The rows of the APIs of messages, transactions, groups and authentication.

A broker's listener answers those of messages from its logs (`broker_agent/messages`), and refuses
the others (`broker_agent/data_plane.py`).
"""

from .api_row import ABSENT, LOG, READ, REFUSE, STORE, ApiRow
from .errors import ErrorCode

_NO_TOKENS = ErrorCode.DELEGATION_TOKEN_REQUEST_NOT_ALLOWED

DATA_PLANE = (
    # Messages
    ApiRow(
        0,
        "Produce",
        None,
        LOG,
        {"3.9": 11},
        {"responses": "topic_data", "partition_responses": "partition_data"},
        listed_since=0,
        names_client=True,
        payload="topicData.partitionData.records",
        one_way=True,
    ),
    ApiRow(
        2,
        "ListOffsets",
        None,
        LOG,
        {"3.9": 9, "4.1": 10},
        names_client=True,
    ),
    ApiRow(17, "SaslHandshake", REFUSE, REFUSE, broker_error=ErrorCode.ILLEGAL_SASL_STATE),
    ApiRow(21, "DeleteRecords", None, LOG),
    ApiRow(23, "OffsetForLeaderEpoch", None, LOG),
    ApiRow(
        34,
        "AlterReplicaLogDirs",
        None,
        LOG,
        repeats={"results": "dirs.topics", "topic_name": "name"},
    ),
    ApiRow(
        36,
        "SaslAuthenticate",
        REFUSE,
        REFUSE,
        secret="auth_bytes",
        repeats={"auth_bytes": ""},
        broker_error=ErrorCode.ILLEGAL_SASL_STATE,
    ),
    # Transactions
    ApiRow(
        22,
        "InitProducerId",
        None,
        LOG,
        broker_error=ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
    ),
    ApiRow(
        24,
        "AddPartitionsToTxn",
        None,
        STORE,
        repeats={
            "results_by_transaction": "transactions",
            "topic_results": "topics",
            "results_by_partition": "partitions",
            "results_by_topic_v3_and_below": "v3_and_below_topics",
        },
    ),
    ApiRow(25, "AddOffsetsToTxn", None, STORE),
    ApiRow(26, "EndTxn", None, STORE, {"3.9": 4}),
    ApiRow(
        27,
        "WriteTxnMarkers",
        None,
        STORE,
        {"3.9": 1, "4.1": 1},
        {"partitions": "partition_indexes"},
    ),
    ApiRow(28, "TxnOffsetCommit", None, STORE, {"3.9": 4, "4.1": 5, "4.3": 5}),
    ApiRow(61, "DescribeProducers", None, LOG, repeats={"partitions": "partition_indexes"}),
    ApiRow(
        65, "DescribeTransactions", None, STORE, repeats={"transaction_states": "transactional_ids"}
    ),
    ApiRow(66, "ListTransactions", None, READ, {"3.9": 1}),
    # Groups
    ApiRow(8, "OffsetCommit", None, STORE, {"3.9": 9, "4.1": 9}),
    ApiRow(
        9, "OffsetFetch", None, STORE, {"3.9": 9, "4.1": 9}, {"partitions": "partition_indexes"}
    ),
    ApiRow(10, "FindCoordinator", None, STORE, repeats={"coordinators": "coordinator_keys"}),
    ApiRow(11, "JoinGroup", None, STORE),
    ApiRow(12, "Heartbeat", None, STORE),
    ApiRow(13, "LeaveGroup", None, STORE),
    ApiRow(14, "SyncGroup", None, STORE),
    ApiRow(15, "DescribeGroups", None, STORE, {"3.9": 5}),
    ApiRow(16, "ListGroups", None, READ),
    ApiRow(
        42, "DeleteGroups", None, STORE, {"3.9": 2, "4.1": 2, "4.3": 2}, {"results": "groups_names"}
    ),
    ApiRow(47, "OffsetDelete", None, STORE),
    ApiRow(68, "ConsumerGroupHeartbeat", None, STORE, {"3.9": 0}),
    ApiRow(69, "ConsumerGroupDescribe", None, STORE, {"3.9": 0}, {"groups": "group_ids"}),
    # Share groups
    ApiRow(76, "ShareGroupHeartbeat", None, STORE, {"3.9": ABSENT}),
    ApiRow(77, "ShareGroupDescribe", None, STORE, {"3.9": ABSENT}, {"groups": "group_ids"}),
    ApiRow(78, "ShareFetch", None, STORE, {"3.9": ABSENT, "4.1": 1}, {"responses": "topics"}),
    ApiRow(79, "ShareAcknowledge", None, STORE, {"3.9": ABSENT, "4.1": 1}, {"responses": "topics"}),
    ApiRow(83, "InitializeShareGroupState", None, STORE, {"3.9": ABSENT}, {"results": "topics"}),
    ApiRow(84, "ReadShareGroupState", None, STORE, {"3.9": ABSENT}, {"results": "topics"}),
    ApiRow(
        85, "WriteShareGroupState", None, STORE, {"3.9": ABSENT, "4.1": 0}, {"results": "topics"}
    ),
    ApiRow(86, "DeleteShareGroupState", None, STORE, {"3.9": ABSENT}, {"results": "topics"}),
    ApiRow(
        87,
        "ReadShareGroupStateSummary",
        None,
        STORE,
        {"3.9": ABSENT, "4.1": 0},
        {"results": "topics"},
    ),
    ApiRow(90, "DescribeShareGroupOffsets", None, STORE, {"3.9": ABSENT, "4.1": 0}),
    ApiRow(91, "AlterShareGroupOffsets", None, STORE, {"3.9": ABSENT}, {"responses": "topics"}),
    ApiRow(92, "DeleteShareGroupOffsets", None, STORE, {"3.9": ABSENT}, {"responses": "topics"}),
    # Streams groups
    ApiRow(88, "StreamsGroupHeartbeat", None, STORE, {"3.9": ABSENT, "4.1": ABSENT, "4.3": 0}),
    ApiRow(
        89,
        "StreamsGroupDescribe",
        None,
        STORE,
        {"3.9": ABSENT, "4.1": ABSENT, "4.3": 0},
        {"groups": "group_ids"},
    ),
    ApiRow(
        93,
        "StreamsGroupTopologyDescriptionUpdate",
        None,
        STORE,
        {"3.9": ABSENT, "4.1": ABSENT, "4.3": ABSENT},
    ),
    # Authentication and tokens
    ApiRow(38, "CreateDelegationToken", REFUSE, REFUSE, forwardable=True, broker_error=_NO_TOKENS),
    ApiRow(39, "RenewDelegationToken", REFUSE, REFUSE, forwardable=True, broker_error=_NO_TOKENS),
    ApiRow(40, "ExpireDelegationToken", REFUSE, REFUSE, forwardable=True, broker_error=_NO_TOKENS),
    ApiRow(
        41,
        "DescribeDelegationToken",
        REFUSE,
        REFUSE,
        broker_error=_NO_TOKENS,
        controller_error=ErrorCode.UNKNOWN_SERVER_ERROR,
    ),
)
