"""Java, which Spark needs: found before anything starts, or one line says what installs it."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

JAVA_MIN = 17  # what Spark 4 runs on
_INSTALL = "apt-get install openjdk-17-jre-headless"


class JavaMissing(OSError):
    """No Java, or too old a one; the text names the line that installs it."""


@dataclass(frozen=True, slots=True)
class Java:
    """`version` is the first line that `java -version` prints; `major` such as 17."""

    program: Path
    version: str
    major: int


def require_java() -> Java:
    """The Java that Spark will start: of JAVA_HOME, else the first on PATH. JavaMissing without."""
    program = _program()
    version, major = _version(program)
    if major < JAVA_MIN:
        raise _missing(f"got {version or 'no version'} from {program}")
    return Java(program, version, major)


def _program() -> Path:
    home = os.environ.get("JAVA_HOME")
    if home:
        program = Path(home, "bin", "java")
        if not os.access(program, os.X_OK):
            raise _missing(f"got JAVA_HOME={home}, which has no bin/java")
        return program
    found = shutil.which("java")
    if found is None:
        raise _missing("got none on PATH, and no JAVA_HOME")
    return Path(found)


def _version(program: Path) -> tuple[str, int]:
    """Java says it on stderr, below what it was told by the environment."""
    said = subprocess.run([program, "-version"], capture_output=True, text=True, check=False).stderr
    for line in said.splitlines():
        if found := re.search(r'version "(\d+)', line):
            return line, int(found[1])
    return "", 0


def _missing(got: str) -> JavaMissing:
    return JavaMissing(
        f"Spark needs Java {JAVA_MIN} or newer, {got}: install it (Debian, Ubuntu: {_INSTALL}) "
        "or name it with JAVA_HOME"
    )


def main() -> int:
    """Is there one? Its version, or what is missing."""
    try:
        print(require_java().version)
    except JavaMissing as missing:
        print(missing, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
