"""Whatever the tree cites, a reader of the tree can open."""

import json
from functools import cache

import pytest

from tests import citations
from tests.citations import ROOT, Citation
from tools.rule_book import rule_book

KEPT = ROOT / "tests" / "differential" / "kept"


@cache
def texts() -> list[tuple[str, str]]:
    return list(citations.texts())


def test_every_rule_that_is_cited_is_in_the_book() -> None:
    cited = [rule for path, text in texts() for rule in citations.rules(path, text)]

    assert len({citation.cited for citation in cited}) > 250
    assert [str(citation) for citation in cited if rule_book().problem_with(citation.cited)] == []


def test_every_section_that_is_cited_is_in_the_book() -> None:
    known = {section.key for section in rule_book().sections} | rule_book().parts
    cited = [section for path, text in texts() for section in citations.sections(path, text)]

    assert [str(citation) for citation in cited if citation.cited not in known] == []


def test_every_kept_exchange_names_a_rule_of_the_book() -> None:
    rules = {path.name: json.loads(path.read_text())["rule"] for path in KEPT.glob("*.json")}

    assert [name for name, rule in rules.items() if rule_book().problem_with(rule)] == []


def test_every_document_that_is_cited_is_in_the_tree() -> None:
    cited = [document for path, text in texts() for document in citations.documents(path, text)]

    assert cited
    assert [str(citation) for citation in cited if not citations.exists(citation)] == []


def test_no_place_is_cited_of_a_document_that_is_not_in_the_tree() -> None:
    assert [str(place) for path, text in texts() for place in citations.places(path, text)] == []


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("# as rule 2.12 says", ["2.12"]),
        ("# Rules 4.34 to 4.36, and more", ["4.34", "4.36"]),
        ("# rules 0A.7 and 1.12a", ["0A.7", "1.12a"]),
        ("# lost (5.57), or kept (rule 2.30; 3.5)", ["2.30", "5.57", "3.5"]),
        ('"""5.57: names both levels."""', ["5.57"]),
        ("wait(0.5)  # Kafka 4.3 (4.3.1)", []),
    ],
)
def test_a_rule_is_cited_by_its_number(text: str, numbers: list[str]) -> None:
    assert [rule.cited for rule in citations.rules("module.py", text)] == numbers


def test_a_place_in_a_design_is_a_citation_of_something_that_is_not_there() -> None:
    found = list(citations.places("module.py", "# a note\n# chaos.md b.1, then design 4.3."))

    assert found == [
        Citation("module.py", 2, "chaos.md b.1"),
        Citation("module.py", 2, "design 4.3"),
    ]
