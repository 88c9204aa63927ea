"""The records of the metadata log, their versions, and batches of them."""
