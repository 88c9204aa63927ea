"""The scenario in docs/scenario-files.md is one that works, in all of its cells."""

import json
from pathlib import Path

import pytest

from kraftsim.cli.main import main
from kraftsim.files.scenario_files import LIBRARY

pytestmark = pytest.mark.slow


PAGE = Path(__file__).resolve().parents[2] / "docs" / "scenario-files.md"


def test_the_scenario_in_the_docs_passes(tmp_path, capsys):
    (example,) = (
        part.partition("```")[0]
        for part in PAGE.read_text("utf-8").split("```yaml\n")[1:]
        if part.startswith("schema: ")
    )
    (tmp_path / "mine.yaml").write_text(example)
    (tmp_path / "racks.yaml").write_text((LIBRARY / "parts" / "three-racks.yaml").read_text())

    assert main(["scenario", "run", str(tmp_path / "mine.yaml"), "--json"]) == 0

    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [("pass", 1), ("pass", 1)] == [
        (line["verdict"], line["measured"]["fence_delay"]["samples"]) for line in lines
    ]
