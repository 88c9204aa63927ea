"""Ctrl-C ends every verb with one line and exit code 130, whatever Python is doing.

A process that interrupts itself at its n-th import is interrupted at the same moment in every run.
Before the first line of kraftsim, Python itself handles the signal (docs/cli.md).
"""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 30
ANY_PORTS = ("--kafka-port", "0", "--controller-port", "0", "--http-port", "0")

INTERRUPTED_AT_AN_IMPORT = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # as in a terminal
names = []
def interrupt(event, arguments):
    if event == "import" and (names or arguments[0] == "kraftsim.cli"):  # the first of kraftsim
        names.append(arguments[0])
        if len(names) == {imports}:
            os.kill(os.getpid(), signal.SIGINT)
sys.addaudithook(interrupt)
sys.argv[1:] = {words}
from kraftsim.__main__ import run
run()
"""

INTERRUPTED_AT_EXIT = """
import atexit, os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
atexit.register(os.kill, os.getpid(), signal.SIGINT)
sys.argv[1:] = {words}
from kraftsim.__main__ import run
run()
"""


def ended(program: str) -> tuple[int, str]:
    """The exit code and stderr of a Python program."""
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    ("words", "imports"),
    [
        *((["--help"], count) for count in (1, 2, 3, 4, 5, 8)),
        *((["up", *ANY_PORTS], count) for count in (10, 30, 60, 90, 120, 150)),
        *((["agent", "--controller", "h:1", "--cluster-id", "x"], count) for count in (20, 150)),
        *((["scenario", "list"], count) for count in (10, 30, 50)),
        *((["campaign", "status", "nowhere"], count) for count in (10, 30)),
        (["broker", "list"], 40),
    ],
)
def test_an_interrupt_during_an_import_is_one_line_and_exit_code_130(
    words: list[str], imports: int
) -> None:
    program = INTERRUPTED_AT_AN_IMPORT.format(words=words, imports=imports)

    assert ended(program) == (130, "kraftsim: interrupted\n")


def test_an_interrupt_while_python_exits_is_one_line_and_exit_code_130() -> None:
    program = INTERRUPTED_AT_EXIT.format(words=["storage", "random-uuid"])

    assert ended(program) == (130, "kraftsim: interrupted\n")


def test_python_loads_no_module_of_its_library_before_ctrl_c_is_handled() -> None:
    """A module that Python has not loaded at its start takes milliseconds to import."""
    program = """
import sys
before = set(sys.modules)
import kraftsim.__main__
print(*sorted(set(sys.modules) - before), file=sys.stderr)
kraftsim.__main__._exit_at_interrupt()
import os, signal
os.kill(os.getpid(), signal.SIGINT)
"""

    assert ended(program) == (130, "gc kraftsim kraftsim.__main__\nkraftsim: interrupted\n")
