"""The commands that `kraftsim up` prints to try next work as they stand."""

import os
import re
import subprocess
import sys

import pytest

from kraftsim import Cluster
from kraftsim.cli.up.next_steps import TITLE, next_steps
from kraftsim.files.tokens import TOKEN_VARIABLE
from tests.kraftsim.on_terminal import LIMIT_S, OnTerminal, up_on


async def test_a_service_without_brokers_says_how_to_add_one() -> None:
    async with Cluster(brokers=0, clock="virtual", http_port=0) as kraft:
        assert "kraftsim broker add" in next_steps(kraft, None)


async def test_the_next_steps_begin_with_the_token_that_they_need() -> None:
    kraft = Cluster(brokers=0, clock="virtual", host="0.0.0.0", http_port=0)  # is not started

    assert any(f"KRAFTSIM_TOKEN={kraft.http_token}" in step for step in next_steps(kraft, None))
    assert "export KRAFTSIM_TOKEN=$(cat 'a file')" in next_steps(kraft, "a file")


def printed_steps(up: OnTerminal) -> list[str]:
    """The next steps on the page of `up`, from the first to `kraftsim down`."""
    begin = up.until(TITLE)
    up.until("kraftsim down", after=begin)
    shown = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", up.text[begin:])
    steps = re.findall(r"^  (\S.*?) *$", shown, re.MULTILINE)
    return steps[: steps.index("kraftsim down") + 1]


def done_by(steps: list[str], **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs the steps in a shell, of which the first that fails is the last."""
    program = f'kraftsim() {{ {sys.executable} -m kraftsim "$@"; }}'
    endless = "kraftsim events --follow"
    finite = [f"{step} --limit 1" if step == endless else step for step in steps]
    return subprocess.run(
        ["sh", "-c", "\n".join((program, "set -e", *finite))],
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        env=os.environ | environment,
    )


@pytest.mark.realtime
@pytest.mark.parametrize("environment", [{}, {TOKEN_VARIABLE: "a-secret-of-mine"}])
def test_the_next_steps_work_as_printed(
    terminals: list[OnTerminal], environment: dict[str, str]
) -> None:
    up = up_on(terminals, "--brokers", "1", **environment)
    steps = printed_steps(up)

    done = done_by(steps, **environment)

    assert (done.returncode, done.stderr) == (0, "")
    assert "ended: cluster" in done.stdout
    assert up.ended() == 0


@pytest.mark.realtime
def test_the_next_steps_name_the_variable_of_a_token_and_never_print_it(
    terminals: list[OnTerminal],
) -> None:
    up = up_on(terminals, "--brokers", "1", **{TOKEN_VARIABLE: "a-secret-of-mine"})

    done = done_by(printed_steps(up))

    assert "a-secret-of-mine" not in up.text
    assert done.returncode != 0
    assert f"{TOKEN_VARIABLE}: export it here too, or start up with --token-file" in done.stderr
