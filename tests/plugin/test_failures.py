"""What a failed test of a user shows, and `--kraft-keep`."""

import re
import signal
import subprocess
from functools import partial
from urllib.request import urlopen

import pytest

from tests.limits import LIMIT_S

pytestmark = pytest.mark.realtime

FAILING = """
@pytest.mark.kraft(clock="virtual")
@pytest.mark.parametrize("tool", ["a b"])
def test_fence(kraft_sync, tool):
    kraft_sync.brokers.kill(2)
    kraft_sync.wait(broker=2, state="fenced")
    assert kraft_sync.cluster_id == "", kraft_sync.cluster_id
"""
FAILING_LOOP = """
@pytest.mark.asyncio
async def test_it(kraft, kraft_factory):
    await kraft_factory(brokers=1)
    assert False
"""


def section(output):
    """The lines of the section "kraftsim" in the report of a failure."""
    _, _, rest = re.split(r"^(-+ kraftsim -+)\n", output, maxsplit=1, flags=re.MULTILINE)
    return rest.partition("\n=")[0].splitlines()


@pytest.mark.parametrize("options", [(), ("-n", "1")])
def test_a_failure_shows_seed_time_last_events_and_how_to_repeat_it(suite, options):
    lines = section(suite.run(FAILING, "--kraft-seed=7", *options, plugins="xdist"))

    assert re.fullmatch(
        r"seed 7, brokers 3, controllers 1, clock virtual at (9|10)\.\d{3} s; last events:",
        lines[0],
    )
    assert re.fullmatch(r" +\d+\.\d{3} s  broker 2 is fenced \(epoch \d+\)", lines[-3])
    assert lines[-2].startswith("replay: kraftsim replay ")
    assert lines[-1] == "repeat: pytest 'test_tool.py::test_fence[a b]' --kraft-seed=7"


@pytest.mark.parametrize("options", [(), ("-n", "1")])
def test_a_failure_below_the_root_folder_names_the_test_from_where_pytest_was_started(
    suite, options
):
    below = suite.below("tests")
    lines = section(below.run(FAILING, "--kraft-seed=7", *options, plugins="xdist"))

    assert lines[-1] == "repeat: pytest 'test_tool.py::test_fence[a b]' --kraft-seed=7"


def test_a_failure_beside_the_folder_of_the_start_names_the_way_to_the_test(suite):
    below = suite.below("elsewhere")
    suite.write(FAILING)
    lines = section(below.run("", "../test_tool.py", "--kraft-seed=7"))

    assert lines[-1] == "repeat: pytest '../test_tool.py::test_fence[a b]' --kraft-seed=7"


FAULTY = """
@pytest.mark.kraft(clock="virtual")
def test_lost_heartbeats(kraft_sync, kraft_faults):
    kraft_faults.add(api="BrokerHeartbeat", action="drop", broker=2)
    kraft_sync.faults.add({"net.partition": {"on": 1}, "id": "cut"})
    kraft_sync.faults.add({"proc.pause": {"on": 3, "for": "1s"}})
    kraft_sync.clock.advance("5s")
    assert False
"""


def test_a_failure_shows_the_faults_and_their_hits(suite):
    lines = section(suite.run(FAULTY, "--kraft-seed=7"))

    faults = lines[lines.index("faults:") + 1 :][:3]
    assert faults[0] == (
        "  rpc.drop-1 at 0.000 s: hits 1, spent; "
        "rpc.drop: {api: BrokerHeartbeat, broker: 2, count: 1}"
    )
    assert re.fullmatch(r"  cut at 0.000 s: hits [1-9]\d*, open; net.partition: {on: 1}", faults[1])
    assert faults[2] == "  proc.pause-2 at 0.000 s: hits 1, ended; proc.pause: {on: 3, for: 1s}"


def test_a_failure_of_a_test_that_ended_its_cluster_says_so(suite):
    text = "def test_it(kraft_sync):\n    kraft_sync.down()\n    assert False\n"
    lines = section(suite.run(text, "--kraft-seed=7"))

    assert lines[0].startswith("seed 7, brokers 3: the cluster is closed")
    assert lines[-1] == "repeat: pytest test_tool.py::test_it --kraft-seed=7"


def test_a_failure_shows_the_newest_of_many_faults(suite):
    text = "def test_it(kraft_sync):\n    for _ in range(22):\n"
    text += "        kraft_sync.faults.add({'net.heal': {}})\n    assert False\n"
    lines = section(suite.run(text))

    heading = lines.index("faults (2 older ones are left out):")
    assert [line.split(" at ")[0] for line in lines[heading + 1 :][:20]] == [
        f"  net.heal-{number}" for number in range(3, 23)
    ]


def test_the_repeat_line_repeats_the_cluster(suite):
    first = suite.run(FAILING)
    repeated = suite.run(FAILING, *re.findall(r"--kraft-seed=\d+", first))

    assert section(first) == section(repeated)


def test_a_failure_shows_every_cluster_of_the_test(suite):
    lines = section(suite.run(FAILING_LOOP, "--kraft-seed=7", plugins="asyncio"))

    heads = [line for line in lines if line.startswith("seed ")]
    assert [head.partition(", c")[0] for head in heads] == [
        "seed 7, brokers 3",
        "seed 8, brokers 1",
    ]


def test_a_test_that_requests_its_cluster_while_it_runs_shows_the_section(suite):
    text = "def test_it(request):\n    request.getfixturevalue('kraft_sync')\n    assert False\n"

    assert section(suite.run(text))[0].startswith("seed ")


def test_a_passed_test_and_a_failure_without_a_cluster_show_no_section(suite):
    text = "def test_good(kraft_sync):\n    pass\n\ndef test_bad():\n    assert False\n"

    assert "- kraftsim -" not in suite.run(text, "-rA")


@pytest.mark.parametrize("text", [FAILING, FAILING_LOOP], ids=["blocking", "asyncio"])
def test_a_kept_cluster_answers_until_ctrl_c(suite, text):
    suite.write(text)
    command = suite.command("--kraft-keep", plugins="asyncio")
    with subprocess.Popen(
        command,
        cwd=suite.folder,
        stdout=subprocess.PIPE,
        text=True,
        # a shell has its background jobs ignore SIGINT, and their processes inherit that
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    ) as process:
        try:
            url = next(line for line in process.stdout if line.startswith("KRAFTSIM_HTTP="))
            with urlopen(url.partition("=")[2].strip() + "/v1/cluster") as answer:
                assert answer.status == 200
            process.send_signal(signal.SIGINT)
            output, _ = process.communicate(timeout=LIMIT_S)
        finally:
            process.kill()

    assert process.returncode == pytest.ExitCode.INTERRUPTED
    assert "1 failed" in output
    assert "INTERNALERROR" not in output


def test_a_passed_test_keeps_no_cluster(suite):
    text = "def test_good(kraft_sync):\n    pass\n"

    assert "1 passed" in suite.run(text, "--kraft-keep")


def test_a_cluster_cannot_be_kept_in_a_process_without_a_terminal(suite):
    output = suite.run(FAILING, "--kraft-keep", "-n", "1", plugins="xdist")

    assert "--kraft-keep needs one process: run without -n, or with -n 0" in output
