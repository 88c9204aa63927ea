"""A copy of the project in a folder of its own, in which one mutant at a time is planted."""

import hashlib
import itertools
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .drawn import ROOT, Drawn
from .operators import mutated

JUDGED = (".py", ".yaml")  # files on which a verdict depends

_times = itertools.count(1)


def fingerprint(root: Path = ROOT) -> str:
    """Returns a digest of the code and the scenarios, on which every verdict depends."""
    digest = hashlib.sha256()
    for name in _names(root):
        if name.endswith(JUDGED) and (root / name).is_file():
            digest.update(name.encode() + b"\0" + (root / name).read_bytes())
    return digest.hexdigest()[:12]


def copy_to(folder: Path) -> Path:
    """Copies every file that git tracks or would track, and compiles it; returns the folder."""
    for name in _names(ROOT):
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_symlink():
            target.symlink_to(os.readlink(source))
        elif source.is_file():
            shutil.copy2(source, target)
    subprocess.run([sys.executable, "-m", "compileall", "-q", "."], cwd=folder, check=True)
    return folder


def _names(root: Path) -> list[str]:
    """Returns the paths in the project of the files that git tracks or would track."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=root, check=True, capture_output=True).stdout
    return sorted(filter(None, listed.decode().split("\0")))


@contextmanager
def planted(folder: Path, mutant: Drawn) -> Iterator[None]:
    """Writes the mutant into the copy, and takes it out again.

    The file gets a time of its own, because Python compares times to find outdated bytecode.
    """
    path = folder / mutant.path
    honest, status = path.read_text("utf-8"), path.stat()
    path.write_text(mutated(honest, mutant.number), "utf-8")
    os.utime(path, (status.st_atime, status.st_mtime + next(_times)))
    try:
        yield
    finally:
        path.write_text(honest, "utf-8")
        os.utime(path, (status.st_atime, status.st_mtime))
