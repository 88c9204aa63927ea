"""One KRaft controller: `core` decides, `raft` orders, `node` conducts, `wire` and `server` talk."""
