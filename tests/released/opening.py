"""Records how a released controller begins: its log, and what it answers to ApiVersions.

    python -m tests.released.opening 4.4.0

writes tests/golden/opening-4.4.0.json, which tests without Java are held against.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from kraftsim.controller.core.rpc import ApiVersionsRequest
from kraftsim.controller.wire.apis.table import API_VERSIONS
from kraftsim.controller.wire.frames import encode_request
from tests.released.controller import ReleasedController, released_controller
from tests.released.releases import RELEASES, Release

CLUSTER_ID = "openingOfReleasedKafka"
HERE = Path(__file__).parents[1] / "golden"
SETTINGS = {"controller.quorum.append.linger.ms": "0", "metadata.max.idle.interval.ms": "0"}
ASKED: tuple[tuple[int, str | None, int], ...] = (
    (0, None, -1),
    (3, None, -1),
    (4, None, -1),
    (5, None, -1),
    (5, CLUSTER_ID, 3000),
    (5, "anotherClusterAltogeth", 1),
    (5, CLUSTER_ID, -1),
    (5, None, 3000),
)
UNKNOWN_VERSION = bytes.fromhex("0012 0063 00000009 0001 61 00")


def record(release: Release) -> None:
    openings = {
        name: _opening(release, has_dynamic_voters=name == "dynamic")
        for name in ("static", "dynamic")
    }
    document = {"release": release.version, "cluster_id": CLUSTER_ID, "openings": openings}
    path = HERE / f"opening-{release.version}.json"
    path.write_text(json.dumps(document, indent=1) + "\n", "utf-8")


def _opening(release: Release, *, has_dynamic_voters: bool) -> dict[str, Any]:
    with (
        tempfile.TemporaryDirectory(prefix="kraftsim-opening-") as name,
        released_controller(
            release,
            Path(name),
            cluster_id=CLUSTER_ID,
            has_dynamic_voters=has_dynamic_voters,
            settings=SETTINGS,
        ) as controller,
    ):
        exchanges = [_exchange(controller, frame) for frame in (*_requests(), UNKNOWN_VERSION)]
        return {"log": controller.log.read_bytes().hex(), "exchanges": exchanges}


def _requests() -> list[bytes]:
    return [
        encode_request(
            API_VERSIONS,
            version,
            9,
            "a",
            ApiVersionsRequest(
                client_software_name="a",
                client_software_version="1",
                cluster_id=cluster_id,
                node_id=node_id,
            ),
        )[4:]
        for version, cluster_id, node_id in ASKED
    ]


def _exchange(controller: ReleasedController, request: bytes) -> dict[str, str]:
    connection = controller.connect()
    try:
        return {"request": request.hex(), "answer": connection.exchange(request).hex()}
    finally:
        connection.close()


if __name__ == "__main__":
    record(RELEASES[sys.argv[1]])
