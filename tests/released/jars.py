"""Fetches the jars of a release with Maven, once, into a cache outside the tree.

Set KRAFTSIM_CACHE to keep the cache elsewhere than in ~/.cache/kraftsim.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.released.releases import RELEASES, Release

FETCH_LIMIT_S = 600


class JarsMissing(OSError):
    """Maven is absent or failed; the text says what to do."""


def cache_folder() -> Path:
    named = os.environ.get("KRAFTSIM_CACHE")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kraftsim"


def class_path(release: Release) -> str:
    """Return the class path of `release`; fetches its jars first if the cache lacks them."""
    return fetched(release.pom, release.version, folder_of(release))


def folder_of(release: Release) -> Path:
    """The folder of a release in the cache."""
    return cache_folder() / "released" / release.version


def fetched(pom: Path, version: str, folder: Path) -> str:
    """Return the class path of a pom's jars in `folder`; fetches them if they are not there."""
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / "lock"):
        if not (folder / "complete").exists():
            _fetch(pom, version, folder)
    return str(folder / "lib" / "*")


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold an exclusive lock: workers of pytest-xdist ask for the same jars at one time."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _fetch(pom: Path, version: str, folder: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise JarsMissing(
            f"released Kafka {version} is fetched with Maven, got none on PATH: install it "
            "(Debian, Ubuntu: apt-get install maven)"
        )
    print(f"fetching the jars of Kafka {version}", file=sys.stderr)
    shutil.rmtree(folder / "lib", ignore_errors=True)
    for archive in folder.glob("*.jsa"):  # of other jars
        archive.unlink()
    shutil.copy(pom, folder / "pom.xml")
    command = [maven, "-q", "-B", f"-Dkafka.version={version}", "-DincludeScope=runtime"]
    command += ["-DoutputDirectory=lib", "dependency:copy-dependencies"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=FETCH_LIMIT_S
    )
    if done.returncode:
        raise JarsMissing(f"Maven could not fetch Kafka {version}: {done.stdout[-2000:]}")
    (folder / "complete").touch()


def main() -> int:
    """Fetch the jars of the releases named on the command line, or of all."""
    try:
        for version in sys.argv[1:] or RELEASES:
            class_path(RELEASES[version])
    except JarsMissing as missing:
        print(missing, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
