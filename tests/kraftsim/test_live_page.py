"""`kraftsim up` on a terminal: a live page, commands to try next, and a terminal left as it was."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

import pytest
from rich.console import Console

from kraftsim import Cluster
from kraftsim.cli.up.layout import FRAME, Section, shares
from kraftsim.cli.up.next_steps import TITLE, next_steps
from kraftsim.cli.up.overview import Observer, Overview
from kraftsim.cli.up.page import page
from tests.kraftsim.on_terminal import LIMIT_S, OnTerminal, announced, up_on
from tests.kraftsim.test_terminal import ESCAPED, FORGED

COVERED, RESTORED, CURSOR = "\x1b[?1049h", "\x1b[?1049l", "\x1b[?25h"


async def overview_of(
    kraft: Cluster, log_lines: tuple[str, ...] = (), brokers_max: int = 50
) -> Overview:
    observer = Observer(kraft)
    try:
        return observer.overview(log_lines, brokers_max)
    finally:
        observer.close()


def printed(overview: Overview, steps: list[str], width: int, height: int) -> list[str]:
    console = Console(width=width, height=height, no_color=True, force_terminal=False)
    with console.capture() as capture:
        console.print(page(overview, steps, width, height))
    return [line.rstrip() for line in capture.get().splitlines()]


@pytest.fixture
async def kraft() -> Cluster:
    racks = ("eu-west-1a-with-a-long-name", "b")
    async with Cluster(brokers=3, clock="virtual", seed=1, racks=racks, http_port=0) as kraft:
        yield kraft


@pytest.mark.parametrize("width", [50, 80, 160])
async def test_the_page_fits_the_terminal_and_cuts_no_state(kraft: Cluster, width: int) -> None:
    await kraft.brokers.kill(2)
    await kraft.wait(2, "fenced")
    steps = list(next_steps(kraft, None))

    lines = printed(await overview_of(kraft), steps, width, 24)

    assert max(map(len, lines)) <= width
    assert len(lines) <= 24
    rows = [line.split() for line in lines]
    assert ["3000", "LEADER"] in [row[:2] for row in rows]
    states = {row[0]: (row[1], row[2], row[-2]) for row in rows if row[:1] in (["1"], ["2"], ["3"])}
    assert states["2"][0] == "fenced"
    assert states["2"][2] == "NOT_RUNNING"
    assert states["1"][::2] == states["3"][::2] == ("unfenced", "RUNNING")
    brokers = await kraft.brokers.list()
    assert [states[number][1] for number in "123"] == [str(b["brokerEpoch"]) for b in brokers]
    assert [f"  {step}" for step in steps] == lines[-len(steps) :]
    assert "broker_fenced" in "".join(lines)


async def test_since_is_the_time_of_the_last_change_of_the_state(kraft: Cluster) -> None:
    await kraft.clock.advance("1m")
    await kraft.brokers.kill(2)
    await kraft.wait(2, "fenced")
    await kraft.brokers.pause(1)  # changes its process, but not its registration
    await kraft.brokers.resume(1)

    changes = [event for event in await kraft.events.list() if event["kind"].startswith("broker_")]
    changed_ms = {event["brokerId"]: event["timeMs"] for event in changes}
    since = {row["broker"]: row["since"] for row in (await overview_of(kraft)).brokers}

    assert since[1] != since[2]
    for broker_id, time_ms in changed_ms.items():
        assert since[broker_id] == time.strftime("%H:%M:%S", time.localtime(time_ms // 1000))


async def test_events_have_the_fields_that_events_prints(kraft: Cluster) -> None:
    lines = printed(await overview_of(kraft), [], 160, 50)

    (elected,) = [line for line in lines if "controller_elected" in line]
    assert "leaderId=3000" in elected
    assert not re.search(r"[a-z]_[a-z]+=", "".join(lines))


async def test_a_rack_with_escape_sequences_forges_no_row_of_the_page(kraft: Cluster) -> None:
    await kraft.brokers.add(rack=FORGED)
    await kraft.wait(4, "unfenced")

    lines = printed(await overview_of(kraft, log_lines=(FORGED,)), [], 160, 50)

    assert not any("\x1b" in line or line.startswith("10 ") for line in lines)
    assert sum(ESCAPED in line for line in lines) >= 2


async def test_brokers_in_trouble_are_shown_first_if_some_have_no_room() -> None:
    async with Cluster(brokers=100, clock="virtual", seed=1) as kraft:
        await kraft.brokers.kill(77)
        await kraft.wait(77, "fenced")
        lines = printed(await overview_of(kraft, brokers_max=24), [], 80, 24)

    (heading,) = [number for number, line in enumerate(lines) if line.startswith("broker ")]
    assert [line.split()[0] for line in lines[heading + 1 : heading + 3]] == ["77", "1"]
    shown = sum(re.match(r"\d+ +(un)?fenced", line) is not None for line in lines)
    assert f"{100 - shown} more brokers" in lines


async def test_brokers_are_in_order_of_their_ids_if_all_have_room() -> None:
    async with Cluster(brokers=12, clock="virtual", seed=1) as kraft:
        await kraft.brokers.pause(7)
        overview = await overview_of(kraft)

    for height, shown in ((40, list(range(1, 13))), (24, [7, *range(1, 7), *range(8, 13)])):
        rows = [line.split() for line in printed(overview, [], 80, height)]
        brokers = [int(row[0]) for row in rows if row[1:2] == ["unfenced"]]
        assert brokers == shown[: len(brokers)]
        assert len(brokers) > 3


async def test_lines_of_the_log_are_shown_beside_the_tables(kraft: Cluster) -> None:
    lines = printed(await overview_of(kraft, log_lines=("one", "two")), [], 80, 24)

    assert lines[lines.index("log") :][:3] == ["log", "one", "two"]


async def test_a_low_terminal_has_room_for_the_tables_only(kraft: Cluster) -> None:
    lines = printed(await overview_of(kraft), list(next_steps(kraft, None)), 80, 14)

    assert TITLE not in lines
    assert len(lines) <= 14
    assert any("unfenced" in line for line in lines)


@pytest.mark.parametrize("lines", range(40))
def test_shares_never_take_more_lines_than_there_are(lines: int) -> None:
    sections = [Section(rows, least=3) for rows in (1, 0, 100, 20)]

    given = shares(lines, sections)

    assert sum(rows + FRAME for rows in given if rows) <= lines
    assert all(rows <= section.rows for rows, section in zip(given, sections, strict=True))
    assert sum(given) in (0, lines - FRAME * sum(map(bool, given))) or lines < 2 * FRAME + 3


# On a real terminal


@pytest.mark.realtime
def test_ctrl_c_ends_the_page_and_restores_the_terminal(terminals: list[OnTerminal]) -> None:
    up = up_on(terminals, "--brokers", "1")
    up.until("kraftsim down")
    controller = announced(up.text)["KRAFTSIM_BOOTSTRAP_CONTROLLERS"]
    with pytest.raises((URLError, OSError)):
        urlopen(f"http://{controller}/")  # a listener of Kafka writes a line about that
    shown = up.until("closing the connection", after=up.text.index(COVERED))

    up.press(b"\x03")

    assert up.ended() == 0
    end = up.text.index(RESTORED)
    assert up.text.count(COVERED) == up.text.count(RESTORED) == 1
    assert up.text.index("KRAFTSIM_CLUSTER_ID") < up.text.index(COVERED) < shown < end
    assert CURSOR in up.text[shown:]
    (line,) = up.text[end:].replace(RESTORED, "").replace(CURSOR, "").split("\n")[:-1]
    assert "closing the connection from 127.0.0.1: expected a Kafka request" in line
    assert "Traceback" not in up.text


@pytest.mark.realtime
def test_the_page_follows_the_cluster_and_the_size_of_the_terminal(
    terminals: list[OnTerminal],
) -> None:
    up = up_on(terminals, "--brokers", "1", "--rack", "eu-west-1a-with-a-long-name")
    end = up.until("eu-west-1a-with-a-long-name  ")
    up.resize(50)
    end = up.until("…", after=end)
    url = announced(up.text)["KRAFTSIM_HTTP"]
    command = [sys.executable, "-m", "kraftsim", "broker", "pause", "1", "--url", url]
    subprocess.run(command, check=True, capture_output=True)

    up.until("PAUSED", after=end)


@pytest.mark.realtime
def test_without_colours_there_is_none(terminals: list[OnTerminal]) -> None:
    up = up_on(terminals, "--brokers", "1", NO_COLOR="1")
    up.until("kraftsim down")
    coloured = up_on(terminals, "--brokers", "1")
    coloured.until("kraftsim down")

    assert "\x1b[32munfenced" in coloured.text
    assert "\x1b[32m" not in up.text


@pytest.mark.realtime
def test_ctrl_z_restores_the_terminal_until_the_process_goes_on(
    terminals: list[OnTerminal],
) -> None:
    up = up_on(terminals, "--brokers", "1")
    end = up.until("kraftsim down")
    up.press(b"\x1a")
    end = up.until(RESTORED, after=end)
    os.waitid(os.P_PID, up.process.pid, os.WSTOPPED | os.WNOWAIT)

    up.process.send_signal(signal.SIGCONT)

    up.until(COVERED, after=end)


@pytest.mark.realtime
def test_a_terminal_that_is_stopped_stops_neither_the_service_nor_its_end(
    terminals: list[OnTerminal],
) -> None:
    up = up_on(terminals, "--brokers", "1")
    up.until("kraftsim down")
    url = announced(up.text)["KRAFTSIM_HTTP"]
    up.press(b"\x13")  # Ctrl-S

    with pytest.raises(HTTPError, match="504"):  # in vain, while further pages are drawn
        urlopen(f"{url}/v1/wait?broker=1&state=fenced&timeout=2s", timeout=LIMIT_S)
    with urlopen(f"{url}/v1/brokers/1", timeout=LIMIT_S) as response:
        assert json.load(response)["fenced"] is False
    up.process.terminate()

    assert up.process.wait(LIMIT_S) == 0


@pytest.mark.realtime
@pytest.mark.parametrize(
    ("words", "environment"), [((), {"TERM": "dumb"}), (("--log-format", "json"), {})]
)
def test_without_a_page_the_next_steps_are_printed_once(
    terminals: list[OnTerminal], words: tuple[str, ...], environment: dict[str, str]
) -> None:
    up = up_on(terminals, "--brokers", "1", *words, **environment)
    up.until("kraftsim down\n")
    up.press(b"\x03")

    assert up.ended() == 0
    assert "\x1b" not in up.text
    lines = up.text.replace("^C", "").splitlines()
    assert [line.partition("=")[0] for line in lines[:4]] == list(announced(up.text))[:4]
    assert lines[4] == TITLE
    assert lines[-1] == "  kraftsim down"


@pytest.mark.slow
def test_a_verb_off_a_terminal_imports_no_library_of_terminals() -> None:
    code = (
        "import sys, asyncio, argparse\n"
        "import kraftsim.commands.up, kraftsim.cli.up.display\n"
        "assert not any(name.split('.')[0] == 'rich' for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
