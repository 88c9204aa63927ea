"""The OpenAPI document is true: schemathesis finds no response that it does not describe."""

import asyncio
import sys
from pathlib import Path

import pytest

from kraftsim import Cluster

pytestmark = pytest.mark.slow

SCHEMATHESIS = Path(sys.executable).parent / "schemathesis"
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
)
# Their valid requests make others wait: a clock that runs, an event that does not come (a 504),
# faults that lose requests, a lock of the clock, and a quorum without a leader or a majority.
# test_openapi_examples.py holds their replies against the document.
WAITING = (
    "/sim/brokers/{id}/restart",
    "/sim/clock/lock",
    "/sim/clock/run-until",
    "/sim/clock/speed",
    "/sim/controllers/{id}/kill",
    "/sim/controllers/{id}/pause",
    "/sim/faults",
    "/sim/quorum/transfer-leadership",
    "/v1/wait",
)


@pytest.mark.parametrize(
    ("phase", "examples"),
    [
        ("fuzzing", 2),
        pytest.param("fuzzing", 20, marks=pytest.mark.soak),
        pytest.param("coverage", 5, marks=pytest.mark.soak),
    ],
)
async def test_every_response_is_documented(phase: str, examples: int, tmp_path: Path) -> None:
    async with Cluster(
        brokers=3, controllers=3, clock="auto", seed=1, http_port=0, token="secret"
    ) as kraft:
        process = await asyncio.create_subprocess_exec(
            SCHEMATHESIS,
            "run",
            f"{kraft.http_url}/openapi.json",
            f"--checks={','.join(CHECKS)}",
            f"--phases={phase}",
            f"--max-examples={examples}",
            "--seed=1",
            "--request-timeout=60",
            *(f"--exclude-path={path}" for path in WAITING),
            "--header=Authorization: Bearer secret",
            cwd=tmp_path,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        output, _ = await process.communicate()
    text = output.decode()
    assert process.returncode == 0, text
    assert "103 selected / 113 total" in text
