"""The image: what the metadata log, folded from its first record, says is true."""
