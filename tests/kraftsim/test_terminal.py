"""What is printed on a terminal and in a file: widths, colours, times, foreign text."""

import fcntl
import json
import os
import pty
import re
import socket
import struct
import sys
import termios
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any
from unittest.mock import patch

import pytest
import yaml

from kraftsim.cli.main import main
from kraftsim.printable import printable
from tests.kraftsim.conftest import Service
from tests.limits import LIMIT_S

pytestmark = pytest.mark.realtime

FORGED = "r1\x1b[2K\r9   unfenced\n10  unfenced"  # erases the line and writes another row
ESCAPED = r"r1\x1b[2K\r9   unfenced\n10  unfenced"


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    service = Service(brokers=3, racks=("eu-west-1a-with-a-long-name", "b"))
    monkeypatch.setenv("KRAFTSIM_HTTP", service.kraft.http_url)
    monkeypatch.delenv("NO_COLOR", raising=False)
    yield service
    service.close()


def on_terminal(line: str, columns: int, **environment: str) -> str:
    """Returns what a command prints on a terminal of that width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    known = {key: text for key, text in os.environ.items() if key not in ("COLUMNS", "LINES")}
    with (
        ThreadPoolExecutor() as reader,
        open(theirs, "w", encoding="utf-8") as terminal,
        patch.object(sys, "stdout", terminal),
        patch.object(sys, "__stdout__", terminal),
        patch.dict(os.environ, known | environment, clear=True),
    ):
        printed = reader.submit(read_all, ours)
        assert main(line.split()) == 0
        terminal.close()
        text = printed.result(LIMIT_S)
    os.close(ours)
    return text.decode().replace("\r\n", "\n")


def read_all(terminal: int) -> bytes:
    printed = b""
    try:
        while piece := os.read(terminal, 65536):
            printed += piece
    except OSError:  # the program has closed the terminal
        pass
    return printed


@pytest.mark.parametrize("columns", [50, 80, 160])
def test_a_table_fits_the_terminal(service: Service, columns: int) -> None:
    printed = on_terminal("broker list", columns, NO_COLOR="1")

    assert max(map(len, printed.splitlines())) <= columns
    assert [line.split()[0] for line in printed.splitlines()] == ["id", "1", "2", "3"]
    assert ("eu-west-1a-with-a-long-name" in printed) == (columns > 50)
    assert printed.count("unfenced") == printed.count("RUNNING") == 3, "no state is cut"
    assert ("startTime" in printed) == (columns > 50)


def test_a_column_without_a_value_makes_room_for_the_others(service: Service) -> None:
    service.do(service.kraft.topics.create("abc", partitions=1, replication_factor=3))

    for columns, has_elr in ((50, False), (80, False), (100, True)):
        printed = on_terminal("topic list", columns, NO_COLOR="1")
        assert "…" not in printed
        assert ("elr" in printed) == has_elr


def test_a_file_and_a_wide_table_have_every_character(service: Service, run: Any) -> None:
    assert "eu-west-1a-with-a-long-name" in run("broker list")[1]
    wide = on_terminal("broker list --output wide", 50, NO_COLOR="1")
    assert "eu-west-1a-with-a-long-name" in wide
    assert "listeners" in wide.splitlines()[0]


def test_states_have_colours_on_a_terminal_only(service: Service, run: Any) -> None:
    assert "\x1b[32munfenced" in on_terminal("broker list", 80)
    assert "\x1b" not in on_terminal("broker list", 80, NO_COLOR="1")
    assert "\x1b" not in run("broker list")[1]


def test_a_rack_with_escape_sequences_forges_no_row(service: Service, run: Any) -> None:
    service.do(service.kraft.brokers.add(rack=FORGED))
    service.do(service.kraft.wait(4, "unfenced"))

    for line in ("broker list", "broker show 4", "cluster list-endpoints", "events"):
        printed = on_terminal(f"{line} --output wide", 160, NO_COLOR="1")
        assert not {"\x1b", "\r"} & set(printed), line
        assert not any(row.startswith("10 ") for row in printed.splitlines()), line
    assert ESCAPED in run("broker list")[1]
    assert json.loads(run("broker show 4 --json")[1])["rack"] == FORGED
    assert yaml.safe_load(run("broker show 4 --output yaml")[1])["rack"] == FORGED


def test_an_error_of_a_service_forges_no_line(run: Any) -> None:
    body = json.dumps({"error": "X", "message": f"no{FORGED}"}).encode()
    head = f"HTTP/1.1 400 Bad\r\nContent-Length: {len(body)}\r\n\r\n".encode()

    def refuse() -> None:
        connection, _ = listening.accept()
        connection.recv(65536)
        connection.sendall(head + body)
        connection.close()

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=refuse)
        thread.start()
        code, _, err = run(f"broker list --url http://127.0.0.1:{listening.getsockname()[1]}")
        thread.join()

    assert (code, err) == (1, f"kraftsim: X: no{ESCAPED}\n")


def test_every_character_that_moves_a_cursor_is_escaped() -> None:
    text = "".join(map(chr, range(32))) + "\x7f\x9b\u202e\u2028\ue000"

    assert printable(text).isprintable()
    assert printable("rack ä 日本 \U0001f600") == "rack ä 日本 \U0001f600"
    assert printable("a\nb", keeps="\n") == "a\nb"


def test_times_are_clock_times_of_utc_or_of_here(
    service: Service, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    started_ms = json.loads(run("broker show 1 --json")[1])["startTimeMs"]
    moment = datetime.fromtimestamp(started_ms / 1000, UTC).replace(tzinfo=None)

    expected = f"startTime: {moment.isoformat(timespec='milliseconds')}Z\n"
    assert expected in run("broker show 1 --utc")[1]
    assert "Z  " not in run("broker list")[1]
    first = json.loads(run("events --json --limit 1")[1])
    instant = datetime.fromtimestamp(first["timeMs"] / 1000, UTC).replace(tzinfo=None)
    line = run("events --limit 1 --utc")[1]
    assert line.startswith(f"{instant.isoformat(timespec='milliseconds')}Z ")


def test_requests_are_lines_with_clock_times(service: Service, run: Any) -> None:
    service.do(service.kraft.clock.advance("90s"))
    run(f"cluster unregister --id 77 --url {service.kraft.http_url}")
    (request,) = json.loads(run("request list --json")[1])["requests"]

    (line,) = run("request list --utc")[1].splitlines()

    moment = datetime.fromtimestamp(request["timeMs"] / 1000, UTC).replace(tzinfo=None)
    time = f"{moment.isoformat(timespec='milliseconds')}Z"
    assert line.split() == [time, "0", "http", "UnregisterBroker", "v0", '{"brokerId":', "77}"]
    local = datetime.fromtimestamp(request["timeMs"] / 1000).isoformat(timespec="milliseconds")
    assert run("request list")[1].startswith(f"{local} ")
    events = json.loads(run("events --json --limit 1")[1])
    begin_ms = events["timeMs"] - events["tUs"] // 1000
    assert request["timeMs"] == begin_ms + request["tUs"] // 1000
    assert request["tUs"] >= 90_000_000


def test_a_page_of_requests_names_the_next(service: Service, run: Any) -> None:
    for number in range(3):
        run(f"cluster unregister --id {70 + number}")

    assert run("request list --limit 2")[2] == "next page: the same command with --from 2\n"
    assert run("request list --from 2")[2] == ""


def test_near_misses_are_a_table(service: Service, run: Any) -> None:
    run("cluster unregister --id 77")

    lines = run("request count --where brokerId=78 --utc")[1].splitlines()

    assert lines[:2] == ["count: 0", "nearMisses:"]
    assert lines[2].split()[:2] == ["number", "time"]
    assert "expected 78, got 77" in lines[3]


READS = ["broker list", "cluster show", "quorum show", "log show", "explain 1", "log end"]


@pytest.mark.parametrize("line", READS)
def test_yaml_and_json_have_the_same_data(service: Service, run: Any, line: str) -> None:
    as_json, as_yaml = run(f"{line} --json")[1], run(f"{line} --output yaml")[1]

    assert json.loads(as_json) == yaml.safe_load(as_yaml)
    assert run(f"{line} --output json")[1] == as_json


def test_events_are_a_stream_of_documents(service: Service, run: Any) -> None:
    lines = run("events --json --limit 3")[1].splitlines()
    documents = list(yaml.safe_load_all(run("events --output yaml --limit 3")[1]))

    assert [json.loads(line) for line in lines] == documents
    assert [event["seq"] for event in documents] == [0, 1, 2]


def test_a_page_that_is_not_the_last_names_the_next(service: Service, run: Any) -> None:
    for verb in ("events", "log show"):
        assert run(f"{verb} --limit 3")[2] == "next page: the same command with --from 3\n"
        assert run(verb)[2] == ""
        assert run(f"{verb} --from 5000")[2] == ""


def test_followed_events_begin_at_the_newest(service: Service, run: Any) -> None:
    newest = json.loads(run("events --json")[1].splitlines()[-1])["seq"]

    assert json.loads(run("events --follow --json --limit 1")[1])["seq"] == newest
    assert json.loads(run("events --follow --json --from 3 --limit 1")[1])["seq"] == 3


def test_keys_are_in_lower_camel_everywhere(service: Service, run: Any) -> None:
    service.do(service.kraft.topics.create("orders", partitions=1))
    lines = [*READS, "topic list", "controller list", "scenario list", "wait --leader any"]
    printed = [run(f"{line} --json")[1] for line in lines]
    printed += run("events --json")[1].splitlines()

    snakes = {key for text in printed for key in keys_of(json.loads(text)) if "_" in key}
    assert snakes == set()


def keys_of(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        yield from data
    for item in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        yield from keys_of(item)


def test_a_story_has_colours_on_a_terminal_and_breaks_its_lines_there() -> None:
    run = "scenario run broker-crash-fenced --smoke --seed 1"
    coloured = on_terminal(run, 80, TERM="xterm", NO_COLOR="")
    plain = on_terminal(run, 80, NO_COLOR="1")

    assert "\x1b[33m" in next(line for line in coloured.splitlines() if ">> proc.crash" in line)
    assert plain == re.sub(r"\x1b\[\d*m", "", coloured)
    assert max(map(len, plain.splitlines())) <= 80
