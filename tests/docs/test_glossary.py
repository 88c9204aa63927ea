"""docs/glossary.md has the words of the page as the page has them, and its own in order."""

import re
from typing import get_args

import pytest

from kraftsim.controller.raft.roles import Role
from tests.docs.blocks import ROOT

OWN, OF_PAGE = (ROOT / "docs" / "glossary.md").read_text("utf-8").split("## Words of the page")
ROW = re.compile(r"^\| \*\*(.+?)\*\* \| (.+) \|$", re.MULTILINE)
TERM = re.compile(r'<\$\{Term\} word="([^"]+)"')
ENTRY = re.compile(r'^  "?([\w ]+?)"?: "(.*)",$', re.MULTILINE)


def test_the_page_and_the_glossary_say_the_same() -> None:
    script = (ROOT / "kraftsim" / "page" / "glossary.js").read_text("utf-8")
    entries = ENTRY.findall(script)

    assert len(entries) == script.count('",\n') > 15
    assert ROW.findall(OF_PAGE) == entries


def test_the_terms_of_the_project_are_in_order_and_each_is_there_once() -> None:
    terms = [term for term, _ in ROW.findall(OWN)]

    assert terms == sorted(set(terms))
    assert len(terms) == OWN.count("| **")


def test_every_word_that_the_page_underlines_is_explained() -> None:
    known = {term for term, _ in ROW.findall(OF_PAGE)}
    scripts = [path.read_text("utf-8") for path in (ROOT / "kraftsim" / "page").glob("*.js")]
    underlined = {word for script in scripts for word in re.findall(TERM, script)}

    assert "epoch" in underlined
    assert underlined - known == set()


@pytest.mark.parametrize(
    "word", [role.__name__.lower() for role in get_args(Role)] + ["zombie", "orphan", "in doubt"]
)
def test_every_role_and_mismatch_is_explained(word: str) -> None:
    assert f"| **{word}** |" in OF_PAGE
