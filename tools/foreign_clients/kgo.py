"""franz-go's own tests of its client (package kgo) that talk to a broker, by name."""

from collections.abc import Mapping

PASSING: Mapping[str, str] = {
    "TestPing": "ApiVersions of each seed",
    "TestUnknownGroupOffsetFetchPinned": "OffsetFetch of a group that the broker refuses",
    "TestIssue1034": "FindCoordinator of three groups names all three",
    "TestIssue325": "a topic is consumed that was added later",
    "TestConsumeTopicRetrieval": "the names of consumed topics",
    "TestConsumeTopicRetrieval_Many": "the names of a hundred consumed topics",
    "TestIssue337": "one of two partitions is consumed",
    "TestDirectPartitionPurge": "a topic is forgotten, and consumed again",
    "TestIssue434": "a deleted topic disappears from a consumer by pattern",
    "TestAddRemovePartitions": "partitions are added and removed while consuming",
    "TestPauseIssue489": "partitions pause and resume beside a producer",
    "TestPauseIssueOct2023": "topics pause and resume beside a producer",
    "TestIssue648": "an unknown topic is an error",
    "TestIssue810": "a pattern finds its topic",
    "TestIssue865": "20,000 records beside a consumer that polls",
    "TestIssueFetchLargerThanBrokerMaxReadBytes": "a batch of 5 MiB, too large for the client",
    "TestPooling": "records with headers in the client's pools",
    "TestHookPollStart": "a record for each poll",
    "TestConsumeMaxDecompressBatchBytes": "a gzip batch of 3 MiB in a few kB",
    "TestClient_Produce": "20,000 records by fifty producers, some 5 kB under way",
    "TestIssue769": "an idempotent producer that loses its id and cancels records",
    "TestIssueProduceSyncManualPartitionNegativeDoesNotPanic": "a partition of -1",
    "TestIssue831": "500 cancelled records",
    "TestClient_ProduceLargeMessages": "10 MiB, compressed, to a topic that allows 50 kB",
}
"""Tests that need no group and no transaction, with what they do at the broker."""

LONG = ("TestClient_Produce", "TestIssue337", "TestIssue434", "TestIssue865")
"""Tests of ten seconds or more: `make soak` runs them."""

_GROUP = "a group of consumers"
_SHARE_GROUP = "a share group"
_SASL = "a listener with SASL"
WAITING: Mapping[str, str] = {
    "TestGroupETL": _GROUP,
    "TestGroupSimple": _GROUP,
    "TestIssue523": _GROUP,
    "Test848RegexBrokerResolves": "a group of the new protocol",
    "TestConsumeRegex": "`__consumer_offsets`, which the first group creates",
    "TestConsumeRegexShareSkipsInternal": _SHARE_GROUP,
    "TestShareGroup": _SHARE_GROUP,
    "TestShareGroupETL": _SHARE_GROUP,
    "TestShareGroupAckOnClose": _SHARE_GROUP,
    "TestShareGroupOffsetsAdmin": _SHARE_GROUP,
    "TestTxnEtl": "transactions",
    "TestSCRAMAuth": _SASL,
    "TestSCRAMAuthBadCredentials": _SASL,
    "TestIssueProduceBrokerTooOldFailsRecords": (
        "a broker that does not list Produce 0, as 4.3.1 does; the test skips itself"
    ),
}
"""Tests that cannot pass, with what they need."""
