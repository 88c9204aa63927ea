"""Whether a page can be drawn on the terminal of stdout."""

import os
import sys


def can_draw() -> bool:
    """True if stdout is a terminal with a movable cursor, and this process is in its foreground.

    In the background a page would cover the user's shell.
    """
    if not sys.stdout.isatty() or os.environ.get("TERM", "") in ("", "dumb", "unknown"):
        return False
    try:
        os.ttyname(sys.stdout.fileno())
    except OSError:  # a terminal of another container
        return False
    return is_in_foreground()


def is_in_foreground() -> bool:
    """True if this process may write to the terminal of stdout."""
    try:
        return os.tcgetpgrp(sys.stdout.fileno()) == os.getpgrp()
    except OSError:  # not the terminal that controls this process
        return True
