"""The documentation: links and paths lead somewhere, and every tutorial runs from end to end."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
TUTORIALS = sorted((ROOT / "docs").glob("tutorial-*.md"))
PREPARED = ("make .venv/.service\n", "make .venv/.test\n", ". .venv/bin/activate\n")
"""Lines that prepare an environment: the tests have one."""
TUTORIAL_LIMIT_S = 240


def name(path: Path) -> str:
    return path.name


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_leads_to_a_file(page: Path) -> None:
    links = re.findall(r"\]\((\w[\w./-]*|\.\.[\w./-]*)(?:#[\w-]*)?\)", page.read_text("utf-8"))

    broken = [link for link in links if not (page.parent / link).resolve().exists()]
    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_python_file_that_is_named_exists(page: Path) -> None:
    """A path may begin below the top: `replay.py` where its room is named before."""
    files = [str(path.relative_to(ROOT)) for path in _sources()]

    missing = [
        path
        for path in re.findall(r"`([\w/]+\.py)`", page.read_text("utf-8"))
        if "NN_name" not in path and not any(f"/{file}".endswith(f"/{path}") for file in files)
    ]
    assert missing == []


def _sources() -> list[Path]:
    folders = ("broker_agent", "bench", "controller", "kraftsim", "pipeline", "pyspark_kraftlog")
    folders += ("scenarios", "simulation", "tests", "tools")
    return [path for folder in folders for path in (ROOT / folder).rglob("*.py")]


@pytest.mark.realtime
@pytest.mark.parametrize("tutorial", TUTORIALS, ids=name)
def test_a_tutorial_runs_from_its_first_line_to_its_last(tutorial: Path, tmp_path: Path) -> None:
    blocks = re.findall(r"```sh\n(.*?)```", tutorial.read_text("utf-8"), re.DOTALL)
    script = (
        "set -euo pipefail\nset -m\ntrap 'kill $(jobs -p) 2> /dev/null || true' EXIT\n"
        + "\n".join(blocks)
    )
    for line in PREPARED:
        script = script.replace(line, "")
    script = script.replace("--seeds 0..500", "--seeds 0..3")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env=os.environ | {"PATH": path},
        capture_output=True,
        text=True,
        timeout=TUTORIAL_LIMIT_S,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
