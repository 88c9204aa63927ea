"""The quorum: elections, replication of the metadata log, snapshots and voter changes."""
