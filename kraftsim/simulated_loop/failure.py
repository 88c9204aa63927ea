"""What a user's code has raised, in one line with its place."""

import sysconfig
from pathlib import Path
from traceback import walk_tb

OF_OTHERS = (
    str(Path(__file__).resolve().parents[1]),
    *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
    "<frozen",
)
"""The folders of kraftsim, of Python and of libraries."""


def failure_text(error: BaseException) -> str:
    """Returns what was raised, after file and line of the last step in the user's own code."""
    text = f"{type(error).__name__}: {error}".removesuffix(": ")
    steps = (
        (frame.f_code.co_filename, frame, line) for frame, line in walk_tb(error.__traceback__)
    )
    own = [(path, frame, line) for path, frame, line in steps if not path.startswith(OF_OTHERS)]
    if not own:
        return text
    path, frame, line = own[-1]
    # By the module: another machine has the package in another folder.
    folder = str(frame.f_globals.get("__name__", "")).rpartition(".")[0].replace(".", "/")
    return f"{folder}{'/' * bool(folder)}{Path(path).name}:{line}: {text}"
