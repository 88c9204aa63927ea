"""Bad bytes: the one exception of reading. Who catches it closes that connection, nothing else."""


class DecodeError(ValueError):
    """What came is not what the schema says; the message states what was expected and what came."""
