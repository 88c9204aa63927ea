"""The page says of each package of the face what the package says of itself."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
SECTION = PAGE.split("## The words for what is outside")[1].split("\n## ")[0]
SENTENCES = dict(re.findall(r"^\| `(kraftsim/\w+)` \| (.+) \|$", SECTION, re.MULTILINE))


def test_each_word_has_a_sentence() -> None:
    words = "admin api cli commands http operations service"

    assert sorted(SENTENCES) == [f"kraftsim/{word}" for word in words.split()]
    assert len(set(SENTENCES.values())) == len(SENTENCES)


@pytest.mark.parametrize("package", SENTENCES)
def test_the_sentence_is_the_first_of_the_docstring(package: str) -> None:
    said = ast.get_docstring(ast.parse((ROOT / package / "__init__.py").read_text("utf-8")))

    assert (said or "").splitlines()[0] == SENTENCES[package]
