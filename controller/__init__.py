"""One KRaft controller: `core` decides, `raft` replicates, `node` coordinates, `wire` encodes."""
