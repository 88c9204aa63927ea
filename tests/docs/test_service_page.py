"""docs/service.md names the kinds of ACLs by their numbers in the code."""

import re
from collections.abc import Mapping

import pytest

from kraftsim.controller.core.security.acl_kinds import (
    OPERATIONS,
    PATTERN_TYPES,
    PERMISSION_TYPES,
    RESOURCE_TYPES,
)
from kraftsim.http.kafka_json import KAFKA_APIS
from tests.docs.blocks import ROOT

PAGE = (ROOT / "docs" / "service.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("field", "names"),
    [
        ("resourceType", RESOURCE_TYPES),
        ("resourcePatternType", PATTERN_TYPES),
        ("operation", OPERATIONS),
        ("permissionType", PERMISSION_TYPES),
    ],
)
def test_the_table_of_kinds_has_every_number(field: str, names: Mapping[int, str]) -> None:
    (row,) = re.findall(rf"^\| `{field}`.*? \| (.*) \|$", PAGE, re.MULTILINE)

    documented = {int(number): name for number, name in re.findall(r"(\d+) ([A-Z_]+)", row)}
    assert documented == {number: name for number, name in names.items() if name != "UNKNOWN"}


def test_the_apis_that_the_page_says_http_lacks_are_not_served() -> None:
    sentence = PAGE[PAGE.index("Client quotas (") : PAGE.index("and not over HTTP")]

    named = re.findall(r"\b(?:Alter|Describe)[A-Z]\w+", sentence)
    assert len(named) == 4
    assert not set(named) & set(KAFKA_APIS)
