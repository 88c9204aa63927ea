"""Every documented command and Python block runs, in the order and the folder of its reader."""

import re
from pathlib import Path

import pytest

from tests.docs.blocks import PAGES, Block, blocks_of, command
from tests.docs.sessions import NOT_RUN, STAND_INS, Session, sessions
from tests.docs.shell import run

COMMAND = re.compile(r"\s*(?:\$ )?(?:kraftsim|make|curl|pip|python3?) \w", re.MULTILINE)


def marks_of(session: Session) -> list[pytest.MarkDecorator]:
    marks = [pytest.mark.realtime if session.has_a_service else pytest.mark.slow]
    return [*marks, pytest.mark.spark] if session.needs_java else marks


def sessions_with_marks() -> list[object]:
    return [
        pytest.param(session, id=session.name, marks=marks_of(session)) for session in sessions()
    ]


@pytest.mark.parametrize("session", sessions_with_marks())
def test_documented_lines_run_in_order(session: Session, tmp_path: Path) -> None:
    code, output = run(session, tmp_path)

    assert code == 0, output


@pytest.mark.realtime
def test_make_run_prints_what_the_readme_shows(tmp_path: Path) -> None:
    shown = next(block for block in blocks_of(PAGES[0]) if block.text.startswith("KRAFTSIM_HTTP"))
    printing = Block("README.md", "Run it", "sh", "make run\ncat made.log | head -n 4\n")

    code, output = run(Session("make run", (printing,)), tmp_path)

    assert code == 0, output
    assert without_ports_and_ids(output) == without_ports_and_ids(shown.text)


def without_ports_and_ids(lines: str) -> str:
    return re.sub(r"(?<=:)\d+|(?<=CLUSTER_ID=).*", "", lines)


def test_every_exception_names_a_documented_line() -> None:
    blocks = [block for page in PAGES for block in blocks_of(page) if block.language == "sh"]
    lines = {command(line) for block in blocks for line in block.text.splitlines()}
    source = "\n".join(session.source for session in sessions())

    assert [line for line in NOT_RUN if line not in lines] == []
    assert [text for text in STAND_INS if text not in source] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_block_is_marked_as_shell(page: Path) -> None:
    unmarked = [
        block.text
        for block in blocks_of(page)
        if block.language not in ("sh", "python", "yaml") and COMMAND.search(block.text)
    ]

    assert unmarked == []
