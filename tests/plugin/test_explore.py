"""`--kraft-explore`: a test is run with many seeds, and a failure repeats alone."""

import re

import pytest

pytestmark = pytest.mark.realtime

UNLUCKY = """
@pytest.mark.kraft(brokers=4)
@pytest.mark.parametrize("partitions", [1])
def test_placement(kraft_sync, partitions):
    kraft_sync.topics.create("orders", partitions=partitions, replication_factor=1)
    assert kraft_sync.topics.describe("orders")["partitions"][0]["leader"] != 3

def test_nothing():
    pass
"""


def failed_seeds(output):
    (listed,) = re.findall(r"fails alike: seeds ([\d, -]+)\n", output)
    runs = [[int(seed) for seed in text.split("-")] for text in listed.split(", ")]
    return [seed for run in runs for seed in range(run[0], run[-1] + 1)]


def test_every_test_with_a_cluster_runs_with_each_seed(suite):
    output = suite.run(UNLUCKY, "--kraft-explore=12")

    failed = failed_seeds(output)
    assert 0 < len(failed) < 12
    assert f"{len(failed)} failed, {13 - len(failed)} passed" in output
    summary = f"test_tool.py::test_placement[1]: {len(failed)} of 12 seeds fail; shortest: seed "
    assert f"{summary}{failed[0]}; pass: " in output


def test_equal_failures_are_shown_once_and_others_beside_them(suite):
    text = """
@pytest.mark.kraft
def test_it(kraft_sync):
    seed = kraft_sync.options.seed
    assert seed not in (1, 2, 3)
    if seed == 5:
        raise ValueError
"""
    output = suite.run(text, "--kraft-explore=7")

    assert output.count("assert seed not in (1, 2, 3)\nE ") == 1
    assert output.count("FAILED ") == 2
    assert "fails alike: seeds 1-3\n" in output
    assert "test_it: 4 of 7 seeds fail; shortest: seed 1; pass: 0, 4, 6\n" in output
    assert "4 failed, 3 passed" in output


def test_seeds_that_all_pass_are_counted(suite):
    output = suite.run("def test_it(kraft_sync): pass", "--kraft-explore=3")

    assert "test_tool.py::test_it: all 3 seeds pass\n" in output


def test_the_same_seeds_fail_again_and_each_repeats_alone(suite):
    first = suite.run(UNLUCKY, "--kraft-explore=12")
    assert failed_seeds(first) == failed_seeds(suite.run(UNLUCKY, "--kraft-explore=12"))

    (seed,) = re.findall(r"^FAILED \S*placement\[seed (\d+)-1\]", first, flags=re.MULTILINE)
    assert int(seed) in failed_seeds(first)
    name = f"test_tool.py::test_placement[seed {seed}-1]"
    repeat = f"repeat: pytest '{name}' --kraft-explore=1 --kraft-seed={seed}"
    assert repeat in first
    alone = suite.run(UNLUCKY, "-k", "placement", "--kraft-explore=1", f"--kraft-seed={seed}")
    assert "1 failed" in alone


def test_processes_of_xdist_explore_the_same_seeds(suite):
    serial = suite.run(UNLUCKY, "--kraft-explore=12")
    parallel = suite.run(UNLUCKY, "--kraft-explore=12", "-n", "2", plugins="xdist")

    assert sorted(failed_seeds(parallel)) == sorted(failed_seeds(serial)) != []


def test_asynchronous_tests_explore_too(suite):
    text = """
seeds = set()

@pytest.mark.asyncio
@pytest.mark.kraft(seed=1)
async def test_seed(kraft):
    assert kraft.options.seed not in seeds
    seeds.add(kraft.options.seed)
"""
    assert "5 passed" in suite.run(text, "--kraft-explore=5", plugins="asyncio")


FAULTY = """
@pytest.mark.kraft(may_miss=True)
def test_fence(kraft_sync, kraft_faults):
    kraft_faults.add({"net.partition": {"on": 1, "for": "1s"}})
    lost = kraft_faults.add(api="BrokerHeartbeat", broker=2, action="drop", count=-1)
    kraft_sync.faults.add({"proc.pause": {"on": 3, "for": "1s"}})
    kraft_sync.clock.advance("11s")
    assert "fenced" not in kraft_sync.brokers.states_of(2)
"""
REPEAT = "repeat: pytest 'test_tool.py::test_fence[seed 5]' --kraft-explore=1 --kraft-seed=5"


