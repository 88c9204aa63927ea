"""`storage info` prints for which cluster and node directories are formatted, and problems."""

import json
from pathlib import Path
from typing import Any

import pytest

from kraftsim.controller.core.uuid import parse_uuid, uuid_text
from kraftsim.files.log_directories import DEFAULT_DIRECTORY, directories_of, read_storage
from tests.kraftsim.storage_directories import DIRECTORIES, FORMATTED, made


def test_a_formatted_directory_is_printed_as_kafka_prints_it(tmp_path: Path, run: Any) -> None:
    properties = made(tmp_path, DIRECTORIES["one"])

    assert run(f"storage info -c {properties}") == (
        0,
        f"Found log directory:\n  {tmp_path}/data0\n\n"
        "Found metadata: {cluster.id=a, directory.id=mKYeLdkBTUOBuRHvs7xgjg, node.id=1, "
        "version=1}\n\n",
        "",
    )
    assert json.loads(run(f"storage info -c {properties} --json")[1]) == {
        "directories": [f"{tmp_path}/data0"],
        "metadata": {
            "cluster.id": "a",
            "directory.id": "mKYeLdkBTUOBuRHvs7xgjg",
            "node.id": "1",
            "version": "1",
        },
        "problems": [],
    }


def test_a_file_that_is_not_there_is_named_without_a_number_of_an_error(
    tmp_path: Path, run: Any
) -> None:
    missing = tmp_path / "none.properties"

    assert run(f"storage info -c {missing}") == (
        1,
        "",
        f"kraftsim: {missing}: no such file or directory\n",
    )


def test_every_problem_is_named_and_the_exit_code_is_1(tmp_path: Path, run: Any) -> None:
    code, out, _ = run(f"storage info -c {made(tmp_path, (FORMATTED, None))}")

    assert code == 1
    assert out.endswith(
        f"Found problems:\n  {tmp_path}/data1 is not formatted.\n  {tmp_path}/missing does not "
        "exist\n\n"
    )


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ({}, [DEFAULT_DIRECTORY]),
        ({"log.dir": "/a"}, ["/a"]),
        ({"log.dirs": "/b, /a", "log.dir": "/c"}, ["/a", "/b"]),
        ({"log.dirs": "/b", "metadata.log.dir": "/a"}, ["/a", "/b"]),
    ],
)
def test_the_directories_are_those_of_the_configuration(
    pairs: dict[str, str], expected: list[str]
) -> None:
    assert directories_of(pairs) == expected


@pytest.mark.rule("6.15")
def test_a_random_uuid_is_one_line_of_22_characters(run: Any) -> None:
    code, out, err = run("storage random-uuid")

    assert (code, out[22:], err) == (0, "\n", "")
    assert uuid_text(parse_uuid(out[:22])) == out[:22]


PROBLEMS = {
    "not formatted": ["{0} is not formatted.", "{1} is not formatted.", "{2} does not exist"],
    "two clusters": ["Mismatched cluster IDs between storage directories.", "{2} does not exist"],
    "two nodes": ["Mismatched node IDs between storage directories.", "{2} does not exist"],
    "of ZooKeeper": [
        "The kafka configuration file appears to be for a cluster in KRaft mode, but the "
        "directories are formatted for legacy mode."
    ],
    "without a cluster": ["Error loading {0}/meta.properties: cluster.id was not found."],
    "without a node": ["Error loading {0}/meta.properties: Failed to find node.id"],
    "another version": [
        "Error loading {0}/meta.properties: Unknown meta.properties version number 2"
    ],
}


@pytest.mark.rule("6.10", "6.23")
@pytest.mark.parametrize("name", PROBLEMS)
def test_a_problem_has_the_words_of_kafka(name: str, tmp_path: Path, run: Any) -> None:
    """`tests/released/test_storage_info.py` holds the same directories against kafka-storage."""
    directories = [f"{tmp_path}/data0", f"{tmp_path}/data1", f"{tmp_path}/missing"]

    found = json.loads(run(f"storage info -c {made(tmp_path, DIRECTORIES[name])} --json")[1])

    assert found["problems"] == [problem.format(*directories) for problem in PROBLEMS[name]]


@pytest.mark.rule("6.23")
def test_a_file_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert read_storage([f"{tmp_path}/file"]).problems == [f"{tmp_path}/file is not a directory"]


def test_a_missing_file_is_usage(run: Any, tmp_path: Path) -> None:
    assert run("storage info")[0] == 2
    code, _, err = run(f"storage info -c {tmp_path}/none.properties")
    assert (code != 0, "none.properties" in err) == (True, True)
