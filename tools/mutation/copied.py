"""A copy of the project in a folder of its own, in which one mutant at a time is planted."""

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

_times = itertools.count(1)


def copy_to(folder: Path) -> Path:
    """Copies every file that git tracks or would track, and compiles it; returns the folder."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True).stdout
    for name in filter(None, listed.decode().split("\0")):
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_symlink():
            target.symlink_to(os.readlink(source))
        elif source.is_file():
            shutil.copy2(source, target)
    subprocess.run([sys.executable, "-m", "compileall", "-q", "."], cwd=folder, check=True)
    return folder


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
