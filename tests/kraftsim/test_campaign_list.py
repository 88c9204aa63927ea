"""`kraftsim campaign list` and `show`: which campaigns there are, and how far they are."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from kraftsim.pipeline.campaign.commit_log import PLAN, SHARDS, Commit, Folder, part
from kraftsim.pipeline.campaign.items import Item
from kraftsim.pipeline.campaign.plan import Plan, Slice
from tests.pipeline.campaigns import QUIET

ITEMS = (
    Item(called="quiet", document=QUIET, cell=("loss=0.1",)),
    Item(called="quiet", document=QUIET, mutant="M01"),
    Item(called="canary", document=QUIET | {"name": "canary"}, expected="fail"),
)
SHARDS_OF_TWO = ((Slice(0, 3, 8), Slice(1, 3, 5)), (Slice(1, 5, 8), Slice(2, 17, 18)))


def campaign(path: Path, *engines: str | None) -> Folder:
    """A campaign of two shards, of which an engine has run each of the first."""
    folder = Folder(path)
    folder.begin(Plan(code="c", events="all", items=ITEMS, shards=SHARDS_OF_TWO))
    verdicts = ({"pass": 4, "fail": 1}, {})
    for shard, engine in enumerate(engines):
        folder.commit(
            Commit(
                shard=shard,
                plan=folder.plan().digest,
                digest="d",
                runs=(7, 4)[shard],
                verdicts=verdicts[shard],
                planted=({"fail": 2}, {"fail": 3})[shard],
                canaries=({}, {"canary": "fail"})[shard],
                wall_s=1.5,
                attempt=0,
                engine=engine,
            )
        )
    return folder


def test_a_folder_lists_its_campaigns_with_runs_verdicts_engine_and_times(
    tmp_path: Path, run: Any
) -> None:
    new, half, whole = (
        campaign(tmp_path / name, *engines)
        for name, engines in (("new", ()), ("half", ("spark",)), ("whole", ("spark", "local")))
    )
    (tmp_path / "else").mkdir()
    os.utime(half.path / PLAN, (1000, 1000))
    os.utime(half.path / SHARDS / "000000.json", (2000, 2000))

    code, out, err = run(f"campaign list {tmp_path} --json")

    rows = {row["name"]: row for row in json.loads(out)["campaigns"]}
    assert (code, err, list(rows)) == (0, "", ["half", "new", "whole"])
    assert [rows[name]["state"] for name in ("new", "half", "whole")] == [
        *("unfinished", "unfinished", "finished")
    ]
    assert [rows[name]["runsDone"] for name in ("new", "half", "whole")] == [0, 7, 11]
    assert {row["runs"] for row in rows.values()} == {11}
    assert rows["half"]["verdicts"] == {"fail": 1, "pass": 4}
    assert [rows[name]["engines"] for name in ("new", "half", "whole")] == [
        *([], ["spark"], ["local", "spark"])
    ]
    assert (rows["half"]["startTimeMs"], rows["half"]["lastCommitTimeMs"]) == (1e6, 2e6)
    assert rows["new"]["lastCommitTimeMs"] is None
    assert rows["whole"]["scenarios"] == [QUIET["name"]]
    assert Folder(Path(rows["new"]["folder"])).plan() == new.plan() == whole.plan()


def test_the_list_is_a_table_for_people(tmp_path: Path, run: Any) -> None:
    folder = campaign(tmp_path / "half", "spark")
    os.utime(folder.path / PLAN, (1000, 1000))

    out = run(f"campaign list {tmp_path} --utc")[1]

    heading, row = (line.split() for line in out.splitlines())
    assert heading[:4] == ["name", "state", "runs", "verdicts"]
    assert row[:5] == ["half", "unfinished", "7/11", "fail=1", "pass=4"]
    moment = datetime.fromtimestamp(1000, UTC).replace(tzinfo=None)
    assert f"{moment.isoformat(timespec='milliseconds')}Z" in row
    assert str(tmp_path) in run(f"campaign list {tmp_path} --output wide")[1]
    listed = yaml.safe_load(run(f"campaign list {tmp_path} --output yaml")[1])
    assert listed == json.loads(run(f"campaign list {tmp_path} --json")[1])


def test_the_folder_of_one_campaign_lists_that_campaign(
    tmp_path: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign(tmp_path / "one")
    monkeypatch.chdir(tmp_path / "one")

    (row,) = json.loads(run("campaign list --json")[1])["campaigns"]

    assert row["name"] == "one"


def test_a_campaign_that_cannot_be_read_is_named_and_the_others_are_listed(
    tmp_path: Path, run: Any
) -> None:
    campaign(tmp_path / "sound", "local")
    damaged = campaign(tmp_path / "damaged", "local")
    (damaged.path / SHARDS / "000000.json").write_text("{}")
    (campaign(tmp_path / "other").path / PLAN).write_text("{}")

    code, out, err = run(f"campaign list {tmp_path} --json")

    assert code == 2
    assert [row["name"] for row in json.loads(out)["campaigns"]] == ["sound"]
    assert "damaged/_shards/000000.json: expected the commit of a shard" in err
    assert "other/plan.json: expected the plan of a campaign" in err


def with_files(folder: Folder, *tables: str) -> Folder:
    """The campaign, whose first shard has committed a file of five bytes for each table."""
    path = folder.path / SHARDS / "000000.json"
    piece = {"rows": 1, "size": 5, "sha256": "0" * 64}
    commit = json.loads(path.read_text()) | {"pieces": dict.fromkeys(tables, piece)}
    path.write_text(json.dumps(commit))
    for table in tables:
        (folder.path / table).mkdir()
        (folder.path / part(table, 0)).write_text("12345")
    return folder


HARMS = {
    "gone": (Path.unlink, "expected a file, got none"),
    "cut": (lambda path: path.write_text("1"), "expected 5 bytes, got 1"),
}


@pytest.mark.parametrize("harm", HARMS)
def test_a_missing_or_cut_file_makes_a_campaign_damaged(
    tmp_path: Path, run: Any, harm: str
) -> None:
    folder = with_files(campaign(tmp_path / "c", "local", "local"), "events", "runs")
    assert [run(f"campaign {verb} {folder.path}")[0] for verb in ("list", "show")] == [0, 0]
    assert run(f"campaign status {folder.path}")[0] == 1, "a run of it has failed"
    damage, expected = HARMS[harm]
    damage(folder.path / part("runs", 0))
    sentence = f"{folder.path}/runs/part-000000.parquet: {expected}"
    remedy = f"`kraftsim campaign sweep {folder.path}`"

    for verb in ("list", "show"):
        code, out, err = run(f"campaign {verb} {folder.path}")
        assert (code, "damaged" in out) == (2, True)
        assert err.startswith(f"kraftsim: {sentence}; move the shards aside with {remedy}")
    code, out, _ = run(f"campaign status {folder.path}")
    assert (code, sentence in out, remedy in out) == (2, True, True)
    (row,) = json.loads(run(f"campaign list {folder.path} --json")[1])["campaigns"]
    shown, status = (
        json.loads(run(f"campaign {verb} {folder.path} --json")[1]) for verb in ("show", "status")
    )
    assert row["state"] == shown["state"] == "damaged"
    assert row["damage"] == shown["damage"] == status["damage"] == [sentence]


def test_a_damaged_campaign_is_named_and_the_others_are_listed(tmp_path: Path, run: Any) -> None:
    campaign(tmp_path / "sound", "local")
    damaged = with_files(campaign(tmp_path / "damaged", "local"), "events", "runs")
    for table in ("events", "runs"):
        (damaged.path / part(table, 0)).unlink()

    code, out, err = run(f"campaign list {tmp_path}")

    assert (code, len(out.splitlines())) == (2, 3)
    assert "part-000000.parquet: expected a file, got none (and 1 more damaged files)" in err


def test_a_folder_without_campaigns_says_so(tmp_path: Path, run: Any) -> None:
    assert run(f"campaign list {tmp_path}") == (0, "", f"no campaign in {tmp_path}\n")
    assert json.loads(run(f"campaign list {tmp_path} --json")[1]) == {"campaigns": []}
    code, _, err = run(f"campaign list {tmp_path}/none")
    assert (code, "expected a folder, got none" in err) == (2, True)


def test_a_campaign_shows_its_plan_and_how_far_each_item_is(tmp_path: Path, run: Any) -> None:
    folder = campaign(tmp_path / "half", "local")

    code, out, err = run(f"campaign show {folder.path} --json")

    shown = json.loads(out)
    assert (code, err) == (0, "")
    (listed,) = json.loads(run(f"campaign list {folder.path} --json")[1])["campaigns"]
    assert {key: shown[key] for key in listed if key != "scenarios"} == {
        key: item for key, item in listed.items() if key != "scenarios"
    }
    assert (shown["shardsDone"], shown["shards"], shown["planted"]) == (1, 2, {"fail": 2})
    assert (shown["plan"], shown["events"]) == (folder.plan().digest, "all")
    assert shown["items"] == [
        _item(cell=["loss=0.1"], seeds="3..8", runsDone=5, runs=5),
        _item(mutant="M01", seeds="3..8", runsDone=2, runs=5),
        _item(scenario="canary", seeds="17..18", runsDone=0, runs=1, expected="fail"),
    ]


def _item(**changes: object) -> dict[str, object]:
    usual = {"scenario": QUIET["name"], "cell": [], "mutant": None, "expected": "pass"}
    return usual | changes


def test_a_campaign_is_shown_as_lines_and_a_table(tmp_path: Path, run: Any) -> None:
    folder = campaign(tmp_path / "half", "local")

    lines = run(f"campaign show {folder.path}")[1].splitlines()

    assert lines[0] == "name: half"
    assert "engines: local" in lines
    table = lines[lines.index("items:") + 1 :]
    assert [line.split()[0] for line in table] == ["scenario", "quiet", "quiet", "canary"]
    assert "loss=0.1" in table[1]


def test_a_folder_that_is_no_campaign_is_not_shown(tmp_path: Path, run: Any) -> None:
    code, out, err = run(f"campaign show {tmp_path}")

    assert (code, out) == (2, "")
    assert "has no plan.json: expected the folder of a campaign" in err


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["list", "show"])
def test_neither_needs_spark_nor_pyarrow(tmp_path: Path, verb: str) -> None:
    folder = campaign(tmp_path / "half", "spark")
    code = (
        "import sys\n"  # a module that is None cannot be imported
        "sys.modules.update(dict.fromkeys(('pyspark', 'pyarrow', 'pandas')))\n"
        "from kraftsim.cli.main import main\n"
        f"sys.exit(main(['campaign', {verb!r}, {str(folder.path)!r}]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")
    assert "half" in done.stdout


def test_commits_of_former_versions_have_an_unknown_engine(tmp_path: Path, run: Any) -> None:
    folder = campaign(tmp_path / "old", None)
    path = folder.path / SHARDS / "000000.json"
    document = json.loads(path.read_text())
    del document["engine"]
    path.write_text(json.dumps(document))

    (row,) = json.loads(run(f"campaign list {tmp_path} --json")[1])["campaigns"]

    assert row["engines"] == ["unknown"]
