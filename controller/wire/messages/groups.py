"""Schemas of APIs of consumer groups, of both protocols."""

TEXT = """\
struct ConsumerGroupHeartbeatTopicPartitions
  "Partitions of one topic."
  topic_id:uuid partitions:int32[] "numbers of the partitions"

struct ConsumerGroupAssignment
  "The partitions that a member shall have."
  topic_partitions[ConsumerGroupHeartbeatTopicPartitions] "partitions, by topic"

struct ConsumerGroupMemberAssignment
  "The partitions of a described member."
  topic_partitions[ConsumerGroupDescribeTopicPartitions] "partitions, by topic"

struct ConsumerGroupDescribeTopicPartitions
  "Partitions of one topic, with its name."
  topic_id:uuid topic_name:string partitions:int32[] "numbers of the partitions"

8 OffsetCommit 2-10 flexible 8
 >
  "A member, or a client outside of the group's protocol, commits offsets."
  group_id:string
  generation_id_or_member_epoch=-1:int32 "generation, or member epoch (KIP-848); -1 if neither"
  member_id:string group_instance_id@7-?7=null:string
  retention_time_ms@-4=-1:int64 "how long to keep the offsets, in milliseconds; -1 is the default"
  topics[OffsetCommitRequestTopic
   "A topic whose offsets are committed."
   name@-9:string topic_id@10-:uuid
   partitions[OffsetCommitRequestPartition
    "The offset of one partition."
    partition_index:int32 committed_offset:int64 committed_leader_epoch@6-=-1:int32
    committed_metadata?:string]]
 <
  throttle_time_ms@3-:int32
  topics[OffsetCommitResponseTopic
   "The results for one topic."
   name@-9:string topic_id@10-:uuid
   partitions[OffsetCommitResponsePartition
    "The result for one partition."
    partition_index:int32 error_code:int16]]

9 OffsetFetch 1-10 flexible 6
 >
  "Requests committed offsets; from version 8 on, of several groups."
  group_id@-7:string
  topics@-7?2[OffsetFetchRequestTopic
   "A topic whose offsets are requested; null `topics` means every topic."
   name:string partition_indexes:int32[]]
  groups@8-[OffsetFetchRequestGroup
   "A group whose offsets are requested."
   group_id:string
   member_id@9-?9=null:string "id of the member; null if the client is no member (KIP-848)"
   member_epoch@9-=-1:int32 "epoch of the member; -1 if the client is no member"
   topics?[OffsetFetchRequestTopics
    "A topic whose offsets are requested; null `topics` means every topic."
    name@-9:string topic_id@10-:uuid partition_indexes:int32[]]]
  require_stable@7-:bool "true refuses offsets that an open transaction may change (KIP-447)"
 <
  throttle_time_ms@3-:int32
  topics@-7[OffsetFetchResponseTopic
   "The offsets of one topic."
   name:string
   partitions[OffsetFetchPartition
    "The committed offset of one partition."
    partition_index:int32 committed_offset:int64 committed_leader_epoch@5-=-1:int32
    metadata?:string "text that the client stored with the offset" error_code:int16]]
  error_code@2-7:int16
  groups@8-[OffsetFetchResponseGroup
   "The offsets of one group."
   group_id:string
   topics[OffsetFetchResponseTopics
    "The offsets of one topic."
    name@-9:string topic_id@10-:uuid
    partitions[OffsetFetchResponsePartitions
     "The committed offset of one partition."
     partition_index:int32 committed_offset:int64 committed_leader_epoch=-1:int32
     metadata?:string "text that the client stored with the offset" error_code:int16]]
   error_code:int16]

10 FindCoordinator 0-6 flexible 3
 >
  "Requests the brokers that coordinate groups, transactions or share partitions."
  key@-3:string "group id or transactional id"
  key_type@1-:int8 "type of the keys: 0 group, 1 transaction, 2 share partition (KIP-932)"
  coordinator_keys@4-:string[] "ids, or group:topicId:partition for share partitions"
 <
  throttle_time_ms@1-:int32 error_code@-3:int16 error_message@1-3?1:string
  node_id@-3=-1:int32 "id of the coordinator; -1 on error" host@-3:string
  port@-3=-1:int32 "TCP port; -1 on error"
  coordinators@4-[Coordinator
   "The coordinator of one key."
   key:string "key of the request" node_id=-1:int32 "id of the coordinator; -1 on error" host:string
   port=-1:int32 "TCP port; -1 on error" error_code:int16 error_message?:string]

11 JoinGroup 0-9 flexible 6
 >
  "A client joins a group of the classic protocol, or joins a rebalance."
  group_id:string session_timeout_ms:int32 "longest time between two heartbeats, in milliseconds"
  rebalance_timeout_ms@1-=-1:int32 member_id:string group_instance_id@5-?5=null:string
  protocol_type:string
  protocols[JoinGroupRequestProtocol
   "A protocol that the member supports, the most preferred first."
   name:string "name of the protocol, such as the assignor range"
   metadata:bytes "subscription of the member, in the protocol's own encoding"]
  reason@8-?8=null:string
 <
  "The generation that a member has joined; `members` is empty unless it leads."
  throttle_time_ms@2-:int32 error_code:int16 generation_id=-1:int32 protocol_type@7-?7=null:string
  protocol_name?7:string leader:string "id of the member that leads the group, and assigns"
  skip_assignment@9-:bool "true if the leader shall keep the current assignment (KIP-814)"
  member_id:string
  members[JoinGroupResponseMember
   "A member of the generation, for its leader."
   member_id:string group_instance_id@5-?5=null:string
   metadata:bytes "subscription of the member, in the protocol's own encoding"]

12 Heartbeat 0-4 flexible 4
 >
  "A member of the classic protocol renews its session."
  group_id:string generation_id:int32 member_id:string group_instance_id@3-?3=null:string
 <
  throttle_time_ms@1-:int32 error_code:int16

13 LeaveGroup 0-5 flexible 4
 >
  "Members leave a group of the classic protocol."
  group_id:string member_id@-2:string
  members@3-[MemberIdentity
   "A member that leaves, by its id or its instance id."
   member_id:string group_instance_id?=null:string reason@5-?5=null:string]
 <
  throttle_time_ms@1-:int32 error_code:int16
  members@3-[MemberResponse
   "The result for one member."
   member_id:string group_instance_id?:string error_code:int16]

14 SyncGroup 0-5 flexible 4
 >
  "A member requests its assignment; the leader sends that of every member."
  group_id:string generation_id:int32 member_id:string group_instance_id@3-?3=null:string
  protocol_type@5-?5=null:string protocol_name@5-?5=null:string
  assignments[SyncGroupRequestAssignment
   "The assignment of one member."
   member_id:string assignment:bytes "assignment of the member, in the protocol's own encoding"]
 <
  throttle_time_ms@1-:int32 error_code:int16 protocol_type@5-?5=null:string
  protocol_name@5-?5=null:string
  assignment:bytes "assignment of the member, in the protocol's own encoding"

15 DescribeGroups 0-6 flexible 5
 >
  "Requests descriptions of groups of the classic protocol."
  groups:string[] "ids of the groups" include_authorized_operations@3-:bool
 <
  throttle_time_ms@1-:int32
  groups[DescribeGroupsDescribedGroup
   "One group with its members."
   error_code:int16 error_message@6-?6=null:string group_id:string group_state:string
   protocol_type:string
   protocol_data:string "name of the protocol that the group chose; empty if none"
   members[DescribedGroupMember
    "One member of a group."
    member_id:string group_instance_id@4-?4=null:string client_id:string client_host:string
    member_metadata:bytes "subscription of the member, in the protocol's own encoding"
    member_assignment:bytes "assignment of the member, in the protocol's own encoding"]
   authorized_operations@3-=-2147483648:int32]

16 ListGroups 0-5 flexible 3
 >
  "Requests the groups that the broker coordinates."
  states_filter@4-:string[] "states of the groups to list; empty means every state (KIP-518)"
  types_filter@5-:string[] "types of the groups to list; empty means every type (KIP-848)"
 <
  throttle_time_ms@1-:int32 error_code:int16
  groups[ListedGroup
   "One group."
   group_id:string protocol_type:string group_state@4-:string
   group_type@5-:string "type of the group: classic, consumer, share or streams"]

42 DeleteGroups 0-3 flexible 2
 >
  "Deletes empty groups."
  groups_names:string[] "ids of the groups"
 <
  throttle_time_ms:int32
  results[DeletableGroupResult
   "The result for one group."
   group_id:string error_code:int16 error_message@3-?3=null:string]

47 OffsetDelete 0-0
 >
  "Deletes committed offsets of a group."
  group_id:string
  topics[OffsetDeleteRequestTopic
   "A topic whose offsets are deleted."
   name:string
   partitions[OffsetDeleteRequestPartition
    "A partition whose offset is deleted."
    partition_index:int32]]
 <
  error_code:int16 throttle_time_ms:int32
  topics[OffsetDeleteResponseTopic
   "The results for one topic."
   name:string
   partitions[OffsetDeleteResponsePartition
    "The result for one partition."
    partition_index:int32 error_code:int16]]

68 ConsumerGroupHeartbeat 0-1 flexible 0
 >
  "A member of the new protocol (KIP-848) joins, renews its session, or leaves. A field of null has
   not changed since the last heartbeat."
  group_id:string member_id:string
  member_epoch:int32 "epoch of the member; 0 joins, -1 leaves, -2 leaves for a restart (static
   member)"
  instance_id?=null:string rack_id?=null:string
  rebalance_timeout_ms=-1:int32 "time to give up partitions, in milliseconds; -1 if unchanged"
  subscribed_topic_names?=null:string[] subscribed_topic_regex@1-?1=null:string
  server_assignor?=null:string "name of the preferred assignor; null if none or unchanged"
  topic_partitions?=null[ConsumerGroupHeartbeatTopicPartitions] "partitions that the member has"
 <
  throttle_time_ms:int32 error_code:int16 error_message?=null:string member_id?=null:string
  member_epoch:int32 heartbeat_interval_ms:int32
  assignment?=null{ConsumerGroupAssignment} "partitions of the member; null if unchanged"

69 ConsumerGroupDescribe 0-1 flexible 0
 >
  "Requests descriptions of groups of the new protocol (KIP-848)."
  group_ids:string[] include_authorized_operations:bool
 <
  throttle_time_ms:int32
  groups[ConsumerGroupDescribeDescribedGroup
   "One group with its members."
   error_code:int16 error_message?=null:string group_id:string group_state:string
   group_epoch:int32 assignment_epoch:int32 assignor_name:string
   members[ConsumerGroupDescribeMember
    "One member of a group."
    member_id:string instance_id?=null:string rack_id?=null:string member_epoch:int32
    client_id:string client_host:string subscribed_topic_names:string[]
    subscribed_topic_regex?=null:string
    assignment{ConsumerGroupMemberAssignment} "partitions that the member has"
    target_assignment{ConsumerGroupMemberAssignment}
    member_type@1-=-1:int8 "protocol of the member: 0 classic, 1 consumer; -1 if unknown"]
   authorized_operations=-2147483648:int32]
"""
