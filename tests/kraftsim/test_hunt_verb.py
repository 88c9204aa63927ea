"""`kraftsim scenario hunt`: what it prints, writes and returns."""

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event

import pytest

from kraftsim.cli.main import main
from kraftsim.cli.scenario.hunt_workers import HuntWorkers
from kraftsim.files.hunt_files import append_to_curve, read_corpus, write_corpus
from kraftsim.pipeline.campaign.alone import alone
from kraftsim.scenarios.hunting.candidate import Candidate, Shown
from kraftsim.scenarios.hunting.corpus import Corpus
from kraftsim.scenarios.mutants import MUTANTS, planted

ROUND_LIMIT_S = 300.0  # of a round, on a machine that does much else


@pytest.mark.slow
def test_a_hunt_writes_its_corpus_and_goes_on_from_it(tmp_path, capsys):
    hunt = ["scenario", "hunt", "--runs", "2", "--round", "2", "--out", str(tmp_path), "--json"]

    assert main([*hunt, "--seed", "2"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert main([*hunt, "--seed", "3"]) == 0
    second = json.loads(capsys.readouterr().out)

    assert first["runs"] >= 2
    assert first["findings"] == []
    assert second["behaviours"] > first["behaviours"] > 100
    curve = [json.loads(line) for line in (tmp_path / "curve.jsonl").read_text().splitlines()]
    assert [point["runs"] for point in curve if point["runs"] >= 2] == [
        first["runs"],
        second["runs"],
    ]


@pytest.mark.slow
def test_a_hunt_ends_with_the_round_in_which_its_time_is_over(tmp_path, capsys):
    words = ["--minutes", "0.000001", "--round", "1", "--out", str(tmp_path), "--json"]

    main(["scenario", "hunt", *words])

    assert json.loads(capsys.readouterr().out)["runs"] == 1


@pytest.mark.slow
def test_a_plain_hunt_draws_each_run_anew(tmp_path, capsys):
    """A led hunt of this seed varies its first plan in the second round, in ten runs."""
    words = ["--runs", "2", "--round", "1", "--plain", "--out", str(tmp_path), "--json"]

    main(["scenario", "hunt", *words])

    assert json.loads(capsys.readouterr().out)["runs"] == 2


PLAN = b'{"document": {"x": 1}, "seed": 1, "first_us": {}, "events": 1, "messages_per_s": 1}'


@pytest.mark.parametrize(
    ("line", "refusal"),
    [
        (b'{"seed": 1}', "expected a kept plan"),
        (b"\xff\xfe", "expected a kept plan"),
        (PLAN, "the document of a plan is no scenario: x: unknown key 'x'"),
    ],
)
def test_a_line_that_is_no_plan_is_named_with_its_number(line, refusal, tmp_path, capsys):
    write_corpus(tmp_path, Corpus())
    with (tmp_path / "corpus.jsonl").open("ab") as file:
        file.write(line + b"\n")

    assert main(["scenario", "hunt", "--runs", "1", "--out", str(tmp_path)]) == 2

    assert f"corpus.jsonl:2: {refusal}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "got"),
    [
        (PLAN, "none"),
        (b"\xff\xfe", "none"),
        (b'{"schema": "kraftsim/corpus/9"}', "kraftsim/corpus/9"),
    ],
)
def test_a_corpus_of_another_version_is_refused_and_kept(line, got, tmp_path, capsys):
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_bytes(line + b"\n")

    assert main(["scenario", "hunt", "--runs", "1", "--out", str(tmp_path)]) == 2

    refusal = f"corpus.jsonl:1: expected the schema kraftsim/corpus/1, got {got}"
    assert refusal in capsys.readouterr().err
    assert corpus.read_bytes() == line + b"\n"


def test_two_hunts_do_not_write_one_corpus(tmp_path, capsys):
    with alone(tmp_path):
        assert main(["scenario", "hunt", "--runs", "1", "--out", str(tmp_path)]) == 2

    assert "another process works in this folder: wait for it" in capsys.readouterr().err


def write_a_corpus(folder):
    corpus = Corpus()
    corpus.take(Candidate({}, seed=1), Shown({1: 0}))
    write_corpus(folder, corpus)


def write_a_point(folder):
    append_to_curve(folder, {"runs": 1})


def test_a_process_that_a_hunt_has_forked_does_not_keep_its_folder(tmp_path):
    reading, writing = os.pipe()
    with alone(tmp_path):
        copy = os.fork()
        if not copy:
            os.close(writing)
            os.read(reading, 1)  # until the test ends
            os._exit(0)
    try:
        with alone(tmp_path):
            pass
    finally:
        os.close(writing)
        os.waitpid(copy, 0)


@pytest.mark.parametrize(
    ("write", "name"), [(write_a_point, "curve.jsonl"), (write_a_corpus, "corpus.jsonl.new")]
)
def test_a_full_disk_is_told_with_the_name_of_the_file(write, name, tmp_path):
    (tmp_path / name).symlink_to("/dev/full")

    with pytest.raises(OSError, match=f"No space left on device: .*/{name}"):
        write(tmp_path)


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (["--runs", "0"], "--runs: expected 1 or more, got 0"),
        (["-j", "0"], "--jobs: expected 1 or more, got 0"),
        (["--minutes", "-1"], "--minutes: expected more than 0, got -1"),
        (["--minutes", "nan"], "--minutes: expected more than 0, got nan"),
        (["--out", __file__], "--out: expected a folder"),
        (["--out", f"{__file__}/below"], f"--out: expected a folder, got the file {__file__}"),
        (["--out", "/proc/none"], "--out: No such file or directory: /proc/none"),
    ],
)
def test_a_hunt_of_nothing_or_into_a_file_is_refused(words, refusal, capsys):
    assert main(["scenario", "hunt", *words]) == 2
    assert refusal in capsys.readouterr().err


