"""The security protocols of listeners."""

from ..errors import ApiError, ErrorCode

SECURITY_PROTOCOLS = (0, 1, 2, 3)  # PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL


def check_security_protocol(listener: str, protocol: int) -> None:
    """Refuses a protocol that does not exist (rules 1.18, 5.62); Kafka's controller fails over."""
    if protocol not in SECURITY_PROTOCOLS:
        raise ApiError(
            ErrorCode.INVALID_REGISTRATION,
            f"listener {listener}: expected a security protocol of {SECURITY_PROTOCOLS}, "
            f"got {protocol}",
        )
