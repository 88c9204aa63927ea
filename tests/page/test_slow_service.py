"""What a visitor does while the service is slow or gone changes nothing else, and is answered."""

import json

from playwright.sync_api import Page, Route, expect

from tests.page.screen import Screen

LESSON = "lesson-01-lease"
OTHER = "lesson-02-fenced-is-not-dead"
TWO_FRAMES = "new Promise((end) => requestAnimationFrame(() => requestAnimationFrame(end)))"
NOT_LOADED = "Failed to load resource"  # what the browser says of a request that failed


def go_on(page: Page, pattern: str, held: list[Route]) -> None:
    for route in held:
        route.continue_()
    page.unroute(pattern)


def test_a_jump_to_a_mismatch_says_that_the_service_is_gone(screen: Screen) -> None:
    screen.open_lesson(LESSON)
    screen.page.route("**/film?*", lambda route: route.abort())

    screen.page.get_by_role("button", name="mismatch").click()

    expect(screen.caption).to_contain_text("is kraftsim still running?")
    assert [text for text in screen.complaints if NOT_LOADED not in text] == []
    screen.complaints.clear()


def test_an_act_is_the_cause_though_the_picture_is_seconds_old(screen: Screen) -> None:
    screen.open_live()
    screen.select("Broker", 4)
    held = screen.hold("**/scene?*")
    screen.send("/sim/clock/advance", by="3s")

    with screen.page.expect_response("**/brokers/4/kill"):
        screen.act("Kill")
    go_on(screen.page, "**/scene?*", held)

    why = screen.panel.locator(".why li")
    expect(why.first).to_contain_text("You chose Kill: kraftsim broker kill 4")
    screen.leave_and_reset()


def test_releases_are_not_compared_while_a_branch_is_on_its_way(screen: Screen) -> None:
    screen.open_lesson(LESSON, t=4_000_000)
    held = screen.hold("**/story?*")
    screen.card_of("2").get_by_role("button", name="Broker 2", exact=True).click()
    screen.panel.get_by_role("button", name="Kill", exact=True).click()
    expect(screen.page.get_by_text("The lesson is being prepared")).to_be_visible()

    for name in ("Kill", "Decommission"):
        screen.panel.get_by_role("button", name=name, exact=True).click()
        expect(screen.caption).to_contain_text("nothing has changed. Try again")
    screen.page.get_by_role("button", name="compare releases").click()
    expect(screen.caption).to_contain_text("nothing has changed. Try again")

    go_on(screen.page, "**/story?*", held)
    expect(screen.caption).to_contain_text("Branch B: ")
    expect(
        screen.page.get_by_role("group", name="Branches").get_by_role("button", name="B ·")
    ).to_be_visible()


def test_the_lesson_that_was_opened_last_is_shown(screen: Screen) -> None:
    screen.open_lesson(OTHER)
    held = screen.hold(f"**/{LESSON}/story?*")
    screen.page.evaluate(f"location.hash = 'lesson={LESSON}&seed=17'")
    expect(screen.page.get_by_text("The lesson is being prepared")).to_be_visible()
    screen.page.evaluate(f"location.hash = 'lesson={OTHER}&seed=18'")
    expect(screen.page.get_by_text("The lesson is being prepared")).to_be_hidden()

    with screen.page.expect_response(f"**/{LESSON}/film?*") as film:
        go_on(screen.page, f"**/{LESSON}/story?*", held)
    film.value.finished()
    screen.page.keyboard.press("s")
    screen.page.evaluate(TWO_FRAMES)

    assert f"lesson={OTHER}" in screen.page.url


def test_a_branch_that_comes_after_another_lesson_is_left_out(screen: Screen) -> None:
    screen.open_lesson(LESSON, t=4_000_000)
    held = screen.hold(f"**/{LESSON}/story?*")
    screen.card_of("2").get_by_role("button", name="Broker 2", exact=True).click()
    screen.panel.get_by_role("button", name="Kill", exact=True).click()
    expect(screen.page.get_by_text("The lesson is being prepared")).to_be_visible()
    screen.page.evaluate(f"location.hash = 'lesson={OTHER}&seed=17'")
    expect(screen.page.get_by_text("The lesson is being prepared")).to_be_hidden()

    go_on(screen.page, f"**/{LESSON}/story?*", held)

    expect(screen.caption).to_contain_text("it was left out")
    expect(screen.page.get_by_role("group", name="Branches")).to_be_hidden()


def test_a_branch_without_a_picture_yet_is_chosen_with_a_broker_selected(screen: Screen) -> None:
    held = screen.hold_later_films()
    acts = [{"at": "1s", "proc.crash": {"on": 2}}]
    screen.open_lesson(LESSON, branches=json.dumps([{}, {"acts": acts}]), active=1, t=20_000_000)
    branches = screen.page.get_by_role("group", name="Branches")
    branches.get_by_role("button", name="A ·").click()
    screen.card_of("3").get_by_role("button", name="Broker 3", exact=True).click()

    branches.get_by_role("button", name="B ·").click()
    expect(screen.panel).to_be_visible()
    go_on(screen.page, "**/film?*", held)

    expect(screen.state_of("2")).to_contain_text("gone")
