"""Programs of other languages that tests need: found on PATH, or named with their package."""

import shutil

PACKAGES = {
    "curl": "curl",
    "go": "golang-go; tests/interop/foreign/go/go.mod has the version",
    "javac": "openjdk-17-jdk-headless",
    "kcat": "kcat",
    "mvn": "maven",
    "node": "nodejs",
    "npm": "npm",
    "python": "python-is-python3",
}
"""The packages of Debian and Ubuntu, by program."""


class ToolchainMissing(OSError):
    """A program that a test needs is absent or fails; the text names it and its package."""


def require(program: str) -> str:
    """Returns the path of a program on PATH; raises ToolchainMissing."""
    found = shutil.which(program)
    if found is None:
        raise ToolchainMissing(
            f"no {program} on PATH: install it (apt-get install {PACKAGES[program]})"
        )
    return found
