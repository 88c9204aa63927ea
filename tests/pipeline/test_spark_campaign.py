"""The same campaigns as tasks of Spark: on the cores here, on one, and on workers without us."""

import os
import signal
import subprocess
import sys
from random import Random

import pytest

from kraftsim.cli.main import main
from kraftsim.pipeline.campaign.commit_log import Folder
from tests.interop.running import eventually
from tests.pipeline.campaigns import (
    DEADLY,
    EXIT,
    KILL,
    QUIET,
    SEGFAULT,
    alive_in_session,
    all_rows,
    campaign,
    command,
    environment,
    rows,
    scenario_file,
    started,
    until_commits,
)
from tests.pipeline.conftest import TEST_MASTER
from tests.pipeline.standalone import place

pytestmark = pytest.mark.spark
SEEDS = ("--seeds", "1..21", "--shard-seconds", "0.02")
MASTERS = [
    TEST_MASTER,
    *(pytest.param(name, marks=pytest.mark.soak) for name in ("local[1]", "standalone", "connect")),
]
KILLS = int(os.environ.get("KRAFTSIM_SOAK_KILLS", "1"))  # of each master; `make soak` runs twenty


@pytest.fixture(scope="module")
def quiet(tmp_path_factory):
    return scenario_file(tmp_path_factory.mktemp("files"), QUIET)


@pytest.fixture(scope="module")
def by_processes(quiet, tmp_path_factory):
    out = tmp_path_factory.mktemp("local") / "c"
    assert 0 == main(["campaign", "run", quiet, *SEEDS, "--out", str(out), "--engine", "local"])
    return out


@pytest.fixture(scope="module", params=MASTERS)
def by_spark(request, quiet, tmp_path_factory):
    """The same plan on a master of Spark's; how it ended, and where it is."""
    folder = tmp_path_factory.mktemp("spark")
    deadly = scenario_file(folder, DEADLY)
    words = ["run", quiet, deadly, "--seeds", "1..21", "--shard-seconds", "0.05", "--allow-code"]
    with place(request.param, folder) as (where, env):
        return campaign(*words, "--out", folder / "c", *where, env=env), folder / "c"


# These five on every master


def test_every_seed_is_run_once(by_spark):
    done, out = by_spark
    runs = [(row["scenario"], row["seed"]) for row in rows(out, "runs")]

    assert 1 == done.returncode, done.stderr  # because of the seeds that end badly
    assert len(set(runs)) == len(runs) == 42
    assert {(name, seed) for name in ("quiet", "deadly") for seed in range(1, 21)} <= set(runs)


def test_its_rows_are_those_of_processes_here(by_spark, by_processes):
    _, out = by_spark
    theirs, ours = all_rows(out), all_rows(by_processes)

    for table in ours:
        quiet = [row for row in theirs[table] if row["scenario"] == "quiet"]
        assert [row for row in ours[table] if row["scenario"] == "quiet"] == quiet


def test_a_seed_that_ends_its_worker_is_reported_and_takes_no_other_with_it(by_spark):
    _, out = by_spark
    mine = [row for row in rows(out, "runs") if row["scenario"] == "deadly"]
    crashed = {row["seed"]: row["error"] for row in mine if row["verdict"] == "crash"}

    assert {EXIT, SEGFAULT, KILL} == set(crashed)
    assert f"signal {signal.SIGKILL:d}" in crashed[KILL]


def test_a_sample_of_it_is_repeated_by_processes_here(by_spark, capsys):
    _, out = by_spark
    if rows(out, "runs"):
        words = ["--engine", "local", "--sample", "42", "--allow-code"]
        assert 0 == main(["campaign", "verify", str(out), *words]), capsys.readouterr().out


def test_nothing_is_left_over_and_there_is_nothing_to_resume(by_spark):
    _, out = by_spark
    without_java = environment(JAVA_HOME="/nonexistent")

    done = campaign("status", out, env=without_java)

    assert "42 of 42 runs" in done.stdout
    assert [] == Folder(out).leftovers()


# Once


