"""`storage format` against kafka-storage: same lines, same bytes, and each reads both."""

from pathlib import Path
from typing import Any

import pytest

from kraftsim.cli.main import main
from kraftsim.controller.core.profile import KAFKA_4_3, KAFKA_4_4
from kraftsim.files.properties import read_properties
from kraftsim.storage.formatted import formatted_of
from tests.kraftsim.test_storage_format import CLUSTER, VOTERS, properties
from tests.released.java import run_tool
from tests.released.releases import RELEASES

pytestmark = pytest.mark.released

TOOL = "kafka.tools.StorageTool"
RELEASE = RELEASES["4.3.1"]


def kafka_storage(folder: Path, *words: str) -> str:
    return run_tool(RELEASE, folder, TOOL, words)


def sizes(folder: Path) -> dict[str, int]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.stat().st_size for path in files}


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders whose paths are equally long, for Kafka's tool and for ours."""
    folders = (tmp_path / "theirs", tmp_path / "kraft0")
    for folder in folders:
        folder.mkdir()
    return folders


@pytest.mark.rule("6.5")
def test_kafka_formats_for_a_cluster_id_that_is_no_uuid(folders: tuple[Path, Path]) -> None:
    theirs, _ = folders
    config = properties(theirs)

    kafka_storage(theirs, "format", "-t", "not-a-uuid", "-s", "-c", str(config))

    formatted = formatted_of(read_properties(config), KAFKA_4_3)
    assert formatted is not None
    assert formatted.cluster_id == "not-a-uuid"


@pytest.mark.rule("6.11", "6.14", "6.17", "6.20", "6.22")
def test_both_write_the_same_and_each_reads_the_other(
    folders: tuple[Path, Path], capsys: pytest.CaptureFixture[Any]
) -> None:
    theirs, ours = folders
    for folder in folders:
        properties(
            folder, {"log.dirs": f"{folder}/m,{folder}/a", "metadata.log.dir": f"{folder}/m"}
        )
    words = ["-t", CLUSTER, "-I", VOTERS, "-r", "4.2"]

    printed = kafka_storage(theirs, "format", *words, "-c", str(theirs / "node.properties"))
    config = ["-c", str(ours / "node.properties"), "--profile", "kafka-4.3"]
    assert main(["storage", "format", *words, *config]) == 0

    shown = capsys.readouterr().out.replace(str(ours), str(theirs))
    assert sorted(shown.splitlines()) == sorted(printed.splitlines())
    assert [sizes(ours / name) for name in "am"] == [sizes(theirs / name) for name in "am"]
    found = [formatted_of(read_properties(f / "node.properties"), KAFKA_4_3) for f in folders]
    kafkas, kraftsims = found
    assert kafkas is not None
    assert kraftsims is not None
    assert (kafkas.bootstrap, kafkas.voters) == (kraftsims.bootstrap, kraftsims.voters)
    assert (kafkas.cluster_id, kafkas.directory_id) == (CLUSTER, kraftsims.directory_id)

    info = kafka_storage(ours, "info", "-c", str(ours / "node.properties"))
    assert "Found problem" not in info
    assert main(["storage", "info", "-c", str(ours / "node.properties")]) == 0
    assert capsys.readouterr().out == info


@pytest.mark.rule("6.20")
def test_both_write_the_snapshot_of_4_4_with_the_first_records(
    folders: tuple[Path, Path], capsys: pytest.CaptureFixture[Any]
) -> None:
    theirs, ours = folders
    for folder in folders:
        properties(
            folder, {"log.dirs": f"{folder}/m,{folder}/a", "metadata.log.dir": f"{folder}/m"}
        )
    words = ["format", "-t", CLUSTER, "-I", VOTERS]

    run_tool(RELEASES["4.4.0"], theirs, TOOL, [*words, "-c", str(theirs / "node.properties")])
    config = ["-c", str(ours / "node.properties"), "--profile", "kafka-4.4"]
    assert main(["storage", *words, *config]) == 0

    assert [sizes(ours / name) for name in "am"] == [sizes(theirs / name) for name in "am"]
    found = [formatted_of(read_properties(f / "node.properties"), KAFKA_4_4) for f in folders]
    kafkas, kraftsims = found
    assert kafkas is not None
    assert kraftsims is not None
    assert (kafkas.bootstrap, kafkas.voters) == (kraftsims.bootstrap, kraftsims.voters)
