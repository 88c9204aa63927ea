"""The client that sent a request. It is no field of the wire: the request carries it further."""

from ..value import value

ANONYMOUS = "ANONYMOUS"
"""The user of every client, because no listener authenticates."""


@value
class Requester:
    """A client, for the quotas that apply to it, and the version in which it speaks.

    A `version` of None stands for the newest. The request's header has the client. `size_bytes` are
    those of the request with its header, 0 if it did not come over a socket.
    """

    user: str = ANONYMOUS
    client_id: str = ""
    version: int | None = None
    size_bytes: int = 0

    def version_or(self, newest: int) -> int:
        """Returns the version of the request, `newest` if it has none."""
        return newest if self.version is None else self.version


@value(kw_only=False)
class TelemetryClient:
    """The client that sent a telemetry request, and its end of the connection.

    Header, socket and ApiVersions of the connection have it. The software is empty if ApiVersions
    named none.
    """

    client_id: str | None = None
    address: str = ""
    port: int = 0
    software_name: str = ""
    software_version: str = ""


NOBODY = Requester()
NO_CLIENT = TelemetryClient()
