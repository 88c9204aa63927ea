"""A copy of kraftsim whose inner loop is machine code; then `PYTHONPATH=build/native`.


mypyc compiles the modules that an event of a simulation passes through, just as they are: nothing
in them is written for it, and a run has the same digest either way (`tests/scenarios/
test_native.py`). It is a copy, because planted bugs swap functions at run time, which compiled
callers do not look up any more.
"""

import os
import shutil
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "kraftsim"
TARGET = Path("build/native")
HOT = (
    "broker_agent/*.py",
    "controller/*.py",
    "controller/core/*.py",
    "controller/raft/*.py",
    "scenarios/clock*.py",
    "scenarios/controller_process.py",
    "scenarios/delays.py",
    "scenarios/digest.py",
    "scenarios/disks.py",
    "scenarios/journal.py",
    "scenarios/network*.py",
    "scenarios/properties/*.py",
    "scenarios/property.py",
    "scenarios/service_queue.py",
    "scenarios/streams.py",
    "scenarios/watch.py",
    "scenarios/world.py",
)
LEFT_OUT = {
    "__init__.py": "only names what others have",
    "value.py": "a class is made a dataclass by a decorator of our own",
    "records.py": "made by it",
    "batch.py": "made by it",
    "heartbeats.py": "an Enum whose members are made in __init__",
}


def main() -> None:
    target = TARGET.resolve()
    if target.exists():
        shutil.rmtree(target)
    shutil.copytree(PACKAGE, target / "kraftsim", ignore=shutil.ignore_patterns("__pycache__"))
    os.chdir(target)
    _compile(sorted(str(one) for pattern in HOT for one in Path("kraftsim").glob(pattern)))


def _compile(files: list[str]) -> None:
    from mypyc.build import mypycify  # both are heavy, and of no use to anybody else
    from setuptools import setup

    hot = [one for one in files if Path(one).name not in LEFT_OUT]
    print(f"compiling {len(hot)} modules to machine code: some minutes", file=sys.stderr)
    setup(
        name="kraftsim-native",
        script_args=["--quiet", "build_ext", "--inplace"],
        ext_modules=mypycify(["--ignore-missing-imports", *hot], opt_level="2"),
    )
    shutil.rmtree("build")


if __name__ == "__main__":
    main()
