"""`kraftsim campaign` with processes of this machine: all is run, whatever befalls them."""

import json
import os
import resource
import shutil
import signal
from pathlib import Path
from random import Random

import pytest

from kraftsim.cli.main import main
from kraftsim.pipeline.campaign.commit_log import Folder, part
from kraftsim.pipeline.campaign.items import Item
from kraftsim.pipeline.campaign.plan import Plan, Slice
from kraftsim.pipeline.package import code_digest
from tests.interop.running import eventually
from tests.pipeline.campaigns import (
    DEADLY,
    ERROR,
    EXIT,
    FAIL,
    FENCED,
    KILL,
    QUIET,
    SEGFAULT,
    alive_in_session,
    all_rows,
    campaign,
    digests,
    rows,
    scenario_file,
    started,
    table_files,
    until_commits,
)

LOCAL = ("--engine", "local", "--workers", "2")
KILLS = int(os.environ.get("KRAFTSIM_SOAK_KILLS", "2"))  # `make soak` runs twenty
SMALL = ("--shard-seconds", "0.02")
pytestmark = [pytest.mark.xdist_group("campaigns"), pytest.mark.slow]


@pytest.fixture(scope="module")
def quiet(tmp_path_factory):
    return scenario_file(tmp_path_factory.mktemp("files"), QUIET)


@pytest.fixture(scope="module")
def whole(quiet, tmp_path_factory):
    """A campaign that nothing has befallen."""
    out = tmp_path_factory.mktemp("whole") / "campaign"
    done = campaign("run", quiet, "--seeds", "1..21", "--out", out, *LOCAL, *SMALL)
    assert done.returncode == 0, done.stderr
    return out


def test_every_seed_is_run_once_and_the_canaries_beside_them(whole):
    runs = rows(whole, "runs")

    assert list(range(1, 21)) == [row["seed"] for row in runs if row["scenario"] == "quiet"]
    assert {("campaign-canary", "fail"), ("vacuous-fault", "vacuous"), ("quiet", "pass")} == {
        (row["scenario"], row["verdict"]) for row in runs
    }
    assert len({row["run_id"] for row in runs}) == len(runs)


def test_a_run_is_repeated_by_the_command_in_its_row(whole, capsys):
    row = next(row for row in rows(whole, "runs") if row["seed"] == 5)
    _, *words = row["repro"].split()

    assert 0 == main([*words, "--json"])
    assert row["digest"] == json.loads(capsys.readouterr().out)["digest"]


def test_how_far_it_has_come_is_told(whole, capsys):
    assert 0 == main(["campaign", "status", str(whole), "--json"])

    told = json.loads(capsys.readouterr().out)
    assert (22, 22, {"pass": 20}) == (told["runs"], told["runsDone"], told["verdicts"])


def test_a_finished_campaign_has_nothing_to_resume(whole, capsys):
    before = {path: path.stat().st_mtime_ns for path in whole.rglob("*.parquet")}

    assert 0 == main(["campaign", "resume", str(whole)])
    assert before == {path: path.stat().st_mtime_ns for path in whole.rglob("*.parquet")}


def test_a_sample_is_repeated_elsewhere_with_the_same_digests(whole, capsys):
    assert 0 == main(["campaign", "verify", str(whole), *LOCAL, "--sample", "5"])


def test_files_are_the_same_bytes_whatever_the_hash_seed(quiet, whole, tmp_path):
    env = {**os.environ, "PYTHONHASHSEED": "7"}
    campaign("run", quiet, "--seeds", "1..21", "--out", tmp_path / "c", *LOCAL, *SMALL, env=env)

    assert table_files(whole) == table_files(tmp_path / "c")


@pytest.mark.parametrize("seed", range(KILLS))
def test_a_driver_that_is_killed_is_resumed_as_if_nothing_had_been(quiet, whole, seed, tmp_path):
    out = tmp_path / "c"
    process = started("run", quiet, "--seeds", "1..21", "--out", out, *LOCAL, *SMALL)
    until_commits(process, out, Random(seed).randrange(1, 9))
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()

    assert 0 == main(["campaign", "resume", str(out), *LOCAL])
    assert all_rows(whole) == all_rows(out)
    assert [] == Folder(out).leftovers()


