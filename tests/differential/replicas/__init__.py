"""Three released brokers judge three of ours: topics whose replicas stop, start, move and elect."""
