"""A run that fails is marked where it breaks a property, with the event before and its causes."""

from pathlib import Path

from playwright.sync_api import Browser, expect

from tests.kraftsim.test_open_run import HOPEFUL, opened
from tests.page.screen import Screen


def test_an_opened_run_shows_what_it_breaks_and_why(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "hopeful.yaml"
    path.write_text(HOPEFUL.replace(', "checks.py:holds"', ""))
    context = browser.new_context()
    with opened(str(path), "--seed", "3") as page:
        screen = Screen(context.new_page(), page.address)
        screen.page.goto(page.address)
        violation = screen.page.get_by_role("region", name="Broken properties")

        expect(violation).to_contain_text(
            "The lesson went another way than its file claims: what it excludes has happened"
        )
        expect(violation.get_by_text("expected never:")).to_be_hidden()
        expect(violation).to_contain_text("The event: T+00:13.7 broker 2 is fenced")
        expect(screen.time).to_have_text("T+00:13.7")
        expect(screen.page.locator(".timeline .broken")).to_have_count(1)
        violation.get_by_role("button", name="why").click()
        expect(screen.panel.locator(".why")).to_contain_text("broker 2 is PAUSED")
        screen.page.get_by_role("button", name="previous turning point").click()
        expect(screen.state_of("2")).to_have_text("unfenced · paused")
        context.close()  # before the service ends, which the page asks every two seconds
    assert screen.complaints == []