def test_ctrl_c_keeps_what_is_done_leaves_nobody_behind_and_says_how_to_go_on(tmp_path):
    slow = scenario_file(tmp_path, QUIET | {"time": {"run": "50m", "limit": "2h"}})
    out = tmp_path / "c"
    process = started("run", slow, "--seeds", "1..21", "--out", out, *LOCAL)
    while not (out / ".lock").exists():
        assert process.poll() is None
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the helpers, too
    said, _ = process.communicate()

    assert 130 == process.returncode
    assert f"campaign resume {out}" in said
    eventually(lambda: alive_in_session(process.pid), [], ignoring=OSError)


@pytest.fixture(scope="module")
def deadly(tmp_path_factory):
    folder = tmp_path_factory.mktemp("deadly")
    done = campaign(
        "run",
        scenario_file(folder, DEADLY),
        "--seeds",
        "1..13",
        "--out",
        folder / "c",
        "--allow-code",
        *LOCAL,
    )
    return done, folder / "c"


def test_a_seed_that_ends_its_process_is_reported_and_takes_no_other_with_it(deadly):
    done, out = deadly
    ended = {row["seed"]: row for row in rows(out, "runs") if row["scenario"] == "deadly"}

    assert 1 == done.returncode
    assert list(range(1, 13)) == sorted(ended)
    assert {EXIT, SEGFAULT, KILL} == {n for n, row in ended.items() if row["verdict"] == "crash"}
    assert "code 3" in ended[EXIT]["error"]
    assert f"signal {signal.SIGSEGV:d}" in ended[SEGFAULT]["error"]
    assert f"signal {signal.SIGKILL:d}" in ended[KILL]["error"]


def test_a_seed_that_raises_and_one_that_fails_are_rows_like_any_other(deadly):
    _, out = deadly
    ended = {row["seed"]: row for row in rows(out, "runs") if row["scenario"] == "deadly"}
    (violation,) = [row for row in rows(out, "violations") if row["seed"] == FAIL]

    assert ("error", "RaisedError: ends.py:9: RuntimeError: it is this one") == (
        ended[ERROR]["verdict"],
        ended[ERROR]["error"],
    )
    assert ("fail", "ends.py:ends_somehow") == (ended[FAIL]["verdict"], ended[FAIL]["signature"])
    assert "expected another seed" == violation["what"]


def test_bugs_and_sweeps_are_runs_of_their_own(tmp_path):
    path, out = scenario_file(tmp_path, FENCED), tmp_path / "c"
    words = ["--sweep", "cluster.brokers=1,2", "--mutants", "M43", "--seeds", "1..3", *LOCAL]
    done = campaign("run", path, "--out", out, *words)

    mine = [row for row in rows(out, "runs") if row["scenario"] == "fenced"]
    assert done.returncode == 0, done.stderr
    assert {
        (cell, mutant, seed)
        for cell in ("cluster.brokers=1", "cluster.brokers=2")
        for mutant in (None, "M43")
        for seed in (1, 2)
    } == {(row["cell"], row["mutant"], row["seed"]) for row in mine}
    assert {"fail"} == {row["verdict"] for row in mine if row["mutant"]}
    assert {"pass"} == {row["verdict"] for row in mine if not row["mutant"]}


def test_a_campaign_whose_canary_did_not_fail_is_itself_failed(tmp_path, capsys):
    deaf = Item(called="quiet", document=QUIET, expected="fail")
    plan = Plan(code=code_digest(), events="all", items=(deaf,), shards=((Slice(0, 1, 2),),))
    Folder(tmp_path).begin(plan)

    assert 1 == main(["campaign", "resume", str(tmp_path), *LOCAL])
    assert "a canary had an unexpected verdict" in capsys.readouterr().out


# What is wrong is named, refused, and loses nothing


def test_a_full_disk_is_named_and_the_campaign_goes_on_once_there_is_room(quiet, whole, tmp_path):
    out = tmp_path / "c"

    def nearly_full():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4_000, 4_000))

    words = ("run", quiet, "--seeds", "1..21", "--out", out, *LOCAL, "--shard-seconds", "1")
    done = campaign(*words, preexec_fn=nearly_full)

    assert 1 == done.returncode
    assert "File too large" in done.stderr
    assert f"campaign resume {out}" in done.stderr
    assert 0 == main(["campaign", "resume", str(out), *LOCAL])
    assert digests(whole) == digests(out)


