"""Requests between voters, and the description of the quorum.

Vote (52), BeginQuorumEpoch (53), EndQuorumEpoch (54), DescribeQuorum (55): KIP-595, KIP-836,
KIP-853, KIP-996."""

TEXT = """\
struct QuorumEndpoint
  "The address of a voter's listener; `name` is the listener's name."
  name!:string "name of the listener" host!:string port!:uint16

struct QuorumEpochTopicResult
  "A topic of a Begin- or EndQuorumEpoch response."
  topic_name!:string
  partitions![QuorumEpochPartitionResult
   "The receiver's leader and epoch, in replies to Begin- and EndQuorumEpoch."
   partition_index:int32 error_code:int16 leader_id!:int32 leader_epoch!:int32]

struct ReplicaState
  "The progress of one replica. Timestamps are milliseconds of the leader's wall clock, -1 if
   unknown (rules 5.29 to 5.31)."
  replica_id!:int32 "id of the replica"
  replica_directory_id@2-:uuid "id of the replica's directory (KIP-853)"
  log_end_offset=-1:int64 "end of the replica's log, exclusive; -1 if unknown"
  last_fetch_timestamp@1-=-1:int64 "when the leader last served a fetch of the replica, in
   milliseconds since the epoch; -1 if unknown"
  last_caught_up_timestamp@1-=-1:int64 "when the replica last had the whole log, in milliseconds
   since the epoch; -1 if unknown"

struct LeaderEndpoint class NodeEndpoint
  "The address of a leader, as the quorum's own APIs encode it: without a rack."
  node_id!:int32 host!:string port!:uint16 +rack=null:string

52 Vote 0-2 flexible 0
 "A candidate requests a vote (rules 10.13, 10.14). Version 1 adds directories of voters and the
  leader's address (KIP-853), version 2 the pre-vote (KIP-996). Kafka 3.9 supports versions up
  to 1, Kafka 4.x up to 2."
 >
  "Vote (52); `voter_id` is the id of the intended voter, -1 if not set."
  cluster_id?=null:string voter_id@1-=-1:int32 "id of the intended voter; -1 if not set"
  topics[VoteTopic
   "A topic of a Vote request."
   topic_name!:string
   partitions![VotePartition
    "A candidate's epoch and the end of its log."
    partition_index:int32 replica_epoch!:int32 "epoch of the candidate"
    replica_id!:int32 "id of the candidate"
    replica_directory_id@1-:uuid "id of the candidate's directory"
    voter_directory_id@1-:uuid "id of the intended voter's directory"
    last_offset_epoch!:int32 "epoch of the last record of the candidate's log"
    last_offset!:int64 "end of the candidate's log, exclusive"
    pre_vote@2-:bool "true requests a pre-vote, before the candidate raises the epoch (KIP-996)"]]
 <
  error_code:int16
  topics[VoteTopicResult
   "A topic of a Vote response."
   topic_name!:string
   partitions![VotePartitionResult
    "The reply of one voter."
    partition_index:int32 error_code:int16 leader_id!:int32 leader_epoch!:int32
    vote_granted!:bool "true if the voter votes for the candidate"]]
  node_endpoints@1-#0(key=node_id)[LeaderEndpoint]

53 BeginQuorumEpoch 0-1 flexible 1
 "A new leader announces itself. Rules 10.22 and 10.23. Version 1 is flexible, and adds the
  intended voter and the leader's address (KIP-853)."
 >
  "BeginQuorumEpoch (53): the sender leads."
  cluster_id?=null:string voter_id@1-=-1:int32 "id of the intended voter; -1 if not set"
  topics[BeginQuorumEpochTopic
   "A topic of a BeginQuorumEpoch request."
   topic_name!:string
   partitions![BeginQuorumEpochPartition
    "The leader and its epoch."
    partition_index:int32 voter_directory_id@1-:uuid "id of the intended voter's directory"
    leader_id!:int32 "id of the new leader" leader_epoch!:int32]]
  leader_endpoints@1-(key=name)[QuorumEndpoint]
 <
  error_code:int16 topics[QuorumEpochTopicResult]
  node_endpoints@1-#0(key=node_id)[LeaderEndpoint]

54 EndQuorumEpoch 0-1 flexible 1
 "A leader resigns and names its successors. Rule 10.39. Version 1 is flexible, and adds the
  candidates' directories and the leader's address (KIP-853). The response is that of
  BeginQuorumEpoch."
 >
  "EndQuorumEpoch (54): the sender resigns."
  cluster_id?=null:string
  topics[EndQuorumEpochTopic
   "A topic of an EndQuorumEpoch request."
   topic_name!:string
   partitions![EndQuorumEpochPartition
    "The leader that resigns and its preferred successors. Version 0 has `preferred_successors`,
     version 1 `preferred_candidates`."
    partition_index:int32 leader_id!:int32 "id of the leader that resigns"
    leader_epoch!:int32 "epoch that the leader resigns from"
    preferred_successors@-0:int32[] "ids of the voters, the most advanced log first"
    preferred_candidates@1-[PreferredCandidate
     "A voter that should stand for election."
     candidate_id!:int32 "id of the voter"
     candidate_directory_id:uuid "id of the voter's directory"]]]
  leader_endpoints@1-(key=name)[QuorumEndpoint]
 <
  error_code:int16 topics[QuorumEpochTopicResult]
  node_endpoints@1-#0(key=node_id)[LeaderEndpoint]

55 DescribeQuorum 0-2 flexible 0
 "The progress of each voter and observer (rule 5.21). Version 1 adds the times at which a
  replica last fetched and was last caught up (KIP-836), version 2 directories, messages and the
  voters' addresses (KIP-853). The request is the same in all versions."
 >
  topics[DescribeQuorumTopic
   "A topic of a DescribeQuorum request."
   topic_name!:string
   partitions![DescribeQuorumPartition
    "A partition of a DescribeQuorum request."
    partition_index:int32]]
 <
  error_code:int16 error_message@2-?2:string
  topics[DescribeQuorumTopicResult
   "A topic of a DescribeQuorum response."
   topic_name!:string
   partitions![DescribeQuorumPartitionResult
    "The leader, voters and observers; leader, epoch and watermark are 0 on error (rule 5.25)."
    partition_index:int32 error_code:int16 error_message@2-?2:string
    leader_id:int32 "id of the leader; 0 on error"
    leader_epoch:int32 "epoch of the leader; 0 on error"
    high_watermark:int64 "end of the committed records, exclusive; 0 on error"
    current_voters[ReplicaState] observers[ReplicaState]]]
  nodes@2-(key=node_id)[QuorumNode
   "The listeners of a voter."
   node_id!:int32 listeners!(key=name)[QuorumEndpoint]]
"""
