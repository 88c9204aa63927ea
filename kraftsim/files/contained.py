"""Resolves a file name that a scenario file contains, within the folder of the scenario file.

A scenario may come from a stranger. A file outside its folder must not even be read, because an
error about it could print its text.
"""

import os
from pathlib import Path, PurePath


def contained(folder: Path, name: str) -> Path:
    """Returns the path of the file `name` in `folder` or in a folder below it.

    Raises ValueError if `name` is absolute or has `..`, or if a symbolic link leads out of
    `folder`. The file need not exist.
    """
    if PurePath(name).is_absolute() or ".." in PurePath(name).parts:
        raise ValueError(f"expected a path inside the folder of this file, got {name!r}")
    path = folder / name
    if not _real(path).is_relative_to(_real(folder)):
        raise ValueError(
            "expected a path inside the folder of this file, got a symbolic link that leads out "
            f"of it: {name!r}"
        )
    return path


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
