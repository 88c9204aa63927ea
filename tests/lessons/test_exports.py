"""A run in a file for a viewer: whole, offline, and the same as the run."""

import base64
import gzip
import json
import re

import pytest

from kraftsim.cli.main import main
from kraftsim.lessons.documents import Film, Story
from kraftsim.lessons.exports.html import films_of, html_of
from kraftsim.lessons.exports.perfetto import trace_of
from kraftsim.lessons.exports.shiviz import PARSER, log_of
from tests.lessons.lesson_tapes import PAUSE, answers

pytestmark = pytest.mark.python_modules  # compiled objects cannot be copied


@pytest.fixture(scope="module")
def story() -> Story:
    return answers().story(PAUSE, 7, "", "[]")


@pytest.fixture(scope="module")
def films(story: Story) -> list[Film]:
    return films_of(answers(), story)


def test_a_page_has_the_whole_run_in_itself(story: Story, films: list[Film]) -> None:
    page = html_of(answers(), story, films)

    (packed,) = re.findall(r'<script id="export" type="text/plain">(.*?)</script>', page)
    lesson = json.loads(gzip.decompress(base64.b64decode(packed)))
    assert lesson["story"] == json.loads(json.dumps(story))
    assert len(lesson["films"]) == len(films)
    assert lesson["films"][-1]["toUs"] == story["endUs"]
    assert set(lesson["whys"]) == {str(event["seq"]) for event in story["events"]}


def test_a_page_loads_nothing_from_elsewhere(story: Story, films: list[Film]) -> None:
    page = html_of(answers(), story, films)

    assert re.findall(r'(?:src|href)="(?!data:)', page) == []
    (imports,) = re.findall(r'<script type="importmap">(.*?)</script>', page)
    modules = json.loads(imports)["imports"]
    for url in modules.values():
        text = base64.b64decode(url.partition(",")[2]).decode()
        named = re.findall(r'from\s+"([^"]+)"', text)
        assert set(named) <= modules.keys()
    assert len(page) < 400_000


def test_a_trace_has_every_event_and_both_ends_of_every_message(
    story: Story, films: list[Film]
) -> None:
    events = trace_of(story, films)["traceEvents"]
    assert isinstance(events, list)

    rows = [event for event in events if event["ph"] == "i"]
    starts = {event["id"] for event in events if event["ph"] == "s"}
    ends = {event["id"] for event in events if event["ph"] == "f"}
    assert len(rows) == len(story["events"])
    assert starts == ends != set()
    assert all(event["dur"] > 0 for event in events if event["ph"] == "X")


def test_vector_clocks_put_an_arrival_after_its_send(story: Story, films: list[Film]) -> None:
    lines = list(log_of(story, films))
    assert lines[0] == PARSER

    heads = lines[2::2]
    clocks: dict[str, dict[str, int]] = {}
    for head, text in zip(heads, lines[3::2], strict=True):
        node, _, clock = head.partition(" ")
        seen = json.loads(clock)
        before = clocks.get(node, {})
        assert seen[node] == before.get(node, 0) + 1, text
        assert all(seen.get(other, 0) >= count for other, count in before.items())
        clocks[node] = seen
    assert {"controller-3000", "broker-1"} <= clocks.keys()


def test_the_command_line_writes_the_page_of_a_run(
    tmp_path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    path = f"{tmp_path}/run.html"

    main(["scenario", "run", PAUSE, "--seed", "7", "--html", path])

    assert f"{path}: the run as one HTML file" in capsys.readouterr().err


def test_a_file_for_a_viewer_is_of_one_run(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["scenario", "run", PAUSE, "--seeds", "0..2", "--html", "run.html"])

    assert code == 2
    assert "--html: expected one scenario and one seed, got 2 runs" in capsys.readouterr().err
