"""A failing run opens as a lesson with one command, and only that run is offered."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import parse_qs, quote, urlencode, urlsplit
from urllib.request import urlopen

import pytest

from tests.limits import LIMIT_S

pytestmark = pytest.mark.realtime

REPRODUCER = "kraftsim/scenarios/mutants/reproducers/M01.yaml"
HOPEFUL = """
schema: kraftsim/scenario/1
name: too-hopeful
title: A pause of 12 s costs no lease
claim: A broker that pauses for 12 s is never fenced.
cluster: {controllers: 3, brokers: 3}
time: {warmup: 2s, run: 30s, calm: 10s}
do: [{at: 5s, proc.pause: {on: 2, for: 12s}}]
expect:
  always: [all, "checks.py:holds"]
  never: [{record: FenceBroker, of: 2}]
"""


@dataclass
class Opened:
    """A page that `scenario run --open` serves: its process and its address."""

    process: subprocess.Popen[str]
    address: str

    @property
    def place(self) -> dict[str, list[str]]:
        """What the address shows."""
        return parse_qs(urlsplit(self.address).fragment)

    def get(self, path: str, **words: object) -> Any:
        with urlopen(
            f"{self.address.partition('#')[0]}{path}?{urlencode(words)}", timeout=LIMIT_S
        ) as answer:
            return json.loads(answer.read())

    def interrupt(self) -> int:
        """Presses Ctrl-C; returns the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(LIMIT_S)


@contextmanager
def opened(*words: str) -> Iterator[Opened]:
    command = [sys.executable, "-m", "kraftsim", "scenario", "run", *words, "--open"]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        lines = iter(process.stderr.readline, "")
        try:
            yield Opened(
                process, next(line for line in lines if line.startswith("Open ")).split()[1]
            )
        finally:
            process.kill()


@pytest.fixture
def hopeful(tmp_path: Path) -> Path:
    path = tmp_path / "hopeful.yaml"
    path.write_text(HOPEFUL)
    (tmp_path / "checks.py").write_text(
        "def holds(world):\n    return True if world.committed.brokers else None\n"
    )
    return path


def test_a_failing_seed_opens_at_its_violation(hopeful: Path) -> None:
    with opened(str(hopeful), "--seed", "3", "--allow-code") as page:
        story = page.get("v1/lessons/too-hopeful/story", seed=3)
        listed = page.get("v1/lessons")["lessons"]
        (broken,) = story["broken"]
        before = [event for event in story["events"] if event["atUs"] <= broken["atUs"]][-1]
        branch = '[{"at": "6s", "end": "proc.pause#1"}]'
        mended = page.get("v1/lessons/too-hopeful/story", seed=3, acts=branch)

        assert page.interrupt() == 1

    assert story["verdict"] == "fail"
    assert story["called"] == str(hopeful)
    assert (before["kind"], before["brokerIds"]) == ("broker_fenced", [2])
    assert page.place == {"lesson": ["too-hopeful"], "seed": ["3"], "t": [str(broken["atUs"])]}
    assert (listed[0]["name"], listed[0]["seed"]) == ("too-hopeful", 3)
    assert listed[1]["name"] == "lesson-01-lease"
    assert mended["verdict"] == "pass"


def test_no_request_names_another_file(hopeful: Path) -> None:
    other = hopeful.with_name("other.yaml")
    other.write_text(HOPEFUL.replace("too-hopeful", "other"))
    with opened(str(hopeful), "--allow-code") as page:
        for name in ("other", "other.yaml", str(other), str(hopeful), f"../{other.name}"):
            with pytest.raises(HTTPError) as refused:
                page.get(f"v1/lessons/{quote(name, safe='')}/story")
            refused.value.close()
            assert refused.value.code == 404


def test_a_planted_bug_is_in_the_opened_run_only() -> None:
    with opened(REPRODUCER, "--mutant", "M01") as page:
        planted = page.get("v1/lessons/M01/story")
        lesson = page.get("v1/lessons/lesson-01-lease/story")

    assert planted["verdict"] == "fail"
    assert lesson["verdict"] == "pass"


def test_a_run_that_is_too_large_for_the_page_is_refused() -> None:
    command = ["scenario", "run", "thundering-herd-1000", "--smoke", "--open"]

    done = subprocess.run(
        [sys.executable, "-m", "kraftsim", *command], capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert "expected at most 30 brokers and 30 minutes, got 50 brokers" in done.stderr