def test_a_failure_names_the_only_fault_that_it_needs(suite):
    output = suite.run(FAULTY, "--kraft-explore=1", "--kraft-seed=5")

    fault = "rpc.drop: {count: -1, api: BrokerHeartbeat, broker: 2}"
    assert f"shrunk: needs 1 of 3 faults: 2: {fault}\n" in output
    assert f"{REPEAT} --kraft-faults=2\n" in output
    assert "1 failed" in output


def test_the_repeat_line_of_a_shrunk_failure_fails_alike(suite):
    options = ("--kraft-explore=1", "--kraft-seed=5")

    assert "1 failed" in suite.run(FAULTY, *options, "--kraft-faults=2")
    for others in ("1,3", "chaos-2", "none"):
        assert "1 passed" in suite.run(FAULTY, *options, f"--kraft-faults={others}")


def test_a_failure_without_need_of_faults_is_reported_so(suite):
    text = FAULTY + "    assert 'fenced' in kraft_sync.brokers.states_of(2)\n"
    text = text.replace('assert "fenced" not in', 'assert "unregistered" in')
    output = suite.run(text, "--kraft-explore=1", "--kraft-seed=5")

    assert "shrunk: fails without any fault" in output
    assert f"{REPEAT} --kraft-faults=none" in output


def test_a_failure_that_needs_two_faults_names_both(suite):
    text = """
@pytest.mark.asyncio
@pytest.mark.kraft(brokers=4, may_miss=True)
async def test_fence(kraft):
    for broker in range(1, 5):
        await kraft.faults.add({"net.partition": {"on": broker, "for": "1m"}})
    await kraft.clock.advance("11s")
    assert not {1, 3} <= {n for n in range(1, 5) if "fenced" in kraft.brokers.states_of(n)}
"""
    output = suite.run(text, "--kraft-explore=2", plugins="asyncio")

    assert output.count("shrunk: needs 2 of 4 faults: 1: net.partition: {on: 1, ") == 1
    assert output.count("; 3: net.partition: {on: 3, ") == 1
    assert "2 of 2 seeds fail; 0 need no fault; shortest: seed 0; pass: none" in output
    assert "2 failed" in output


def test_a_broken_property_is_shrunk_to_its_fault(suite):
    text = """
from kraftsim.scenarios.mutants import MUTANTS
from kraftsim.scenarios.mutants.mutant import planted

@pytest.fixture(autouse=True)
def bug():
    with planted(MUTANTS["M41"]):  # a lease expires after half of the session timeout
        yield

@pytest.mark.kraft(may_miss=True)
def test_fence(kraft_sync, kraft_faults):
    kraft_faults.add({"proc.pause": {"on": 1, "for": "1s"}})
    kraft_faults.add({"proc.pause": {"on": 2, "for": "30s"}})
    kraft_sync.clock.advance("1m")
"""
    output = suite.run(text, "--kraft-explore=1")

    assert "kraft: broken: S18 no-early-fence" in output
    assert "shrunk: needs 1 of 2 faults: 2: proc.pause: {on: 2, for: 30s}" in output


def test_what_tests_share_is_set_up_for_the_reruns_and_ended_once_more(suite):
    text = """
@pytest.fixture(scope="module")
def shared():
    print("begins")
    yield
    print("ends")

@pytest.mark.kraft(scope="module", may_miss=True)
def test_it(kraft_sync, shared):
    kraft_sync.faults.add({"proc.pause": {"on": 1, "for": "1s"}})
    assert False

def test_other(kraft_sync):
    pass
"""
    output = suite.run(text, "--kraft-explore=2", "-s")

    assert output.count("begins") == output.count("ends") > 0
    assert "2 failed, 2 passed" in output


def test_a_failure_without_faults_is_not_run_again(suite):
    text = "def test_it(kraft_sync):\n    print('runs')\n    assert False\n"

    output = suite.run(text, "--kraft-explore=2", "-s")
    assert output.count("runs\n") == 2
    assert "shrunk" not in output


def test_processes_of_xdist_shrink_too(suite):
    output = suite.run(FAULTY, "--kraft-explore=2", "-n", "2", plugins="xdist")

    assert "shrunk: needs 1 of 3 faults: 2: " in output
    assert "2 of 2 seeds fail; 0 need no fault" in output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--kraft-faults=1",), "--kraft-faults needs --kraft-explore"),
        (("--kraft-explore=1", "--kraft-faults=0"), "expected none, or numbers from 1 on"),
        (("--kraft-explore=1", "--kraft-faults=one"), "such as 1,chaos-3, got 'one'"),
    ],
)
def test_a_wrong_choice_of_faults_is_refused(suite, options, message):
    assert message in suite.run(FAULTY, *options)
