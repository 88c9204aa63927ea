"""`campaign report` and `compare` print JSON and YAML like every other verb, and write no file."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from kraftsim.cli.main import main
from tests.kraftsim.test_terminal import keys_of

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("verb", ["report", "compare"])
def test_the_numbers_go_to_stdout(
    verb: str, spark: Any, shaky: Any, tmp_path: Path, capsys: Any, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    folders = [str(shaky.path)] * (2 if verb == "compare" else 1)

    code = main(["campaign", verb, *folders, "--json"])
    as_json = json.loads(capsys.readouterr().out)
    assert code == main(["campaign", verb, *folders, "--output", "yaml"])

    assert yaml.safe_load(capsys.readouterr().out) == as_json
    assert as_json["format"].startswith("kraftsim/campaign-")
    assert [key for key in keys_of(as_json) if "_" in key] == []
    assert as_json.get("regressions", []) == []
    assert list(tmp_path.iterdir()) == []


def test_a_page_is_written_beside_the_numbers_on_request(
    spark: Any, shaky: Any, tmp_path: Path, capsys: Any
) -> None:
    page = tmp_path / "page.html"

    main(["campaign", "report", str(shaky.path), "--json", "--html", str(page)])

    assert json.loads(capsys.readouterr().out)["campaign"]["name"] == shaky.path.name
    assert page.read_text().startswith("<!doctype html>")
