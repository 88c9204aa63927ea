"""Fetch (1), of which replicas of the metadata log use one topic and one partition (section 10F).

Before version 13, topics have names in place of ids."""

TEXT = """\
const HIGH_WATERMARK_UNKNOWN = 0x7FFFFFFFFFFFFFFF "the follower knows no high watermark (KIP-1166)"

struct LeaderIdAndEpoch
  "The leader and epoch as the server knows them; -1 if unknown."
  leader_id=-1:int32 "id of the leader" leader_epoch=-1:int32 "epoch of the leader"

struct SnapshotId
  "The end offset (exclusive) and last epoch of a snapshot."
  end_offset=-1:int64 "end of the snapshot, exclusive"
  epoch=-1:int32 "epoch of the snapshot's last record"

struct NodeEndpoint
  "The address of a node."
  node_id!:int32 host!:string port!:int32 rack?=null:string

1 Fetch 4-18 flexible 12
 "Brokers and voters read the metadata log. Version 13 names topics by id; 15 moves the
  replica's id into a tagged state with its epoch; 16 adds the node endpoints, 17 the replica's
  directory, 18 the follower's high watermark (KIP-1166). A controller accepts Fetch from
  version 13 on (gap: no broker of Kafka 3.9 sends it an older one); the older versions are
  those of consumers. Batches are those of the metadata log; batches that a broker serves to
  consumers are encoded already, and do not decode."
 >
  "Fetch (1); the replica's id is `replica_id` before version 15, then in `replica_state`."
  cluster_id@12-?#0=null:string replica_id@-14=-1:int32
  replica_state@15-#1{FetchReplicaState
   "The id of the fetching replica, from version 15 on."
   replica_id=-1:int32
   replica_epoch=-1:int64 "epoch of the fetching broker's registration; -1 for a voter or a
    consumer"}
  max_wait_ms:int32 min_bytes:int32 max_bytes=0x7FFFFFFF:int32 isolation_level:int8
  +requester=NOBODY:Requester
  session_id@7-:int32
  session_epoch@7-=-1:int32 "number of the request in the session; 0 opens a session, -1 is without"
  topics[FetchTopic
   "A topic and its partitions to fetch."
   topic@-12:string topic_id@13-:uuid
   partitions![FetchPartition
    "The position from which a replica fetches."
    partition!:int32
    current_leader_epoch@9-=-1:int32 "leader epoch that the follower knows; -1 is not checked"
    fetch_offset!:int64 "offset of the next record to fetch"
    last_fetched_epoch@12-=-1:int32 "epoch of the follower's last record (KIP-595); -1 if not given"
    log_start_offset@5-=-1:int64 "first offset of the follower's log; -1 for a consumer"
    partition_max_bytes:int32 "most bytes of records of the partition; a first batch may exceed this
     bound"
    replica_directory_id@17-#0:uuid
    high_watermark@18-#1=HIGH_WATERMARK_UNKNOWN:int64 "high watermark that the follower knows
     (KIP-1166)"]]
  forgotten_topics_data@7-[ForgottenTopic
   "Partitions to remove from a fetch session."
   topic@-12:string topic_id@13-:uuid partitions!:int32[] "numbers of the partitions"]
  rack_id@11-:string
 <
  throttle_time_ms:int32 error_code@7-:int16 session_id@7-:int32
  responses[FetchTopicData
   "The reply for one topic."
   topic@-12:string topic_id@13-:uuid
   partitions![FetchPartitionData
    "The reply for one partition. `records` are whole batches of the log; the wire encodes as
     many as the request's bound allows."
    partition_index!:int32 error_code:int16 high_watermark=-1:int64
    last_stable_offset=-1:int64 "first offset of the open transactions, or else the high watermark;
     -1 if unknown"
    log_start_offset@5-=-1:int64
    diverging_epoch@12-#0{EpochEndOffset
     "Where a fetcher's log departs from the leader's (KIP-595). `epoch` is the largest epoch in
      the leader's log that is not above the fetcher's last epoch; `end_offset` is its end in
      the leader's log. Both are -1 if the logs do not diverge."
     epoch=-1:int32 "largest epoch of the leader's log that is not above the fetcher's; -1 without
      divergence"
     end_offset=-1:int64 "end of this epoch in the leader's log, exclusive; -1 without divergence"}
    current_leader@12-#1{LeaderIdAndEpoch} snapshot_id@12-#2{SnapshotId}
    aborted_transactions?=null[AbortedTransaction
     "Decoded but never created: the metadata log has no transactional producers."
     producer_id!:int64 first_offset!:int64 "offset of the first record of the transaction"]
    preferred_read_replica@11-=-1:int32 "id of the replica to read from instead (KIP-392); -1 if
     none"
    records?=null:records "whole batches of the log; null if none"]]
  node_endpoints@16-#0[NodeEndpoint]
"""
