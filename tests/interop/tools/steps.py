"""The steps of steps.txt."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

_FILE = Path(__file__).with_name("steps.txt")
_STEP = re.compile(r"(?P<quietly>quietly )?(?:until /(?P<until>.*?)/ )?(?P<command>.*)")


@dataclass(frozen=True, slots=True)
class Ask:
    """A tool and its arguments; `until` is what stdout must match before the answer counts.

    `stdin` is the name of a file that it reads.
    """

    line: str
    tool: str
    words: tuple[str, ...]
    stdin: str | None
    until: re.Pattern[str] | None
    is_kept: bool


@dataclass(frozen=True, slots=True)
class Act:
    """`verb` is "stop" or "start"."""

    verb: str
    broker_id: int


Step = Ask | Act


def steps() -> list[Step]:
    lines = _FILE.read_text("utf-8").splitlines()
    return [_step(line) for line in lines if line and not line.startswith("#")]


def _step(line: str) -> Step:
    match = _STEP.fullmatch(line)
    assert match is not None, line
    tool, *words = shlex.split(match["command"])
    if tool in ("stop", "start"):
        return Act(tool, int(words[0]))
    stdin = words.pop().removeprefix("@") if "<" in words else None
    until = match["until"]
    return Ask(
        line=line,
        tool=tool,
        words=tuple(word for word in words if word != "<"),
        stdin=stdin,
        until=None if until is None else re.compile(until, re.MULTILINE),
        is_kept=match["quietly"] is None,
    )
