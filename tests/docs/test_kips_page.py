"""docs/kips.md names tests that exist, for each point that holds."""

import re

from tests.docs.blocks import ROOT

_TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
PAGE = (ROOT / "docs" / "kips.md").read_text("utf-8")


def test_every_proof_is_a_test() -> None:
    cited = _TEST.findall(PAGE)

    assert len(cited) > 30
    missing = [
        (path, name)
        for path, name in cited
        if f"def {name}(" not in (ROOT / path).read_text("utf-8")
    ]
    assert missing == []


def test_every_point_that_holds_has_a_proof() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ")]

    assert [row for row in rows if "| holds" in row and not _TEST.search(row)] == []
