"""Pythons beside the one that runs the tests, each with an environment of its own.

A Python of PATH serves, else that of a Maven artifact, which holds a whole CPython for Linux.
Interpreters and environments are kept outside of the tree for the next time.
"""

import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path

from tests.released.jars import locked

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kraftsim"
INSTALL_LIMIT_S = 300
MAVEN_VERSIONS = {
    "3.12": "3.12.1-1.5.10",
    "3.13": "3.13.5-1.5.12",
    "3.14": "3.14.3-1.5.13",
}  # of org.bytedeco:cpython; its 3.11 lacks extension modules
THIS = f"{sys.version_info.major}.{sys.version_info.minor}"
OTHERS = [version for version in ("3.11", "3.12", "3.13", "3.14") if version != THIS]


class NoPython(Exception):
    """Why there is none: what to do about it."""


def python_with(version: str, *packages: str) -> str:
    """Returns the path of a Python of that version (3.12) with `packages` and what kraftsim needs.
    Raises NoPython if there is none."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with locked(CACHE / f"python{version}.lock"):
        return str(_environment(version, packages) / "bin" / "python")


def _environment(version: str, others: Sequence[str]) -> Path:
    """Returns the folder of the environment; makes it if it is not there."""
    found = shutil.which(f"python{version}")
    if found is None or not _starts(found, version):
        found = str(_of_maven(version))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    packages, constraints = [*project["dependencies"], *others], ROOT / "requirements.txt"
    said = "\n".join([os.path.realpath(found), *packages, constraints.read_text("utf-8")])
    home = CACHE / f"python{version}-{hashlib.sha256(said.encode()).hexdigest()[:12]}"
    if not home.exists():
        _make(found, home, packages, constraints)
    return home


def _starts(path: str, version: str) -> bool:
    """A shim may be there without what it stands for."""
    program = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([path, "-c", program], capture_output=True, text=True, check=False)
    return done.returncode == 0 and done.stdout.strip() == version


def _of_maven(version: str) -> Path:
    """Returns the path of the interpreter in the Maven artifact; fetches it if it is not there."""
    maven, of = shutil.which("mvn"), MAVEN_VERSIONS.get(version)
    if of is None or maven is None or (sys.platform, platform.machine()) != ("linux", "x86_64"):
        raise NoPython(f"no python{version} on PATH that starts: install it to have this run")
    home = CACHE / f"cpython-{of}"
    if not home.exists():
        with tempfile.TemporaryDirectory(dir=CACHE) as folder:
            artifact = f"org.bytedeco:cpython:{of}:jar:linux-x86_64"
            command = [maven, "-q", "-B", "dependency:copy", f"-Dartifact={artifact}"]
            _run([*command, f"-DoutputDirectory={folder}"], f"Maven cannot fetch {artifact}")
            _unpacked(Path(folder), version).rename(home)
    return home / "bin" / f"python{version}"


def _unpacked(folder: Path, version: str) -> Path:
    """Returns the folder of the CPython in the jar."""
    with zipfile.ZipFile(next(folder.glob("*.jar"))) as jar:
        jar.extractall(folder)
    python = folder / "org" / "bytedeco" / "cpython" / "linux-x86_64"
    (python / "bin" / f"python{version}").chmod(0o755)
    for library in python.glob("libffi.so.*"):  # where the extension modules look for it
        shutil.copy(library, python / "lib" / f"python{version}" / "lib-dynload")
    return python


def _make(python: str, home: Path, packages: list[str], constraints: Path) -> None:
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        begun = Path(folder) / "environment"
        pip = [str(begun / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        limits = ["--disable-pip-version-check", "--constraint", str(constraints)]
        _run([python, "-m", "venv", str(begun)], f"{python} makes no environment")
        _run([*pip, *limits, *packages], f"{' '.join(packages)} cannot be installed")
        begun.rename(home)


def _run(command: list[str], problem: str) -> None:
    try:
        subprocess.run(command, capture_output=True, timeout=INSTALL_LIMIT_S, check=True)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        why = (error.stderr or error.stdout or b"").decode(errors="replace").strip().splitlines()
        raise NoPython(f"{problem}: {why[-1:]}") from None
