"""A released controller as a process: formatted, started, asked over one connection, stopped."""

import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from kraftsim.controller.core.rpc import BrokerHeartbeatRequest, Request, Response
from kraftsim.controller.wire.frames import decode_response, encode_request
from tests.free_ports import free_port
from tests.released.node import STOP_LIMIT_S, end, format_storage, start_node
from tests.released.releases import Release

NODE_ID = 3000
START_LIMIT_S = 180.0
ANSWER_LIMIT_S = 60.0
ARCHIVE_LIMIT_S = 180.0
ATTEMPTS = 200
NOT_CONTROLLER = 41
LOG_NAME = f"{0:020}.log"


class Connection:
    """A blocking connection that asks one request at a time."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), ANSWER_LIMIT_S)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._asked = 0

    def close(self) -> None:
        self._socket.close()

    def send(self, frame: bytes) -> None:
        """Send a request, with its length, that is not answered."""
        self._socket.sendall(frame)

    def ask(self, key: int, version: int, request: Request) -> Response:
        _, response = decode_response(key, version, self.ask_frame(key, version, request))
        return response

    def ask_frame(self, key: int, version: int, request: Request) -> bytes:
        """Return the response's frame without its length; ConnectionError if there is none."""
        self._asked += 1
        return self.exchange(encode_request(key, version, self._asked, "judge", request)[4:])

    def exchange(self, frame: bytes) -> bytes:
        """Send a frame and return the one that comes back, both without their lengths."""
        self._socket.sendall(len(frame).to_bytes(4, "big") + frame)
        return self._read(int.from_bytes(self._read(4), "big"))

    def _read(self, size: int) -> bytes:
        parts = bytearray()
        while len(parts) < size:
            data = self._socket.recv(size - len(parts))
            if not data:
                raise ConnectionError(f"expected {size} bytes, got {len(parts)} and the end")
            parts += data
        return bytes(parts)


@dataclass(frozen=True, slots=True)
class ReleasedController:
    """`log` is the metadata log's first segment, which the process appends to."""

    release: Release
    process: subprocess.Popen[bytes]
    cluster_id: str
    port: int
    folder: Path

    @property
    def log(self) -> Path:
        return self.folder / "data" / "__cluster_metadata-0" / LOG_NAME

    @property
    def directory_id(self) -> str:
        """The log directory's id, base64, as `kafka-storage format` drew it."""
        lines = (self.folder / "data" / "meta.properties").read_text("utf-8").splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line)["directory.id"]

    def connect(self) -> Connection:
        return Connection(self.port)


@contextmanager
def released_controller(
    release: Release,
    folder: Path,
    *,
    cluster_id: str,
    has_dynamic_voters: bool = True,
    metadata_version: str | None = None,
    settings: dict[str, str] | None = None,
    client_port: int | None = None,
    classes: Path | None = None,
    archives_classes: bool = False,
    prepare: Callable[[Path], None] = lambda _: None,
) -> Iterator[ReleasedController]:
    """A controller that is active; its process ends with the block.

    With `client_port` the process is a broker too, which listens there.
    `prepare` changes the formatted log directory before the process starts.
    `classes` is a folder with the classes that the settings name.
    If it `archives_classes`, it writes the release's class archive at its end.
    `metadata_version` such as "3.9-IV0" is finalized at first, by default the newest.
    """
    port = free_port()
    properties = _properties(port, folder, has_dynamic_voters) | (settings or {})
    if client_port is not None:
        properties |= _of_a_broker(port, client_port)
    options = ["--standalone"] if has_dynamic_voters else []
    options += ["--release-version", metadata_version] if metadata_version else []
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "controller.properties"
    config.write_text("".join(f"{key}={value}\n" for key, value in properties.items()), "utf-8")
    format_storage(release, config, cluster_id=cluster_id, options=options, classes=classes)
    prepare(folder / "data")
    with (folder / "server.log").open("wb") as log:
        process = start_node(
            release, config, log, classes=classes, archives_classes=archives_classes
        )
    try:
        controller = ReleasedController(release, process, cluster_id, port, folder)
        await_active(controller)
        yield controller
    finally:
        end(process, ARCHIVE_LIMIT_S if archives_classes else STOP_LIMIT_S)


def await_listener(process: subprocess.Popen[bytes], port: int) -> None:
    """Connect until the broker listens, which it does once it is registered."""
    for _ in range(ATTEMPTS):
        try:
            return Connection(port).close()
        except ConnectionRefusedError:
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.1)
    raise RuntimeError(f"the broker does not listen on {port}")


def _properties(port: int, folder: Path, has_dynamic_voters: bool) -> dict[str, str]:
    address = f"127.0.0.1:{port}"
    voters = (
        {"controller.quorum.bootstrap.servers": address}
        if has_dynamic_voters
        else {"controller.quorum.voters": f"{NODE_ID}@{address}"}
    )
    return voters | {
        "process.roles": "controller",
        "node.id": str(NODE_ID),
        "listeners": f"CONTROLLER://{address}",
        "advertised.listeners": f"CONTROLLER://{address}",
        "controller.listener.names": "CONTROLLER",
        "listener.security.protocol.map": "CONTROLLER:PLAINTEXT",
        "log.dirs": str(folder / "data"),
    }


def _of_a_broker(port: int, client_port: int) -> dict[str, str]:
    listeners = f"CONTROLLER://127.0.0.1:{port},PLAINTEXT://127.0.0.1:{client_port}"
    return {
        "process.roles": "broker,controller",
        "listeners": listeners,
        "advertised.listeners": listeners,
        "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
    }


def await_active(controller: ReleasedController) -> None:
    """Ask until the controller no longer says that it is not the active one."""
    process, waited_s = controller.process, 0.0
    while waited_s < START_LIMIT_S:
        try:
            process.wait(0.05)  # returns only if the process has ended
        except subprocess.TimeoutExpired:
            waited_s += 0.05
        else:
            break
        if _is_active(controller):
            return
    log = (controller.folder / "server.log").read_text("utf-8", "replace")
    end(process)
    raise RuntimeError(f"Kafka {controller.release.version} did not become active: {log[-4000:]}")


def _is_active(controller: ReleasedController) -> bool:
    probe = BrokerHeartbeatRequest(
        broker_id=1, current_metadata_offset=-1, want_fence=True, want_shut_down=False
    )
    try:
        connection = controller.connect()
    except OSError:
        return False
    try:
        response = connection.ask(63, 1, probe)
    except OSError:
        return False
    finally:
        connection.close()
    return getattr(response, "error_code", NOT_CONTROLLER) != NOT_CONTROLLER
