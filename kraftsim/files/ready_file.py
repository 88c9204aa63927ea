"""The ready file: tells other programs the addresses of a service while it runs."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import UsageError


@contextmanager
def ready_file_with(text: str, path_text: str, *, is_secret: bool) -> Iterator[None]:
    """Creates the file for the duration of the block; if secret, only its owner can read it.

    It is renamed into place, so that no reader sees a part of it, and removed at the end unless
    another program has replaced it. Raises UsageError if something other than a regular file has
    its name, or if it cannot be written.
    """
    expect_writable(path_text)
    path = Path(path_text)
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        mode = 0o600 if is_secret else 0o644
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    except OSError as error:
        raise UsageError(f"--ready-file: {path}: {error.strerror}") from None
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(partial, path)
        written = path.lstat()
    except OSError as error:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
        raise UsageError(f"--ready-file: {path}: {error.strerror}") from None
    try:
        yield
    finally:
        with suppress(OSError):
            if _is_same(path.lstat(), written):
                path.unlink()


def _is_same(file: os.stat_result, written: os.stat_result) -> bool:
    """True if nobody has replaced the file; a new file may get the inode of one that is gone."""
    return os.path.samestat(file, written) and file.st_ctime_ns == written.st_ctime_ns


def expect_writable(path_text: str) -> None:
    """Raises UsageError if the folder of the file does not exist, or for no regular file."""
    path = Path(path_text)
    if not path.parent.is_dir():
        raise UsageError(f"--ready-file: {path}: no such folder: {path.parent}")
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    except OSError as error:
        raise UsageError(f"--ready-file: {path}: {error.strerror}") from None
    if not stat.S_ISREG(mode):
        raise UsageError(
            f"--ready-file: expected a new name or a regular file, got {path}, which is a "
            f"{_kind_of(mode)}"
        )


def _kind_of(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "symbolic link"
    return "directory" if stat.S_ISDIR(mode) else "device, pipe or socket"
