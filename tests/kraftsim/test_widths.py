"""Text fits the terminal, keeps what matters most, and is whole in a file."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kraftsim.cli.terminal import fitted, row_width
from tests.kraftsim.conftest import Service
from tests.kraftsim.test_campaign_list import campaign
from tests.kraftsim.test_terminal import on_terminal

pytestmark = pytest.mark.realtime

LONG_TOPIC = "a-topic-with-quite-a-long-name.of-a-team"
OF_A_CLUSTER = (
    *("controller list", "controller show 3000", "quorum show", "cluster show", "broker show 1"),
    *("cluster list-endpoints", f"topic describe {LONG_TOPIC}", "topic list", "broker list"),
    *("events", "request list", "request count --where brokerId=78", "log show --limit 9"),
    "explain 9",
)
NEW_TOPIC = "topic create of-a-team-with-a-long-name --assignments 1:2:3,2:3:1,3:1:2"
WRAPPED = ("events", "request list", "scenario list", "explain 9")


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    racks = ("eu-west-1a-with-a-long-name", "b")
    service = Service(brokers=3, controllers=3, racks=racks, kafka_port=0)
    create = service.kraft.topics.create(LONG_TOPIC, partitions=3, replication_factor=3)
    service.do(create)
    yield service
    service.close()


@pytest.fixture
def url(service: Service, run: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("KRAFTSIM_HTTP", service.kraft.http_url)
    run("cluster unregister --id 77")
    return service.kraft.http_url


@pytest.mark.parametrize("columns", [50, 80, 160])
@pytest.mark.parametrize("line", [*OF_A_CLUSTER, "scenario list"])
def test_no_line_is_wider_than_the_terminal(url: str, line: str, columns: int) -> None:
    printed = on_terminal(line, columns, NO_COLOR="1").splitlines()

    assert len(printed) > 1
    assert [text for text in printed if len(text) > columns] == []


@pytest.mark.parametrize("columns", [50, 80])
@pytest.mark.parametrize("line", WRAPPED)
def test_lines_that_wrap_lose_no_word(url: str, run: Any, line: str, columns: int) -> None:
    whole = run(line)[1].split()
    times = {word for word in whole if word[:2] == "20" and "T" in word}

    printed = on_terminal(line, columns, NO_COLOR="1").split()

    assert set(whole) - times <= set(printed)


def test_a_planted_bug_is_reported_within_the_width() -> None:
    printed = on_terminal("scenario mutants M41", 50).splitlines()

    assert printed[0].startswith("M41 killed")
    assert len(printed) > 2
    assert max(map(len, printed)) <= 50


@pytest.mark.parametrize("line", OF_A_CLUSTER)
def test_a_file_and_wide_text_are_not_cut(url: str, run: Any, line: str) -> None:
    assert "…" not in run(line)[1]
    assert "…" not in on_terminal(f"{line} --output wide", 50)


def test_no_number_is_cut(url: str) -> None:
    for line in ("controller list", "quorum show", "topic list"):
        printed = on_terminal(line, 50, NO_COLOR="1")
        assert [word for word in printed.split() if word[0].isdigit() and "…" in word] == []


def test_narrow_campaigns_keep_state_runs_and_verdicts_then_times(tmp_path: Path) -> None:
    campaign(tmp_path / "nightly-pause-against-session", "spark", "local")

    narrow, usual = (
        on_terminal(f"campaign list {tmp_path}", columns, NO_COLOR="1") for columns in (50, 80)
    )

    assert narrow.split()[:4] == ["name", "state", "runs", "verdicts"]
    assert {"finished", "11/11", "fail=1", "pass=4"} <= set(narrow.split())
    heading, row = usual.splitlines()
    assert heading.split()[:6] == [*narrow.split()[:4], "lastCommitTime", "startTime"]
    assert len(row) <= 80
    assert row.count(":") == 4, "two times with minutes and seconds"


def test_what_is_inside_a_document_is_a_table_or_indented(url: str, run: Any) -> None:
    lines = run(f"topic describe {LONG_TOPIC}")[1].splitlines()
    assert lines[2] == "partitions:"
    assert lines[3].split()[:3] == ["partition", "leader", "epoch"]
    assert [line.split()[0] for line in lines[4:]] == ["0", "1", "2"]

    broker = run("broker show 1")[1].splitlines()
    assert broker[broker.index("agent:") + 1] == "  state: RUNNING"
    table = broker[broker.index("listeners:") + 1 :]
    assert [line.split()[0] for line in table[:2]] == ["name", "PLAINTEXT"]


@pytest.mark.parametrize("room", range(4, 60))
def test_columns_are_dropped_in_order_and_then_cut(room: int) -> None:
    widths = {"name": 20, "state": 8, "text": 15, "minor": 6}
    least = {"name": 8, "state": 8, "text": 12, "minor": 6}

    found = fitted(widths, least, ["minor", "text"], room)

    assert row_width(found.values()) <= max(room, row_width((4, 4)))
    assert list(found) == [key for key in widths if key in found]
    assert "minor" not in found or "text" in found
    if room >= row_width(widths.values()):
        assert found == widths
    if room >= row_width((8, 8)):
        assert all(found[key] >= least[key] for key in found)


@pytest.mark.parametrize("columns", [50, 80, 160])
def test_a_changed_topic_fits_the_terminal(url: str, run: Any, columns: int) -> None:
    grown = NEW_TOPIC.split(" --")[0].replace("create", "alter") + " --partitions 5"
    for line in (NEW_TOPIC, grown):
        printed = on_terminal(line, columns, NO_COLOR="1").splitlines()
        assert printed[3].split()[:2] == ["partition", "leader"]
        assert [text for text in printed if len(text) > columns] == []
    assert run(grown.split(" --")[0].replace("alter", "delete"))[0] == 0
