"""`make native`: builds a copy of kraftsim in build/native with compiled inner loops.

mypyc compiles the modules that each event of a simulation and each heartbeat over a socket use.
Their source has no code for the compiler; `native_source.py` adds what it needs, and a run has the
same digest either way (`tests/scenarios/test_native.py`). `native_wheel.py` packs the libraries
into a wheel.

`PYTHONPATH=build/native python -P -m kraftsim ...` runs the copy.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from kraftsim.controller.wire.messages.declared import ON_DEMAND

from . import native_source

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "build" / "native"
STAMP = TARGET / "made-of"
FOLDERS = ("controller", "broker_agent", "simulation", "scenarios", "pipeline")  # of the package
OPTIMIZATION = os.environ.get("KRAFTSIM_NATIVE_OPTIMIZATION", "2")  # of the C compiler
LIBRARY = "kraftsim"  # holds the code of all modules; each module has a small library of its own
MODULE_PREFIX = f"__native_{LIBRARY}___"  # of the C files that mypyc writes for modules
BUNDLE = 16  # modules that gcc compiles together
HOT = (
    "broker_agent/*.py",
    "controller/core/*.py",
    "controller/core/*/*.py",
    "controller/node/*.py",
    "controller/raft/*.py",
    "controller/server/awaited.py",
    "controller/server/kafka_connection.py",
    "controller/server/runtime.py",
    "controller/server/turns.py",
    "controller/server/unread_bytes.py",
    "controller/time/*.py",
    "controller/wire/frame_reader.py",
    "controller/wire/frames.py",
    "scenarios/expected/fetched.py",
    "scenarios/expected/quorum*.py",
    "scenarios/explore/numbered.py",
    "scenarios/explore/search.py",
    "scenarios/explore/state.py",
    "scenarios/explore/steps.py",
    "scenarios/explore/symmetry.py",
    "scenarios/explore/verdicts.py",
    "scenarios/explore/world.py",
    "scenarios/oracles/*.py",
    "scenarios/properties/*.py",
    "scenarios/properties/*/*.py",
    "scenarios/running/digest.py",
    "scenarios/running/watch.py",
    "scenarios/stage/standing.py",
    "simulation/controller_process.py",
    "simulation/delays.py",
    "simulation/disks.py",
    "simulation/event_row.py",
    "simulation/journal.py",
    "simulation/message.py",
    "simulation/network*.py",
    "simulation/service_queue.py",
    "simulation/streams.py",
    "simulation/turning_points.py",
    "service/broker_apis.py",
    "service/client_view.py",
    "service/request_journal.py",
    "simulation/world.py",
)
LEFT_OUT = {
    **dict.fromkeys((f"{subject}.py" for subject in ON_DEMAND), "is refused, and large"),
    "__init__.py": "only names what others have",
    "network_shape.py": "is read from a file, once",
    "value.py": "is written out where it is used (`native_source.py`)",
}


def main() -> None:
    """Builds the copy, unless it was built from the same sources."""
    made_of = _sum()
    if STAMP.exists() and STAMP.read_text() == made_of:
        return
    if TARGET.exists():
        shutil.rmtree(TARGET)
    _copy_package()
    _compile()
    _copy_package()  # the Python modules as they were written
    STAMP.write_text(made_of)


def environment() -> dict[str, str]:
    """Returns the environment variables of a process that runs the copy."""
    paths = f"{TARGET}{os.pathsep}{ROOT}"  # the working directory would come before them
    return {**os.environ, "PYTHONPATH": paths, "PYTHONSAFEPATH": "1"}


def output(*words: str) -> str:
    """Runs the copy's Python with these arguments; returns the standard output."""
    command = [sys.executable, *words]
    done = subprocess.run(command, env=environment(), check=True, capture_output=True, text=True)
    return done.stdout


def _copy_package() -> None:
    """Copies the package; the links in it have no place in a source distribution."""
    package, ignored = TARGET / "kraftsim", shutil.ignore_patterns("__pycache__", *FOLDERS)
    shutil.copytree(ROOT / "kraftsim", package, ignore=ignored, dirs_exist_ok=True)
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, package / folder, ignore=ignored, dirs_exist_ok=True)


def _sum() -> str:
    """Returns a digest of all that the copy is made of; scenarios and queries are copied too."""
    made_of = hashlib.blake2b((sys.version + OPTIMIZATION).encode(), digest_size=16)
    folders = [path for name in ("kraftsim", *FOLDERS) for path in (ROOT / name).rglob("*")]
    for path in sorted((*folders, Path(__file__), Path(native_source.__file__))):
        if path.is_file() and path.suffix != ".pyc":
            made_of.update(path.read_bytes())
    return made_of.hexdigest()


def _compile() -> None:
    from mypyc.build import mypycify  # both are slow to import, and only used here
    from setuptools import setup

    os.chdir(TARGET)
    modules = {str(path) for pattern in HOT for path in Path("kraftsim").glob(pattern)}
    hot = sorted(module for module in modules if Path(module).name not in LEFT_OUT)
    for path in hot:
        Path(path).write_text(native_source.rewritten_for_mypyc(Path(path).read_text()))
    print(f"compiling {len(hot)} modules to machine code: some minutes", file=sys.stderr)
    # mypyc writes a C file for each module: gcc takes many minutes for a single file.
    extensions = mypycify(
        ["--ignore-missing-imports", "--cache-dir=.mypy_cache", *hot],
        opt_level=OPTIMIZATION,
        debug_level="0",
        multi_file=True,
        group_name=LIBRARY,
    )
    for extension in extensions:
        extension.extra_compile_args.append(
            "-fno-semantic-interposition"
        )  # its calls are never replaced
        extension.sources = _bundled(extension.sources)
    setup(
        name="kraftsim-native",
        script_args=["--quiet", "build_ext", "--inplace"],
        ext_modules=extensions,
    )
    shutil.rmtree("build")


def _bundled(sources: list[str]) -> list[str]:
    """Returns C files that include these, BUNDLE modules each.

    The headers of the library declare every class of every module, and gcc spends half a second on
    them in each file.
    """
    modules = [source for source in sources if Path(source).name.startswith(MODULE_PREFIX)]
    bundles = []
    for first in range(0, len(modules), BUNDLE):
        path = Path(modules[first]).parent / f"bundle_{first}.c"
        included = (Path(source).name for source in modules[first : first + BUNDLE])
        path.write_text("".join(f'#include "{name}"\n' for name in included))
        bundles.append(str(path))
    return [source for source in sources if source not in modules] + bundles


if __name__ == "__main__":
    main()
