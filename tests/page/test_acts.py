"""What the page shows for each button is what a user can type, or write into a scenario file."""

import json
import shlex
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from kraftsim.cli.main import build_parser
from kraftsim.lessons.act import read_acts
from tests.page.screen import Screen

NODES = (("Broker", 1), ("Controller", 3001))
NOTHING_OPEN = "nothing to end"


@pytest.mark.parametrize(("kind", "node_id"), NODES)
def test_each_command_of_the_live_page_can_be_typed(
    screen: Screen, kind: str, node_id: int
) -> None:
    screen.open_live()

    commands = [shlex.split(text) for text in shown_by_buttons(screen, kind, node_id)]

    assert {words[0] for words in commands} == {"kraftsim"}
    for words in commands:
        build_parser().parse_args(words[1:])  # exits for what it does not know


@pytest.mark.parametrize(("kind", "node_id"), NODES)
def test_each_step_of_a_lesson_can_be_written_into_a_file(
    screen: Screen, kind: str, node_id: int
) -> None:
    screen.open_lesson("gc-pause-longer-than-lease")

    steps = [text.removeprefix("- ") for text in shown_by_buttons(screen, kind, node_id)]

    assert len(steps) > 5
    for step in steps:
        if step != NOTHING_OPEN:
            read_acts([json.loads(step)])


def shown_by_buttons(screen: Screen, kind: str, node_id: int) -> Iterator[str]:
    """Yields the text that each button of a broker or controller shows before it is pressed."""
    if kind == "Broker":
        screen.select(kind, node_id)
    else:
        screen.page.get_by_role("button", name=f"controller {node_id}: ").click()
        expect(screen.panel).to_contain_text(f"{kind} {node_id}")
    buttons = screen.panel.get_by_role("group", name="What you can do").get_by_role("button")
    shown = screen.panel.locator(".command")
    for button in buttons.all():
        before = shown.inner_text()
        button.focus()
        expect(shown).not_to_have_text(before)
        yield shown.inner_text()
