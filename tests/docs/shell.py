"""A shell for documented commands, with ports of its own; its processes end with it.

The documents name the default ports. A session adds a number to all of them, so that it shares no
port with another session or with a cluster that runs on this machine.
"""

import os
import random
import re
import signal
import socket
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path

from tests.docs.blocks import ROOT
from tests.docs.sessions import Session

LIMIT_S = 600
HTTP, KAFKA, CONTROLLER = 8090, 9092, 9990
DEFAULT_PORT = re.compile(r"\b(8090|909\d|999\d)\b")
PORTS = (HTTP, *range(9090, 9100), *range(9990, 10_000))

_RECIPE = re.compile(r"^run:.*\n.*/kraftsim (?P<words>up .*) \$\(ARGS\)$", re.MULTILINE)

PREAMBLE = """\
set -euo pipefail
trap 'kill $(jobs -p) 2> /dev/null || true; wait' EXIT

run_python() { python "$BIN/run_block.py"; }

run_tests() { cat > test_block.py; python -m pytest test_block.py; }

ready() { until [ -s "$1" ]; do kill -0 $!; sleep 0.1; done; }

make() {
  test "$1" = run
  local options=${2:-}
  kraftsim {words} ${options#ARGS=} --ready-file made.env > made.log 2>&1 &
  ready made.env
}
"""

# `up` with the session's ports. It replaces the shell, so that the id of a job is kraftsim's own.
KRAFTSIM = """\
#!/bin/bash
if [ "$1" = up ]; then shift; set -- up {ports} "$@"; fi
exec "{python}" -m kraftsim "$@"
"""

# A block may await at its top level, as in a test or in `python -m asyncio`.
RUN_BLOCK = """\
import ast, asyncio, inspect, sys

code = compile(sys.stdin.read(), "block", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
if inspect.iscoroutine(awaited := eval(code, {"__name__": "__main__"})):
    asyncio.run(awaited)
"""


def run(session: Session, folder: Path) -> tuple[int, str]:
    """Runs a session in a folder; returns its exit code and what it printed."""
    offset = _port_offset()
    tools = _tools(folder / "bin", offset)
    start = "make run\n" if session.needs_a_cluster else ""
    script = DEFAULT_PORT.sub(lambda port: str(int(port[0]) + offset), session.script)
    output = folder / "output.txt"
    work = folder / "work"
    work.mkdir()
    with output.open("wb") as sink:
        shell = subprocess.Popen(
            ["bash", "-c", _preamble() + start + script],
            cwd=work,
            env=_environment(tools, offset),
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # the group of all processes that the session starts
        )
        try:
            shell.wait(LIMIT_S)
        finally:
            with suppress(ProcessLookupError):  # the trap has ended every process
                os.killpg(shell.pid, signal.SIGKILL)
            shell.wait()
    return shell.returncode, output.read_text("utf-8")


def _preamble() -> str:
    """The functions of a session; `make run` starts what the Makefile starts."""
    recipe = _RECIPE.search((ROOT / "Makefile").read_text("utf-8"))
    if recipe is None:
        raise ValueError(
            "Makefile: expected a recipe of run that ends with kraftsim up ... $(ARGS)"
        )
    return PREAMBLE.replace("{words}", recipe["words"])


def _tools(folder: Path, offset: int) -> Path:
    folder.mkdir()
    ports = f"--http-port {HTTP + offset} --kafka-port {KAFKA + offset}"
    ports += f" --controller-port {CONTROLLER + offset}"
    kraftsim = folder / "kraftsim"
    kraftsim.write_text(KRAFTSIM.format(ports=ports, python=sys.executable))
    kraftsim.chmod(0o755)
    (folder / "run_block.py").write_text(RUN_BLOCK)
    return folder


def _environment(tools: Path, offset: int) -> dict[str, str]:
    path = os.pathsep.join([str(tools), str(Path(sys.executable).parent), os.environ["PATH"]])
    return os.environ | {
        "BIN": str(tools),
        "KRAFTSIM_HTTP": f"http://127.0.0.1:{HTTP + offset}",
        "PATH": path,
        "PYTHONPATH": str(ROOT),
        # the installed environment may be older than the plugin, or of another checkout
        "PYTEST_ADDOPTS": "-p kraftsim.pytest_plugin",
    }


def _port_offset() -> int:
    """Returns a number to add to the default ports, such that all of the sums are free ports.

    The sums are below 32768, where the range begins from which Linux assigns ports.
    """
    for offset in random.SystemRandom().sample(range(2_000, 22_000), 100):
        if all(_is_free(port + offset) for port in PORTS):
            return offset
    raise OSError("no free ports for a session of documented commands")


def _is_free(port: int) -> bool:
    with closing(socket.socket()) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
