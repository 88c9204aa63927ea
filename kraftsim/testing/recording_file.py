"""Where the recordings of failed tests are written: pytest's cache, which CI can keep."""

import re
from pathlib import Path
from tempfile import mkdtemp

import pytest

NAME_CHARS_MAX = 120  # file names have at most 255 bytes


def recording_file(test: pytest.Item, number: int) -> Path:
    """Returns the path for the recording of the test's `number`-th cluster, from 1 on.

    A later failure of the test has the same path. Raises OSError if the folder cannot be made.
    """
    cache: pytest.Cache | None = getattr(test.config, "cache", None)
    folder = Path(mkdtemp(prefix="kraftsim-")) if cache is None else cache.mkdir("kraftsim")
    name = re.sub(r"[^A-Za-z0-9.]+", "-", test.nodeid).strip("-")[-NAME_CHARS_MAX:]
    path = folder / (f"{name}.jsonl" if number == 1 else f"{name}-{number}.jsonl")
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
