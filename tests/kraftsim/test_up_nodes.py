"""A cluster that serves sockets has nodes of a user's own: `kraftsim up --node`."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from kraftsim import Cluster
from kraftsim.errors import CommandError, UsageError
from kraftsim.own_nodes.beside import beside, nodes_of

ASKS = """
import asyncio
from aiokafka.admin import AIOKafkaAdminClient

async def main(kraft):
    admin = AIOKafkaAdminClient(bootstrap_servers=kraft.bootstrap_servers)
    await admin.start()
    while True:
        described = await admin.describe_cluster()
        kraft.nodes.report("asked", brokers=len(described["brokers"]))
        await asyncio.sleep(10)
"""
UP = [sys.executable, "-m", "kraftsim", "up", "--clock", "virtual"]
PORTS = ["--kafka-port", "0", "--controller-port", "0", "--http-port", "0"]


@pytest.fixture
def code(tmp_path: Path) -> str:
    (tmp_path / "asking.py").write_text(ASKS)
    return f"{tmp_path / 'asking.py'}:main"


async def asked(kraft: Cluster) -> list[int]:
    """How many brokers the operator has seen, each time that it asked."""
    rows = [event for event in await kraft.events.list() if event["kind"] == "node_reported"]
    return [int(str(row["detail"]["brokers"])) for row in rows]


async def test_a_node_asks_the_simulated_listeners_in_the_time_of_the_cluster(code: str) -> None:
    kraft = Cluster(brokers=2, clock="virtual", seed=1)
    with beside(kraft, nodes_of([f"operator={code}"], is_allowed=True)):
        async with kraft:
            await kraft.clock.advance("25s")
            assert await asked(kraft) == [2, 2, 2]
            await kraft.nodes.pause("operator")
            await kraft.clock.advance("60s")
            assert len(await asked(kraft)) == 3
            await kraft.nodes.resume("operator")
            await kraft.clock.advance("1s")
            assert len(await asked(kraft)) == 4


async def test_a_fault_cuts_the_node_off(code: str) -> None:
    kraft = Cluster(brokers=2, clock="virtual", seed=1)
    with beside(kraft, nodes_of([f"operator={code}"], is_allowed=True)):
        async with kraft:
            await kraft.clock.advance("5s")
            await kraft.faults.add({"net.partition": {"on": {"node": "operator"}, "for": "30s"}})
            await kraft.clock.advance("25s")
            assert len(await asked(kraft)) == 1
            await kraft.clock.advance("60s")
            assert len(await asked(kraft)) > 3


async def test_a_reset_begins_with_new_nodes(code: str) -> None:
    kraft = Cluster(brokers=1, clock="virtual", seed=1)
    with beside(kraft, nodes_of([f"operator={code}"], is_allowed=True)):
        async with kraft:
            await kraft.clock.advance("5s")
            await kraft.nodes.kill("operator")
            await kraft.reset()
            await kraft.clock.advance("5s")
            assert [node["state"] for node in await kraft.nodes.list()] == ["RUNNING"]
            assert await asked(kraft) == [1]


async def test_a_seed_repeats_what_the_node_sees(code: str) -> None:
    seen = []
    for _ in range(2):
        kraft = Cluster(brokers=2, clock="virtual", seed=1)
        with beside(kraft, nodes_of([f"operator={code}"], is_allowed=True)):
            async with kraft:
                await kraft.clock.advance("60s")
                rows = await kraft.events.list()
                seen.append([(row["tUs"], row["kind"], row["detail"]) for row in rows])
    assert seen[0] == seen[1]


async def test_a_verb_for_a_process_that_has_ended_is_refused(code: str) -> None:
    kraft = Cluster(brokers=1, clock="virtual", seed=1)
    with beside(kraft, nodes_of([f"operator={code}"], is_allowed=True)):
        async with kraft:
            await kraft.nodes.kill("operator")
            for verb in (kraft.nodes.pause, kraft.nodes.stop):
                with pytest.raises(CommandError, match="got NOT_RUNNING: restart it first"):
                    await verb("operator")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("operator", "expected NAME=MODULE:FUNCTION"),
        ("operator=main", "expected MODULE:FUNCTION or FILE.py:FUNCTION"),
        ("broker-1=CODE", "no broker and no controller"),
        ("operator=no_such_package:main", "No module named 'no_such_package'"),
        ("operator=no_such_file.py:main", "no such file"),
        ("operator=json:dumps", "expected a function `async def dumps"),
    ],
)
def test_a_node_that_cannot_run_is_refused(text: str, said: str, code: str) -> None:
    with pytest.raises(UsageError, match=said):
        nodes_of([text.replace("CODE", code)], is_allowed=True)


@pytest.mark.realtime
def test_up_runs_code_only_where_it_is_allowed(code: str) -> None:
    refused = subprocess.run(
        [*UP, *PORTS, "--node", f"operator={code}"], capture_output=True, text=True, check=False
    )
    assert refused.returncode == 2
    assert "read it, then add --allow-code" in refused.stderr


@pytest.mark.realtime
async def test_up_shows_its_nodes_over_http(code: str) -> None:
    words = [*UP, *PORTS, "--node", f"operator={code}", "--allow-code"]
    process = await asyncio.create_subprocess_exec(*words, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    try:
        url = (await process.stdout.readline()).decode().strip().partition("=")[2]
        command = [sys.executable, "-m", "kraftsim", "node", "list", "--url", url]
        listed = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
        out, _ = await listed.communicate()
        assert out.decode().split("\n")[1].split() == ["operator", "RUNNING"]
    finally:
        process.terminate()
        assert await process.wait() == 0
