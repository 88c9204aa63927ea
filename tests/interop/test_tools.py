"""Kafka's command line tools print of our cluster what they print of a released one.

tests/interop/tools/recorded.json has what 4.3.1 printed of a cluster of 4.3.1; docs/tools.toml
explains every difference, and docs/tools.md shows the result.
"""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.interop.tools.cluster import LEADER_ID
from tests.interop.tools.explained import differences, reasons
from tests.interop.tools.normal import Normal
from tests.interop.tools.ours import our_cluster
from tests.interop.tools.play import play
from tests.interop.tools.recording import recorded
from tests.interop.tools.steps import Ask, steps
from tests.released.releases import NEWEST_WITH_TOOLS
from tests.released.run_tools import released_tools

pytestmark = [pytest.mark.interop, pytest.mark.released]


def test_the_tools_print_what_they_print_of_a_released_cluster(tmp_path: Path) -> None:
    with our_cluster(tmp_path) as cluster, released_tools(NEWEST_WITH_TOOLS, tmp_path) as tools:
        answers = play(steps(), cluster, tools, tmp_path / "files")
    found = list(differences(recorded(), answers))
    known = reasons()

    unexplained = [
        str(difference)
        for difference in found
        if not any(reason.explains(difference) for reason in known)
    ]
    assert unexplained == []
    idle = [r.id for r in known if not any(r.explains(difference) for difference in found)]
    assert idle == []


@pytest.mark.rule("6.32", "6.35")
@pytest.mark.parametrize("shown", ["--status", "--replication"])
def test_our_quorum_tool_prints_what_kafkas_prints(tmp_path: Path, shown: str) -> None:
    step = f"metadata-quorum CONTROLLERS describe {shown}"
    kafka = next(answer for answer in recorded() if answer.step == step)
    with our_cluster(tmp_path) as cluster:
        address = cluster.addresses.controllers[LEADER_ID]
        words = ("quorum-tool", "describe", shown, "--bootstrap-controller", address)
        command = [sys.executable, "-m", "kraftsim", *words]
        printed = subprocess.run(command, capture_output=True, text=True, check=True)

    ours = Normal(cluster.addresses, tmp_path).lines("metadata-quorum", printed.stdout)
    assert kafka.stdout == ours


def test_every_step_is_recorded() -> None:
    kept = [step.line for step in steps() if isinstance(step, Ask) and step.is_kept]

    assert kept == [answer.step for answer in recorded()], "python -m tests.interop.tools"
