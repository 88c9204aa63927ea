"""Data is text on the page, never a part of it; and the page has all it needs from one origin.

That nothing complains, and that no request leaves the origin, is asked at the end of every test
(`conftest.py`).
"""

from playwright.sync_api import expect

from tests.page.conftest import OpenScreen
from tests.page.screen import Screen

SCRIPT = "<script>window.ran = 1</script>"
IMAGE = "<img src=x onerror='window.ran = 1'>"
FIRST_LOAD_MAX = 300_000  # bytes


def test_a_rack_with_markup_in_its_name_is_text(screen: Screen) -> None:
    screen.send("/sim/brokers", rack=SCRIPT)
    screen.open_live()

    expect(screen.page.locator(".rack-name").filter(has_text="ran")).to_have_text(f"rack {SCRIPT}")
    screen.select("Broker", 6)
    expect(screen.panel).to_contain_text(SCRIPT)

    assert screen.page.evaluate("window.ran") is None
    screen.leave_and_reset()


def test_a_link_brings_no_markup_with_it(screen: Screen) -> None:
    act = {"at": "1s", "say": IMAGE, "proc.crash": {"on": 1}}
    screen.open_lesson("gc-pause-longer-than-lease", acts=[act])
    screen.page.get_by_role("button", name="fault", exact=True).click()

    expect(screen.caption).to_contain_text(IMAGE)
    assert screen.page.evaluate("window.ran") is None


def test_a_link_to_nothing_is_answered_in_words(open_screen: OpenScreen) -> None:
    screen = open_screen()
    screen.page.goto(f"{screen.url}/#lesson={IMAGE}")

    expect(screen.page.locator("#page")).to_contain_text(f'no lesson "{IMAGE}"')
    assert screen.page.evaluate("window.ran") is None
    assert len(screen.complaints) == 1  # of the browser, about the answer 404
    screen.complaints.clear()


def test_the_policy_allows_scripts_of_the_service_only(screen: Screen) -> None:
    response = screen.page.goto(screen.url)

    assert response is not None
    policy = response.headers["content-security-policy"].split("; ")
    assert {"default-src 'none'", "script-src 'self'", "connect-src 'self'"} <= {*policy}
    assert [word for word in policy if "unsafe" in word] == []


def test_a_first_visit_loads_less_than_300_kilobytes(screen: Screen) -> None:
    screen.open_live()

    sizes = screen.page.evaluate(
        "['navigation', 'resource'].flatMap(type => performance.getEntriesByType(type))"
        ".map(entry => entry.transferSize)"
    )

    assert 0 < sum(sizes) <= FIRST_LOAD_MAX
