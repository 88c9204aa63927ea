"""`kraftsim up` on a terminal of its own, for tests of what it prints there."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from functools import partial

from tests.limits import LIMIT_S

ANY_PORTS = ("--kafka-port", "0", "--controller-port", "0", "--http-port", "0")


class OnTerminal:
    """`kraftsim up` with stdin, stdout and stderr on a terminal of its own."""

    def __init__(self, *words: str, columns: int = 80, **environment: str) -> None:
        self._ours, theirs = pty.openpty()
        self.resize(columns)
        known = {key: text for key, text in os.environ.items() if key not in ("COLUMNS", "LINES")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "kraftsim", "up", *ANY_PORTS, *words],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=known | {"TERM": "xterm"} | environment,
            preexec_fn=partial(_own_terminal, theirs),
        )
        os.close(theirs)
        self.text = ""

    def resize(self, columns: int) -> None:
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))

    def until(self, text: str, *, after: int = 0) -> int:
        """Waits until the text was printed, and returns where it ends."""
        end_s = time.monotonic() + LIMIT_S
        while text not in self.text[after:]:
            assert self._read(end_s - time.monotonic()), f"no {text!r} in {self.text!r}"
        return self.text.index(text, after) + len(text)

    def press(self, key: bytes) -> None:
        os.write(self._ours, key)

    def ended(self) -> int:
        """Returns the exit code; `text` then has everything that was printed."""
        while self._read(LIMIT_S):
            pass
        os.close(self._ours)
        return self.process.wait(LIMIT_S)

    def _read(self, limit_s: float) -> bool:
        if not select.select([self._ours], [], [], max(limit_s, 0))[0]:
            return False
        try:
            piece = os.read(self._ours, 65536)
        except OSError:  # the program has closed the terminal
            return False
        self.text += piece.decode(errors="replace").replace("\r\n", "\n")
        return bool(piece)


def _own_terminal(terminal: int) -> None:
    """Makes the terminal control the new process, so that Ctrl-C is a signal to it."""
    os.setsid()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell has its background jobs ignore it


def announced(text: str) -> dict[str, str]:
    return dict(re.findall(r"^(KRAFTSIM_\w+)=(\S+)$", text, re.MULTILINE))


def up_on(terminals: list[OnTerminal], *words: str, **environment: str) -> OnTerminal:
    terminals.append(OnTerminal(*words, **environment))
    return terminals[-1]
