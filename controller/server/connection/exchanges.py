"""The codecs of the requests on one connection, and its answers about versions."""

from typing import Protocol

from ...core.apis import ROWS
from ...core.errors import ErrorCode
from ...core.rpc import ApiVersionsRequest
from ...core.rpc.senders import TelemetryClient
from ...wire import frames
from ...wire.apis.table import API_VERSIONS
from ...wire.errors import DecodeError
from ..api_versions import encoded_refusal
from ..listener import Connection, Listener


class Peer(Protocol):
    """The client of a connection."""

    address: str
    port: int


class Exchanges:
    """Keeps the exchange of the last request: a client repeats API, version and client id."""

    def __init__(self, listener: "Listener[Connection]", peer: Peer) -> None:
        self._listener, self._peer = listener, peer
        self.last: frames.Exchange | None = None
        self._software = ("", "")  # name and version, as the client has told them

    def of(self, frame: bytes) -> frames.Exchange | bytes:
        """Returns the exchange of a frame, a new one for a new API, version or client id.

        Returns the error reply to a frame that is handled completely by it.
        """
        if self.last is not None and self.last.matches(frame):
            return self.last
        header = frames.read_request_header(frame)
        listener, peer = self._listener, self._peer
        if header[:2] not in listener.spoken:
            return self._refused(frame, header)
        self.last = frames.Exchange(
            header,
            frame,
            start_time_tag=listener.start_time_tag,
            bodies=listener.bodies,
            client=TelemetryClient(header.client_id, peer.address, peer.port, *self._software)
            if ROWS[header.api_key].is_telemetry
            else None,
        )
        return self.last

    def _refused(self, frame: bytes, header: frames.RequestHeader) -> bytes:
        """Returns the reply to an unknown version of ApiVersions (rule 5.47).

        Raises DecodeError for any other API, which ends the connection.
        """
        if header.api_key != API_VERSIONS:
            self._listener.note_refused(self._peer.address, header)
            raise DecodeError(
                f"expected an API and version of this listener, got key {header.api_key} "
                f"version {header.api_version}"
            )
        response = self._listener.describe(ApiVersionsRequest(), header[1])
        return encoded_refusal(frame, response)

    def described(
        self, exchange: frames.Exchange, frame: bytes, request: ApiVersionsRequest
    ) -> bytes:
        """Returns the reply to a request of ApiVersions."""
        response = self._listener.describe(request, exchange.version)
        if response.error_code == ErrorCode.UNSUPPORTED_VERSION:
            return encoded_refusal(frame, response)
        if not response.error_code:
            self._software = (request.client_software_name, request.client_software_version)
        return exchange.encode(frame[4:8], response)
