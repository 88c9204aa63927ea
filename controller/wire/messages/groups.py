"""Schemas of APIs of consumer groups, of both protocols."""

TEXT = """\
struct ConsumerGroupHeartbeatTopicPartitions
  topic_id:uuid partitions:int32[]

struct ConsumerGroupAssignment
  topic_partitions[ConsumerGroupHeartbeatTopicPartitions]

struct ConsumerGroupMemberAssignment
  topic_partitions[ConsumerGroupDescribeTopicPartitions]

struct ConsumerGroupDescribeTopicPartitions
  topic_id:uuid topic_name:string partitions:int32[]

8 OffsetCommit 2-10 flexible 8
 >
  group_id:string generation_id_or_member_epoch=-1:int32 member_id:string
  group_instance_id@7-?7=null:string retention_time_ms@-4=-1:int64
  topics[OffsetCommitRequestTopic
   name@-9:string topic_id@10-:uuid
   partitions[OffsetCommitRequestPartition
    partition_index:int32 committed_offset:int64 committed_leader_epoch@6-=-1:int32
    committed_metadata?:string]]
 <
  throttle_time_ms@3-:int32
  topics[OffsetCommitResponseTopic
   name@-9:string topic_id@10-:uuid
   partitions[OffsetCommitResponsePartition
    partition_index:int32 error_code:int16]]

9 OffsetFetch 1-10 flexible 6
 >
  group_id@-7:string
  topics@-7?2[OffsetFetchRequestTopic
   name:string partition_indexes:int32[]]
  groups@8-[OffsetFetchRequestGroup
   group_id:string member_id@9-?9=null:string member_epoch@9-=-1:int32
   topics?[OffsetFetchRequestTopics
    name@-9:string topic_id@10-:uuid partition_indexes:int32[]]]
  require_stable@7-:bool
 <
  throttle_time_ms@3-:int32
  topics@-7[OffsetFetchResponseTopic
   name:string
   partitions[OffsetFetchPartition
    partition_index:int32 committed_offset:int64 committed_leader_epoch@5-=-1:int32
    metadata?:string error_code:int16]]
  error_code@2-7:int16
  groups@8-[OffsetFetchResponseGroup
   group_id:string
   topics[OffsetFetchResponseTopics
    name@-9:string topic_id@10-:uuid
    partitions[OffsetFetchResponsePartitions
     partition_index:int32 committed_offset:int64 committed_leader_epoch=-1:int32
     metadata?:string error_code:int16]]
   error_code:int16]

10 FindCoordinator 0-6 flexible 3
 >
  key@-3:string key_type@1-:int8 coordinator_keys@4-:string[]
 <
  throttle_time_ms@1-:int32 error_code@-3:int16 error_message@1-3?1:string node_id@-3=-1:int32
  host@-3:string port@-3=-1:int32
  coordinators@4-[Coordinator
   key:string node_id=-1:int32 host:string port=-1:int32 error_code:int16 error_message?:string]

11 JoinGroup 0-9 flexible 6
 >
  group_id:string session_timeout_ms:int32 rebalance_timeout_ms@1-=-1:int32 member_id:string
  group_instance_id@5-?5=null:string protocol_type:string
  protocols[JoinGroupRequestProtocol
   name:string metadata:bytes]
  reason@8-?8=null:string
 <
  throttle_time_ms@2-:int32 error_code:int16 generation_id=-1:int32
  protocol_type@7-?7=null:string protocol_name?7:string leader:string skip_assignment@9-:bool
  member_id:string
  members[JoinGroupResponseMember
   member_id:string group_instance_id@5-?5=null:string metadata:bytes]

12 Heartbeat 0-4 flexible 4
 >
  group_id:string generation_id:int32 member_id:string group_instance_id@3-?3=null:string
 <
  throttle_time_ms@1-:int32 error_code:int16

13 LeaveGroup 0-5 flexible 4
 >
  group_id:string member_id@-2:string
  members@3-[MemberIdentity
   member_id:string group_instance_id?=null:string reason@5-?5=null:string]
 <
  throttle_time_ms@1-:int32 error_code:int16
  members@3-[MemberResponse
   member_id:string group_instance_id?:string error_code:int16]

14 SyncGroup 0-5 flexible 4
 >
  group_id:string generation_id:int32 member_id:string group_instance_id@3-?3=null:string
  protocol_type@5-?5=null:string protocol_name@5-?5=null:string
  assignments[SyncGroupRequestAssignment
   member_id:string assignment:bytes]
 <
  throttle_time_ms@1-:int32 error_code:int16 protocol_type@5-?5=null:string
  protocol_name@5-?5=null:string assignment:bytes

15 DescribeGroups 0-6 flexible 5
 >
  groups:string[] include_authorized_operations@3-:bool
 <
  throttle_time_ms@1-:int32
  groups[DescribeGroupsDescribedGroup
   error_code:int16 error_message@6-?6=null:string group_id:string group_state:string
   protocol_type:string protocol_data:string
   members[DescribedGroupMember
    member_id:string group_instance_id@4-?4=null:string client_id:string client_host:string
    member_metadata:bytes member_assignment:bytes]
   authorized_operations@3-=-2147483648:int32]

16 ListGroups 0-5 flexible 3
 >
  states_filter@4-:string[] types_filter@5-:string[]
 <
  throttle_time_ms@1-:int32 error_code:int16
  groups[ListedGroup
   group_id:string protocol_type:string group_state@4-:string group_type@5-:string]

42 DeleteGroups 0-3 flexible 2
 >
  groups_names:string[]
 <
  throttle_time_ms:int32
  results[DeletableGroupResult
   group_id:string error_code:int16 error_message@3-?3=null:string]

47 OffsetDelete 0-0
 >
  group_id:string
  topics[OffsetDeleteRequestTopic
   name:string
   partitions[OffsetDeleteRequestPartition
    partition_index:int32]]
 <
  error_code:int16 throttle_time_ms:int32
  topics[OffsetDeleteResponseTopic
   name:string
   partitions[OffsetDeleteResponsePartition
    partition_index:int32 error_code:int16]]

68 ConsumerGroupHeartbeat 0-1 flexible 0
 >
  group_id:string member_id:string member_epoch:int32 instance_id?=null:string
  rack_id?=null:string rebalance_timeout_ms=-1:int32 subscribed_topic_names?=null:string[]
  subscribed_topic_regex@1-?1=null:string server_assignor?=null:string
  topic_partitions?=null[ConsumerGroupHeartbeatTopicPartitions]
 <
  throttle_time_ms:int32 error_code:int16 error_message?=null:string member_id?=null:string
  member_epoch:int32 heartbeat_interval_ms:int32 assignment?=null{ConsumerGroupAssignment}

69 ConsumerGroupDescribe 0-1 flexible 0
 >
  group_ids:string[] include_authorized_operations:bool
 <
  throttle_time_ms:int32
  groups[ConsumerGroupDescribeDescribedGroup
   error_code:int16 error_message?=null:string group_id:string group_state:string
   group_epoch:int32 assignment_epoch:int32 assignor_name:string
   members[ConsumerGroupDescribeMember
    member_id:string instance_id?=null:string rack_id?=null:string member_epoch:int32
    client_id:string client_host:string subscribed_topic_names:string[]
    subscribed_topic_regex?=null:string assignment{ConsumerGroupMemberAssignment}
    target_assignment{ConsumerGroupMemberAssignment} member_type@1-=-1:int8]
   authorized_operations=-2147483648:int32]
"""
