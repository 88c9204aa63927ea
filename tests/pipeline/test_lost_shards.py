"""A campaign that lost shards or repetitions says so, with an exit code that is not 0."""

import shutil
from dataclasses import replace

import pytest

from kraftsim.cli.main import main
from kraftsim.pipeline.campaign.campaign import EngineError, run_campaign
from kraftsim.pipeline.campaign.commit_log import Folder
from kraftsim.pipeline.campaign.items import Item
from kraftsim.pipeline.campaign.plan import Plan, PlanError, Slice
from kraftsim.pipeline.campaign.shard import repeat_shard, run_shard
from kraftsim.pipeline.campaign.verify import repeated
from kraftsim.pipeline.package import code_digest
from tests.pipeline.campaigns import QUIET, campaign, scenario_file, table_files
from tests.pipeline.standalone import place_without_shared_folder

PLAN = Plan(
    code=code_digest(),
    events="all",
    items=(Item(called="quiet", document=QUIET),),
    shards=((Slice(0, 1, 3),), (Slice(0, 3, 5),)),
)


@pytest.fixture
def folder(tmp_path):
    made = Folder(tmp_path / "campaign")
    made.begin(PLAN)
    return made


@pytest.fixture
def whole(folder):
    for number in range(len(PLAN.shards)):
        run_shard(PLAN, number, folder)
    return folder


def by_this_process(plan, poll):
    return [row for number in range(len(plan.shards)) for row in repeat_shard(plan, number)]


def nothing(*_):
    return None


def test_the_same_shard_twice_is_the_same_bytes(folder, tmp_path):
    """Whether its seeds share a process or not; only its commit has real times."""
    again = Folder(tmp_path / "again")
    again.begin(PLAN)

    run_shard(PLAN, 0, folder)
    run_shard(PLAN, 0, again, attempt=1)

    assert len(table_files(folder.path)) > 1
    assert table_files(folder.path) == table_files(again.path)
    assert folder.commits()[0].pieces == again.commits()[0].pieces


def test_a_commit_names_the_slowest_runs(whole):
    items = PLAN.items

    slowest = [run_id for commit in whole.commits().values() for run_id in commit.slowest]

    assert {items[0].run_id(seed) for seed in range(1, 5)} == set(slowest)


@pytest.mark.parametrize("harm", ["no plan", "no folder", "another plan"])
def test_a_worker_that_does_not_see_the_plan_refuses_its_shard(harm, folder):
    if harm == "no plan":
        (folder.path / "plan.json").unlink()
    elif harm == "no folder":
        shutil.rmtree(folder.path)
    else:
        shutil.rmtree(folder.path)
        folder.begin(replace(PLAN, events="none"))

    with pytest.raises(PlanError, match="all workers must see the folder of the campaign"):
        run_shard(PLAN, 0, folder)
    assert [] == list(folder.path.rglob("*.parquet"))


def test_a_shard_that_was_reported_done_without_a_commit_fails_the_campaign(folder):
    def run_only_the_first(plan, folder, missing, poll):
        run_shard(plan, missing[0], folder)

    with pytest.raises(EngineError, match="shard 1 was reported done, but has no commit") as lost:
        run_campaign(folder, run_only_the_first, nothing)
    assert "give a shared folder" in str(lost.value)


@pytest.mark.slow
def test_a_whole_campaign_is_verified_by_as_many_runs_as_were_asked_for(whole):
    done = repeated(whole, 3, by_this_process, nothing)

    assert (3, ()) == (done.runs, done.wrong)


@pytest.mark.slow
def test_a_lost_repetition_is_named_and_not_counted(whole):
    done = repeated(whole, 4, lambda plan, poll: by_this_process(plan, poll)[1:], nothing)

    assert 3 == done.runs
    assert [f"run {PLAN.items[0].run_id(1)}: expected a repetition, got none"] == list(done.wrong)


def test_an_engine_that_loses_every_repetition_verifies_nothing(whole):
    done = repeated(whole, 4, lambda plan, poll: [], nothing)

    assert (0, 4) == (done.runs, len(done.wrong))


@pytest.mark.slow
def test_a_repetition_with_another_digest_is_named(whole):
    def with_another(plan, poll):
        (run_id, verdict, _), *rest = by_this_process(plan, poll)
        return [(run_id, verdict, "another"), *rest]

    (wrong,) = repeated(whole, 4, with_another, nothing).wrong

    assert "got ('pass', 'another')" in wrong


@pytest.mark.slow
def test_verify_fails_if_a_process_ends_without_its_repetitions(tmp_path, capsys):
    harm = tmp_path / "harm"
    source = f"""
import os, pathlib, signal

def stays(world):
    if pathlib.Path({str(harm)!r}).exists():
        os.kill(os.getppid(), signal.SIGKILL)
    return True if world.committed.brokers else None
"""
    document = QUIET | {"expect": {"always": ["all", "stays.py:stays"]}}
    item = Item(called="quiet", document=document, own={"stays.py": source})
    made = Folder(tmp_path / "c")
    made.begin(replace(PLAN, items=(item,), shards=((Slice(0, 1, 3),),)))
    run_shard(made.plan(), 0, made)
    words = ["verify", str(made.path), "--allow-code", "--engine", "local", "--workers", "1"]

    assert 0 == main(["campaign", *words])
    harm.touch()
    capsys.readouterr()
    assert 1 == main(["campaign", *words])
    assert f"run {item.run_id(1)}: expected a repetition, got none" in capsys.readouterr().out


@pytest.mark.soak
@pytest.mark.spark
def test_workers_that_share_no_folder_with_the_driver_lose_nothing_in_silence(tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    quiet = scenario_file(tmp_path, QUIET)
    words = ["run", quiet, "--seeds", "1..9", "--shard-seconds", "0.02"]
    here = campaign(*words, "--out", shared / "here", "--engine", "local")
    assert 0 == here.returncode, here.stderr

    with place_without_shared_folder(tmp_path, shared) as (where, env):
        lost = campaign(*words, "--out", shared / "lost", *where, env=env)
        verified = campaign("verify", shared / "here", "--sample", "9", *where, env=env)

    assert 1 == lost.returncode
    assert f"{shared}/lost/plan.json: expected plan" in lost.stderr
    assert "all workers must see the folder of the campaign; give a shared folder" in lost.stderr
    assert 3 == campaign("status", shared / "lost").returncode
    assert 0 == verified.returncode, verified.stderr
    assert "9 runs repeated with the same digests" in verified.stdout
