"""How many bytes of messages the simulated brokers of a cluster hold."""

RETENTION_BYTES = 256 * 1024 * 1024
"""Default bound on the batches in all logs; replicas share them, so they count once."""
RETENTION_BYTES_MIN = 1024 * 1024  # about the largest batch that Kafka accepts by default


def check_retention_bytes(count: int) -> None:
    """Raises ValueError for a bound that is too small."""
    if count < RETENTION_BYTES_MIN:
        raise ValueError(f"retention_bytes: expected {RETENTION_BYTES_MIN} or more, got {count}")
