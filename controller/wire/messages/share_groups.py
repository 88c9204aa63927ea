"""Schemas of APIs of share groups (KIP-932)."""

TEXT = """\
struct AcknowledgementBatch
  "What a member did with a range of records."
  first_offset:int64 last_offset:int64
  acknowledge_types:int8[] "for each offset, or once for all: 0 gap, 1 accept, 2 release, 3 reject,
   4 renew the lock (KIP-1222)"

struct ShareFetchLeaderIdAndEpoch
  "The leader of a partition as the broker knows it; the fields are -1 if unknown."
  leader_id:int32 leader_epoch:int32

struct InitializeShareGroupStatePartitionResult
  "The result for one partition."
  partition:int32 error_code:int16 error_message?=null:string

struct ReadShareGroupStatePartitionData
  "A partition whose state is read."
  partition:int32 leader_epoch:int32

struct StateBatch
  "The delivery state of a range of records."
  first_offset:int64 last_offset:int64 delivery_state:int8 "0 available, 2 acknowledged, 4 archived"
  delivery_count:int16

76 ShareGroupHeartbeat 1-1 flexible 0
 >
  "A member joins a share group, renews its session, or leaves. A field of null has not changed
   since the last heartbeat."
  group_id:string member_id:string member_epoch:int32 "epoch of the member; 0 joins, -1 leaves"
  rack_id?=null:string subscribed_topic_names?=null:string[]
 <
  throttle_time_ms:int32 error_code:int16 error_message?=null:string member_id?=null:string
  member_epoch:int32 heartbeat_interval_ms:int32
  assignment?=null{ConsumerGroupAssignment} "partitions of the member; null if unchanged"

77 ShareGroupDescribe 1-1 flexible 0
 >
  "Requests descriptions of share groups."
  group_ids:string[] include_authorized_operations:bool
 <
  throttle_time_ms:int32
  groups[ShareGroupDescribeDescribedGroup
   "One share group with its members."
   error_code:int16 error_message?=null:string group_id:string group_state:string
   group_epoch:int32 assignment_epoch:int32 assignor_name:string
   members[ShareGroupDescribeMember
    "One member of a share group."
    member_id:string rack_id?=null:string member_epoch:int32 client_id:string client_host:string
    subscribed_topic_names:string[]
    assignment{ConsumerGroupMemberAssignment} "partitions that the member reads"]
   authorized_operations=-2147483648:int32]

78 ShareFetch 1-2 flexible 0
 >
  "A member acquires records, and acknowledges earlier ones."
  group_id?=null:string member_id?:string share_session_epoch:int32 max_wait_ms:int32
  min_bytes:int32 max_bytes=0x7FFFFFFF:int32
  max_records:int32 "most records to acquire; in mode 0 the last batch may exceed this bound"
  batch_size:int32 "records that a batch of acquired records should have"
  share_acquire_mode@2-:int8 "0 whole batches, 1 never more than `max_records` (KIP-1206)"
  is_renew_ack@2-:bool
  topics[ShareFetchFetchTopic
   "A topic to fetch."
   topic_id:uuid
   partitions[ShareFetchFetchPartition
    "A partition to fetch, with acknowledgements."
    partition_index:int32 acknowledgement_batches[AcknowledgementBatch]]]
  forgotten_topics_data[ShareFetchForgottenTopic
   "Partitions to remove from the share session."
   topic_id:uuid partitions:int32[] "numbers of the partitions"]
 <
  throttle_time_ms:int32 error_code:int16 error_message?=null:string
  acquisition_lock_timeout_ms:int32
  responses[ShareFetchableTopicResponse
   "The reply for one topic."
   topic_id:uuid
   partitions[ShareFetchPartitionData
    "The records of one partition, and the result of the acknowledgements."
    partition_index:int32 error_code:int16 error_message?=null:string
    acknowledge_error_code:int16 "number of the error of the acknowledgements; 0 is success"
    acknowledge_error_message?=null:string "error of the acknowledgements; null if there is none"
    current_leader{ShareFetchLeaderIdAndEpoch} records?:bytes "batches of records; null if none"
    acquired_records[AcquiredRecords
     "A range of records that the member acquired."
     first_offset:int64 last_offset:int64 delivery_count:int16]]]
  node_endpoints[ProduceNodeEndpoint]

79 ShareAcknowledge 1-2 flexible 0
 >
  "A member acknowledges records."
  group_id?=null:string member_id?:string
  share_session_epoch:int32 "number of the request in the share session; -1 closes"
  is_renew_ack@2-:bool
  topics[AcknowledgeTopic
   "A topic with acknowledgements."
   topic_id:uuid
   partitions[AcknowledgePartition
    "A partition with acknowledgements."
    partition_index:int32 acknowledgement_batches[AcknowledgementBatch]]]
 <
  throttle_time_ms:int32 error_code:int16 error_message?=null:string
  acquisition_lock_timeout_ms@2-:int32
  responses[ShareAcknowledgeTopicResponse
   "The results for one topic."
   topic_id:uuid
   partitions[ShareAcknowledgePartitionData
    "The result for one partition."
    partition_index:int32 error_code:int16 error_message?=null:string
    current_leader{ShareFetchLeaderIdAndEpoch}]]
  node_endpoints[ProduceNodeEndpoint]

83 InitializeShareGroupState 0-0 flexible 0
 >
  "The group coordinator creates the state of share partitions."
  group_id:string
  topics[InitializeStateData
   "A topic whose partitions get a state."
   topic_id:uuid
   partitions[InitializeShareGroupStatePartitionData
    "The first state of one partition."
    partition:int32 state_epoch:int32 start_offset:int64]]
 <
  results[InitializeStateResult
   "The results for one topic."
   topic_id:uuid partitions[InitializeShareGroupStatePartitionResult]]

84 ReadShareGroupState 0-0 flexible 0
 >
  "A partition's leader reads the state of share partitions."
  group_id:string
  topics[ReadStateData
   "A topic whose state is read."
   topic_id:uuid partitions[ReadShareGroupStatePartitionData]]
 <
  results[ReadStateResult
   "The states of one topic."
   topic_id:uuid
   partitions[ReadShareGroupStatePartitionResult
    "The state of one partition."
    partition:int32 error_code:int16 error_message?=null:string state_epoch:int32
    start_offset:int64 state_batches[StateBatch]]]

85 WriteShareGroupState 0-1 flexible 0
 >
  "A partition's leader writes the state of share partitions."
  group_id:string
  topics[WriteStateData
   "A topic whose state is written."
   topic_id:uuid
   partitions[WriteShareGroupStatePartitionData
    "The new state of one partition."
    partition:int32 state_epoch:int32 leader_epoch:int32
    start_offset:int64 "first offset that the share group may deliver; -1 if unchanged"
    delivery_complete_count@1-=-1:int32 state_batches[StateBatch]]]
 <
  results[WriteStateResult
   "The results for one topic."
   topic_id:uuid partitions[InitializeShareGroupStatePartitionResult]]

86 DeleteShareGroupState 0-0 flexible 0
 >
  "The group coordinator deletes the state of share partitions."
  group_id:string
  topics[DeleteStateData
   "A topic whose state is deleted."
   topic_id:uuid
   partitions[DeleteShareGroupStatePartitionData
    "A partition whose state is deleted."
    partition:int32]]
 <
  results[DeleteStateResult
   "The results for one topic."
   topic_id:uuid partitions[InitializeShareGroupStatePartitionResult]]

87 ReadShareGroupStateSummary 0-1 flexible 0
 >
  "Requests the start offsets of share partitions, without the states of records."
  group_id:string
  topics[ReadStateSummaryData
   "A topic whose state is read."
   topic_id:uuid partitions[ReadShareGroupStatePartitionData]]
 <
  results[ReadStateSummaryResult
   "The summaries of one topic."
   topic_id:uuid
   partitions[ReadShareGroupStateSummaryPartitionResult
    "The summary of one partition's state."
    partition:int32 error_code:int16 error_message?=null:string state_epoch:int32
    leader_epoch:int32 start_offset:int64 delivery_complete_count@1-=-1:int32]]

90 DescribeShareGroupOffsets 0-1 flexible 0
 >
  "Requests the start offsets of share groups."
  groups[DescribeShareGroupOffsetsRequestGroup
   "A group to describe."
   group_id:string
   topics?[DescribeShareGroupOffsetsRequestTopic
    "A topic to describe; null `topics` means every topic of the group."
    topic_name:string partitions:int32[] "numbers of the partitions"]]
 <
  throttle_time_ms:int32
  groups[DescribeShareGroupOffsetsResponseGroup
   "The offsets of one group."
   group_id:string
   topics[DescribeShareGroupOffsetsResponseTopic
    "The offsets of one topic."
    topic_name:string topic_id:uuid
    partitions[DescribeShareGroupOffsetsResponsePartition
     "The start offset of one partition."
     partition_index:int32 start_offset:int64 leader_epoch:int32
     lag@1-=-1:int64 "records that the group has yet to complete (KIP-1226); -1 if unknown"
     error_code:int16 error_message?=null:string]]
   error_code:int16 error_message?=null:string]

91 AlterShareGroupOffsets 0-0 flexible 0
 >
  "Sets the start offsets of an empty share group."
  group_id:string
  topics[AlterShareGroupOffsetsRequestTopic
   "A topic whose start offsets are set."
   topic_name:string
   partitions[AlterShareGroupOffsetsRequestPartition
    "The start offset of one partition."
    partition_index:int32 start_offset:int64 "new start offset of the share partition"]]
 <
  throttle_time_ms:int32 error_code:int16 error_message?=null:string
  responses[AlterShareGroupOffsetsResponseTopic
   "The results for one topic."
   topic_name:string topic_id:uuid
   partitions[AlterShareGroupOffsetsResponsePartition
    "The result for one partition."
    partition_index:int32 error_code:int16 error_message?=null:string]]

92 DeleteShareGroupOffsets 0-0 flexible 0
 >
  "Deletes the offsets of topics from an empty share group."
  group_id:string
  topics[DeleteShareGroupOffsetsRequestTopic
   "A topic whose offsets are deleted."
   topic_name:string]
 <
  throttle_time_ms:int32 error_code:int16 error_message?=null:string
  responses[DeleteShareGroupOffsetsResponseTopic
   "The result for one topic."
   topic_name:string topic_id:uuid error_code:int16 error_message?=null:string]
"""
