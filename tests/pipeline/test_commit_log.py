"""A shard is there once its commit is; nothing of it is read before, and nothing is lost after."""

import json

import pytest

from kraftsim.pipeline.campaign.commit_log import SHARDS, Commit, Folder, Piece, part
from kraftsim.pipeline.campaign.items import Item
from kraftsim.pipeline.campaign.plan import Plan, PlanError, Slice
from kraftsim.pipeline.campaign.shard import run_shard
from tests.pipeline.campaigns import QUIET

PLAN = Plan(
    code="c",
    events="all",
    items=(Item(called="quiet", document=QUIET),),
    shards=((Slice(0, 1, 2),), (Slice(0, 2, 3),)),
)


@pytest.fixture
def folder(tmp_path):
    made = Folder(tmp_path)
    made.begin(PLAN)
    return made


def commit(**changes):
    words = {"shard": 0, "plan": PLAN.digest, "digest": "d", "runs": 1, "verdicts": {}}
    words |= {"planted": {}, "canaries": {}, "wall_s": 0.1, "attempt": 0}
    return Commit(**words | changes)


def test_a_commit_is_read_back_as_it_was(folder):
    committed = commit(pieces={"runs": Piece(1, 2, "3")}, verdicts={"pass": 1})
    folder.commit(committed)

    assert {0: committed} == folder.commits()


def test_a_second_campaign_does_not_go_into_the_folder_of_the_first(folder):
    with pytest.raises(PlanError, match="campaign resume"):
        folder.begin(PLAN)


def test_the_same_shard_again_is_welcome_and_another_in_its_place_is_not(folder):
    folder.commit(commit())
    folder.commit(commit(attempt=2, wall_s=9.0))

    with pytest.raises(PlanError, match="not deterministic"):
        folder.commit(commit(digest="other"))


def test_commits_of_another_plan_are_refused(folder):
    folder.commit(commit())
    text = (folder.path / "plan.json").read_text()
    (folder.path / "plan.json").write_text(text.replace('"all"', '"none"'))

    with pytest.raises(PlanError, match="json has changed"):
        folder.commits()


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"shard": 0}'])
def test_a_commit_that_nobody_can_read_is_named(folder, text):
    (folder.path / SHARDS / "000000.json").write_text(text)

    with pytest.raises(PlanError, match=r"000000\.json"):
        folder.commits()


def test_a_file_that_could_not_be_finished_leaves_nothing(folder):
    def write():
        with folder.new_file("runs/part-000000.parquet") as path:
            path.write_bytes(b"half")
            raise OSError("full")

    with pytest.raises(OSError, match="full"):
        write()

    assert [] == list((folder.path / "runs").iterdir())


def test_what_interrupted_shards_left_is_swept_and_what_is_committed_stays(folder):
    run_shard(PLAN, 0, folder)
    (folder.path / "runs/.part-000001.parquet.0.tmp").write_bytes(b"half")
    (folder.path / part("runs", 1)).write_bytes(b"never committed")

    assert 2 == folder.sweep()
    assert [] == folder.leftovers()
    assert [] == list(folder.corrupt(folder.commits()[0]))


@pytest.mark.parametrize("harm", ["gone", "shorter", "changed"])
def test_a_corrupt_shard_is_named_and_set_aside_for_another_run(folder, harm):
    before = run_shard(PLAN, 0, folder)
    path = folder.path / part("transitions", 0)
    data = path.read_bytes()
    if harm == "gone":
        path.unlink()
    else:
        path.write_bytes(data[:-1] if harm == "shorter" else bytes([data[0] ^ 1]) + data[1:])

    (said,) = folder.corrupt(before)
    folder.set_aside(0)

    assert str(path) in said
    assert {} == folder.commits()
    assert run_shard(PLAN, 0, folder).digest == before.digest
    assert json.loads((folder.path / "_aside/000000/_shards-000000.json").read_text())
