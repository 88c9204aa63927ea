"""Pythons beside the one that runs the tests, each with an environment of its own, which is kept
outside of the tree for the next time."""

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kraftsim"
INSTALL_LIMIT_S = 300


class NoPython(Exception):
    """Why there is none: what to do about it."""


def python_with(version: str, packages: list[str], constraints: str = "") -> str:
    """The path of a Python of that version (3.12) with `packages`; `constraints` as pip has them.
    NoPython if there is none."""
    found = shutil.which(f"python{version}")
    if found is None or not _starts(found, version):
        raise NoPython(f"no python{version} on PATH that starts: install it to have this run")
    said = "\n".join([os.path.realpath(found), *packages, constraints])
    home = CACHE / f"python{version}-{hashlib.sha256(said.encode()).hexdigest()[:12]}"
    if not home.exists():
        _make(found, home, packages, constraints)
    return str(home / "bin" / "python")


def _starts(path: str, version: str) -> bool:
    """A shim may be there without what it stands for."""
    program = "import sys; print('%d.%d' % sys.version_info[:2])"
    done = subprocess.run([path, "-c", program], capture_output=True, text=True, check=False)
    return done.returncode == 0 and done.stdout.strip() == version


def _make(python: str, home: Path, packages: list[str], constraints: str) -> None:
    """Under its name only once it is whole: somebody else may be making it, too."""
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        begun, limits = Path(folder) / "environment", Path(folder) / "constraints.txt"
        limits.write_text(constraints, "utf-8")
        pip = [str(begun / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        for command in (
            [python, "-m", "venv", str(begun)],
            [*pip, "--disable-pip-version-check", "--constraint", str(limits), *packages],
        ):
            try:
                subprocess.run(command, capture_output=True, timeout=INSTALL_LIMIT_S, check=True)
            except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
                why = (error.stderr or b"").decode(errors="replace").strip().splitlines()
                raise NoPython(f"{' '.join(packages)} cannot be installed: {why[-1:]}") from None
        try:
            begun.rename(home)
        except OSError:
            assert home.exists(), f"cannot move {begun} to {home}"
