"""The page follows the running cluster, and its buttons act on it."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.page.screen import Screen


@pytest.fixture(autouse=True)
def whole_again(screen: Screen) -> Iterator[None]:
    yield
    screen.leave_and_reset()


def test_a_broker_that_is_killed_is_gone_and_then_fenced(screen: Screen) -> None:
    screen.open_live()
    screen.select("Broker", 2)
    screen.panel.get_by_role("button", name="Kill", exact=True).hover()
    expect(screen.panel.locator(".command")).to_have_text("kraftsim broker kill 2")

    screen.act("Kill")

    expect(screen.state_of("2")).to_have_text("unfenced · gone")
    expect(screen.card_of("2")).to_contain_text("orphan")
    expect(screen.state_of("2")).to_have_text("fenced · gone")
    expect(screen.page.locator(".health")).to_contain_text("4 of 5 brokers in service")
    expect(screen.panel).to_contain_text("broker 2 is fenced")


def test_a_broker_that_is_decommissioned_leaves_the_log(screen: Screen) -> None:
    screen.open_live()
    screen.select("Broker", 5)
    screen.panel.get_by_role("button", name="Decommission", exact=True).hover()
    expect(screen.panel.locator(".command")).to_have_text("kraftsim cluster decommission --id 5")

    screen.act("Decommission")

    expect(screen.state_of("5")).to_have_text("unregistered · running")
    expect(screen.page.locator(".health")).to_contain_text("4 of 5 brokers in service")


def test_a_look_back_does_not_act_on_the_present(screen: Screen) -> None:
    screen.open_live()
    screen.select("Broker", 3)
    screen.act("Pause")
    expect(screen.state_of("3")).to_have_text("unfenced · paused")

    screen.page.get_by_role("button", name="previous turning point").click()
    expect(screen.state_of("3")).to_have_text("unfenced · running")
    screen.page.get_by_role("button", name="to now").click()

    expect(screen.state_of("3")).to_contain_text("paused")
