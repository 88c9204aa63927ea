"""Shells complete the words, options and values of the command line."""

import json
import os
import pty
import select
import shlex
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kraftsim.files.scenario_files import library_tags
from tests.scenarios.read_library import Library

CASES = [  # the line, with an incomplete last word, and the sorted words that can stand there
    ("kraftsim scen", ["scenario", "scene"]),
    ("kraftsim broker un", ["undeafen", "unmute"]),
    ("kraftsim controller r", ["remove", "resume", "run"]),
    ("kraftsim broker list --out", ["--output"]),
    ("kraftsim broker list --output ", ["json", "wide", "yaml"]),
    ("kraftsim broker list --output=j", ["--output=json"]),
    ("kraftsim broker kill 2 --js", ["--json"]),
    ("kraftsim --version rea", ["reassignment"]),
    ("kraftsim completion ", ["bash", "fish", "zsh"]),
    ("kraftsim up --profile kafka-4.", ["kafka-4.1", "kafka-4.3", "kafka-4.4"]),
    ("kraftsim up --clock ", ["auto", "real", "skipping", "virtual"]),
    ("kraftsim wait --state unr", ["unregistered"]),
    ("kraftsim wait --leader ", ["any"]),
    ("kraftsim request list --api BrokerH", ["BrokerHeartbeat"]),
    ("kraftsim scenario list --tag re", ["registration"]),
    ("kraftsim scenario run --mutant M0", [f"M0{number}" for number in range(1, 10)]),
    (
        "kraftsim scenario run gc-pause-",
        ["gc-pause-longer-than-lease", "gc-pause-shorter-than-lease"],
    ),
    ("kraftsim explain zombie", ["zombie-after-takeover"]),
]
ASK = """\
source "$1"; shift
COMP_WORDS=(kraftsim "$@") COMP_CWORD=$#
_kraftsim
printf '%s\\n' "${COMPREPLY[@]}"
"""
Offered = Callable[[Path, str], list[str]]


def offered_by_bash(script: Path, line: str) -> list[str]:
    """Returns what bash offers; it splits `--output=j` into three words."""
    words = [*shlex.split(line)[1:], *([""] if line.endswith(" ") else [])]
    option, equals, value = words[-1].partition("=")
    split = [*words[:-1], *([option, equals, value] if equals else words[-1:])]
    offers = completed(["bash", "-c", ASK, "bash", str(script), *split], script)
    return [f"{option}={offer}" if equals else offer for offer in offers.split()]


def offered_by_fish(script: Path, line: str) -> list[str]:
    offers = completed(["fish", "-N", "-c", f"source {script}; complete -C {line!r}"], script)
    return [offer.partition("\t")[0] for offer in offers.splitlines()]


def completed(command: list[str], script: Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=script.parent)
    assert done.stderr == ""
    return done.stdout


@pytest.fixture
def script(run: Any, tmp_path: Path, request: Any) -> Path:
    """The script of the shell that the test names; the test is skipped without that shell."""
    shell = request.param
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    path = tmp_path / "completion"
    path.write_text(run(f"completion {shell}")[1])
    return path


@pytest.mark.parametrize("script", ["bash", "fish", "zsh"], indirect=True)
def test_a_shell_can_read_its_script(script: Path, request: Any) -> None:
    shell = request.node.callspec.params["script"]

    subprocess.run([shell, "-n", str(script)], check=True)


SHELLS = [("bash", offered_by_bash), ("fish", offered_by_fish)]


@pytest.mark.slow
@pytest.mark.parametrize(("script", "offered"), SHELLS, indirect=["script"])
@pytest.mark.parametrize(("line", "expected"), CASES)
def test_a_shell_offers_what_can_follow(
    script: Path, offered: Offered, line: str, expected: list[str]
) -> None:
    assert sorted(offered(script, line)) == expected


@pytest.mark.slow
@pytest.mark.parametrize("script", ["zsh"], indirect=True)
@pytest.mark.parametrize(("line", "expected"), CASES)
def test_zsh_offers_what_can_follow(script: Path, line: str, expected: list[str]) -> None:
    printed = completed_by_zsh(script, line, expected)

    assert "not found" not in printed
    assert "_kraftsim:" not in printed, "an error of the script"


@pytest.mark.slow
@pytest.mark.parametrize(("script", "offered"), SHELLS, indirect=["script"])
@pytest.mark.parametrize("line", ["kraftsim up --brokers ", "kraftsim up --config "])
def test_a_shell_offers_no_option_where_a_value_belongs(
    script: Path, offered: Offered, line: str
) -> None:
    """Bash offers files by itself where the script offers nothing."""
    assert set(offered(script, line)) <= {script.name}


def test_the_script_is_printed_for_programs_too(run: Any) -> None:
    text = run("completion bash")[1]

    assert json.loads(run("completion bash --json")[1]) == {"shell": "bash", "script": text}


@pytest.mark.slow
def test_the_tags_of_the_library_are_those_of_its_scenarios() -> None:
    tags = {tag for scenario in Library().values() for tag in scenario.tags}

    assert library_tags() == tuple(sorted(tags))


def completed_by_zsh(script: Path, line: str, expected: list[str]) -> str:
    """Returns what zsh prints after Tab, once it has printed all that is expected."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(script.parent)
        os.execvpe("zsh", ["zsh", "-f", "-i"], os.environ | {"TERM": "xterm", "PS1": "> "})
    try:
        os.write(terminal, f"source {script} && echo re''ady\n".encode())
        until(terminal, ["\nready"])
        os.write(terminal, f"{line}\t".encode())
        return until(terminal, expected)
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        os.close(terminal)


def until(terminal: int, expected: list[str]) -> str:
    printed = ""
    while not all(text in printed for text in expected):
        readable, _, _ = select.select([terminal], [], [], 20)
        assert readable, f"expected {expected}, got {printed!r}"
        text = os.read(terminal, 65536).decode(errors="replace")
        printed += text.replace("\r\n", "\n").replace("\a", "")  # a bell
    return printed


def test_an_unknown_shell_is_refused_with_the_known_shells(run: Any) -> None:
    code, _, err = run("completion bsh")

    assert code == 2
    assert "did you mean 'bash'?" in err
