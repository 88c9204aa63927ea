"""A run in a file for a viewer: whole, offline, and the same as the run."""

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest

from kraftsim.cli.main import main
from kraftsim.errors import UsageError
from kraftsim.lessons.documents import Film, Story
from kraftsim.lessons.exports.files import export
from kraftsim.lessons.exports.html import films_of, html_of
from kraftsim.lessons.exports.perfetto import trace_of
from kraftsim.lessons.exports.shiviz import PARSER, log_of
from kraftsim.lessons.link import read_link
from tests.lessons.lesson_tapes import KILL, PAUSE, answers

# compiled objects cannot be copied; a page plays its whole run
pytestmark = [
    pytest.mark.python_modules,
    pytest.mark.slow,
    pytest.mark.xdist_group("exports"),  # each process would film the run anew
]

SHORT = """
schema: kraftsim/scenario/1
name: short
claim: Nothing happens.
cluster: {controllers: 1, brokers: 2}
time: {warmup: 1s, run: 3s, calm: 1s}
"""

LINK = read_link(f"lesson={PAUSE}&seed=7")
BRANCHES = [{}, {"profile": "kafka-3.9"}, {"acts": json.loads(KILL)}]
WORDS = {"branches": json.dumps(BRANCHES), "active": 2, "beside": "0,2", "t": 20_000_000}
FORKED = f"http://127.0.0.1:8090/#{urlencode({'lesson': PAUSE, 'seed': 7, **WORDS})}"


@pytest.fixture(scope="module")
def story() -> Story:
    return answers().story(PAUSE, 7, "", "[]")


@pytest.fixture(scope="module")
def films(story: Story) -> list[Film]:
    return films_of(answers(), LINK, LINK.shown, story)


@pytest.fixture(scope="module")
def page() -> str:
    return html_of(answers(), LINK)


def test_a_page_has_the_whole_run_in_itself(page: str, story: Story, films: list[Film]) -> None:
    (tape,) = embedded(page)["tapes"]

    assert tape["story"] == json.loads(json.dumps(story))
    assert len(tape["films"]) == len(films)
    assert tape["films"][-1]["toUs"] == story["endUs"]
    assert set(tape["whys"]) == {str(event["seq"]) for event in story["events"]}


@pytest.mark.parametrize(("format", "ending"), [("perfetto", "json"), ("shiviz", "log")])
def test_a_trace_and_a_log_are_of_the_shown_branch(format: str, ending: str) -> None:
    shown = answers().story(PAUSE, 7, "", KILL)

    file = export(answers(), FORKED, format)

    assert file["name"] == f"{PAUSE}-C.{ending}"
    killed = next(event["text"] for event in shown["events"] if event["faultId"] == "act-1")
    assert killed in json.dumps(file["text"]) or killed in file["text"]
    assert "kafka-3.9" not in file["text"]


def test_a_format_that_there_is_not_is_named() -> None:
    with pytest.raises(UsageError, match="format: expected html, perfetto, shiviz, got 'pdf'"):
        export(answers(), FORKED, "pdf")


def embedded(page: str) -> Any:
    """The lesson that a page has in itself."""
    (packed,) = re.findall(r'<script id="export" type="text/plain">(.*?)</script>', page)
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def test_a_page_loads_nothing_from_elsewhere(page: str) -> None:
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


def test_slices_of_a_track_lie_within_each_other_or_apart(story: Story, films: list[Film]) -> None:
    """Perfetto drops a slice that ends after the slice in which it begins."""
    events = trace_of(story, films)["traceEvents"]
    assert isinstance(events, list)
    slices = [event for event in events if event["ph"] == "X"]

    tracks: dict[tuple[int, int], list[int]] = {}
    for event in sorted(slices, key=lambda event: (event["ts"], -event["dur"])):
        open_us = tracks.setdefault((event["pid"], event["tid"]), [])
        while open_us and open_us[-1] <= event["ts"]:
            open_us.pop()
        assert not open_us or event["ts"] + event["dur"] <= open_us[-1], event
        open_us.append(event["ts"] + event["dur"])


def test_an_arrow_begins_and_ends_in_a_slice(story: Story, films: list[Film]) -> None:
    events = trace_of(story, films)["traceEvents"]
    assert isinstance(events, list)

    begun = {(e["pid"], e["tid"], e["ts"]) for e in events if e["ph"] == "X"}
    assert all((e["pid"], e["tid"], e["ts"]) in begun for e in events if e["ph"] in "sf")


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
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, scenario = tmp_path / "run.html", tmp_path / "short.yaml"
    scenario.write_text(SHORT)

    main(["scenario", "run", str(scenario), "--seed", "7", "--html", str(path)])

    assert f"{path}: the run as one HTML file" in capsys.readouterr().err
    (tape,) = embedded(path.read_text("utf-8"))["tapes"]
    assert tape["story"]["scenario"] == str(scenario)


def test_a_file_for_a_viewer_is_of_one_run(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["scenario", "run", PAUSE, "--seeds", "0..2", "--html", "run.html"])

    assert code == 2
    assert "--html: expected one scenario and one seed, got 2 runs" in capsys.readouterr().err


def test_a_link_is_played_and_written_with_every_branch_and_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "fork.html"

    code = main(["scenario", "run", "--link", FORKED, "--html", str(path), "--json"])

    told = json.loads(capsys.readouterr().out)
    shown = answers().story(PAUSE, 7, "", KILL)
    assert [branch["branch"] for branch in told["branches"]] == ["A", "B", "C"]
    assert told["branches"][2]["digest"] == shown["digest"]
    assert code == (0 if shown["verdict"] == "pass" else 1)
    lesson = embedded(path.read_text("utf-8"))
    profiles = [tape["story"]["profile"] for tape in lesson["tapes"]]
    assert profiles == ["kafka-4.4", "kafka-3.9", "kafka-4.4"]
    assert lesson["tapes"][2]["branch"]["acts"] == json.loads(KILL)
    assert [tape["story"]["leftUs"] is None for tape in lesson["tapes"]] == [True, True, False]
    place = {"us": 20_000_000, "active": 2, "beside": [0, 2]}
    assert lesson["link"].items() >= place.items()


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--seed", "7"], "--link has the runs in itself: expected no --seed"),
        (["--all"], "expected no --all"),
        ([PAUSE, "rack-partition"], "--link: expected at most one scenario file"),
    ],
)
def test_a_link_stands_alone(
    options: list[str], what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["scenario", "run", "--link", FORKED, *options]) == 2
    assert what in capsys.readouterr().err
