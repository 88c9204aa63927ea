"""Long work shows its progress, and many runs end with a summary."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from multiprocessing import active_children
from pathlib import Path
from typing import Any

import pytest

from kraftsim.cli import progress
from kraftsim.cli.scenario.jobs import Job, in_processes
from kraftsim.cli.scenario.run_progress import RunProgress
from kraftsim.errors import CommandError
from kraftsim.files.scenario_files import find, read_file
from tests.limits import LIMIT_S

ROOT = Path(__file__).resolve().parents[2]
SMALL = Path(__file__).with_name("small.yaml")  # a run takes some hundredths of a second
PASSING = f"scenario run {SMALL}"
FAILING = "scenario run campaign-canary --smoke"


@pytest.fixture
def every_update(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prints every update of the progress, instead of one in half a minute."""
    monkeypatch.setattr(progress, "INTERVAL_OF_LOGS_S", 0.0)


def verdicts(out: str) -> list[str]:
    """The lines above the summary."""
    return out[: out.index("\n\n")].splitlines()


def summary(out: str) -> list[str]:
    return [line.strip() for line in out[out.index("\n\n") :].splitlines() if line]


@pytest.mark.slow
def test_runs_in_processes_have_the_digests_and_verdicts_of_runs_in_turn(run: Any) -> None:
    code, in_turn, _ = run(f"{PASSING} --seeds 1..4")
    passes = [line for line in verdicts(in_turn) if line.startswith("PASS")]
    assert (code, len(passes)) == (0, 3)

    for count in (2, 3, 0):
        code, in_processes, _ = run(f"{PASSING} --seeds 1..4 -j {count}")
        assert (code, verdicts(in_processes)) == (0, verdicts(in_turn))


def test_failures_in_processes_are_printed_with_their_last_events(run: Any) -> None:
    code, in_turn, _ = run(f"{FAILING} --seeds 1..4")
    assert code == 1

    assert verdicts(run(f"{FAILING} --seeds 1..4 -j 2")[1]) == verdicts(in_turn)


def test_processes_stop_at_the_failure_at_which_runs_in_turn_stop(run: Any) -> None:
    code, out, _ = run(f"{FAILING} --seeds 1..9 --until-failure -j 3")

    assert code == 1
    assert [line.split()[3] for line in out.splitlines() if line.startswith("FAIL")] == ["1"]


def test_the_summary_counts_verdicts_and_names_the_slowest_runs(run: Any) -> None:
    lines = summary(run(f"{PASSING} --seeds 1..3")[1])

    assert lines[0].startswith("2 runs in ")
    assert [line.split() for line in lines[1:4]] == [["pass", "2"], ["fail", "0"], ["vacuous", "0"]]
    slowest = [line.partition(" s  ")[2] for line in lines if line.startswith("slowest")]
    assert sorted(slowest) == ["small seed 1", "small seed 2"]


@pytest.mark.slow
def test_the_summary_has_the_commands_that_repeat_the_first_failures(run: Any) -> None:
    lines = summary(run(f"{FAILING} --seeds 1..9 -j 2")[1])

    commands = [line.removeprefix("repeat").strip() for line in lines if "repeat" in line]
    assert commands == [
        *(f"kraftsim scenario run campaign-canary --seed {seed} --smoke" for seed in range(1, 6)),
        "... 3 more",
    ]
    assert run(commands[0].removeprefix("kraftsim "))[0] == 1


def test_a_single_run_has_no_summary(run: Any) -> None:
    assert "runs in" not in run(f"{PASSING} --seed 1 --lines 0")[1]


@pytest.mark.usefixtures("every_update")
@pytest.mark.parametrize("jobs", [1, 2])
def test_the_progress_of_many_runs_has_totals_failures_and_the_time_left(
    run: Any, jobs: int
) -> None:
    lines = run(f"{FAILING} --seeds 1..4 -j {jobs}")[2].splitlines()

    counts = [line.partition(" runs, ")[0] for line in lines]
    assert set(counts) <= {"0 of 3", "1 of 3", "2 of 3", "3 of 3"}
    # Both of two jobs may end at once.
    midway = [f"{count} of 3 runs, {count} failed, " for count in range(1, jobs + 1)]
    assert any(line.startswith(tuple(midway)) and " s left" in line for line in lines)


@pytest.mark.usefixtures("every_update")
def test_lint_and_shrink_show_what_they_do(run: Any, tmp_path: Path) -> None:
    assert (
        "lint: 1 of 2 files, rack-outage is next"
        in run("scenario lint campaign-canary rack-outage")[2]
    )

    shrunk = run(f"scenario shrink campaign-canary --tries 2 --out {tmp_path / 'small.yaml'}")
    assert "shrink campaign-canary: run 1 of at most 2" in shrunk[2]


def test_a_run_whose_process_ends_is_an_error_that_names_the_run() -> None:
    @contextmanager
    def ending() -> Iterator[None]:
        os._exit(7)
        yield

    jobs = iter([Job(read_file(find("campaign-canary")), seed) for seed in (1, 2)])
    with pytest.raises(CommandError, match="canary seed 1: its process ended with exit code 7"):
        list(in_processes(jobs, ending, RunProgress(2, is_enabled=False), 1))


@pytest.mark.slow
def test_an_interrupt_ends_the_processes_too() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "kraftsim", *PASSING.split(), "--seeds", "1..9999", "-j", "2"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith("PASS")

    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, err = process.communicate(timeout=LIMIT_S)  # until the last process has closed stderr

    assert (process.returncode, err) == (130, "kraftsim: interrupted\n")


class InterruptedWhenFreed:
    """An object whose end is a moment in which Python ignores KeyboardInterrupt."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


def test_an_interrupt_while_objects_are_freed_ends_the_runs() -> None:
    def jobs() -> Iterator[Job]:
        for seed in range(1, 5):
            yield Job(read_file(SMALL), seed)
            InterruptedWhenFreed()

    progress = RunProgress(4, is_enabled=False)
    with pytest.raises(KeyboardInterrupt):
        list(in_processes(jobs(), nullcontext, progress, 2))

    assert not active_children()


def test_agents_say_that_they_wait_for_their_controllers() -> None:
    words = ("agent", "--controller", "127.0.0.1:1", "--cluster-id", "any", "--count", "2")
    process = subprocess.Popen(
        [sys.executable, "-m", "kraftsim", *words], cwd=ROOT, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
    finally:
        process.kill()
        process.communicate()

    assert "0 of 2 brokers run; waiting for a controller at 127.0.0.1:1" in line
