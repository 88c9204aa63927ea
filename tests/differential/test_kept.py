"""Ours gives the answers that a released controller gave where ours once differed."""

import json
from pathlib import Path

import pytest

from tests.differential.kept import FOLDER, replay


def _kept(path: Path) -> object:
    rule = json.loads(path.read_text("utf-8"))["rule"]
    return pytest.param(path, marks=pytest.mark.rule(rule), id=path.stem)


@pytest.mark.parametrize("path", [_kept(path) for path in sorted(FOLDER.glob("*.json"))])
def test_ours_answers_as_the_released_controller_did(path: Path) -> None:
    assert [] == replay(path)
