"""Partitions: CreatePartitions (37), ElectLeaders (43) and the reassignments (45, 46)."""

TEXT = """\
const PREFERRED_ELECTION = 0
const UNCLEAN_ELECTION = 1

37 CreatePartitions 0-3 flexible 2
 "CreatePartitions (37), versions 0 to 3. Version 2 is flexible."
 >
  topics![CreatePartitionsTopic
   "A topic that shall have `count` partitions; without `assignments` the controller places."
   name!:string count!:int32 "number of partitions that the topic shall have"
   assignments?=null[CreatePartitionsAssignment
    "The replicas of one new partition."
    broker_ids!:int32[]]]
  timeout_ms=60000:int32 validate_only:bool +requester=NOBODY:Requester
 <
  throttle_time_ms:int32
  results[CreatePartitionsTopicResult
   "The result for one topic."
   name!:string error_code:int16 error_message?=null:string]

43 ElectLeaders 0-2 flexible 2
 "ElectLeaders (43), versions 0 to 2. Version 1 adds the type of election and the error of the
  whole (KIP-460), version 2 is flexible."
 >
  "ElectLeaders (43): null `topic_partitions` means every partition. The `election_type` is 0
   for preferred (the only type of version 0) and 1 for unclean."
  election_type@1-:int8 "0 preferred leader, 1 unclean election"
  topic_partitions?=null[ElectedTopicPartitions
   "The partitions of one topic that shall have an election."
   topic!:string partitions!:int32[] "numbers of the partitions"]
  timeout_ms=60000:int32
 <
  throttle_time_ms:int32 error_code@1-:int16
  replica_election_results[ReplicaElectionResult
   "The results of a topic's elections."
   topic!:string
   partition_result![ElectedPartitionResult
    "The result of one election."
    partition_id!:int32 error_code:int16 error_message?=null:string]]

45 AlterPartitionReassignments 0-1 flexible 0
 "AlterPartitionReassignments (45), versions 0 and 1. Version 1 says whether the number of
  replicas may change (KIP-860); Kafka 3.9 has version 0 only."
 >
  "AlterPartitionReassignments (45). With `allow_replication_factor_change` false (version 1,
   KIP-860), a reassignment must keep the number of replicas."
  timeout_ms=60000:int32 allow_replication_factor_change@1-=true:bool
  topics![ReassignableTopic
   "A topic of an AlterPartitionReassignments request."
   name!:string
   partitions![ReassignablePartition
    "A partition and its new replicas; null cancels its reassignment."
    partition_index!:int32
    replicas?=null:int32[] "ids of the brokers of the new replicas; null cancels"]]
 <
  throttle_time_ms:int32 allow_replication_factor_change@1-=true:bool "that of the request"
  error_code:int16 error_message?=null:string
  responses[ReassignableTopicResponse
   "The results for one topic."
   name!:string
   partitions![ReassignablePartitionResponse
    "The result for one partition."
    partition_index!:int32 error_code:int16 error_message?=null:string]]

46 ListPartitionReassignments 0-0 flexible 0
 "ListPartitionReassignments (46), version 0."
 >
  "ListPartitionReassignments (46): null `topics` means every partition."
  timeout_ms=60000:int32
  topics?=null[ListPartitionReassignmentsTopic
   "A topic and its partitions whose reassignments are listed."
   name!:string partition_indexes!:int32[]]
 <
  throttle_time_ms:int32 error_code:int16 error_message?=null:string
  topics[OngoingTopicReassignment
   "The reassignments of one topic."
   name!:string
   partitions![OngoingPartitionReassignment
    "A partition whose reassignment is in progress; `replicas` include both other lists."
    partition_index!:int32 replicas!:int32[] adding_replicas!:int32[] removing_replicas!:int32[]]]
"""
