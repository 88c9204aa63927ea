"""The page in a real Chromium: first pictures, rewinding, a thousand brokers live, memory.

`KRAFTSIM_SOAK_SECONDS=3600` watches the memory for an hour; without it, a minute.
"""

import json
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from statistics import median

from playwright.sync_api import Browser, Page, Route, sync_playwright

from tests.interop.running import kraftsim_up
from tests.kraftsim.test_open_run import opened
from tests.page.chromium import flags, require_chromium

from .page import LESSON, LONG, LONG_SEED
from .report import Row

VISITS, REWINDS, COUNTS = 7, 40, 3
COUNTED_S, MEMORY_ROWS = 5, 4
SCROLLED = 100_000
CLUSTER = ("--controllers", "3", "--seed", "17", "--rack", "a", "--rack", "b")
FIRST_PICTURE = "() => document.querySelector('article.broker') && performance.now()"
# Every change of the document between two frames of the screen is one picture.
PICTURES = """(seconds) => new Promise((done) => {
  let pictures = 0;
  const changes = new MutationObserver(() => { pictures += 1; });
  const kinds = { childList: true, characterData: true, attributes: true };
  changes.observe(document.body, { subtree: true, ...kinds });
  setTimeout(() => { changes.disconnect(); done(pictures / seconds); }, seconds * 1000);
})"""
# From a press on the timeline to the frame after the picture of that time, whose film is fetched.
REWIND = """(part) => new Promise((done, fail) => {
  const line = document.querySelector('.time-area');
  const shown = () => document.querySelector('output.time').textContent;
  const before = shown();
  const box = line.getBoundingClientRect();
  line.setPointerCapture = () => undefined; // a pointer that was made up cannot be captured
  const fetches = new Set();
  const { fetch } = window;
  window.fetch = (...words) => {
    const answer = fetch(...words);
    fetches.add(answer);
    return answer.finally(() => fetches.delete(answer));
  };
  const began = performance.now();
  const finish = () => { window.fetch = fetch; done(performance.now() - began); };
  const look = () => {
    if (performance.now() - began > 5000) fail(new Error('expected another time after the press'));
    else if (fetches.size || shown() === before) requestAnimationFrame(look);
    else setTimeout(() => requestAnimationFrame(finish), 33); // between two pictures of the page
  };
  const place = { clientX: box.left + part * box.width, clientY: box.top + 20 };
  line.dispatchEvent(new PointerEvent('pointerdown', { ...place, bubbles: true }));
  requestAnimationFrame(look);
})"""

# From the first to the last row of the list of events; the answer is frames a second.
SCROLL = """(box, seconds) => new Promise((done) => {
  const began = performance.now();
  let frames = 0;
  const scroll = (now) => {
    const passed = (now - began) / 1000;
    box.scrollTop = box.scrollHeight * Math.min(1, passed / seconds);
    frames += 1;
    if (passed < seconds) requestAnimationFrame(scroll);
    else done(frames / passed);
  };
  requestAnimationFrame(scroll);
})"""


def browser() -> Iterator[Row]:
    """Measures what a visitor sees."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=require_chromium(), args=flags())
        with _service(5) as url:
            yield from _first_pictures(chromium, url)
            yield _scroll(chromium, url)
        yield _rewinds(chromium)
        with _service(1000) as url:
            yield _crowd(chromium, url)
        with _service(5) as url:
            yield from _memory(chromium, url)
        chromium.close()


@contextmanager
def _service(brokers: int) -> Iterator[str]:
    with (
        tempfile.TemporaryDirectory() as folder,
        kraftsim_up(Path(folder), *CLUSTER, brokers=brokers, settings="") as service,
    ):
        yield service.url


def _first_pictures(chromium: Browser, url: str) -> Iterator[Row]:
    """From navigation to the first cards of brokers, each time in a browser without a cache."""
    for name, path in (("the running cluster", "/"), ("a lesson", f"/#lesson={LESSON}&seed=17")):
        times_ms = []
        for _ in range(VISITS):
            with chromium.new_context() as context:
                page = context.new_page()
                page.goto(url + path)
                times_ms.append(page.wait_for_function(FIRST_PICTURE).json_value())
        yield Row(f"first picture of {name}", _text(times_ms), goal="<= 1 s")


def _scroll(chromium: Browser, url: str) -> Row:
    """Through a lesson whose story was given more events on its way to the page."""
    with chromium.new_context() as context:
        page = context.new_page()
        page.route("**/story?*", _lengthen)
        page.goto(f"{url}/#lesson={LESSON}&seed=17")
        page.wait_for_function(FIRST_PICTURE)
        rows = page.get_by_role("region", name="Rows of events")
        rates = [rows.evaluate(SCROLL, COUNTED_S) for _ in range(COUNTS)]
    text = f"{median(rates):.0f} frames/s (least {min(rates):.0f})"
    return Row(f"scroll through {SCROLLED:,} events", text, goal=">= 20/s")


def _lengthen(route: Route) -> None:
    answer = route.fetch()
    story = answer.json()
    last, begin_us = story["events"][-1], story["beginUs"]
    lasts_us = story["endUs"] - begin_us
    story["events"] = [
        last | {"seq": number, "lastSeq": number, "atUs": begin_us + lasts_us * number // SCROLLED}
        for number in range(SCROLLED)
    ]
    route.fulfill(response=answer, json=story)


def _rewinds(chromium: Browser) -> Row:
    draw, times_ms = Random(1), []
    with tempfile.TemporaryDirectory() as folder, chromium.new_context() as context:
        path = Path(folder) / "long.yaml"
        path.write_text(json.dumps(LONG))
        with opened(str(path), "--seed", str(LONG_SEED)) as run:
            page = context.new_page()
            page.goto(run.address)
            page.wait_for_function(FIRST_PICTURE)
            times_ms = [page.evaluate(REWIND, draw.random()) for _ in range(REWINDS)]
    return Row("rewind to any time of that run, on screen", _text(times_ms), goal="<= 250 ms")


def _crowd(chromium: Browser, url: str) -> Row:
    with chromium.new_context() as context:
        page = context.new_page()
        page.goto(url)
        page.wait_for_selector(".cells")
        rates = [page.evaluate(PICTURES, COUNTED_S) for _ in range(COUNTS)]
    text = f"{median(rates):.0f}/s (least {min(rates):.0f})"
    return Row("1,000 brokers live: pictures", text, goal=">= 20/s")


def _memory(chromium: Browser, url: str) -> Iterator[Row]:
    part_s = float(os.environ.get("KRAFTSIM_SOAK_SECONDS", "60")) / MEMORY_ROWS
    with chromium.new_context() as context:
        page = context.new_page()
        page.goto(url)
        page.wait_for_function(FIRST_PICTURE)
        for part in range(1, MEMORY_ROWS + 1):
            time.sleep(part_s)
            yield Row(f"memory of a live page after {part * part_s:,.0f} s", _memory_of(page))


def _memory_of(page: Page) -> str:
    """Returns what is alive in the page after a collection."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    heap = session.send("Runtime.getHeapUsage")["usedSize"] / 1e6
    nodes = session.send("Memory.getDOMCounters")["nodes"]
    session.detach()
    return f"{heap:.1f} MB, {nodes:,} nodes"


def _text(times_ms: list[float]) -> str:
    return f"{median(times_ms):.0f} ms (longest {max(times_ms):.0f})"
