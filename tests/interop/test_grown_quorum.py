"""The quorum of `kraftsim up` grows by a controller of another process, and shrinks again."""

import subprocess
import sys
from pathlib import Path

import pytest

from kraftsim.controller.core.uuid import uuid_text
from tests.free_ports import free_ports
from tests.interop.running import LIMIT_S, Service, _running, eventually, kraftsim_up

pytestmark = pytest.mark.interop

NEW_ID = 3003
DIRECTORY = uuid_text(b"a new controller")


def kraftsim(kraft: Service, *words: str) -> int:
    """The exit code of a command about the cluster."""
    command = [sys.executable, "-m", "kraftsim", *words, "--url", kraft.url]
    return subprocess.run(command, timeout=LIMIT_S, check=False, capture_output=True).returncode


@pytest.mark.rule("10.51", "10.52")
def test_a_controller_of_another_process_becomes_a_voter_and_leaves(tmp_path: Path) -> None:
    (port,) = free_ports(1)
    with kraftsim_up(tmp_path, "--controllers", "3", brokers=1) as kraft:
        ids = sorted(kraft.voters())
        assert len(ids) == 3
        voters = ",".join(f"{node_id}@{place}" for node_id, place in kraft.voters().items())
        new = ("controller", "run", "--node-id", str(NEW_ID), "--directory-id", DIRECTORY)
        at = ("--listen", f"127.0.0.1:{port}", "--voters", voters)
        with _running(tmp_path, (*new, *at, "--cluster-id", kraft.cluster_id)):
            eventually(lambda: NEW_ID in kraft.observers(), True, ignoring=OSError)

            assert (
                kraftsim(kraft, "controller", "add", f"{NEW_ID}@127.0.0.1:{port}:{DIRECTORY}") == 0
            )
            assert sorted(kraft.voters()) == [*ids, NEW_ID]

            assert kraftsim(kraft, "controller", "remove", str(NEW_ID)) == 0
            assert sorted(kraft.voters()) == ids
