"""The error of malformed bytes; the handler closes the connection they came from, and no other."""


class DecodeError(ValueError):
    """Bytes that do not match the schema; the message has the expected and the actual value."""
