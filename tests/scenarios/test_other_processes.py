"""H1, H2: the same seed gives the same digest in another process, under another hash seed, watched
or not, on every Python that the project runs on. `make determinism` has all of it."""

import os
import subprocess
import sys

import pytest

from tests.other_pythons import OTHERS, ROOT, NoPython, python_with
from tests.scenarios.digests import digest_of

pytestmark = pytest.mark.slow


HANDFUL = ["steady-heartbeats", "zombie-after-takeover", "swizzle-clog", "rack-partition"]
SEED = 5
HASH_SEEDS = ["0", "1", "2", "random"]
IN_THE_GATE = "0"  # beside that of this process, which is random; `make determinism` has all
OTHERS_HASH_SEEDS = HASH_SEEDS if "KRAFTSIM_DETERMINISM" in os.environ else ["random"]


def digests(python, hash_seed):
    """Of the handful: without properties, and with them."""
    lines = (f"{name} {SEED} {watched}\n" for watched in ("off", "on") for name in HANDFUL)
    done = subprocess.run(
        [python, "-m", "tests.scenarios.digests"],
        env=os.environ | {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        input="".join(lines),
        capture_output=True,
        text=True,
        check=True,
    )
    told = done.stdout.split()
    return told[: len(HANDFUL)], told[len(HANDFUL) :]


@pytest.fixture(scope="module")
def expected():
    return [digest_of(name, SEED, watched=True) for name in HANDFUL]


@pytest.mark.parametrize(
    "hash_seed",
    [
        pytest.param(seed, marks=() if seed == IN_THE_GATE else pytest.mark.soak)
        for seed in HASH_SEEDS
    ],
)
def test_another_process_gives_the_same_digests(hash_seed, expected):
    assert (expected, expected) == digests(sys.executable, hash_seed)


@pytest.mark.parametrize("version", OTHERS)
@pytest.mark.parametrize("hash_seed", OTHERS_HASH_SEEDS)
def test_another_python_gives_the_same_digests(version, hash_seed, expected):
    try:
        python = python_with(version, "aiokafka")  # as tests/simulated_loop has it
    except NoPython as why:
        pytest.skip(f"Python {version} was not run: {why}")

    assert (expected, expected) == digests(python, hash_seed)