def test_a_hunt_starts_no_process_that_would_have_no_draw(monkeypatch):
    """`-j 99999` started thousands of processes, each before it had work."""
    started = []
    pool = "kraftsim.cli.scenario.hunt_workers.ProcessPoolExecutor"
    monkeypatch.setattr(pool, lambda processes, *_: started.append(processes))

    HuntWorkers(99_999, 8, Event())
    HuntWorkers(2, 8, Event())

    assert started == [8, 2]


HUNT = ("-m", "kraftsim", "scenario", "hunt")


def children_of(process_id):
    children = Path(f"/proc/{process_id}/task/{process_id}/children").read_text("utf-8")
    return [int(child) for child in children.split()]


@contextmanager
def hunting(command, until):
    """A hunt in a session of its own, once `until` is true of its process id."""
    process = subprocess.Popen(
        [sys.executable, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        while not until(process.pid):
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=0.05)
                raise AssertionError(f"expected a hunt that goes on: {process.communicate()}")
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.fixture
def endless_hunt(tmp_path):
    """A hunt of an hour in two processes, after its first round."""
    words = ["--minutes", "60", "--round", "2", "-j", "2", "--out", str(tmp_path)]
    curve = tmp_path / "curve.jsonl"
    with hunting([*HUNT, *words], lambda _: curve.exists()) as process:
        yield process


@pytest.mark.slow
@pytest.mark.parametrize(
    ("send", "number"), [(os.killpg, signal.SIGINT), (os.kill, signal.SIGTERM)]
)
def test_an_interrupted_hunt_keeps_what_it_has(send, number, endless_hunt, tmp_path):
    send(endless_hunt.pid, number)  # a terminal sends Ctrl-C to every process of the hunt
    out, err = endless_hunt.communicate(timeout=ROUND_LIMIT_S)

    assert endless_hunt.returncode == 130, err
    assert "interrupted; the same command goes on" in err
    corpus = read_corpus(tmp_path)
    last = json.loads((tmp_path / "curve.jsonl").read_text().splitlines()[-1])
    assert corpus.kept
    assert out.startswith(f"{last['runs']:,} runs, {last['behaviours']:,} behaviours")
    assert last["behaviours"] >= len(corpus.runs_with) > 0


@pytest.mark.slow
def test_a_killed_process_changes_nothing_of_what_a_hunt_finds(tmp_path):
    words = [*HUNT, "--runs", "2", "--round", "2", "-j", "2", "--out"]
    disturbed, quiet = tmp_path / "disturbed", tmp_path / "quiet"

    with hunting([*words, str(disturbed)], lambda pid: len(children_of(pid)) == 2) as process:
        os.kill(children_of(process.pid)[0], signal.SIGKILL)
        _, err = process.communicate(timeout=ROUND_LIMIT_S)
        assert process.returncode == 0, err
    subprocess.run([sys.executable, *words, str(quiet)], check=True, timeout=ROUND_LIMIT_S)

    corpora = [(folder / "corpus.jsonl").read_text("utf-8") for folder in (disturbed, quiet)]
    assert corpora[0] == corpora[1] != ""


PLANTED_HUNT = """
import sys
from kraftsim.cli.main import main
from kraftsim.scenarios.mutants import MUTANTS, planted
with planted(MUTANTS["M98"]):
    main(["scenario", "hunt", "--minutes", "60", "--out", sys.argv[1]])
"""


@pytest.mark.slow
@pytest.mark.python_modules
def test_a_killed_hunt_has_written_its_findings(tmp_path):
    def findings(_=None):
        return [path for path in tmp_path.glob("findings/*.yaml") if path.stat().st_size]

    with hunting(["-c", PLANTED_HUNT, str(tmp_path)], findings) as process:
        os.killpg(process.pid, signal.SIGKILL)

    assert read_corpus(tmp_path).kept
    finding = findings()[0]
    with planted(MUTANTS["M98"]):
        assert main(["scenario", "run", str(finding), "--seed", seed_of(finding)]) == 1


def seed_of(finding):
    """Returns the last number in the name of a finding's file."""
    return finding.stem.rpartition("-")[2]


@pytest.mark.slow
@pytest.mark.python_modules
def test_the_command_of_a_finding_explains_its_violation(tmp_path, capsys):
    bug = MUTANTS["M98"]

    with planted(bug):
        assert main(["scenario", "hunt", "--runs", "1", "--out", str(tmp_path)]) == 1
        lines = capsys.readouterr().out.splitlines()
        program, *words = next(line for line in lines if "kraftsim explain" in line).split()

        assert program == "kraftsim"
        assert bug.broken in words[1]
        assert main(words) == 0
        assert bug.broken in capsys.readouterr().out
        assert main(["scenario", "run", *words[1:]]) == 1

    assert main(["scenario", "run", *words[1:]]) != 1


@pytest.mark.slow
def test_a_hunt_draws_the_plans_of_the_swarm_that_it_is_given(tmp_path, capsys):
    words = ["--runs", "1", "--round", "1", "--out", str(tmp_path), "--json"]

    assert main(["scenario", "hunt", *words, "--swarm", "swarm-of-messages"]) == 0

    (kept,) = read_corpus(tmp_path).kept
    assert kept.candidate.document["name"] == "swarm-of-messages"
    assert json.loads(capsys.readouterr().out)["runs"] == 1
