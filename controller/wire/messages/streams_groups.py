"""Schemas of APIs of streams groups (KIP-1071)."""

TEXT = """\
struct StreamsGroupTopicInfo
  "An internal topic of a subtopology."
  name:string partitions:int32 "number of partitions; 0 if derived from other topics"
  replication_factor:int16 "number of replicas; 0 is the broker's default"
  topic_configs[StreamsGroupKeyValue] "configurations of the topic"

struct StreamsGroupTaskIds
  "Tasks of one subtopology."
  subtopology_id:string partitions:int32[] "numbers of the tasks' partitions"

struct StreamsGroupEndpoint
  "An address at which a member answers interactive queries."
  host:string port:uint16

struct StreamsGroupKeyValue
  "A key with its value."
  key:string "name of the tag or configuration" value:string "value of the tag or configuration"

struct StreamsGroupTaskOffset
  "An offset of one task, summed over its changelogs."
  subtopology_id:string partition:int32 "number of the task's partition"
  offset:int64 "sum of offsets of the task's changelogs"

struct StreamsGroupHeartbeatTopicPartition
  "Partitions of one topic."
  topic:string partitions:int32[] "numbers of the partitions"

struct StreamsGroupDescribeAssignment
  "The tasks of a member."
  active_tasks[StreamsGroupTaskIds] standby_tasks[StreamsGroupTaskIds]
  warmup_tasks[StreamsGroupTaskIds]

struct StreamsGroupTopologyDescription
  "A topology as its application describes it (KIP-1331)."
  subtopologies[StreamsGroupTopologyDescriptionSubtopology]
  global_stores[StreamsGroupGlobalStore]

struct StreamsGroupTopologyDescriptionSubtopology
  "A connected part of a topology."
  subtopology_id:string nodes[StreamsGroupNode] "nodes of the subtopology"

struct StreamsGroupGlobalStore
  "A state store that every member has whole, and the nodes that fill it."
  source{StreamsGroupSource} "node that reads the topic of the store"
  processor{StreamsGroupProcessor} "node that writes the store"

struct StreamsGroupNode
  "A node of a subtopology."
  name:string "name of the node"
  node_type:int8 "number of the type: a source, a processor or a sink"
  source_topics:string[] "topics that a source reads; empty for other nodes" sink_topic?=null:string
  stores:string[] successors:string[]

struct StreamsGroupSource
  "The source of a global store."
  name:string "name of the node" node_type:int8 "number of the type of a source"
  source_topics:string[] "topics that the source reads" sink_topic?=null:string stores:string[]
  successors:string[]

struct StreamsGroupProcessor
  "The processor of a global store."
  name:string "name of the node" node_type:int8 "number of the type of a processor"
  source_topics:string[] "empty, because only a source has topics" sink_topic?=null:string
  stores:string[] successors:string[]

88 StreamsGroupHeartbeat 0-1 flexible 0
 >
  "A member joins a streams group, renews its session, or leaves. A field of null has not changed
   since the last heartbeat."
  group_id:string member_id:string
  member_epoch:int32 "epoch of the member; 0 joins, -1 leaves, -2 leaves for a restart (static
   member)"
  endpoint_information_epoch:int32 "epoch of the addresses that the member knows"
  instance_id?=null:string rack_id?=null:string rebalance_timeout_ms=-1:int32
  topology?=null{StreamsGroupHeartbeatTopology
   "The topology of the member's application."
   epoch:int32 "epoch of the topology"
   subtopologies[StreamsGroupHeartbeatSubtopology
    "A part of the topology whose tasks are assigned separately."
    subtopology_id:string source_topics:string[] source_topic_regex:string[]
    state_changelog_topics[StreamsGroupTopicInfo] "changelog topics of the state stores"
    repartition_sink_topics:string[] repartition_source_topics[StreamsGroupTopicInfo]
    copartition_groups[CopartitionGroup
     "Topics that must have the same number of partitions."
     source_topics:int16[] "indexes in the `source_topics` of the subtopology"
     source_topic_regex:int16[] "indexes in the `source_topic_regex` of the subtopology"
     repartition_source_topics:int16[] "indexes in the `repartition_source_topics` of the
      subtopology"]]}
  active_tasks?=null[StreamsGroupTaskIds] standby_tasks?=null[StreamsGroupTaskIds]
  warmup_tasks?=null[StreamsGroupTaskIds] process_id?=null:string
  user_endpoint?=null{StreamsGroupEndpoint} client_tags?=null[StreamsGroupKeyValue]
  task_offsets?=null[StreamsGroupTaskOffset] task_end_offsets?=null[StreamsGroupTaskOffset]
  shutdown_application:bool "true requests that all members shut down"
 <
  throttle_time_ms:int32 error_code:int16 error_message?=null:string member_id:string
  member_epoch:int32 heartbeat_interval_ms:int32
  acceptable_recovery_lag_legacy@-0:int32 "as `acceptable_recovery_lag`, in version 0"
  task_offset_interval_ms:int32 "time between two reports of task offsets, in milliseconds"
  acceptable_recovery_lag@1-=-1:int64 "largest lag of a task that counts as caught up, in offsets;
   -1 if not set"
  status?[StreamsGroupHeartbeatStatus
   "A condition of the group that the member should know; null `status` means unchanged."
   status_code:int8 "number of the condition, such as 1 for missing source topics"
   status_detail:string "condition as text"]
  active_tasks?=null[StreamsGroupTaskIds] standby_tasks?=null[StreamsGroupTaskIds]
  warmup_tasks?=null[StreamsGroupTaskIds]
  topology_description_required@1-:bool "true requests the description of the topology (KIP-1331)"
  endpoint_information_epoch:int32 "epoch of the addresses of the group"
  partitions_by_user_endpoint?=null[EndpointToPartitions
   "The partitions of the tasks of one member, by its address; null means unchanged."
   user_endpoint{StreamsGroupEndpoint}
   active_partitions[StreamsGroupHeartbeatTopicPartition] "partitions of active tasks"
   standby_partitions[StreamsGroupHeartbeatTopicPartition] "partitions of standby tasks"]

89 StreamsGroupDescribe 0-1 flexible 0
 >
  "Requests descriptions of streams groups."
  group_ids:string[] include_authorized_operations:bool
  include_topology_description@1-:bool "true requests the descriptions of topologies (KIP-1331)"
 <
  throttle_time_ms:int32
  groups[StreamsGroupDescribeDescribedGroup
   "One streams group with its members."
   error_code:int16 error_message?=null:string group_id:string group_state:string
   group_epoch:int32 assignment_epoch:int32
   topology?=null{StreamsGroupDescribeTopology
    "The topology of the group; null if it has none yet."
    epoch:int32 "epoch of the topology"
    subtopologies?=null[StreamsGroupDescribeTopologySubtopology
     "A part of the topology whose tasks are assigned separately."
     subtopology_id:string source_topics:string[] repartition_sink_topics:string[]
     state_changelog_topics[StreamsGroupTopicInfo] "changelog topics of the state stores"
     repartition_source_topics[StreamsGroupTopicInfo]]}
   members[StreamsGroupDescribeMember
    "One member of a streams group."
    member_id:string member_epoch:int32 instance_id?=null:string rack_id?=null:string
    client_id:string client_host:string topology_epoch:int32 process_id:string
    user_endpoint?=null{StreamsGroupEndpoint} client_tags[StreamsGroupKeyValue]
    task_offsets[StreamsGroupTaskOffset] task_end_offsets[StreamsGroupTaskOffset]
    assignment{StreamsGroupDescribeAssignment} "tasks that the member has"
    target_assignment{StreamsGroupDescribeAssignment}
    is_classic:bool "true if the member uses the classic protocol"]
   authorized_operations=-2147483648:int32
   topology_description@1-?1=null{StreamsGroupTopologyDescription} "topology as the application
    describes it (KIP-1331), or null"
   topology_description_status@1-:int8 "0 not requested, 1 not stored, 2 error, 3 available"
   assignor_name@1-?1=null:string]

93 StreamsGroupTopologyDescriptionUpdate 0-0 flexible 0
 >
  "A member sends the description of its topology (KIP-1331)."
  group_id:string member_id:string topology_epoch:int32
  topology_description{StreamsGroupTopologyDescription}
 <
  throttle_time_ms:int32 error_code:int16 error_message?=null:string
"""