def test_a_plan_for_which_there_is_no_room_leaves_nothing_behind(quiet, tmp_path):
    def full():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    out = tmp_path / "c"
    done = campaign("run", quiet, "--seeds", "1..3", "--out", out, *LOCAL, preexec_fn=full)

    assert 2 == done.returncode
    assert f"{out}: cannot create the campaign" in done.stderr
    assert "plan.json" in done.stderr
    assert not out.exists()


def test_what_is_named_twice_is_run_once(quiet, tmp_path):
    path, out = Path(quiet), tmp_path / "c"
    another = f"{path.parent}/./{path.name}"
    words = ["run", quiet, another, "--mutants", "M01,M01", "--seeds", "1..2"]
    campaign(*words, "--out", out, *LOCAL)

    runs = [(row["scenario"], row["mutant"]) for row in rows(out, "runs")]
    canaries = {("campaign-canary", None), ("vacuous-fault", None)}
    assert {("quiet", None), ("quiet", "M01"), *canaries} == set(runs)
    assert 4 == len(runs)


def test_a_corrupt_shard_is_named_refused_set_aside_and_run_again(whole, tmp_path, capsys):
    out = tmp_path / "c"
    shutil.copytree(whole, out)
    (out / part("heartbeats", 1)).write_bytes(b"PAR1")

    assert 2 == main(["campaign", "resume", str(out), *LOCAL])
    assert "heartbeats/part-000001.parquet" in capsys.readouterr().err
    assert 1 == main(["campaign", "verify", str(out), *LOCAL])
    assert 0 == main(["campaign", "sweep", str(out)])
    assert 0 == main(["campaign", "resume", str(out), *LOCAL])
    assert digests(whole) == digests(out)


def test_a_campaign_of_another_version_is_not_gone_on_with(whole, tmp_path, capsys):
    text = (whole / "plan.json").read_text()
    (tmp_path / "plan.json").write_text(text.replace(code_digest(), "0" * 16))

    assert 2 == main(["campaign", "resume", str(tmp_path), *LOCAL])
    assert "another version of kraftsim" in capsys.readouterr().err


