"""SCRAM credentials: DescribeUserScramCredentials (50) and AlterUserScramCredentials (51).

A mechanism is 1 for SCRAM-SHA-256 and 2 for SCRAM-SHA-512.
"""

from ..value import value


@value
class ScramCredentialDeletion:
    """Removes a user's credential of one mechanism."""

    name: str
    mechanism: int


@value
class ScramCredentialUpsertion:
    """Sets a user's credential of one mechanism; the client has salted the password."""

    name: str
    mechanism: int
    iterations: int
    salt: bytes
    salted_password: bytes


@value
class AlterUserScramCredentialsRequest:
    """AlterUserScramCredentials (51)."""

    deletions: tuple[ScramCredentialDeletion, ...] = ()
    upsertions: tuple[ScramCredentialUpsertion, ...] = ()


@value
class AlterUserScramCredentialsResult:
    """The result for one user."""

    user: str
    error_code: int = 0
    error_message: str | None = None


@value
class AlterUserScramCredentialsResponse:
    """The reply to an AlterUserScramCredentials request."""

    throttle_time_ms: int = 0
    results: tuple[AlterUserScramCredentialsResult, ...] = ()


@value
class UserName:
    """A user to describe."""

    name: str


@value
class DescribeUserScramCredentialsRequest:
    """DescribeUserScramCredentials (50); None or no users mean every user."""

    users: tuple[UserName, ...] | None = None


@value
class CredentialInfo:
    """A credential without its secrets."""

    mechanism: int
    iterations: int


@value
class DescribeUserScramCredentialsResult:
    """The credentials of one user."""

    user: str = ""
    error_code: int = 0
    error_message: str | None = ""
    credential_infos: tuple[CredentialInfo, ...] = ()


@value
class DescribeUserScramCredentialsResponse:
    """The reply to a DescribeUserScramCredentials request."""

    throttle_time_ms: int = 0
    error_code: int = 0
    error_message: str | None = ""
    results: tuple[DescribeUserScramCredentialsResult, ...] = ()


ScramRequest = AlterUserScramCredentialsRequest | DescribeUserScramCredentialsRequest
ScramResponse = AlterUserScramCredentialsResponse | DescribeUserScramCredentialsResponse
