"""docs/security.md names limits as they are in the code, and tests that exist."""

import re

import pytest

from tests.docs.blocks import ROOT

ROW = re.compile(
    r"^\| (?P<limit>.+?) \| `(?P<file>.+?)` \| `(?P<test>.+?)::(?P<name>.+?)` \|$", re.M
)
PAGE = (ROOT / "docs" / "security.md").read_text("utf-8")
ROWS = [match.groupdict() for match in ROW.finditer(PAGE)]


def test_the_page_has_rows() -> None:
    assert len(ROWS) == PAGE.count("::test_") > 25


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["limit"][:40])
def test_a_limit_is_in_the_code_and_attacked_by_its_test(row: dict[str, str]) -> None:
    code = (ROOT / row["file"]).read_text("utf-8")
    value = re.match(r"`(\w+ = .+?)`", row["limit"])
    if value:
        name, number = value[1].split(" = ")
        assert re.search(rf"^{name}(: Final)? = {re.escape(number)}\b", code, re.MULTILINE)
    assert f"def {row['name']}(" in (ROOT / row["test"]).read_text("utf-8")
