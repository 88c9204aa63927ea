"""Builds or fetches the programs of foreign clients, each with the package manager of its language.

`python -m tests.interop.foreign.toolchains` does so before the suite. What it makes is in a cache
outside the tree (tests/released/jars.py), in a folder named after the files that decide it.
"""

import hashlib
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from kraftsim.pipeline.engines.java import JavaMissing, require_java
from tests.released.jars import JarsMissing, cache_folder, fetched, locked
from tests.toolchains import ToolchainMissing, require

HERE = Path(__file__).parent
KGO = "github.com/twmb/franz-go/pkg/kgo"
LIMIT_S = 600
JAVA_VERSIONS = ("3.9.1", "4.1.1", "4.3.1")
JAVA_FLAGS = ("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")


def go_command(client: str) -> list[str]:
    """Returns the command of a client for Go; compiles the program if its sources have changed."""
    go, sources = require("go"), HERE / "go"
    files = [sources / "go.mod", sources / "go.sum", *sorted(sources.glob("*.go"))]
    folder = _made(
        "go", files, lambda made: _run([go, "build", "-o", made / "foreign", "."], sources)
    )
    return [str(folder / "foreign"), client]


def kgo_tests() -> str:
    """Returns the program with franz-go's own tests of its client; compiles it once."""
    go, sources = require("go"), HERE / "go"
    files = [sources / "go.mod", sources / "go.sum"]
    folder = _made(
        "kgo",
        files,
        lambda made: _run([go, "test", "-c", "-o", made / "kgo.test", KGO], sources),
    )
    return str(folder / "kgo.test")


def kgo_sources() -> Path:
    """Returns the folder of franz-go's client in the cache of Go's modules."""
    command = [require("go"), "list", "-f", "{{.Dir}}", KGO]
    return Path(_run(command, HERE / "go").strip())


def node_command() -> list[str]:
    """Returns the command of kafkajs; installs the packages of the lock file if they changed."""
    npm, node, sources = require("npm"), require("node"), HERE / "node"
    files = [sources / name for name in ("package.json", "package-lock.json", "admin_calls.mjs")]

    def install(made: Path) -> None:
        for file in files:
            shutil.copy(file, made)
        _run([npm, "ci", "--silent", "--no-audit", "--no-fund"], made)

    return [node, str(_made("node", files, install) / "admin_calls.mjs")]


def java_command(version: str) -> list[str]:
    """Returns the command of a release's client; compiles the class against that release."""
    javac, source = require("javac"), HERE / "java" / "AdminCalls.java"
    try:
        java = str(require_java("The client of Kafka").program)
        pom = HERE / "java" / "pom.xml"
        jars = fetched(pom, version, cache_folder() / "foreign" / f"kafka-clients-{version}")
    except (JavaMissing, JarsMissing) as missing:
        raise ToolchainMissing(str(missing)) from None
    compiler = [javac, "-nowarn", "-proc:none", "-cp", jars, str(source)]
    folder = _made(
        f"java-{version}", [source, pom], lambda made: _run([*compiler, "-d", str(made)], HERE)
    )
    return [java, *JAVA_FLAGS, "-cp", f"{folder}:{jars}", "AdminCalls"]


def _made(name: str, files: Sequence[Path], make: Callable[[Path], object]) -> Path:
    """Returns the cache's folder for these files; `make` fills it once."""
    digest = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]
    folder = cache_folder() / "foreign" / f"{name}-{digest}"
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / "lock"):
        if not (folder / "complete").exists():
            print(f"preparing {folder.name} for the tests of foreign clients", file=sys.stderr)
            make(folder)
            (folder / "complete").touch()
    return folder


def _run(command: Sequence[str | Path], folder: Path) -> str:
    """Returns what the command prints."""
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=LIMIT_S
    )
    if done.returncode:
        text = f"{command[0]} failed: {done.stdout[-2000:]}{done.stderr[-2000:]}"
        raise ToolchainMissing(text)
    return done.stdout


def main() -> None:
    """Prepares every client; says which ones the suite will skip."""
    steps = [
        lambda: go_command("franz-go"),
        lambda: [kgo_tests()],
        node_command,
        lambda: [require("kcat")],
    ]
    steps += [lambda version=version: java_command(version) for version in JAVA_VERSIONS]
    for step in steps:
        try:
            step()
        except ToolchainMissing as missing:
            print(f"a foreign client is not tested: {missing}", file=sys.stderr)


if __name__ == "__main__":
    main()
