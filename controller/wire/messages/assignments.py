"""What brokers request for themselves: producer ids (67) and directories of replicas (73)."""

TEXT = """\
67 AllocateProducerIds 0-0 flexible 0
 "A broker requests a block of producer ids."
 >
  broker_id!:int32 broker_epoch=-1:int64
 <
  "A block of producer ids: the first id, and the number of ids."
  throttle_time_ms:int32 error_code:int16 producer_id_start:int64 "first producer id of the block"
  producer_id_len:int32 "number of producer ids in the block"

73 AssignReplicasToDirs 0-0 flexible 0
 "A broker reports the directories of its replicas."
 >
  "AssignReplicasToDirs (73, KIP-858)."
  broker_id!:int32 broker_epoch=-1:int64
  directories![AssignedDirectory
   "A log directory of the broker, and the replicas that it stores."
   id!:uuid "id of the directory"
   topics![AssignedTopic
    "The partitions of one topic in the directory."
    topic_id!:uuid
    partitions![AssignedPartition
     "A partition whose replica is in the directory."
     partition_index!:int32]]]
 <
  throttle_time_ms:int32 error_code:int16
  directories[AssignedDirectoryResult
   "The results for one directory."
   id!:uuid "id of the directory"
   topics![AssignedTopicResult
    "The results for one topic."
    topic_id!:uuid
    partitions![AssignedPartitionResult
     "The result for one partition."
     partition_index!:int32 error_code:int16]]]
"""
