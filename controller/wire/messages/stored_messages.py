"""Schemas of APIs of messages: Produce, ListOffsets, DeleteRecords, log folders, and SASL."""

TEXT = """\
struct ProduceNodeEndpoint
  "The address of a leader that a reply names."
  node_id:int32 host:string port:int32 rack?=null:string

0 Produce 3-13 flexible 9
 >
  "A producer writes batches of records."
  transactional_id?=null:string
  acks:int16 "replies 0 never, 1 after the leader's write, -1 after that of the whole ISR"
  timeout_ms:int32 +requester=NOBODY:Requester
  topic_data[TopicProduceData
   "The batches for one topic."
   name@-12:string topic_id@13-:uuid
   partition_data[PartitionProduceData
    "The batches for one partition."
    index:int32 records?:bytes "batches of records"]]
 <
  responses[TopicProduceResponse
   "The results for one topic."
   name@-12:string topic_id@13-:uuid
   partition_responses[PartitionProduceResponse
    "The result for one partition."
    index:int32 error_code:int16 base_offset:int64 "offset of the first record; -1 on error"
    log_append_time_ms=-1:int64 "when the leader wrote, in milliseconds since the epoch; -1 with the
     producer's timestamps"
    log_start_offset@5-=-1:int64
    record_errors@8-[BatchIndexAndErrorMessage
     "A record that made the leader refuse its batch (KIP-467)."
     batch_index:int32 "index of the record in the batch, from 0"
     batch_index_error_message?=null:string "what is wrong with the record; null if unknown"]
    error_message@8-?8=null:string
    current_leader@10-#0{ProduceLeaderIdAndEpoch
     "The leader as the broker knows it (KIP-951); the fields are -1 if unknown."
     leader_id=-1:int32 leader_epoch=-1:int32}]]
  throttle_time_ms:int32 node_endpoints@10-#0[ProduceNodeEndpoint]

2 ListOffsets 1-11 flexible 6
 >
  "Requests offsets by timestamp."
  replica_id:int32 "id of the requesting replica; -1 for a consumer" isolation_level@2-:int8
  +requester=NOBODY:Requester
  topics[ListOffsetsTopic
   "A topic whose offsets are requested."
   name:string
   partitions[ListOffsetsPartition
    "The requested timestamp of one partition."
    partition_index:int32 current_leader_epoch@4-=-1:int32
    timestamp:int64 "milliseconds since the epoch, or -1 latest, -2 earliest, -3 largest timestamp,
     -4 earliest local, -5 latest tiered, -6 earliest that is not yet tiered"]]
  timeout_ms@10-:int32
 <
  throttle_time_ms@2-:int32
  topics[ListOffsetsTopicResponse
   "The offsets of one topic."
   name:string
   partitions[ListOffsetsPartitionResponse
    "The found offset of one partition."
    partition_index:int32 error_code:int16
    timestamp=-1:int64 "timestamp of the found record, in milliseconds since the epoch; -1 if none"
    offset=-1:int64 "found offset; -1 if none"
    leader_epoch@4-=-1:int32 "leader epoch of the found offset; -1 if unknown"]]

17 SaslHandshake 0-1
 >
  "A client chooses a SASL mechanism."
  mechanism:string "name of the mechanism, such as PLAIN or SCRAM-SHA-256"
 <
  error_code:int16 mechanisms:string[] "names of the mechanisms that the listener permits"

21 DeleteRecords 0-2 flexible 2
 >
  "Deletes the records at the beginning of partitions."
  topics[DeleteRecordsTopic
   "A topic whose records are deleted."
   name:string
   partitions[DeleteRecordsPartition
    "The new first offset of one partition."
    partition_index:int32 offset:int64 "new first offset; -1 is the high watermark"]]
  timeout_ms:int32
 <
  throttle_time_ms:int32
  topics[DeleteRecordsTopicResult
   "The results for one topic."
   name:string
   partitions[DeleteRecordsPartitionResult
    "The result for one partition."
    partition_index:int32
    low_watermark:int64 "smallest first offset of the live replicas' logs; -1 on error"
    error_code:int16]]

23 OffsetForLeaderEpoch 2-4 flexible 4
 >
  "Requests the ends of leader epochs, to find where logs diverge."
  replica_id@3-=-2:int32 "id of the follower; -1 for a consumer, -2 for a tool"
  topics[OffsetForLeaderTopic
   "A topic whose epochs are requested."
   topic:string
   partitions[OffsetForLeaderPartition
    "The requested epoch of one partition."
    partition:int32
    current_leader_epoch=-1:int32 "leader epoch that the client knows; -1 is not checked"
    leader_epoch:int32 "epoch whose end is requested"]]
 <
  throttle_time_ms:int32
  topics[OffsetForLeaderTopicResult
   "The ends of epochs of one topic."
   topic:string
   partitions[OffsetForLeaderEpochEpochEndOffset
    "The end of an epoch in the leader's log of one partition."
    error_code:int16 partition:int32
    leader_epoch=-1:int32 "largest epoch of the log that is not above the requested one; -1 if none"
    end_offset=-1:int64 "end of that epoch, exclusive; -1 if none"]]

34 AlterReplicaLogDirs 1-2 flexible 2
 >
  "Moves replicas between the log directories of a broker."
  dirs[AlterReplicaLogDir
   "A directory with the replicas that shall move to it."
   path:string "absolute path of the directory"
   topics[AlterReplicaLogDirTopic
    "The replicas of one topic."
    name:string partitions:int32[] "numbers of the partitions"]]
 <
  throttle_time_ms:int32
  results[AlterReplicaLogDirTopicResult
   "The results for one topic."
   topic_name:string
   partitions[AlterReplicaLogDirPartitionResult
    "The result for one partition."
    partition_index:int32 error_code:int16]]

36 SaslAuthenticate 0-2 flexible 2
 >
  "One step of a SASL exchange."
  auth_bytes:bytes "message of the client, in the mechanism's own encoding"
 <
  error_code:int16 error_message?:string
  auth_bytes:bytes "message of the server, in the mechanism's own encoding"
  session_lifetime_ms@1-:int64 "time until the client must authenticate again (KIP-368), in
   milliseconds; 0 is never"
"""
