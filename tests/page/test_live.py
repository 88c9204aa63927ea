"""The page follows the running cluster, and its buttons act on it."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from kraftsim.http.client import call
from tests.interop.running import Service
from tests.page.conftest import OpenScreen
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
    why = screen.panel.locator(".why li")
    expect(why.first).to_contain_text("You chose Kill: kraftsim broker kill 2")
    expect(why.nth(1)).to_have_text(re.compile(r"^T\+\d\d:\d\d\.\d broker 2 enters NOT_RUNNING"))

    screen.act("Kill")
    expect(screen.caption).to_contain_text("broker 2 had already ended: there is nothing to end")


def test_a_phone_shows_what_an_act_has_done_above_the_open_panel(open_screen: OpenScreen) -> None:
    screen = open_screen(width=390, height=844)
    screen.open_live()
    screen.select("Broker", 4)
    toast = screen.page.locator(".toast")

    screen.act("Kill")
    expect(toast).to_contain_text("The process of broker 4 has ended")
    expect(toast).to_be_in_viewport(ratio=1)
    expect(screen.state_of("4")).to_contain_text("gone")
    screen.act("Kill")
    expect(toast).to_contain_text("had already ended")


def test_folded_messages_are_counted(screen: Screen) -> None:
    screen.open_live()

    messages = screen.page.get_by_role("region", name="Messages in space and time")
    expect(messages).to_contain_text(
        re.compile(r"[1-9]\d* heartbeats and fetches, which are folded; ")
    )


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


def test_the_panel_of_a_broker_shows_the_logs_that_it_leads(
    screen: Screen, service: Service
) -> None:
    call(service.url, "POST", "/sim/topics/t/create", {"assignments": [[2, 3]]})
    call(service.url, "POST", "/sim/topics/t/write", {"lines": ["a", "b"]})
    screen.open_live()
    screen.select("Broker", 2)

    row = screen.panel.get_by_role("row").filter(has_text="t-0")
    expect(row.get_by_role("cell")).to_have_text(["0", "2", re.compile(r"^[1-9]\d+$"), "none"])
    screen.select("Broker", 3)
    expect(screen.panel.get_by_role("row")).to_have_count(0)