@pytest.mark.parametrize("name", MASTERS[:-1])
@pytest.mark.parametrize("seed", range(KILLS))
def test_a_driver_that_is_killed_is_resumed_as_if_nothing_had_been(
    name, seed, quiet, by_processes, tmp_path
):
    out = tmp_path / "c"
    with place(name, tmp_path) as (where, env):
        process = started("run", quiet, *SEEDS, "--out", out, *where, env=env)
        until_commits(process, out, Random(seed).randrange(1, 9))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()

    done = campaign("resume", out, "--engine", "local")

    assert done.returncode == 0, done.stderr
    assert all_rows(by_processes) == all_rows(out)
    assert [] == Folder(out).leftovers()


def test_ctrl_c_ends_it_and_leaves_nobody_behind(tmp_path):
    slow = scenario_file(tmp_path, QUIET | {"time": {"run": "50m", "limit": "2h"}})
    out = tmp_path / "c"
    words = ("--seeds", "1..21", "--out", out, "--master", TEST_MASTER)
    process = started("run", slow, *words)
    until_workers(process)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate()

    assert 130 == process.returncode
    assert f"campaign resume {out}" in said
    eventually(lambda: alive_in_session(process.pid), [], ignoring=OSError)


def test_ctrl_c_while_spark_starts_is_one_line_and_leaves_no_jvm(by_processes, tmp_path):
    process = started("report", by_processes.resolve(), cwd=tmp_path)
    while len(alive_in_session(process.pid)) < 3:  # the script, and a program that it starts
        assert process.poll() is None, process.communicate()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()

    assert (130, "", "kraftsim: interrupted\n") == (process.returncode, out, err)
    eventually(lambda: alive_in_session(process.pid), [], ignoring=OSError)


def until_workers(process):
    """Of Spark's Python: a daemon, and what it has forked."""
    while len(alive_in_session(process.pid)) < 4:
        assert process.poll() is None, process.communicate()


@pytest.mark.parametrize("home", ["/nonexistent", "old"])
def test_no_java_or_an_old_one_is_told_before_anything_starts(quiet, home, tmp_path):
    if home == "old":
        program = tmp_path / "bin" / "java"
        program.parent.mkdir()
        program.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\"' >&2\n")
        program.chmod(0o755)
        home = str(tmp_path)

    done = campaign("run", quiet, *SEEDS, "--out", tmp_path / "c", env=environment(JAVA_HOME=home))

    assert 1 == done.returncode
    assert "openjdk-17" in done.stderr
    assert 1 == len(done.stderr.splitlines())
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--master", "nowhere"], 2, "expected local[2,4] or spark://HOST:PORT, got nowhere"),
        (["--master", "local[0,4]"], 2, "expected local[2,4] or spark://HOST:PORT"),
        (["--master", "spark://127.0.0.1:1"], 1, "no master at 127.0.0.1:1"),
        (["--remote", "sc://127.0.0.1:1"], 1, "no Connect server at 127.0.0.1:1"),
        (["--remote", "127.0.0.1:1"], 2, "expected sc://HOST:PORT"),
        (["--remote", "spark://127.0.0.1:1"], 2, "expected sc://HOST:PORT"),
    ],
)
def test_a_place_that_is_none_is_told_before_anything_begins(quiet, words, code, said, tmp_path):
    done = campaign("run", quiet, *SEEDS, "--out", tmp_path / "c", *words)

    assert code == done.returncode
    assert said in done.stderr
    assert 1 == len(done.stderr.splitlines())
    assert not (tmp_path / "c").exists()


def test_a_setting_that_spark_refuses_is_told_in_a_line(quiet, tmp_path):
    words = ["--master", "local[1]", "--conf", "spark.driver.port=none"]
    done = campaign("run", quiet, *SEEDS, "--out", tmp_path / "c", *words)

    assert 1 == done.returncode
    assert "Spark did not start" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_campaign_without_spark_loads_none_of_it(quiet, tmp_path):
    words = command("run", quiet, *SEEDS, "--out", tmp_path / "c", "--engine", "local")[3:]
    program = (
        f"import sys; from kraftsim.cli.main import main; main({words!r});"
        "print(*[name for name in ('pyspark', 'pandas', 'py4j') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert "" == done.stdout.splitlines()[-1]
