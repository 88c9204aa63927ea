"""docs/teaching.md lists the lessons as they are, and the bounds of a class as they are."""

import re

import pytest

from kraftsim.http.connections import CONNECTIONS_PER_ADDRESS_MAX
from kraftsim.lessons.act import ACTS_MAX
from kraftsim.lessons.process import ANSWER_S
from kraftsim.lessons.shared_answers import KEPT_BYTES_MAX, WAITING_MAX
from kraftsim.lessons.tape import BROKERS_MAX
from kraftsim.lessons.tapes import LASTS_MAX_US, TAPES_MAX
from tests.docs.blocks import ROOT
from tools import lesson_table

PAGE = lesson_table.PAGE.read_text("utf-8")


@pytest.mark.slow
def test_the_page_lists_exactly_the_lessons_of_the_library() -> None:
    """Mend it with `python -m tools.lesson_table`."""
    assert lesson_table.render(PAGE, lesson_table.lessons()) == PAGE


@pytest.mark.slow
def test_the_plan_of_a_class_names_lessons_that_exist() -> None:
    known = {lesson.name for lesson in lesson_table.lessons()}

    assert len(known) == 18
    assert set(re.findall(r"\blesson-\d\d-[\w-]+", PAGE)) - {"lesson-19-mine"} == known


@pytest.mark.parametrize(
    "sentence",
    [
        f"{TAPES_MAX} runs",
        f"{KEPT_BYTES_MAX // 1024**2} MiB of answers",
        f"{WAITING_MAX} different questions",
        f"{ANSWER_S:g} s",
        f"{BROKERS_MAX} brokers",
        f"{LASTS_MAX_US // 60_000_000} minutes",
        f"{ACTS_MAX} acts",
        f"{CONNECTIONS_PER_ADDRESS_MAX} connections",
    ],
)
def test_the_bounds_of_a_class_are_those_of_the_code(sentence: str) -> None:
    assert sentence in PAGE


@pytest.mark.parametrize("name", ["page-live.png", "page-lesson.png"])
def test_pictures_are_small(name: str) -> None:
    picture = ROOT / "docs" / "pictures" / name

    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size < 120_000
    assert f"docs/pictures/{name}" in (ROOT / "README.md").read_text("utf-8")
