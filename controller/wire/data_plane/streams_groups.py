"""Schemas of APIs of streams groups (KIP-1071)."""

TEXT = """\
88 StreamsGroupHeartbeat 0-1 flexible 0
 >
  group_id:string member_id:string member_epoch:int32 endpoint_information_epoch:int32
  instance_id?=null:string rack_id?=null:string rebalance_timeout_ms=-1:int32
  topology?=null{
    epoch:int32
    subtopologies[
      subtopology_id:string source_topics:string[] source_topic_regex:string[]
      state_changelog_topics[
        name:string partitions:int32 replication_factor:int16
        topic_configs[
          key:string value:string]]
      repartition_sink_topics:string[]
      repartition_source_topics[
        name:string partitions:int32 replication_factor:int16
        topic_configs[
          key:string value:string]]
      copartition_groups[
        source_topics:int16[] source_topic_regex:int16[] repartition_source_topics:int16[]]]}
  active_tasks?=null[
    subtopology_id:string partitions:int32[]]
  standby_tasks?=null[
    subtopology_id:string partitions:int32[]]
  warmup_tasks?=null[
    subtopology_id:string partitions:int32[]]
  process_id?=null:string
  user_endpoint?=null{
    host:string port:uint16}
  client_tags?=null[
    key:string value:string]
  task_offsets?=null[
    subtopology_id:string partition:int32 offset:int64]
  task_end_offsets?=null[
    subtopology_id:string partition:int32 offset:int64]
  shutdown_application:bool
 <
  throttle_time_ms:int32 error_code:int16 error_message?=null:string member_id:string
  member_epoch:int32 heartbeat_interval_ms:int32 acceptable_recovery_lag_legacy@-0:int32
  task_offset_interval_ms:int32 acceptable_recovery_lag@1-=-1:int64
  status?[
    status_code:int8 status_detail:string]
  active_tasks?=null[
    subtopology_id:string partitions:int32[]]
  standby_tasks?=null[
    subtopology_id:string partitions:int32[]]
  warmup_tasks?=null[
    subtopology_id:string partitions:int32[]]
  topology_description_required@1-:bool endpoint_information_epoch:int32
  partitions_by_user_endpoint?=null[
    user_endpoint{
      host:string port:uint16}
    active_partitions[
      topic:string partitions:int32[]]
    standby_partitions[
      topic:string partitions:int32[]]]

89 StreamsGroupDescribe 0-1 flexible 0
 >
  group_ids:string[] include_authorized_operations:bool include_topology_description@1-:bool
 <
  throttle_time_ms:int32
  groups[
    error_code:int16 error_message?=null:string group_id:string group_state:string
    group_epoch:int32 assignment_epoch:int32
    topology?=null{
      epoch:int32
      subtopologies?=null[
        subtopology_id:string source_topics:string[] repartition_sink_topics:string[]
        state_changelog_topics[
          name:string partitions:int32 replication_factor:int16
          topic_configs[
            key:string value:string]]
        repartition_source_topics[
          name:string partitions:int32 replication_factor:int16
          topic_configs[
            key:string value:string]]]}
    members[
      member_id:string member_epoch:int32 instance_id?=null:string rack_id?=null:string
      client_id:string client_host:string topology_epoch:int32 process_id:string
      user_endpoint?=null{
        host:string port:uint16}
      client_tags[
        key:string value:string]
      task_offsets[
        subtopology_id:string partition:int32 offset:int64]
      task_end_offsets[
        subtopology_id:string partition:int32 offset:int64]
      assignment{
        active_tasks[
          subtopology_id:string partitions:int32[]]
        standby_tasks[
          subtopology_id:string partitions:int32[]]
        warmup_tasks[
          subtopology_id:string partitions:int32[]]}
      target_assignment{
        active_tasks[
          subtopology_id:string partitions:int32[]]
        standby_tasks[
          subtopology_id:string partitions:int32[]]
        warmup_tasks[
          subtopology_id:string partitions:int32[]]}
      is_classic:bool]
    authorized_operations=-2147483648:int32
    topology_description@1-?1=null{
      subtopologies[
        subtopology_id:string
        nodes[
          name:string node_type:int8 source_topics:string[] sink_topic?=null:string
          stores:string[] successors:string[]]]
      global_stores[
        source{
          name:string node_type:int8 source_topics:string[] sink_topic?=null:string
          stores:string[] successors:string[]}
        processor{
          name:string node_type:int8 source_topics:string[] sink_topic?=null:string
          stores:string[] successors:string[]}]}
    topology_description_status@1-:int8 assignor_name@1-?1=null:string]

93 StreamsGroupTopologyDescriptionUpdate 0-0 flexible 0
 >
  group_id:string member_id:string topology_epoch:int32
  topology_description{
    subtopologies[
      subtopology_id:string
      nodes[
        name:string node_type:int8 source_topics:string[] sink_topic?=null:string stores:string[]
        successors:string[]]]
    global_stores[
      source{
        name:string node_type:int8 source_topics:string[] sink_topic?=null:string stores:string[]
        successors:string[]}
      processor{
        name:string node_type:int8 source_topics:string[] sink_topic?=null:string stores:string[]
        successors:string[]}]}
 <
  throttle_time_ms:int32 error_code:int16 error_message?=null:string
"""
