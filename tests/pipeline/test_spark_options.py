"""--master, --remote and --conf reach the session of each verb that uses Spark.

A session runs on another master already, so that a verb ends before it begins to work, and names
the master that its options ask for.
"""

import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from kraftsim.cli.main import main
from kraftsim.pipeline.campaign.commit_log import SHARDS, Folder
from tests.pipeline.conftest import TEST_MASTER

pytestmark = pytest.mark.spark


@pytest.fixture
def port() -> Iterator[int]:
    """A port at which somebody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture
def lines(shaky: Folder, tmp_path: Path) -> dict[str, str]:
    """A line of each verb."""
    whole, half = shaky.path, tmp_path / "half"
    shutil.copytree(whole, half)
    (half / SHARDS / "000000.json").unlink()
    return {
        "check": f"campaign check {whole}",
        "compare": f"campaign compare {whole} {whole}",
        "report": f"campaign report {whole} --html {tmp_path / 'page.html'}",
        "resume": f"campaign resume {half}",
        "verify": f"campaign verify {whole}",
    }


@pytest.mark.parametrize(
    ("option", "master"),
    [
        ("--master local[1]", "local[1]"),
        ("--conf spark.master=local[1]", "local[1]"),
        ("--remote sc://127.0.0.1:{port}", "sc://127.0.0.1:{port}"),
    ],
)
@pytest.mark.parametrize("verb", ["check", "compare", "report", "resume", "verify"])
def test_a_verb_asks_for_the_session_that_its_options_describe(
    spark, lines: dict[str, str], port: int, verb: str, option: str, master: str, capsys
) -> None:
    code = main(f"{lines[verb]} {option.format(port=port)}".split())

    asked = f"expected no running session, or one on {master.format(port=port)}"
    assert code in (1, 2)
    assert f"{asked}, got one on {TEST_MASTER}" in capsys.readouterr().err
