"""Messages on the page: they are counted on the stage, held, released and lost with a reason."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, expect

from tests.page.screen import Screen

RECORDED = """() => {
  window.signs = new Set();
  const fillText = CanvasRenderingContext2D.prototype.fillText;
  CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
    if (this.canvas.matches(".flights")) window.signs.add(text);
    return fillText.call(this, text, ...rest);
  };
  window.dots = 0;
  const arc = CanvasRenderingContext2D.prototype.arc;
  CanvasRenderingContext2D.prototype.arc = function (...rest) {
    window.dots += 1;
    return arc.apply(this, rest);
  };
}"""


@pytest.fixture(autouse=True)
def whole_again(screen: Screen) -> Iterator[None]:
    yield
    screen.leave_and_reset()


def open_recorded(screen: Screen) -> None:
    """Opens the live page, and keeps what is written on the stage."""
    screen.open_live()
    screen.page.evaluate(RECORDED)


def expect_sign(screen: Screen, text: str) -> None:
    screen.page.wait_for_function("text => window.signs.has(text)", arg=text)


def held_list(screen: Screen) -> Locator:
    return screen.page.get_by_role("region", name="Held messages")


def hold(screen: Screen) -> None:
    """Holds the heartbeats of broker 2."""
    screen.select("Broker", 2)
    form = screen.panel.get_by_role("group", name="Hold messages")
    form.get_by_role("button", name="Hold").click()


def test_messages_fly_on_the_live_stage_and_are_counted(screen: Screen) -> None:
    open_recorded(screen)

    expect(screen.page.locator(".rates")).to_contain_text("Fetch")
    screen.page.wait_for_function("() => window.dots > 100")


def test_a_held_heartbeat_is_released_alone(screen: Screen) -> None:
    open_recorded(screen)
    hold(screen)
    expect(screen.caption).to_contain_text(
        "Requests BrokerHeartbeat of broker 2 are held until you release them."
    )
    expect(screen.caption).to_contain_text(
        """kraftsim fault add '{"rpc.hold":{"api":"BrokerHeartbeat","broker":2}}'"""
    )

    release = held_list(screen).get_by_role("button", name="Release message 1 of")
    release.focus()
    expect(held_list(screen).locator(".command")).to_contain_text("kraftsim fault release")
    expect(held_list(screen).locator(".command")).to_contain_text("--message 1")
    expect_sign(screen, "1 held")
    release.press("Enter")

    expect(screen.caption).to_contain_text("1 message released, 0 messages still held.")
    expect(release).to_have_count(0)
    held_list(screen).get_by_role("button", name="End the fault").click()
    expect(held_list(screen)).to_have_count(0)


def test_a_lost_heartbeat_shows_the_fault_that_lost_it(screen: Screen) -> None:
    open_recorded(screen)
    fault = {"net.partition": {"from": 2, "to": "controllers"}, "id": "cut"}

    screen.send("/sim/faults", fault=fault)

    expect_sign(screen, "BrokerHeartbeat lost: net.partition (cut)")


def test_a_refused_act_says_why(screen: Screen) -> None:
    screen.open_live()
    screen.select("Broker", 3)
    screen.act("Kill")
    expect(screen.caption).to_contain_text("The process of broker 3 has ended")

    screen.act("Pause")

    expect(screen.caption).to_contain_text("Pause: refused. broker 3: expected a process that runs")
    assert ["400" in complaint for complaint in screen.complaints] == [True]
    screen.complaints.clear()  # Chromium reports what was refused


def test_a_message_is_held_and_released_in_a_lesson(screen: Screen) -> None:
    screen.open_lesson("gc-pause-longer-than-lease")
    screen.page.get_by_role("button", name="second", exact=True).click()
    hold(screen)
    expect(screen.caption).to_contain_text("Branch B: Requests BrokerHeartbeat of broker 2")

    release = held_list(screen).get_by_role("button", name="Release message 1 of act-1")
    release.click()

    expect(screen.caption).to_contain_text("Branch C: Released.")
    expect(held_list(screen).get_by_role("button", name="Release message 1 of")).to_have_count(0)


def test_a_step_to_a_message_names_it(screen: Screen) -> None:
    screen.open_lesson("gc-pause-longer-than-lease")

    screen.page.get_by_role("button", name="message", exact=True).click()

    expect(screen.caption).to_contain_text("→")
