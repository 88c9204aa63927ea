"""The requests that clients have sent to a service: for tests that ask what a client did.

The journal keeps the newest requests of the Kafka listeners and of `POST /kafka/...`; requests of
the simulated brokers do not pass through a listener and are not in it. `request_search.py` searches
it. `RefusedVersions` counts requests whose API or version a listener does not have: such a request
ends its connection, as in Kafka, so its client sees no reason.
"""

from collections import Counter, deque
from typing import NamedTuple, Protocol, TypedDict

from kraftsim.controller.server.secrets import APIS_WITH_SECRETS, without_secrets
from kraftsim.controller.time.timeline import Timeline
from kraftsim.controller.wire.apis.table import APIS, Api
from kraftsim.controller.wire.frames import RequestHeader
from kraftsim.controller.wire.json.document import Document

REQUESTS_MAX = 1_000
REQUEST_BYTES_MAX = 1024 * 1024  # of all of them: decoding takes some microseconds a byte
BODY_BYTES_MAX = 32 * 1024  # larger requests are kept without their bodies
NO_BODY = -2  # body offset of a request that was too large to be kept
CLIENTS_MAX = 100  # distinct combinations that are counted apart
TEXT_MAX = 100  # characters of a client id

JSON_BODY = -1  # body offset of a request whose frame is its body as JSON


class ReceivedRequest(NamedTuple):
    """One request: when it came, where, from whom, and its bytes as they were sent."""

    t_us: int
    listener: str
    address: str
    header: RequestHeader
    frame: bytes


class FrameRecorder(Protocol):
    """What records the frames of clients, unless it has a reason to refuse."""

    refusal: str | None

    def frame(self, listener: str, frame: bytes | memoryview, /) -> None:
        """Adds a frame."""


class RequestJournal:
    """The newest requests: at most `requests_max`, with at most `bytes_max` bytes.

    `recorder` gets each frame of a Kafka listener, unless it refuses to record. The journal keeps
    bytes, which are decoded when somebody reads them: bytes cost the garbage collector nothing, and
    their size is known.
    """

    def __init__(
        self,
        timeline: Timeline,
        *,
        requests_max: int = REQUESTS_MAX,
        bytes_max: int = REQUEST_BYTES_MAX,
    ) -> None:
        self._requests_max, self._bytes_max = requests_max, bytes_max
        self._timeline = timeline
        self._requests: deque[tuple[int, str, str, RequestHeader, bytes]] = deque()
        self._size_bytes = 0
        self.next_number = 0
        self.recorder: FrameRecorder | None = None

    def note(
        self, listener: str, address: str, header: RequestHeader, frame: bytes | memoryview
    ) -> None:
        """Adds a request of a Kafka listener without its secrets; the oldest ones make room."""
        if header.api_key in APIS_WITH_SECRETS:
            frame = without_secrets(header, bytes(frame))
        recorder = self.recorder
        if recorder is not None and recorder.refusal is None:
            recorder.frame(listener, frame)
        self._add(listener, address, header, frame)

    def _add(
        self, listener: str, address: str, header: RequestHeader, frame: bytes | memoryview
    ) -> None:
        requests = self._requests
        if len(frame) > BODY_BYTES_MAX:
            header, frame = header._replace(body_offset=NO_BODY), b""
        requests.append((self._timeline.now_us, listener, address, header, bytes(frame)))
        self.next_number += 1
        size_bytes = self._size_bytes + len(frame)
        while len(requests) > self._requests_max or size_bytes > self._bytes_max:
            size_bytes -= len(requests.popleft()[-1])
        self._size_bytes = size_bytes

    def note_json(self, api: Api, body: Document) -> None:
        """Adds a request that came as JSON over HTTP."""
        import json

        header = RequestHeader(api.key, api.max_version, 0, None, JSON_BODY)
        self._add("http", "", header, json.dumps(body).encode())

    def wall_ms(self, received: ReceivedRequest) -> int:
        """Returns the time of a request on the cluster's wall clock, in ms since 1970."""
        return self._timeline.wall_ms_at(received.t_us)

    @property
    def numbered(self) -> list[tuple[int, ReceivedRequest]]:
        """The numbers and the requests, the oldest first."""
        first = self.next_number - len(self._requests)
        return list(enumerate(map(ReceivedRequest._make, self._requests), first))


class RefusedVersionDocument(TypedDict):
    """Requests of one client for one version of one API that the listener does not have.

    `clientId` is empty if the client sent none; `clientAddress` is its host.
    """

    listener: str
    clientId: str
    clientAddress: str
    api: str
    version: int
    count: int


class _Refused(NamedTuple):
    listener: str
    client_id: str
    address: str
    api_key: int
    version: int


class RefusedVersions:
    """Counts refused requests; beyond CLIENTS_MAX combinations it counts known ones only."""

    def __init__(self) -> None:
        self._counts: Counter[_Refused] = Counter()

    def note(self, listener: str, address: str, header: RequestHeader) -> None:
        """Counts a request that ends its connection."""
        client_id = (header.client_id or "")[:TEXT_MAX]
        key = _Refused(listener, client_id, address, header.api_key, header.api_version)
        if key in self._counts or len(self._counts) < CLIENTS_MAX:
            self._counts[key] += 1

    def documents(self) -> list[RefusedVersionDocument]:
        """Returns a document for each combination, the most frequent first."""
        return [
            {
                "listener": key.listener,
                "clientId": key.client_id,
                "clientAddress": key.address,
                "api": _name(key.api_key),
                "version": key.version,
                "count": count,
            }
            for key, count in self._counts.most_common()
        ]


def _name(api_key: int) -> str:
    api = APIS.get(api_key)
    return f"API {api_key}" if api is None else api.name
