"""Schemas of APIs of transactions and of their producers."""

TEXT = """\
22 InitProducerId 0-5 flexible 2
 >
  transactional_id?:string transaction_timeout_ms:int32 producer_id@3-=-1:int64
  producer_epoch@3-=-1:int16
 <
  throttle_time_ms:int32 error_code:int16 producer_id=-1:int64 producer_epoch:int16

24 AddPartitionsToTxn 0-5 flexible 3
 >
  transactions@4-[AddPartitionsToTxnTransaction
   transactional_id:string producer_id:int64 producer_epoch:int16 verify_only:bool
   topics[AddPartitionsToTxnTopic
    name:string partitions:int32[]]]
  v3_and_below_transactional_id@-3:string v3_and_below_producer_id@-3:int64
  v3_and_below_producer_epoch@-3:int16
  v3_and_below_topics@-3[V3AndBelowTopic
   name:string partitions:int32[]]
 <
  throttle_time_ms:int32 error_code@4-:int16
  results_by_transaction@4-[AddPartitionsToTxnResult
   transactional_id:string
   topic_results[AddPartitionsToTxnTopicResult
    name:string
    results_by_partition[AddPartitionsToTxnPartitionResult
     partition_index:int32 partition_error_code:int16]]]
  results_by_topic_v3_and_below@-3[ResultsByTopicV3AndBelow
   name:string
   results_by_partition[ResultsByPartition
    partition_index:int32 partition_error_code:int16]]

25 AddOffsetsToTxn 0-4 flexible 3
 >
  transactional_id:string producer_id:int64 producer_epoch:int16 group_id:string
 <
  throttle_time_ms:int32 error_code:int16

26 EndTxn 0-5 flexible 3
 >
  transactional_id:string producer_id:int64 producer_epoch:int16 committed:bool
 <
  throttle_time_ms:int32 error_code:int16 producer_id@5-=-1:int64 producer_epoch@5-=-1:int16

27 WriteTxnMarkers 1-2 flexible 1
 >
  markers[WritableTxnMarker
   producer_id:int64 producer_epoch:int16 transaction_result:bool
   topics[WritableTxnMarkerTopic
    name:string partition_indexes:int32[]]
   coordinator_epoch:int32 transaction_version@2-:int8]
 <
  markers[WritableTxnMarkerResult
   producer_id:int64
   topics[WritableTxnMarkerTopicResult
    name:string
    partitions[WritableTxnMarkerPartitionResult
     partition_index:int32 error_code:int16]]]

28 TxnOffsetCommit 0-6 flexible 3
 >
  transactional_id:string group_id:string producer_id:int64 producer_epoch:int16
  generation_id@3-=-1:int32 member_id@3-:string group_instance_id@3-?3=null:string
  topics[TxnOffsetCommitRequestTopic
   name@-5:string topic_id@6-:uuid
   partitions[TxnOffsetCommitRequestPartition
    partition_index:int32 committed_offset:int64 committed_leader_epoch@2-=-1:int32
    committed_metadata?:string]]
 <
  throttle_time_ms:int32
  topics[TxnOffsetCommitResponseTopic
   name@-5:string topic_id@6-:uuid
   partitions[TxnOffsetCommitResponsePartition
    partition_index:int32 error_code:int16]]

61 DescribeProducers 0-0 flexible 0
 >
  topics[DescribeProducersTopicRequest
   name:string partition_indexes:int32[]]
 <
  throttle_time_ms:int32
  topics[TopicResponse
   name:string
   partitions[PartitionResponse
    partition_index:int32 error_code:int16 error_message?=null:string
    active_producers[ProducerState
     producer_id:int64 producer_epoch:int32 last_sequence=-1:int32 last_timestamp=-1:int64
     coordinator_epoch:int32 current_txn_start_offset=-1:int64]]]

65 DescribeTransactions 0-0 flexible 0
 >
  transactional_ids:string[]
 <
  throttle_time_ms:int32
  transaction_states[DescribeTransactionsTransactionState
   error_code:int16 transactional_id:string transaction_state:string
   transaction_timeout_ms:int32 transaction_start_time_ms:int64 producer_id:int64
   producer_epoch:int16
   topics[TopicData
    topic:string partitions:int32[]]]

66 ListTransactions 0-2 flexible 0
 >
  state_filters:string[] producer_id_filters:int64[] duration_filter@1-=-1:int64
  transactional_id_pattern@2-?2=null:string
 <
  throttle_time_ms:int32 error_code:int16 unknown_state_filters:string[]
  transaction_states[ListTransactionsTransactionState
   transactional_id:string producer_id:int64 transaction_state:string]
"""
