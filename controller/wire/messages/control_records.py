"""The control records of the metadata log, which the quorum itself writes (rule 10.49)."""

TEXT = """\
control 2 LeaderChange 0-0
  "The control record that opens an epoch (rule 10.20); version 0 in every release."
  leader_id!:int32
  voters![.
   voter_id=null:int32]
  granting_voters![.
   voter_id=null:int32]

control 3 SnapshotHeader 0-0
  "The control record that begins a snapshot. `last_contained_log_timestamp` is the timestamp of
   the last batch it contains, in milliseconds."
  last_contained_log_timestamp!:int64

control 4 SnapshotFooter 0-0
  "The control record that ends a snapshot."

control 5 KraftVersion 0-0 class KRaftVersion
  "The control record that finalizes kraft.version."
  kraft_version!(json=kRaftVersion):int16

control 6 KraftVoters 0-0 class Voters
  "The control record that holds the voters (KIP-853)."
  voters![Voter
   "One voter: its id, directory, listeners and supported versions."
   voter_id!:int32 voter_directory_id!:uuid
   endpoints![VoterEndpoint
    "One listener of a voter."
    name!:string host!:string port!:uint16]
   k_raft_version_feature!{VersionRange
    "The versions of kraft.version that a voter supports, both ends included."
    min_supported_version!:int16 max_supported_version!:int16}]
"""
