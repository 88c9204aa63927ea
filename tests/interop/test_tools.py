"""Kafka's command line tools print of our cluster what they print of a released one.

tests/interop/tools/recorded.json has what 4.3.1 printed of a cluster of 4.3.1; docs/tools.toml
explains every difference, and docs/tools.md shows the result.
"""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.interop.tools import page
from tests.interop.tools.cluster import LEADER_ID, Addresses
from tests.interop.tools.explained import Reason, differences, reasons
from tests.interop.tools.normal import Normal
from tests.interop.tools.ours import our_cluster
from tests.interop.tools.play import Answer, play
from tests.interop.tools.recording import recorded
from tests.interop.tools.steps import Ask, steps
from tests.released.releases import NEWEST_WITH_TOOLS
from tests.released.run_tools import released_tools


@pytest.mark.interop
@pytest.mark.released
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


@pytest.mark.interop
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


def test_the_page_of_the_tools_is_current() -> None:
    """Mend it with `python -m tests.interop.tools.page`."""
    assert page.render() == page.PAGE.read_text("utf-8")


def test_a_reason_explains_only_the_lines_and_steps_that_it_names() -> None:
    reason = Reason(
        id="id",
        verdict="differs",
        why="why",
        steps=re.compile("topics .*"),
        kafka=re.compile("Isr: 1,2"),
        ours=re.compile("Isr: 2,1"),
    )
    kafka = Answer("topics SERVERS --list", 0, ["Isr: 1,2", "same"], [])
    ours = Answer("topics SERVERS --list", 0, ["Isr: 2,1", "same"], [])
    failed = Answer("topics SERVERS --list", 1, ["Isr: 2,1", "same"], [])

    (explained,) = differences([kafka], [ours])
    (with_exit_code,) = differences([kafka], [failed])
    assert [] == list(differences([kafka], [kafka]))
    assert reason.explains(explained)
    assert not reason.explains(with_exit_code)
    assert not reason.explains(replace(explained, step="configs SERVERS"))


@pytest.mark.parametrize(
    ("tool", "printed", "normal"),
    [
        ("cluster", "1   127.0.0.1 40001      a", "1   127.0.0.1 b0001      a"),
        ("configs", "--bootstrap-server 127.0.0.1:40001", "--bootstrap-server 127.0.0.1:broker-1"),
        ("topics", "TopicId: IKaUdt5CQGqmZidZLsawFA", "TopicId: UUID"),
        ("topics", "LatestCoordinatorEpoch --bootstrap-controller", None),
        ("topics", "\tat kafka.Kafka.main(Kafka.scala:1)", ""),
        ("features", "Epoch: 17", "Epoch: N"),
        ("leader-election", "elected for partitions b-0, a-0", "elected for partitions a-0, b-0"),
        ("metadata-quorum", "HighWatermark:          17", "HighWatermark: N"),
        ("metadata-quorum", '[{"id": 2}, {"id": 1}]', '[{"id": 1}, {"id": 2}]'),
    ],
)
def test_what_only_one_cluster_has_is_replaced(tool: str, printed: str, normal: str | None) -> None:
    addresses = Addresses({1: "127.0.0.1:40001"}, {3000: "127.0.0.1:40002"}, "D", {1: "/data"})

    lines = Normal(addresses, Path("/folder")).lines(tool, printed)

    assert ([normal] if normal else [printed] if normal is None else []) == lines
