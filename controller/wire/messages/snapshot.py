"""FetchSnapshot (59): fetches the bytes of a snapshot in slices (rule 10.44)."""

TEXT = """\
59 FetchSnapshot 0-1 flexible 0
 "Fetches a snapshot's bytes in slices (rule 10.44). Version 1 adds the replica's directory and
  the leader's address (KIP-853). The content of a slice is bytes, because a slice may begin and
  end within a batch."
 >
  cluster_id?#0=null:string replica_id=-1:int32 "id of the fetching replica; -1 if unknown"
  max_bytes=0x7FFFFFFF:int32 "most bytes of the slices in the response"
  topics[SnapshotTopic
   "A topic of a FetchSnapshot request."
   name!:string
   partitions![SnapshotPartition
    "The requested slice; `position` is a byte offset in the snapshot."
    partition:int32 current_leader_epoch!:int32 snapshot_id!{SnapshotId}
    position!:int64 "byte offset in the snapshot at which the slice begins"
    replica_directory_id@1-#0:uuid]]
 <
  throttle_time_ms:int32 error_code:int16
  topics[SnapshotTopicData
   "A topic of a FetchSnapshot response."
   name!:string
   partitions![SnapshotPartitionData
    "One slice, from the byte offset `position`; `size` is that of the whole snapshot."
    index:int32 error_code:int16 snapshot_id{SnapshotId} current_leader#0=zero{LeaderIdAndEpoch}
    size:int64 "size of the whole snapshot, in bytes"
    position:int64 "byte offset in the snapshot at which the slice begins"
    unaligned_records:bytes "bytes of the slice, which may begin and end within a batch"]]
  node_endpoints@1-#0(key=node_id)[LeaderEndpoint]
"""
