"""Finds the Java that Spark or a released Kafka needs; an error names the install command."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

JAVA_MIN = 17  # required by Spark 4
_INSTALL = "apt-get install openjdk-17-jre-headless"


class JavaMissing(OSError):
    """Java is missing or too old; the message has the install command."""


@dataclass(frozen=True, slots=True)
class Java:
    """A Java installation.

    `version` is the first version line that `java -version` prints, `major` a number such as 17.
    """

    program: Path
    version: str
    major: int


def require_java(user: str = "Spark") -> Java:
    """Returns the Java that `user` will start: that of JAVA_HOME, else the first Java on PATH.

    Raises JavaMissing if no Java is found or if it is too old.
    """
    program = _program(user)
    version, major = _version(program)
    if major < JAVA_MIN:
        raise _missing(user, f"got {version or 'no version'} from {program}")
    return Java(program, version, major)


def _program(user: str) -> Path:
    home = os.environ.get("JAVA_HOME")
    if home:
        program = Path(home, "bin", "java")
        if not os.access(program, os.X_OK):
            raise _missing(user, f"got JAVA_HOME={home}, which has no bin/java")
        return program
    on_path = shutil.which("java")
    if on_path is None:
        raise _missing(user, "got none on PATH, and no JAVA_HOME")
    return Path(on_path)


def _version(program: Path) -> tuple[str, int]:
    """Returns the version line and the major version, from the output of `java -version`.

    Java may print options of the environment before the version.
    """
    output = subprocess.run(
        [program, "-version"], capture_output=True, text=True, check=False
    ).stderr
    for line in output.splitlines():
        if match := re.search(r'version "(\d+)', line):
            return line, int(match[1])
    return "", 0


def _missing(user: str, got: str) -> JavaMissing:
    return JavaMissing(
        f"{user} needs Java {JAVA_MIN} or newer, {got}: install it (Debian, Ubuntu: {_INSTALL}) "
        "or name it with JAVA_HOME"
    )


def main() -> int:
    """Prints the version of Java, or why it cannot be used; returns the exit code."""
    try:
        print(require_java("Spark or a released Kafka").version)
    except JavaMissing as missing:
        print(missing, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
