"""`storage info` prints for which cluster and node directories are formatted, and problems."""

import json
from pathlib import Path
from typing import Any

import pytest

from kraftsim.files.log_directories import DEFAULT_DIRECTORY, directories_of
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


def test_a_missing_file_is_usage(run: Any, tmp_path: Path) -> None:
    assert run("storage info")[0] == 2
    code, _, err = run(f"storage info -c {tmp_path}/none.properties")
    assert (code != 0, "none.properties" in err) == (True, True)
