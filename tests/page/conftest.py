"""One service and one browser for every test of the page; a fresh page for each.

They end with the last of these tests: Playwright leaves an event loop running in the thread, beside
which no asynchronous test could run.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.interop.running import Service, kraftsim_up
from tests.page.chromium import flags, require_chromium
from tests.page.screen import Screen

OpenScreen = Callable[..., Screen]
CLUSTER = ("--controllers", "3", "--seed", "17", "--rack", "a", "--rack", "b")


def pytest_itemcollected(item: pytest.Item) -> None:
    if "browser" in getattr(item, "fixturenames", ()):
        item.add_marker("page")


@pytest.fixture(scope="package")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Three controllers and five brokers in two racks, on the real clock."""
    with kraftsim_up(tmp_path_factory.mktemp("up"), *CLUSTER, brokers=5, settings="") as service:
        yield service


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=require_chromium(), args=flags())
        yield browser
        browser.close()


@pytest.fixture
def open_screen(service: Service, browser: Browser) -> Iterator[OpenScreen]:
    """`open_screen(width=390)`: a new page; no complaint, no request to another origin."""
    screens: list[Screen] = []

    def opened(width: int = 1280, height: int = 800, **options: Any) -> Screen:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        screens.append(Screen(context.new_page(), service.url))
        return screens[-1]

    yield opened
    for screen in screens:
        screen.page.context.close()
    for screen in screens:
        assert screen.complaints == []
        assert [url for url in screen.requested if not _is_own(url, service.url)] == []


def _is_own(url: str, origin: str) -> bool:
    return url.startswith((f"{origin}/", "data:"))


@pytest.fixture
def screen(open_screen: OpenScreen) -> Screen:
    return open_screen()