def test_two_drivers_do_not_run_one_campaign(tmp_path, capsys):
    slow = scenario_file(tmp_path, QUIET | {"time": {"run": "50m", "limit": "2h"}})
    out = tmp_path / "c"
    process = started("run", slow, "--seeds", "1..21", "--out", out, *LOCAL)
    while not (out / ".lock").exists():
        assert process.poll() is None
    try:
        assert 2 == main(["campaign", "resume", str(out), *LOCAL])
        assert "another process works in this folder" in capsys.readouterr().err
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "stedy-heartbeats", "--seeds", "1..2", "--out", "x"], "'steady-heartbeats'"),
        (["run", "--seeds", "1..2", "--out", "x"], "expected a scenario file, a name"),
        (["run", "steady-heartbeats", "--seeds", "2..2", "--out", "x"], "A < B"),
        (["run", "campaign-canary", "--seeds", "1..2", "--out", "x"], "besides the canaries"),
        (["run", "steady-heartbeats", "--mutants", "M4", "--seeds", "1..2", "--out", "x"], "M4"),
        (["run", "x", "--shard-seconds", "0s", "--seeds", "1..2", "--out", "x"], "above 0"),
        (["run", "x", "--shard-seconds", "nan", "--out", "x"], "a duration such as 11s"),
        (["run", "x", "--seeds", f"1..{2**64}", "--out", "x"], "seeds up to"),
        (["resume", "nowhere"], "has no plan.json"),
        (["run", "x", "--seeds", "1..2", "--out", "s3://bucket/c"], "got the URI 's3://bucket/c'"),
        (["run", "x", "--seeds", "1..2", "--out", "hdfs:/c"], "got the URI 'hdfs:/c'"),
        (["run", "x", "--seeds", "1..2", "--out", "file:c"], "got the URI 'file:c'"),
        (["run", "x", "--seeds", "1..2", "--out", "S3A//bucket/c"], "got the URI"),
        (["run", "x", "--seeds", "1..2", "--out", "hfds://bucket/c"], "got the URI"),
        (["resume", "file:///tmp/c"], "expected the path of a folder"),
        (["verify", "s3a://bucket/c"], "expected the path of a folder"),
        (["status", "hdfs://h:9000/c"], "expected the path of a folder"),
        (["status", "nowhere"], "has no plan.json"),
    ],
)
def test_words_that_cannot_be_meant_are_refused(words, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    try:
        code = main(["campaign", *words, *(LOCAL if words[0] != "status" else ())])
    except SystemExit as ended:
        code = ended.code

    assert 2 == code
    assert said in capsys.readouterr().err
    assert [] == list(tmp_path.iterdir())


def test_settings_of_spark_are_not_dropped_in_silence(capsys):
    words = ["run", "steady-heartbeats", "--seeds", "1..2", "--out", "x", "--engine", "local"]

    assert 2 == main(["campaign", *words, "--master", "local[2]"])
    assert "options of Spark" in capsys.readouterr().err


@pytest.mark.parametrize("count", ["0", "-3"])
def test_nobody_can_do_no_work(quiet, count, tmp_path, capsys):
    words = ["--seeds", "1..2", "--out", str(tmp_path / "c"), "--engine", "local"]

    assert 2 == main(["campaign", "run", quiet, *words, "--workers", count])
    assert f"1 or more, got {count}" in capsys.readouterr().err


def test_a_folder_of_other_things_is_left_alone(quiet, tmp_path, capsys):
    (tmp_path / "mine.txt").write_text("mine")

    assert 2 == main(["campaign", "run", quiet, "--seeds", "1..2", "--out", str(tmp_path), *LOCAL])
    assert "expected an empty or a new folder" in capsys.readouterr().err
    assert ["mine.txt"] == [path.name for path in tmp_path.iterdir()]


@pytest.mark.parametrize("name", ["steady-heartbeats", "campaign-canary"])
def test_two_scenarios_of_one_name_are_refused(name, tmp_path, capsys):
    mine = scenario_file(tmp_path, QUIET | {"name": name})
    words = ["run", mine, "steady-heartbeats", "--seeds", "1..2", "--out", str(tmp_path / "c")]

    assert 2 == main(["campaign", *words, *LOCAL])
    assert f"two scenarios with the name {name!r}" in capsys.readouterr().err


def test_a_word_of_a_scenario_with_pins_can_be_swept(tmp_path):
    out, words = tmp_path / "c", ["--sweep", "cluster.brokers=4,5", "--smoke", "--seeds", "1..2"]
    done = campaign("run", "broker-crash-fenced", *words, "--out", out, *LOCAL)

    assert done.returncode in (0, 3), done.stderr
    cells = {row["cell"] for row in rows(out, "runs") if row["scenario"] == "broker-crash-fenced"}
    assert {"cluster.brokers=4", "cluster.brokers=5"} == cells


@pytest.mark.parametrize("verb", ["status", "resume", "verify"])
@pytest.mark.parametrize("harm", ["plan", "commit"])
def test_a_changed_plan_or_commit_is_told_in_a_line(verb, harm, whole, tmp_path, capsys):
    out = tmp_path / "c"
    shutil.copytree(whole, out)
    path = out / ("plan.json" if harm == "plan" else "_shards/000000.json")
    path.write_text(path.read_text().replace('"quiet"', '"queit"') if harm == "plan" else "{}")

    assert 2 == main(["campaign", verb, str(out)])
    assert str(out) in capsys.readouterr().err


def test_a_commit_that_nobody_can_read_is_set_aside_and_its_shard_run_again(whole, tmp_path):
    out = tmp_path / "c"
    shutil.copytree(whole, out)
    (out / "_shards/000000.json").write_text("{}")

    assert 0 == main(["campaign", "sweep", str(out)])
    assert 0 == main(["campaign", "resume", str(out), *LOCAL])
    assert digests(whole) == digests(out)


def test_workers_end_with_a_driver_that_is_killed(tmp_path):
    slow = scenario_file(tmp_path, QUIET | {"time": {"run": "50m", "limit": "2h"}})
    process = started("run", slow, "--seeds", "1..21", "--out", tmp_path / "c", *LOCAL)
    while len(alive_in_session(process.pid)) < 4:
        assert process.poll() is None
    process.kill()
    process.communicate()

    eventually(lambda: alive_in_session(process.pid), [], ignoring=OSError)
