"""One KRaft controller: `core` decides, `raft` orders, `node` conducts, `wire` spells."""
