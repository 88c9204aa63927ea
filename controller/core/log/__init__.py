"""The records of the metadata log, their versions, and their batches."""
