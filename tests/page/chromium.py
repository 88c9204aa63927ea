"""Finds the Chromium of this system, in which the tests look at the page."""

import os
import shutil
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
INSTALL = "apt-get install chromium"


class ChromiumMissing(OSError):
    """The system has no Chromium; the text says how to install it."""


def require_chromium() -> Path:
    """Returns the path of the program; raises ChromiumMissing if there is none on PATH."""
    for name in NAMES:
        if found := shutil.which(name):
            return Path(found)
    raise ChromiumMissing(
        f"the tests of the page need Chromium, got none of {', '.join(NAMES)} on PATH: install it "
        f"(Debian, Ubuntu: {INSTALL})"
    )


def flags() -> list[str]:
    """Returns the flags with which it starts; its sandbox refuses to run as root."""
    return ["--no-sandbox"] if os.geteuid() == 0 else []


def main() -> int:
    """Prints the path of the program, or why there is none; returns the exit code."""
    try:
        print(require_chromium())
    except ChromiumMissing as missing:
        print(missing, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
