"""Schemas of APIs of streams groups (KIP-1071)."""

TEXT = """\
struct StreamsGroupTopicInfo
  name:string partitions:int32 replication_factor:int16 topic_configs[StreamsGroupKeyValue]

struct StreamsGroupTaskIds
  subtopology_id:string partitions:int32[]

struct StreamsGroupEndpoint
  host:string port:uint16

struct StreamsGroupKeyValue
  key:string value:string

struct StreamsGroupTaskOffset
  subtopology_id:string partition:int32 offset:int64

struct StreamsGroupHeartbeatTopicPartition
  topic:string partitions:int32[]

struct StreamsGroupDescribeAssignment
  active_tasks[StreamsGroupTaskIds] standby_tasks[StreamsGroupTaskIds]
  warmup_tasks[StreamsGroupTaskIds]

struct StreamsGroupTopologyDescription
  subtopologies[StreamsGroupTopologyDescriptionSubtopology]
  global_stores[StreamsGroupGlobalStore]

struct StreamsGroupTopologyDescriptionSubtopology
  subtopology_id:string nodes[StreamsGroupNode]

struct StreamsGroupGlobalStore
  source{StreamsGroupSource} processor{StreamsGroupProcessor}

struct StreamsGroupNode
  name:string node_type:int8 source_topics:string[] sink_topic?=null:string stores:string[]
  successors:string[]

struct StreamsGroupSource
  name:string node_type:int8 source_topics:string[] sink_topic?=null:string stores:string[]
  successors:string[]

struct StreamsGroupProcessor
  name:string node_type:int8 source_topics:string[] sink_topic?=null:string stores:string[]
  successors:string[]

88 StreamsGroupHeartbeat 0-1 flexible 0
 >
  group_id:string member_id:string member_epoch:int32 endpoint_information_epoch:int32
  instance_id?=null:string rack_id?=null:string rebalance_timeout_ms=-1:int32
  topology?=null{StreamsGroupHeartbeatTopology
   epoch:int32
   subtopologies[StreamsGroupHeartbeatSubtopology
    subtopology_id:string source_topics:string[] source_topic_regex:string[]
    state_changelog_topics[StreamsGroupTopicInfo] repartition_sink_topics:string[]
    repartition_source_topics[StreamsGroupTopicInfo]
    copartition_groups[CopartitionGroup
     source_topics:int16[] source_topic_regex:int16[] repartition_source_topics:int16[]]]}
  active_tasks?=null[StreamsGroupTaskIds] standby_tasks?=null[StreamsGroupTaskIds]
  warmup_tasks?=null[StreamsGroupTaskIds] process_id?=null:string
  user_endpoint?=null{StreamsGroupEndpoint} client_tags?=null[StreamsGroupKeyValue]
  task_offsets?=null[StreamsGroupTaskOffset] task_end_offsets?=null[StreamsGroupTaskOffset]
  shutdown_application:bool
 <
  throttle_time_ms:int32 error_code:int16 error_message?=null:string member_id:string
  member_epoch:int32 heartbeat_interval_ms:int32 acceptable_recovery_lag_legacy@-0:int32
  task_offset_interval_ms:int32 acceptable_recovery_lag@1-=-1:int64
  status?[StreamsGroupHeartbeatStatus
   status_code:int8 status_detail:string]
  active_tasks?=null[StreamsGroupTaskIds] standby_tasks?=null[StreamsGroupTaskIds]
  warmup_tasks?=null[StreamsGroupTaskIds] topology_description_required@1-:bool
  endpoint_information_epoch:int32
  partitions_by_user_endpoint?=null[EndpointToPartitions
   user_endpoint{StreamsGroupEndpoint} active_partitions[StreamsGroupHeartbeatTopicPartition]
   standby_partitions[StreamsGroupHeartbeatTopicPartition]]

89 StreamsGroupDescribe 0-1 flexible 0
 >
  group_ids:string[] include_authorized_operations:bool include_topology_description@1-:bool
 <
  throttle_time_ms:int32
  groups[StreamsGroupDescribeDescribedGroup
   error_code:int16 error_message?=null:string group_id:string group_state:string
   group_epoch:int32 assignment_epoch:int32
   topology?=null{StreamsGroupDescribeTopology
    epoch:int32
    subtopologies?=null[StreamsGroupDescribeTopologySubtopology
     subtopology_id:string source_topics:string[] repartition_sink_topics:string[]
     state_changelog_topics[StreamsGroupTopicInfo]
     repartition_source_topics[StreamsGroupTopicInfo]]}
   members[StreamsGroupDescribeMember
    member_id:string member_epoch:int32 instance_id?=null:string rack_id?=null:string
    client_id:string client_host:string topology_epoch:int32 process_id:string
    user_endpoint?=null{StreamsGroupEndpoint} client_tags[StreamsGroupKeyValue]
    task_offsets[StreamsGroupTaskOffset] task_end_offsets[StreamsGroupTaskOffset]
    assignment{StreamsGroupDescribeAssignment} target_assignment{StreamsGroupDescribeAssignment}
    is_classic:bool]
   authorized_operations=-2147483648:int32
   topology_description@1-?1=null{StreamsGroupTopologyDescription}
   topology_description_status@1-:int8 assignor_name@1-?1=null:string]

93 StreamsGroupTopologyDescriptionUpdate 0-0 flexible 0
 >
  group_id:string member_id:string topology_epoch:int32
  topology_description{StreamsGroupTopologyDescription}
 <
  throttle_time_ms:int32 error_code:int16 error_message?=null:string
"""
