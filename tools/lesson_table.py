"""Writes the table of lessons in docs/teaching.md, from the files of the library.

`python -m tools.lesson_table` writes the table between its two marks, and
tests/docs/test_teaching_page.py fails if the page differs from the result.
"""

from collections.abc import Iterable
from pathlib import Path

from kraftsim.files.scenario_files import library, read_file
from kraftsim.scenarios.document.caption import captions_in
from kraftsim.scenarios.document.plan import settings_of
from kraftsim.scenarios.document.scenario import Scenario

PAGE = Path(__file__).resolve().parent.parent / "docs" / "teaching.md"
BEGIN, END = "<!-- lessons: python -m tools.lesson_table -->\n", "<!-- end of lessons -->\n"


def lessons() -> list[Scenario]:
    """Returns the lessons of the library, in their order."""
    scenarios = (read_file(path).scenario for path in library().values())
    return [scenario for scenario in scenarios if "lesson" in scenario.tags]


def render(page: str, lessons: Iterable[Scenario]) -> str:
    """Returns the page with the table of these lessons."""
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    head = ["| lesson | the idea | the questions |", "|---|---|---|"]
    rows = [*head, *(_row(lesson) for lesson in lessons)]
    return before + BEGIN + "".join(f"{row}\n" for row in rows) + END + after


def _row(lesson: Scenario) -> str:
    captions = captions_in(lesson.lesson, lesson.profile, settings_of(lesson))
    asked = "<br>".join(caption.ask for caption in captions if caption.ask)
    title = lesson.title.removeprefix("Lesson ")
    cells = (f"**{title}**<br>`{lesson.name}`", lesson.claim, asked)
    return f"| {' | '.join(' '.join(cell.split()).replace('|', '/') for cell in cells)} |"


def main() -> None:
    found = lessons()
    PAGE.write_text(render(PAGE.read_text("utf-8"), found), encoding="utf-8")
    print(f"docs/{PAGE.name}: {len(found)} lessons")


if __name__ == "__main__":
    main()
