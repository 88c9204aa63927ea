"""Schemas of APIs of messages: Produce, ListOffsets, DeleteRecords, log folders, and SASL."""

TEXT = """\
struct ProduceNodeEndpoint
  node_id:int32 host:string port:int32 rack?=null:string

0 Produce 3-13 flexible 9
 >
  transactional_id?=null:string acks:int16 timeout_ms:int32
  topic_data[TopicProduceData
   name@-12:string topic_id@13-:uuid
   partition_data[PartitionProduceData
    index:int32 records?:bytes]]
 <
  responses[TopicProduceResponse
   name@-12:string topic_id@13-:uuid
   partition_responses[PartitionProduceResponse
    index:int32 error_code:int16 base_offset:int64 log_append_time_ms=-1:int64
    log_start_offset@5-=-1:int64
    record_errors@8-[BatchIndexAndErrorMessage
     batch_index:int32 batch_index_error_message?=null:string]
    error_message@8-?8=null:string
    current_leader@10-#0{ProduceLeaderIdAndEpoch
     leader_id=-1:int32 leader_epoch=-1:int32}]]
  throttle_time_ms:int32 node_endpoints@10-#0[ProduceNodeEndpoint]

2 ListOffsets 1-11 flexible 6
 >
  replica_id:int32 isolation_level@2-:int8
  topics[ListOffsetsTopic
   name:string
   partitions[ListOffsetsPartition
    partition_index:int32 current_leader_epoch@4-=-1:int32 timestamp:int64]]
  timeout_ms@10-:int32
 <
  throttle_time_ms@2-:int32
  topics[ListOffsetsTopicResponse
   name:string
   partitions[ListOffsetsPartitionResponse
    partition_index:int32 error_code:int16 timestamp=-1:int64 offset=-1:int64
    leader_epoch@4-=-1:int32]]

17 SaslHandshake 0-1
 >
  mechanism:string
 <
  error_code:int16 mechanisms:string[]

21 DeleteRecords 0-2 flexible 2
 >
  topics[DeleteRecordsTopic
   name:string
   partitions[DeleteRecordsPartition
    partition_index:int32 offset:int64]]
  timeout_ms:int32
 <
  throttle_time_ms:int32
  topics[DeleteRecordsTopicResult
   name:string
   partitions[DeleteRecordsPartitionResult
    partition_index:int32 low_watermark:int64 error_code:int16]]

23 OffsetForLeaderEpoch 2-4 flexible 4
 >
  replica_id@3-=-2:int32
  topics[OffsetForLeaderTopic
   topic:string
   partitions[OffsetForLeaderPartition
    partition:int32 current_leader_epoch=-1:int32 leader_epoch:int32]]
 <
  throttle_time_ms:int32
  topics[OffsetForLeaderTopicResult
   topic:string
   partitions[OffsetForLeaderEpochEpochEndOffset
    error_code:int16 partition:int32 leader_epoch=-1:int32 end_offset=-1:int64]]

34 AlterReplicaLogDirs 1-2 flexible 2
 >
  dirs[AlterReplicaLogDir
   path:string
   topics[AlterReplicaLogDirTopic
    name:string partitions:int32[]]]
 <
  throttle_time_ms:int32
  results[AlterReplicaLogDirTopicResult
   topic_name:string
   partitions[AlterReplicaLogDirPartitionResult
    partition_index:int32 error_code:int16]]

36 SaslAuthenticate 0-2 flexible 2
 >
  auth_bytes:bytes
 <
  error_code:int16 error_message?:string auth_bytes:bytes session_lifetime_ms@1-:int64
"""
