"""Schemas of APIs of transactions and of their producers."""

TEXT = """\
22 InitProducerId 0-5 flexible 2
 >
  "A producer requests its id and epoch, and fences earlier producers of its transactional id."
  transactional_id?:string transaction_timeout_ms:int32
  producer_id@3-=-1:int64 "id that the producer has; -1 requests a new id"
  producer_epoch@3-=-1:int16 "epoch that the producer has; -1 if none"
 <
  throttle_time_ms:int32 error_code:int16 producer_id=-1:int64 producer_epoch:int16

24 AddPartitionsToTxn 0-5 flexible 3
 >
  "A producer, or from version 4 on a broker, adds partitions to transactions."
  transactions@4-[AddPartitionsToTxnTransaction
   "A transaction that gets partitions."
   transactional_id:string producer_id:int64 producer_epoch:int16
   verify_only:bool "true only checks that the partitions are in the transaction (KIP-890)"
   topics[AddPartitionsToTxnTopic
    "A topic whose partitions are added."
    name:string partitions:int32[] "numbers of the partitions"]]
  v3_and_below_transactional_id@-3:string "transactional id of the producer"
  v3_and_below_producer_id@-3:int64 "id of the producer"
  v3_and_below_producer_epoch@-3:int16 "epoch of the producer"
  v3_and_below_topics@-3[V3AndBelowTopic
   "A topic whose partitions are added."
   name:string partitions:int32[] "numbers of the partitions"]
 <
  throttle_time_ms:int32 error_code@4-:int16
  results_by_transaction@4-[AddPartitionsToTxnResult
   "The results for one transaction."
   transactional_id:string
   topic_results[AddPartitionsToTxnTopicResult
    "The results for one topic."
    name:string
    results_by_partition[AddPartitionsToTxnPartitionResult
     "The result for one partition."
     partition_index:int32 partition_error_code:int16]]]
  results_by_topic_v3_and_below@-3[ResultsByTopicV3AndBelow
   "The results for one topic."
   name:string
   results_by_partition[ResultsByPartition
    "The result for one partition."
    partition_index:int32 partition_error_code:int16]]

25 AddOffsetsToTxn 0-4 flexible 3
 >
  "A producer adds the offsets of a group to its transaction."
  transactional_id:string producer_id:int64 producer_epoch:int16 group_id:string
 <
  throttle_time_ms:int32 error_code:int16

26 EndTxn 0-5 flexible 3
 >
  "A producer commits or aborts its transaction."
  transactional_id:string producer_id:int64 producer_epoch:int16
  committed:bool "true commits, false aborts"
 <
  throttle_time_ms:int32 error_code:int16
  producer_id@5-=-1:int64 "id for the next transaction (KIP-890); -1 if none"
  producer_epoch@5-=-1:int16 "epoch for the next transaction (KIP-890); -1 if none"

27 WriteTxnMarkers 1-2 flexible 1
 >
  "A transaction coordinator writes the ends of transactions to partitions."
  markers[WritableTxnMarker
   "The end of one transaction."
   producer_id:int64 producer_epoch:int16 transaction_result:bool "true commits, false aborts"
   topics[WritableTxnMarkerTopic
    "The partitions of one topic that get the marker."
    name:string partition_indexes:int32[]]
   coordinator_epoch:int32
   transaction_version@2-:int8 "level of transaction.version of the transaction (KIP-1228)"]
 <
  markers[WritableTxnMarkerResult
   "The results for one producer."
   producer_id:int64
   topics[WritableTxnMarkerTopicResult
    "The results for one topic."
    name:string
    partitions[WritableTxnMarkerPartitionResult
     "The result for one partition."
     partition_index:int32 error_code:int16]]]

28 TxnOffsetCommit 0-6 flexible 3
 >
  "A producer commits offsets of a group in its transaction."
  transactional_id:string group_id:string producer_id:int64 producer_epoch:int16
  generation_id@3-=-1:int32 "generation, or member epoch of the new protocol; -1 if unknown"
  member_id@3-:string group_instance_id@3-?3=null:string
  topics[TxnOffsetCommitRequestTopic
   "A topic whose offsets are committed."
   name@-5:string topic_id@6-:uuid
   partitions[TxnOffsetCommitRequestPartition
    "The offset of one partition."
    partition_index:int32 committed_offset:int64 committed_leader_epoch@2-=-1:int32
    committed_metadata?:string]]
 <
  throttle_time_ms:int32
  topics[TxnOffsetCommitResponseTopic
   "The results for one topic."
   name@-5:string topic_id@6-:uuid
   partitions[TxnOffsetCommitResponsePartition
    "The result for one partition."
    partition_index:int32 error_code:int16]]

61 DescribeProducers 0-0 flexible 0
 >
  "Requests the producers that are active in partitions (KIP-664)."
  topics[DescribeProducersTopicRequest
   "A topic whose producers are described."
   name:string partition_indexes:int32[]]
 <
  throttle_time_ms:int32
  topics[TopicResponse
   "The producers of one topic."
   name:string
   partitions[PartitionResponse
    "The producers of one partition."
    partition_index:int32 error_code:int16 error_message?=null:string
    active_producers[ProducerState
     "An idempotent or transactional producer of the partition."
     producer_id:int64 producer_epoch:int32
     last_sequence=-1:int32 "sequence number of the producer's last record; -1 if none"
     last_timestamp=-1:int64 "timestamp of the producer's last record, in milliseconds since the
      epoch; -1 if none"
     coordinator_epoch:int32
     current_txn_start_offset=-1:int64 "first offset of the open transaction; -1 if none"]]]

65 DescribeTransactions 0-0 flexible 0
 >
  "Requests the states of transactions (KIP-664)."
  transactional_ids:string[] "transactional ids of the producers"
 <
  throttle_time_ms:int32
  transaction_states[DescribeTransactionsTransactionState
   "The transaction of one transactional id."
   error_code:int16 transactional_id:string transaction_state:string transaction_timeout_ms:int32
   transaction_start_time_ms:int64 "when the transaction began, in milliseconds since the epoch; -1
    if none is open"
   producer_id:int64 producer_epoch:int16
   topics[TopicData
    "The partitions of one topic that are in the transaction."
    topic:string partitions:int32[] "numbers of the partitions"]]

66 ListTransactions 0-2 flexible 0
 >
  "Requests the transactions that the broker coordinates (KIP-664)."
  state_filters:string[] "states of the transactions to list; empty means every state"
  producer_id_filters:int64[] "ids of the producers to list; empty means every producer"
  duration_filter@1-=-1:int64 "shortest age of the transactions, in milliseconds; -1 is any"
  transactional_id_pattern@2-?2=null:string "pattern of transactional ids (KIP-1152); null is any"
 <
  throttle_time_ms:int32 error_code:int16
  unknown_state_filters:string[] "requested states that the broker does not know"
  transaction_states[ListTransactionsTransactionState
   "One transaction."
   transactional_id:string producer_id:int64 transaction_state:string]
"""
