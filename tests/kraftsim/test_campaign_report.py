"""`kraftsim campaign report|compare|check`: what is refused before a JVM starts."""

from dataclasses import replace
from pathlib import Path

import pytest

from kraftsim.cli.main import main
from kraftsim.pipeline.campaign.commit_log import Folder
from kraftsim.pipeline.campaign.shard import run_shard
from tests.pipeline.campaigns import QUIET, scenario_file
from tests.pipeline.small_campaigns import make_campaign

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    folder = tmp_path_factory.mktemp("quiet")
    return make_campaign(folder / "campaign", scenario_file(folder, QUIET), seeds=range(2))


@pytest.mark.parametrize("verb", ["report", "check"])
def test_a_folder_that_is_no_campaign_is_refused(verb, tmp_path: Path, capsys) -> None:
    assert 2 == main(["campaign", verb, str(tmp_path)])
    assert "expected the folder of a campaign" in capsys.readouterr().err


def test_a_file_that_was_changed_is_named_with_the_way_out(quiet: Folder, capsys) -> None:
    path = quiet.path / "runs" / "part-000000.parquet"
    data = path.read_bytes()
    path.write_bytes(data[:-1] + b"?")
    try:
        assert 2 == main(["campaign", "report", str(quiet.path)])
    finally:
        path.write_bytes(data)

    said = capsys.readouterr().err
    assert "part-000000.parquet: expected sha256" in said
    assert f"kraftsim campaign sweep {quiet.path}" in said


def test_a_shard_of_another_plan_is_refused(quiet: Folder, capsys) -> None:
    path = quiet.path / "_shards" / "000000.json"
    text = path.read_text()
    path.write_text(text.replace(quiet.plan().digest, "0123456789abcdef"))
    try:
        assert 2 == main(["campaign", "compare", str(quiet.path), str(quiet.path)])
    finally:
        path.write_text(text)

    assert "as in plan.json, got 0123456789abcdef" in capsys.readouterr().err


def test_half_of_a_campaign_is_compared_with_nothing(quiet: Folder, tmp_path: Path, capsys) -> None:
    (runs,) = quiet.plan().shards
    half = Folder(tmp_path / "half")
    half.begin(replace(quiet.plan(), shards=(runs[:1], runs[1:])))
    run_shard(half.plan(), 0, half)

    assert 3 == main(["campaign", "compare", str(quiet.path), str(half.path)])
    said = capsys.readouterr().err
    assert "half: expected a finished campaign, got 1 of 2 shards" in said
    assert f"`kraftsim campaign resume {half.path}`" in said


@pytest.mark.parametrize("verb", ["report", "check", "status", "verify"])
def test_a_campaign_without_runs_is_unfinished(
    verb: str, quiet: Folder, tmp_path: Path, capsys
) -> None:
    empty = Folder(tmp_path / "empty")
    empty.begin(quiet.plan())

    assert 3 == main(["campaign", verb, str(empty.path)])
    said = capsys.readouterr()
    assert f"kraftsim campaign resume {empty.path}" in said.out + said.err


@pytest.mark.parametrize("scheme", ["s3://bucket", "hdfs:/", "file:///"])
@pytest.mark.parametrize("verb", ["report", "check", "compare"])
def test_the_address_of_an_object_store_is_no_folder(verb: str, scheme: str, capsys) -> None:
    folders = [f"{scheme}/campaign"] * (2 if verb == "compare" else 1)
    with pytest.raises(SystemExit) as ended:
        main(["campaign", verb, *folders])

    assert 2 == ended.value.code
    assert "expected the path of a folder, got the URI" in capsys.readouterr().err


def test_half_of_a_campaign_is_unfinished_for_status_and_verify(
    quiet: Folder, tmp_path: Path, capsys
) -> None:
    (runs,) = quiet.plan().shards
    half = Folder(tmp_path / "half")
    half.begin(replace(quiet.plan(), shards=(runs[:1], runs[1:])))
    run_shard(half.plan(), 0, half)

    for verb in (["status"], ["verify", "--engine", "local"]):
        assert 3 == main(["campaign", *verb, str(half.path)])
        assert f"unfinished; continue with: kraftsim campaign resume {half.path}" in (
            capsys.readouterr().out.replace(": 1 of 2 shards are committed", "")
        )


def test_a_gate_that_is_unknown_names_the_nearest(quiet: Folder, capsys) -> None:
    folder = str(quiet.path)
    with pytest.raises(SystemExit) as ended:
        main(["campaign", "compare", folder, folder, "--fail-on", "violation:+0"])

    assert 2 == ended.value.code
    assert "expected 'violations' (nearest)" in capsys.readouterr().err


def test_two_places_for_spark_are_one_too_many(quiet: Folder, capsys) -> None:
    words = ["--master", "local[2]", "--remote", "sc://h"]
    assert 2 == main(["campaign", "report", str(quiet.path), *words])
    assert "expected --master or --remote, got both" in capsys.readouterr().err
