"""Ctrl-C ends every verb with one line and exit code 130, whatever Python is doing.

A process that interrupts itself at its n-th import is interrupted at the same moment in every run.
Before the first line of kraftsim, Python itself handles the signal (docs/cli.md).
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.limits import LIMIT_S

ROOT = Path(__file__).resolve().parents[2]
ANY_PORTS = ("--kafka-port", "0", "--controller-port", "0", "--http-port", "0")

INTERRUPTED_AT_AN_IMPORT = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # as in a terminal
names = []
def interrupt(event, arguments):
    if event == "import" and (names or arguments[0] == "kraftsim.cli"):  # the first of kraftsim
        names.append(arguments[0])
        if len(names) == {imports}:
            os.kill(os.getpid(), signal.{number})
sys.addaudithook(interrupt)
sys.argv[1:] = {words}
from kraftsim.__main__ import run
run()
"""

INTERRUPTED_IN_AN_EXEC = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
def interrupt(event, arguments):
    if event == "import" and arguments[0] == "kraftsim.scenarios.running.run":
        exec("os.kill(os.getpid(), signal.SIGINT)")  # as in the decorator of a dataclass
sys.addaudithook(interrupt)
sys.argv[1:] = ["explain", "swarm-everything"]
from kraftsim.__main__ import run
run()
"""

INTERRUPTED_TWICE = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
def interrupt(event, arguments):
    if event == "import" and arguments[0] == "kraftsim.scenarios.running.run":
        os.kill(os.getpid(), signal.SIGINT)
class Stderr:
    def write(self, text):
        os.kill(os.getpid(), signal.SIGINT)
        return sys.__stderr__.write(text)
    def flush(self):
        sys.__stderr__.flush()
sys.addaudithook(interrupt)
sys.stderr = Stderr()
sys.argv[1:] = ["explain", "swarm-everything"]
from kraftsim.__main__ import run
run()
"""

INTERRUPTED_AFTER_EXIT = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
class LastObject:
    def __del__(self, kill=os.kill, process=os.getpid(), number=signal.SIGINT):
        kill(process, number)
sys.last_object = LastObject()
sys.argv[1:] = ["storage", "random-uuid"]
from kraftsim.__main__ import run
run()
"""

INTERRUPTED_AT_EXIT = """
import atexit, os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
def register(event, arguments):
    if event == "import" and arguments[0] == "kraftsim.cli":
        atexit.register(os.kill, os.getpid(), signal.SIGINT)
sys.addaudithook(register)
sys.argv[1:] = {words}
from kraftsim.__main__ import run
run()
"""


def ended(program: str) -> tuple[int, str]:
    """The exit code and stderr of a Python program."""
    return ended_of("-c", program)


def ended_of(*words: str, path: Path = ROOT) -> tuple[int, str]:
    """The exit code and stderr of Python with these words; it also finds modules in `path`."""
    done = subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), str(path)))},
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
    program = INTERRUPTED_AT_AN_IMPORT.format(words=words, imports=imports, number="SIGINT")

    assert ended(program) == (130, "kraftsim: interrupted\n")


@pytest.mark.parametrize("imports", [75, 90, 120, 150])
def test_sigterm_during_an_import_ends_a_service_with_0(imports: int) -> None:
    words = ["up", *ANY_PORTS]

    program = INTERRUPTED_AT_AN_IMPORT.format(words=words, imports=imports, number="SIGTERM")

    assert ended(program) == (0, "")


@pytest.mark.slow
def test_an_interrupt_in_an_exec_ends_with_130_and_not_by_the_signal(tmp_path: Path) -> None:
    """Python would kill itself at its exit, but only as `python -m`."""
    (tmp_path / "interrupted.py").write_text(INTERRUPTED_IN_AN_EXEC)

    assert ended_of("-m", "interrupted", path=tmp_path) == (130, "kraftsim: interrupted\n")


@pytest.mark.slow
def test_a_second_interrupt_changes_nothing() -> None:
    assert ended(INTERRUPTED_TWICE) == (130, "kraftsim: interrupted\n")


def test_an_interrupt_after_the_last_line_of_python_keeps_the_exit_code() -> None:
    assert ended(INTERRUPTED_AFTER_EXIT) == (0, "")


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
import os, signal
kraftsim.__main__._exit_at(signal.SIGINT, kraftsim.__main__._exit_interrupted)
os.kill(os.getpid(), signal.SIGINT)
signal.pause()
"""

    assert ended(program) == (130, "atexit gc kraftsim kraftsim.__main__\nkraftsim: interrupted\n")
