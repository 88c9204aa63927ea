"""Schemas of APIs of share groups (KIP-932)."""

TEXT = """\
76 ShareGroupHeartbeat 1-1 flexible 0
 >
  group_id:string member_id:string member_epoch:int32 rack_id?=null:string
  subscribed_topic_names?=null:string[]
 <
  throttle_time_ms:int32 error_code:int16 error_message?=null:string member_id?=null:string
  member_epoch:int32 heartbeat_interval_ms:int32
  assignment?=null{
    topic_partitions[
      topic_id:uuid partitions:int32[]]}

77 ShareGroupDescribe 1-1 flexible 0
 >
  group_ids:string[] include_authorized_operations:bool
 <
  throttle_time_ms:int32
  groups[
    error_code:int16 error_message?=null:string group_id:string group_state:string
    group_epoch:int32 assignment_epoch:int32 assignor_name:string
    members[
      member_id:string rack_id?=null:string member_epoch:int32 client_id:string
      client_host:string subscribed_topic_names:string[]
      assignment{
        topic_partitions[
          topic_id:uuid topic_name:string partitions:int32[]]}]
    authorized_operations=-2147483648:int32]

78 ShareFetch 1-2 flexible 0
 >
  group_id?=null:string member_id?:string share_session_epoch:int32 max_wait_ms:int32
  min_bytes:int32 max_bytes=0x7fffffff:int32 max_records:int32 batch_size:int32
  share_acquire_mode@2-:int8 is_renew_ack@2-:bool
  topics[
    topic_id:uuid
    partitions[
      partition_index:int32
      acknowledgement_batches[
        first_offset:int64 last_offset:int64 acknowledge_types:int8[]]]]
  forgotten_topics_data[
    topic_id:uuid partitions:int32[]]
 <
  throttle_time_ms:int32 error_code:int16 error_message?=null:string
  acquisition_lock_timeout_ms:int32
  responses[
    topic_id:uuid
    partitions[
      partition_index:int32 error_code:int16 error_message?=null:string
      acknowledge_error_code:int16 acknowledge_error_message?=null:string
      current_leader{
        leader_id:int32 leader_epoch:int32}
      records?:bytes
      acquired_records[
        first_offset:int64 last_offset:int64 delivery_count:int16]]]
  node_endpoints[
    node_id:int32 host:string port:int32 rack?=null:string]

79 ShareAcknowledge 1-2 flexible 0
 >
  group_id?=null:string member_id?:string share_session_epoch:int32 is_renew_ack@2-:bool
  topics[
    topic_id:uuid
    partitions[
      partition_index:int32
      acknowledgement_batches[
        first_offset:int64 last_offset:int64 acknowledge_types:int8[]]]]
 <
  throttle_time_ms:int32 error_code:int16 error_message?=null:string
  acquisition_lock_timeout_ms@2-:int32
  responses[
    topic_id:uuid
    partitions[
      partition_index:int32 error_code:int16 error_message?=null:string
      current_leader{
        leader_id:int32 leader_epoch:int32}]]
  node_endpoints[
    node_id:int32 host:string port:int32 rack?=null:string]

83 InitializeShareGroupState 0-0 flexible 0
 >
  group_id:string
  topics[
    topic_id:uuid
    partitions[
      partition:int32 state_epoch:int32 start_offset:int64]]
 <
  results[
    topic_id:uuid
    partitions[
      partition:int32 error_code:int16 error_message?=null:string]]

84 ReadShareGroupState 0-0 flexible 0
 >
  group_id:string
  topics[
    topic_id:uuid
    partitions[
      partition:int32 leader_epoch:int32]]
 <
  results[
    topic_id:uuid
    partitions[
      partition:int32 error_code:int16 error_message?=null:string state_epoch:int32
      start_offset:int64
      state_batches[
        first_offset:int64 last_offset:int64 delivery_state:int8 delivery_count:int16]]]

85 WriteShareGroupState 0-1 flexible 0
 >
  group_id:string
  topics[
    topic_id:uuid
    partitions[
      partition:int32 state_epoch:int32 leader_epoch:int32 start_offset:int64
      delivery_complete_count@1-=-1:int32
      state_batches[
        first_offset:int64 last_offset:int64 delivery_state:int8 delivery_count:int16]]]
 <
  results[
    topic_id:uuid
    partitions[
      partition:int32 error_code:int16 error_message?=null:string]]

86 DeleteShareGroupState 0-0 flexible 0
 >
  group_id:string
  topics[
    topic_id:uuid
    partitions[
      partition:int32]]
 <
  results[
    topic_id:uuid
    partitions[
      partition:int32 error_code:int16 error_message?=null:string]]

87 ReadShareGroupStateSummary 0-1 flexible 0
 >
  group_id:string
  topics[
    topic_id:uuid
    partitions[
      partition:int32 leader_epoch:int32]]
 <
  results[
    topic_id:uuid
    partitions[
      partition:int32 error_code:int16 error_message?=null:string state_epoch:int32
      leader_epoch:int32 start_offset:int64 delivery_complete_count@1-=-1:int32]]

90 DescribeShareGroupOffsets 0-1 flexible 0
 >
  groups[
    group_id:string
    topics?[
      topic_name:string partitions:int32[]]]
 <
  throttle_time_ms:int32
  groups[
    group_id:string
    topics[
      topic_name:string topic_id:uuid
      partitions[
        partition_index:int32 start_offset:int64 leader_epoch:int32 lag@1-=-1:int64
        error_code:int16 error_message?=null:string]]
    error_code:int16 error_message?=null:string]

91 AlterShareGroupOffsets 0-0 flexible 0
 >
  group_id:string
  topics[
    topic_name:string
    partitions[
      partition_index:int32 start_offset:int64]]
 <
  throttle_time_ms:int32 error_code:int16 error_message?=null:string
  responses[
    topic_name:string topic_id:uuid
    partitions[
      partition_index:int32 error_code:int16 error_message?=null:string]]

92 DeleteShareGroupOffsets 0-0 flexible 0
 >
  group_id:string
  topics[
    topic_name:string]
 <
  throttle_time_ms:int32 error_code:int16 error_message?=null:string
  responses[
    topic_name:string topic_id:uuid error_code:int16 error_message?=null:string]
"""
