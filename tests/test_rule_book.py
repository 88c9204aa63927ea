"""docs/rules.md is read without guessing, and is written so that a person can read it."""

import re

import pytest

from tools import rule_book

LONGEST_LINE = 110
ROOT = rule_book.PAGE.parents[1]
KEPT = ROOT / "tests" / "differential" / "kept"
RULE = """\
## 2. BrokerHeartbeat

### 2A. Wire schema

#### 2.1

Key 63.

| a table | of the statement |

- Class: QC:1-2; CCM:3,
  CCM:4
- Basis: inferred
"""


def test_a_rule_has_a_number_a_statement_and_sources_by_kind() -> None:
    book = rule_book.parse(RULE)

    assert book.parts == {"2A"}
    (section,) = book.sections
    assert (section.key, section.title, section.last) == ("2", "BrokerHeartbeat", 1)
    rule = book.rules["2.1"]
    assert rule.statement == ("Key 63.", "", "| a table | of the statement |")
    assert rule.sources == {"Class": "QC:1-2; CCM:3, CCM:4", "Basis": "inferred"}


@pytest.mark.parametrize(
    "text",
    [
        RULE.replace("2.1", "two"),
        RULE.replace("#### 2.1", "#### 3.1"),
        RULE.replace("Key 63.\n\n| a table | of the statement |", ""),
        RULE.partition("- Class")[0],
        RULE.replace("- Basis", "- Class"),
        RULE + "\nA sentence after the sources.\n",
        RULE + RULE.partition("### 2A. Wire schema\n\n")[2],
    ],
    ids=["number", "section", "no-statement", "no-source", "kind-twice", "stray", "number-twice"],
)
def test_a_page_that_is_written_otherwise_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected"):
        rule_book.parse(text)


def test_a_heading_in_an_example_is_no_rule() -> None:
    book = rule_book.parse(RULE.replace("Key 63.", "```\n#### 2.2\n```"))

    assert list(book.rules) == ["2.1"]


def test_no_number_of_a_section_is_left_out() -> None:
    for section in rule_book.rule_book().sections:
        numbers = [rule_book.order(rule.number) for rule in section.rules]
        assert numbers == sorted(numbers)
        if not section.is_of_messages:  # a part of these begins with a new ten
            unlettered = [number for number, letter in numbers if not letter]
            assert unlettered == [*range(1, section.last + 1)]


@pytest.mark.parametrize("rule", ["2.33", "0A.11", "10.27", "2.32a", "B8.43"])
def test_a_rule_number_is_a_section_and_a_number(rule: str) -> None:
    assert rule_book.rule_book().problem_with(rule) is None


@pytest.mark.parametrize(
    "rule", ["2", "2.033x", "11.1", "2.99", "2.0", "2.33a", 2.33, "10I", "B8.99"]
)
def test_anything_else_is_not_a_rule_number(rule: object) -> None:
    assert rule_book.rule_book().problem_with(rule) is not None


def test_a_line_is_short_enough_to_read() -> None:
    lines = rule_book.PAGE.read_text(encoding="utf-8").splitlines()
    prose = [line for line in lines if not line.startswith(("|", "CurrentVoters:"))]

    assert [line for line in prose if len(line) > LONGEST_LINE] == []


def test_every_exchange_that_a_rule_names_is_kept() -> None:
    observed = [rule.sources.get("Observed", "") for rule in rule_book.rule_book().rules.values()]
    named = [name for text in observed for name in re.findall(r"[\w./-]+\.json", text)]

    assert named
    assert [
        name for name in named if not (KEPT / name).is_file() and not (ROOT / name).is_file()
    ] == []
