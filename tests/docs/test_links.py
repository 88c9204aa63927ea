"""Links and paths in the documents lead to files."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


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
    missing = [
        path
        for path in sorted(set(re.findall(r"`([\w/]+\.py)`", page.read_text("utf-8"))))
        if not any(f"/{file}".endswith(f"/{path}") for file in _sources())
    ]
    assert missing == []


@cache
def _sources() -> list[str]:
    folders = ("broker_agent", "bench", "controller", "kraftsim", "pipeline", "pyspark_kraftlog")
    folders += ("scenarios", "simulation", "tests", "tools")
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    return [str(path.relative_to(ROOT)) for path in paths]
