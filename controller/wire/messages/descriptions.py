"""DescribeTopicPartitions (75) and DescribeLogDirs (35), which brokers answer."""

TEXT = """\
const UNKNOWN_BYTES = -1

struct TopicCursor
  "The partition at which a page begins."
  topic_name!:string partition_index!:int32

35 DescribeLogDirs 1-5 flexible 2
 "DescribeLogDirs (35), versions 1 to 5. Version 2 is flexible; 3 adds the error of the whole, 4
  the sizes of a directory, 5 whether it is cordoned."
 >
  "The partitions to look for; None means every partition."
  topics?=null[LogDirTopic
   "Partitions of a topic to look for."
   topic!:string partitions!:int32[] "numbers of the partitions"]
 <
  "The log directories of a broker."
  throttle_time_ms:int32 error_code@3-:int16
  results[LogDir
   "A log directory; sizes are in bytes, -1 if they are unknown."
   error_code:int16 log_dir!:string "path of the directory"
   topics[LogDirTopicReplicas
    "The replicas of a topic in a log directory."
    name!:string
    partitions![LogDirPartition
     "A replica in a log directory, with its size in bytes and its lag in messages."
     partition_index!:int32 partition_size:int64 "size of the replica's log, in bytes"
     offset_lag:int64 "messages that the replica has yet to copy"
     is_future_key:bool "true if the replica is moving to this directory"]]
   total_bytes@4-=-1:int64 "size of the volume, in bytes; -1 if unknown"
   usable_bytes@4-=-1:int64 "free bytes of the volume; -1 if unknown"
   is_cordoned@5-:bool "true if the directory takes no new replicas (KIP-1066)"]

75 DescribeTopicPartitions 0-0 flexible 0
 "Topics page by page, with their ELRs (KIP-966)."
 >
  "The topics to describe, every topic if there is none, and the bound of a page."
  topics[TopicRequest
   "A topic to describe."
   name!:string]
  response_partition_limit=2000:int32 "most partitions of a page" cursor?=null{TopicCursor}
 <
  "A page of topics; `next_cursor` is where the next page begins, None after the last."
  throttle_time_ms:int32
  topics[DescribedTopic
   "A topic with the partitions of this page."
   error_code:int16 name?=null:string "name of the topic; null if unknown" topic_id:uuid
   is_internal:bool
   partitions[DescribedPartition
    "A partition; `leader_id` is -1 if no client can reach the leader."
    error_code:int16 partition_index!:int32 leader_id!:int32 leader_epoch=-1:int32
    replica_nodes:int32[] isr_nodes:int32[] eligible_leader_replicas?=null:int32[]
    last_known_elr?=null:int32[] offline_replicas:int32[]]
   topic_authorized_operations=-2147483648:int32]
  next_cursor?=null{TopicCursor}
"""
