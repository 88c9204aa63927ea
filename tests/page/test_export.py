"""A run that is written as one HTML file opens without a service or a network, and rewinds."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.page.lesson_plays import SEED
from tests.page.screen import Screen

NAME = "gc-pause-longer-than-lease"


@pytest.fixture
def exported(browser: Browser, tmp_path: Path) -> Iterator[Screen]:
    """The file, in a browser that has no network."""
    path = tmp_path / "run.html"
    words = ("scenario", "run", NAME, "--seed", str(SEED), "--html", str(path))
    subprocess.run([sys.executable, "-m", "kraftsim", *words], check=True, capture_output=True)
    context = browser.new_context(viewport={"width": 1280, "height": 800}, offline=True)
    screen = Screen(context.new_page(), path.as_uri())
    screen.page.goto(screen.url)
    yield screen
    context.close()


def test_an_exported_run_rewinds_offline(exported: Screen) -> None:
    exported.expect_story()
    exported.page.get_by_role("button", name="fence", exact=True).click()
    expect(exported.state_of("3")).to_have_text("fenced · paused")

    exported.page.keyboard.press("[")
    expect(exported.time).to_have_text("T+00:10.0")
    expect(exported.state_of("3")).to_have_text("unfenced · paused")

    exported.select("Broker", 3)
    expect(exported.panel).to_contain_text("An exported page shows what happened")
    expect(exported.panel.locator(".why")).to_contain_text("proc.pause")
    assert exported.complaints == []
    assert {url.partition(":")[0] for url in exported.requested} <= {"file", "data"}


def test_a_branch_is_saved_from_the_page_and_opens_offline_with_the_others(
    screen: Screen, browser: Browser, tmp_path: Path
) -> None:
    screen.open_lesson(NAME, acts=[{"at": "5s", "proc.crash": {"on": 1}}])
    screen.page.get_by_label("Release of Kafka").select_option("kafka-3.9")
    expect(screen.page.locator(".branch")).to_have_count(2)
    screen.page.get_by_role("button", name="pause", exact=True).click()
    screen.page.get_by_label("side by side").check()
    screen.page.get_by_role("button", name="fence", exact=True).click()
    expect(screen.page.locator(".side article.fenced")).to_have_count(1)

    with screen.page.expect_download() as saved:
        screen.page.get_by_label("Save as a file").select_option("html")

    path = tmp_path / saved.value.suggested_filename
    assert path.name == f"{NAME}-B.html"
    saved.value.save_as(path)
    context = browser.new_context(viewport={"width": 1280, "height": 800}, offline=True)
    offline = Screen(context.new_page(), path.as_uri())
    offline.page.goto(offline.url)
    expect(offline.time).to_have_text(screen.time.inner_text())
    expect(offline.page.locator(".side article.fenced")).to_have_count(1)
    offline.page.get_by_role("button", name="first difference").click()
    expect(offline.page.locator(".apart-at")).to_contain_text("First difference")
    assert offline.complaints == []
    context.close()
