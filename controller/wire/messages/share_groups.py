"""Schemas of APIs of share groups (KIP-932)."""

TEXT = """\
struct AcknowledgementBatch
  first_offset:int64 last_offset:int64 acknowledge_types:int8[]

struct ShareFetchLeaderIdAndEpoch
  leader_id:int32 leader_epoch:int32

struct InitializeShareGroupStatePartitionResult
  partition:int32 error_code:int16 error_message?=null:string

struct ReadShareGroupStatePartitionData
  partition:int32 leader_epoch:int32

struct StateBatch
  first_offset:int64 last_offset:int64 delivery_state:int8 delivery_count:int16

76 ShareGroupHeartbeat 1-1 flexible 0
 >
  group_id:string member_id:string member_epoch:int32 rack_id?=null:string
  subscribed_topic_names?=null:string[]
 <
  throttle_time_ms:int32 error_code:int16 error_message?=null:string member_id?=null:string
  member_epoch:int32 heartbeat_interval_ms:int32 assignment?=null{ConsumerGroupAssignment}

77 ShareGroupDescribe 1-1 flexible 0
 >
  group_ids:string[] include_authorized_operations:bool
 <
  throttle_time_ms:int32
  groups[ShareGroupDescribeDescribedGroup
   error_code:int16 error_message?=null:string group_id:string group_state:string
   group_epoch:int32 assignment_epoch:int32 assignor_name:string
   members[ShareGroupDescribeMember
    member_id:string rack_id?=null:string member_epoch:int32 client_id:string client_host:string
    subscribed_topic_names:string[] assignment{ConsumerGroupMemberAssignment}]
   authorized_operations=-2147483648:int32]

78 ShareFetch 1-2 flexible 0
 >
  group_id?=null:string member_id?:string share_session_epoch:int32 max_wait_ms:int32
  min_bytes:int32 max_bytes=0x7FFFFFFF:int32 max_records:int32 batch_size:int32
  share_acquire_mode@2-:int8 is_renew_ack@2-:bool
  topics[ShareFetchFetchTopic
   topic_id:uuid
   partitions[ShareFetchFetchPartition
    partition_index:int32 acknowledgement_batches[AcknowledgementBatch]]]
  forgotten_topics_data[ShareFetchForgottenTopic
   topic_id:uuid partitions:int32[]]
 <
  throttle_time_ms:int32 error_code:int16 error_message?=null:string
  acquisition_lock_timeout_ms:int32
  responses[ShareFetchableTopicResponse
   topic_id:uuid
   partitions[ShareFetchPartitionData
    partition_index:int32 error_code:int16 error_message?=null:string
    acknowledge_error_code:int16 acknowledge_error_message?=null:string
    current_leader{ShareFetchLeaderIdAndEpoch} records?:bytes
    acquired_records[AcquiredRecords
     first_offset:int64 last_offset:int64 delivery_count:int16]]]
  node_endpoints[ProduceNodeEndpoint]

79 ShareAcknowledge 1-2 flexible 0
 >
  group_id?=null:string member_id?:string share_session_epoch:int32 is_renew_ack@2-:bool
  topics[AcknowledgeTopic
   topic_id:uuid
   partitions[AcknowledgePartition
    partition_index:int32 acknowledgement_batches[AcknowledgementBatch]]]
 <
  throttle_time_ms:int32 error_code:int16 error_message?=null:string
  acquisition_lock_timeout_ms@2-:int32
  responses[ShareAcknowledgeTopicResponse
   topic_id:uuid
   partitions[ShareAcknowledgePartitionData
    partition_index:int32 error_code:int16 error_message?=null:string
    current_leader{ShareFetchLeaderIdAndEpoch}]]
  node_endpoints[ProduceNodeEndpoint]

83 InitializeShareGroupState 0-0 flexible 0
 >
  group_id:string
  topics[InitializeStateData
   topic_id:uuid
   partitions[InitializeShareGroupStatePartitionData
    partition:int32 state_epoch:int32 start_offset:int64]]
 <
  results[InitializeStateResult
   topic_id:uuid partitions[InitializeShareGroupStatePartitionResult]]

84 ReadShareGroupState 0-0 flexible 0
 >
  group_id:string
  topics[ReadStateData
   topic_id:uuid partitions[ReadShareGroupStatePartitionData]]
 <
  results[ReadStateResult
   topic_id:uuid
   partitions[ReadShareGroupStatePartitionResult
    partition:int32 error_code:int16 error_message?=null:string state_epoch:int32
    start_offset:int64 state_batches[StateBatch]]]

85 WriteShareGroupState 0-1 flexible 0
 >
  group_id:string
  topics[WriteStateData
   topic_id:uuid
   partitions[WriteShareGroupStatePartitionData
    partition:int32 state_epoch:int32 leader_epoch:int32 start_offset:int64
    delivery_complete_count@1-=-1:int32 state_batches[StateBatch]]]
 <
  results[WriteStateResult
   topic_id:uuid partitions[InitializeShareGroupStatePartitionResult]]

86 DeleteShareGroupState 0-0 flexible 0
 >
  group_id:string
  topics[DeleteStateData
   topic_id:uuid
   partitions[DeleteShareGroupStatePartitionData
    partition:int32]]
 <
  results[DeleteStateResult
   topic_id:uuid partitions[InitializeShareGroupStatePartitionResult]]

87 ReadShareGroupStateSummary 0-1 flexible 0
 >
  group_id:string
  topics[ReadStateSummaryData
   topic_id:uuid partitions[ReadShareGroupStatePartitionData]]
 <
  results[ReadStateSummaryResult
   topic_id:uuid
   partitions[ReadShareGroupStateSummaryPartitionResult
    partition:int32 error_code:int16 error_message?=null:string state_epoch:int32
    leader_epoch:int32 start_offset:int64 delivery_complete_count@1-=-1:int32]]

90 DescribeShareGroupOffsets 0-1 flexible 0
 >
  groups[DescribeShareGroupOffsetsRequestGroup
   group_id:string
   topics?[DescribeShareGroupOffsetsRequestTopic
    topic_name:string partitions:int32[]]]
 <
  throttle_time_ms:int32
  groups[DescribeShareGroupOffsetsResponseGroup
   group_id:string
   topics[DescribeShareGroupOffsetsResponseTopic
    topic_name:string topic_id:uuid
    partitions[DescribeShareGroupOffsetsResponsePartition
     partition_index:int32 start_offset:int64 leader_epoch:int32 lag@1-=-1:int64
     error_code:int16 error_message?=null:string]]
   error_code:int16 error_message?=null:string]

91 AlterShareGroupOffsets 0-0 flexible 0
 >
  group_id:string
  topics[AlterShareGroupOffsetsRequestTopic
   topic_name:string
   partitions[AlterShareGroupOffsetsRequestPartition
    partition_index:int32 start_offset:int64]]
 <
  throttle_time_ms:int32 error_code:int16 error_message?=null:string
  responses[AlterShareGroupOffsetsResponseTopic
   topic_name:string topic_id:uuid
   partitions[AlterShareGroupOffsetsResponsePartition
    partition_index:int32 error_code:int16 error_message?=null:string]]

92 DeleteShareGroupOffsets 0-0 flexible 0
 >
  group_id:string
  topics[DeleteShareGroupOffsetsRequestTopic
   topic_name:string]
 <
  throttle_time_ms:int32 error_code:int16 error_message?=null:string
  responses[DeleteShareGroupOffsetsResponseTopic
   topic_name:string topic_id:uuid error_code:int16 error_message?=null:string]
"""
