"""The ready file takes nothing away from anybody (docs/security.md)."""

import os
import stat
from pathlib import Path

import pytest

from kraftsim.errors import UsageError
from kraftsim.files.ready_file import ready_file_with


def announced(path: Path, *, is_secret: bool = False) -> None:
    with ready_file_with("KEY=value\n", str(path), is_secret=is_secret):
        assert path.read_text() == "KEY=value\n"


def test_it_exists_while_the_service_runs(tmp_path: Path) -> None:
    path = tmp_path / "ready"
    announced(path)
    path.write_text("of a run that was killed")
    announced(path)
    assert list(tmp_path.iterdir()) == []


def test_a_device_is_neither_replaced_nor_deleted(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(UsageError, match=r"regular file.*device, pipe or socket"):
        announced(pipe)
    assert stat.S_ISFIFO(pipe.lstat().st_mode)


@pytest.mark.parametrize("kind", ["symbolic link", "directory"])
def test_nor_is_anything_else(tmp_path: Path, kind: str) -> None:
    path, target = tmp_path / "ready", tmp_path / "target"
    target.write_text("mine")
    if kind == "directory":
        path.mkdir()
    else:
        path.symlink_to(target)
    with pytest.raises(UsageError, match=kind):
        announced(path)
    assert target.read_text() == "mine"


def test_the_file_of_another_service_stays(tmp_path: Path) -> None:
    path = tmp_path / "ready"
    with ready_file_with("a", str(path), is_secret=False):
        (tmp_path / "other").write_text("b")
        os.replace(tmp_path / "other", path)
    assert path.read_text() == "b"


def test_a_file_that_was_removed_and_made_anew_stays(tmp_path: Path) -> None:
    """Some file systems give the new file the inode of the old one."""
    path = tmp_path / "ready"
    with ready_file_with("a", str(path), is_secret=False):
        path.unlink()
        path.write_text("b")
    assert path.read_text() == "b"


def test_a_partial_file_of_another_program_stays(tmp_path: Path) -> None:
    partial = tmp_path / f".ready.{os.getpid()}.part"
    partial.write_text("b")
    with pytest.raises(UsageError, match="File exists"):
        announced(tmp_path / "ready")
    assert partial.read_text() == "b"


def test_a_file_with_a_token_is_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "ready"
    with ready_file_with("a", str(path), is_secret=True):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_folder_that_does_not_exist_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--ready-file: .*/no/ready: no such folder: .*/no"):
        announced(tmp_path / "no" / "ready")
