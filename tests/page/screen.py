"""The page as a visitor uses it: verbs for what is clicked, and readings of what is shown."""

import json
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Locator, Page, Route, expect

from tests.limits import LIMIT_S

FASTEST = "1000"
SUM = re.compile(r"#sum=[0-9a-f]{8}&")
LIMIT_MS = 1000 * LIMIT_S  # for a state that the page must reach
expect.set_options(timeout=LIMIT_MS)


@dataclass  # without slots: Playwright adds an attribute to the owner of a listener
class Screen:
    """A page of a browser that shows the service at `url`."""

    page: Page
    url: str
    complaints: list[str] = field(default_factory=list)
    requested: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.set_default_timeout(LIMIT_MS)
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda request: self.requested.append(request.url))

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.text} {message.location['url']}")

    # Where the page is

    def open_live(self) -> None:
        self.page.goto(f"{self.url}/")
        expect(self.page.get_by_role("button", name="Break something")).to_be_visible()

    def open_lesson(self, name: str, acts: object = (), **words: object) -> None:
        address = {"lesson": name, "seed": 17, "acts": json.dumps(acts), **words}
        self.page.goto(f"{self.url}/#{urlencode(address)}")
        self.expect_story()

    def expect_story(self) -> None:
        """Waits until the lesson is there."""
        expect(self.page.locator(".claim")).to_be_visible()
        expect(self.page.locator("output.time")).to_be_visible()

    # What is shown

    @property
    def time(self) -> Locator:
        return self.page.locator("output.time")

    @property
    def caption(self) -> Locator:
        return self.page.get_by_role("status")

    @property
    def question(self) -> Locator:
        return self.page.locator(".question")

    @property
    def panel(self) -> Locator:
        return self.page.get_by_role("complementary", name="Facts and causes")

    def expect_brokers(self, states: dict[str, str], within: Locator | None = None) -> None:
        """Waits until every broker is shown in the state, in order of rack and id."""
        for broker_id, state in states.items():
            expect(self.state_of(broker_id, within)).to_have_text(state)

    def shown_brokers(self) -> dict[str, str]:
        """Returns the state of each broker as it is shown now."""
        cards = self.page.locator("article.broker")
        names = [name.split()[-1] for name in cards.locator("button.pick").all_inner_texts()]
        return dict(zip(names, cards.locator(".state").all_inner_texts(), strict=True))

    def state_of(self, broker_id: str, within: Locator | None = None) -> Locator:
        return self.card_of(broker_id, within).locator(".state")

    def card_of(self, broker_id: str, within: Locator | None = None) -> Locator:
        name = self.page.get_by_role("button", name=f"Broker {broker_id}", exact=True)
        return (within or self.page).locator("article.broker").filter(has=name)

    # What a visitor does

    def play(self, speed: str = FASTEST) -> None:
        self.page.get_by_label("speed").select_option(speed)
        self.page.get_by_role("button", name="play", exact=True).click()

    def play_to_the_end(self, end: str) -> int:
        """Plays to the time `end`, answers questions with their first choice; returns how many."""
        answered = 0
        self.play()
        while self.is_asked_before(end):
            self.question.locator(".choices button").first.click()
            self.question.get_by_role("button", name="Go on").click()
            answered += 1
        return answered

    def is_asked_before(self, end: str) -> bool:
        """Waits for a question or the time `end`; returns True for a question."""
        choices = self.question.locator(".choices")
        choices.or_(self.time.filter(has_text=end)).first.wait_for()
        return choices.count() > 0

    def pick_event(self, number: int) -> None:
        """Clicks an event in the list of all events, which has only the visible rows."""
        rows = self.page.get_by_role("region", name="Rows of events")
        rows.evaluate("(box, top) => { box.focus(); box.scrollTop = top; }", (number - 2) * 24)
        rows.locator(f"li[aria-posinset='{number + 1}'] button").click()

    def pick_event_with(self, text: str) -> None:
        """Finds the events with a text, and clicks the first one."""
        self.page.get_by_label("Find events").fill(text)
        rows = self.page.get_by_role("region", name="Rows of events")
        rows.get_by_role("button", name=text).first.click()

    def select(self, kind: str, node_id: int) -> None:
        self.page.get_by_role("button", name=f"{kind} {node_id}", exact=True).click()
        expect(self.panel).to_contain_text(f"{kind} {node_id}")

    def act(self, name: str) -> None:
        self.panel.get_by_role("button", name=name, exact=True).click()

    # What does not arrive yet

    def hold(self, pattern: str, passes: str | None = None) -> list[Route]:
        """Holds what the page requests from now on, but for addresses with the text `passes`."""
        held: list[Route] = []

        def pass_or_hold(route: Route) -> None:
            if passes is not None and passes in route.request.url:
                route.continue_()
            else:
                held.append(route)

        self.page.route(pattern, pass_or_hold)
        return held

    def hold_later_films(self) -> list[Route]:
        """Holds every film but that of the first five seconds."""
        return self.hold("**/film?*", passes="fromUs=0&")

    # What the service says

    def ask(self, path: str, **words: object) -> Any:
        reply = self.page.context.request.get(f"{self.url}{path}", params=words)  # type: ignore[arg-type]
        assert reply.ok, reply.text()
        return reply.json()

    def leave_and_reset(self) -> None:
        """Closes the page and begins the cluster anew for the next test."""
        self.page.close()
        self.send("/sim/reset")

    def send(self, path: str, **body: object) -> Any:
        reply = self.page.context.request.post(f"{self.url}{path}", data=body)
        assert reply.ok, reply.text()
        return reply.json()


def without_sum(address: str) -> str:
    """Returns an address of the page as a person writes one, without a check sum of its words."""
    return SUM.sub("#", address)
