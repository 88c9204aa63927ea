"""The call that blocks an event loop, from the stack of the loop's thread.

A module of its own, because its imports take time and are rarely needed.
"""

from pathlib import Path
from sysconfig import get_paths
from traceback import extract_stack
from types import FrameType

PACKAGE = Path(__file__).resolve().parents[1]
IDLE = ("select", "run_until_complete", "run_forever", "_run_once")  # innermost, if nothing blocks


def blocking_call(frame: FrameType) -> str | None:
    """Returns the line of the user's code that a thread is in; None if its loop only waits.

    Where no user's code is in the stack, it is the innermost line.
    """
    stack = extract_stack(frame)
    innermost = stack[-1]
    if innermost.name in IDLE:
        return None
    line = next((line for line in reversed(stack) if _is_users(line.filename)), innermost)
    return f"`{line.line}` ({Path(line.filename).name}:{line.lineno})"


def _is_users(filename: str) -> bool:
    paths = get_paths()
    installed = (paths["stdlib"], paths["platlib"], paths["purelib"], str(PACKAGE))
    return not filename.startswith((*installed, "<"))
