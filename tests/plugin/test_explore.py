"""`--kraft-explore`: a test is run with many seeds, and a failure repeats alone."""

import re

import pytest

pytestmark = pytest.mark.realtime

UNLUCKY = """
@pytest.mark.kraft(brokers=4)
@pytest.mark.parametrize("partitions", [1])
def test_placement(kraft_sync, partitions):
    kraft_sync.create_topic("orders", partitions=partitions, replication_factor=1)
    assert kraft_sync.topic("orders")["partitions"][0]["leader"] != 3

def test_nothing():
    pass
"""


def failed_seeds(output):
    return re.findall(r"^FAILED \S*placement\[seed (\d+)-1\]", output, flags=re.MULTILINE)


def test_every_test_with_a_cluster_runs_with_each_seed(suite):
    output = suite.run(UNLUCKY, "--kraft-explore=12")

    failed = failed_seeds(output)
    assert 0 < len(failed) < 12
    assert f"{len(failed)} failed, {13 - len(failed)} passed" in output


def test_the_same_seeds_fail_again_and_each_repeats_alone(suite):
    first = suite.run(UNLUCKY, "--kraft-explore=12")
    assert failed_seeds(first) == failed_seeds(suite.run(UNLUCKY, "--kraft-explore=12"))

    seed = failed_seeds(first)[-1]
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
