"""The error for malformed bytes, which closes only the connection that sent them."""


class DecodeError(ValueError):
    """Bytes that do not match the schema; the message states the expected and the actual value."""
