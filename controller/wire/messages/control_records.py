"""The control records of the metadata log, which the quorum itself writes (rule 10.49)."""

TEXT = """\
control 2 LeaderChange 0-0
  "The control record that opens an epoch (rule 10.20); version 0 in every release."
  leader_id!:int32 "id of the leader of the new epoch"
  voters![.
   voter_id=null:int32] "ids of the voters"
  granting_voters![.
   voter_id=null:int32] "ids of the voters that voted for the leader, itself included"

control 3 SnapshotHeader 0-0
  "The control record that begins a snapshot. `last_contained_log_timestamp` is the timestamp of
   the last batch it contains, in milliseconds."
  last_contained_log_timestamp!:int64 "timestamp of the last batch, in milliseconds since the epoch"

control 4 SnapshotFooter 0-0
  "The control record that ends a snapshot."

control 5 KraftVersion 0-0 class KRaftVersion
  "The control record that finalizes kraft.version."
  kraft_version!(json=kRaftVersion):int16 "finalized level of kraft.version"

control 6 KraftVoters 0-0 class Voters
  "The control record that holds the voters (KIP-853)."
  voters![Voter
   "One voter: its id, directory, listeners and supported versions."
   voter_id!:int32 voter_directory_id!:uuid
   endpoints![VoterEndpoint
    "One listener of a voter."
    name!:string "name of the listener" host!:string port!:uint16]
   k_raft_version_feature!{VersionRange
    "The versions of kraft.version that a voter supports, both ends included."
    min_supported_version!:int16 max_supported_version!:int16}]
"""
