"""The request that describes the quorum, which is that of the metadata log."""

from ..rpc import DescribeQuorumPartition, DescribeQuorumRequest, DescribeQuorumTopic
from ..topic_name import METADATA_TOPIC

_LOG = DescribeQuorumTopic(
    topic_name=METADATA_TOPIC, partitions=(DescribeQuorumPartition(partition_index=0),)
)
QUORUM_REQUEST = DescribeQuorumRequest(topics=(_LOG,))
