"""Voter changes (KIP-853): AddRaftVoter (80), RemoveRaftVoter (81), UpdateRaftVoter (82)."""

TEXT = """\
80 AddRaftVoter 0-1 flexible 0
 "An observer becomes a voter (KIP-853; rule 10.51). Version 1 permits a reply before the change
  is committed. Kafka 3.9 and 4.1 support version 0, Kafka 4.3 supports version 1."
 >
  "AddRaftVoter (80). If `ack_when_committed` is false (version 1), the leader replies once it
   has written the change."
  cluster_id?=null:string timeout_ms:int32 voter_id!:int32 voter_directory_id!:uuid
  listeners(key=name)[QuorumEndpoint]
  ack_when_committed@1-=true:bool "true replies after the commit, false after the write (KIP-1186)"
 <
  throttle_time_ms:int32 error_code:int16 error_message?=null:string

81 RemoveRaftVoter 0-0 flexible 0
 "A voter leaves the quorum (KIP-853; rule 10.52)."
 >
  cluster_id?=null:string voter_id!:int32 voter_directory_id!:uuid
 <
  throttle_time_ms:int32 error_code:int16 error_message?=null:string

82 UpdateRaftVoter 0-0 flexible 0
 "A voter's new listeners or kraft.version range. The voter sends it if the voters record is
  outdated (KIP-853; rule 10.53)."
 >
  cluster_id?=null:string
  current_leader_epoch=-1:int32 "epoch of the quorum that the voter knows; -1 if unknown"
  voter_id!:int32 voter_directory_id!:uuid listeners(key=name)[QuorumEndpoint]
  k_raft_version_feature{KRaftVersionFeature
   "The levels of kraft.version that a voter supports."
   min_supported_version:int16 max_supported_version:int16}
 <
  throttle_time_ms:int32 error_code:int16
  current_leader#0{CurrentVoterLeader
   "The leader and its address; -1 if unknown."
   leader_id=-1:int32 leader_epoch=-1:int32 host:string port:int32}
"""
