"""Compiled modules: an installation can have them beside the Python modules (`tools/native.py`).

Planted bugs replace functions at run time, and compiled callers do not look functions up by name.
With `KRAFTSIM_PURE=1` a process imports the Python modules only.
"""

import os
import sys
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader
from importlib.util import find_spec

PURE_VARIABLE = "KRAFTSIM_PURE"
PACKAGE = os.path.dirname(__file__)
COMPILED = "kraftsim.controller.node.node"  # compiled wherever any module is


def is_used() -> bool:
    """True if this process runs compiled modules."""
    spec = find_spec(COMPILED)
    return spec is not None and not str(spec.origin).endswith(tuple(SOURCE_SUFFIXES))


def ignore() -> None:
    """Makes the imports that follow read the Python modules of kraftsim only."""
    sys.path_hooks.insert(0, _python_finder)


def _python_finder(folder: str) -> FileFinder:
    if folder != PACKAGE and not folder.startswith(PACKAGE + os.sep):
        raise ImportError(f"expected a folder of kraftsim, got {folder}")
    return FileFinder(folder, (SourceFileLoader, SOURCE_SUFFIXES))


def restart_without(purpose: str) -> None:
    """Runs this command again on the Python modules, if this process runs compiled ones.

    It prints a line that says so, with its `purpose`. The process is replaced: nothing may have
    been written or started before.
    """
    if not is_used():
        return
    line = f"kraftsim: {purpose}: running the Python modules instead of the compiled ones"
    print(line, file=sys.stderr, flush=True)
    command = [sys.executable, *sys.orig_argv[1:]]
    os.execve(sys.executable, command, os.environ | {PURE_VARIABLE: "1"})
