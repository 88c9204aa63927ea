"""Whatever happens to one controller, what section 9 of the rule book says of it holds."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kraftsim.controller.core.image.loader import replay
from tests.core.lives import COMMAND, Life
from tests.profiles import EACH_PROFILE

pytestmark = pytest.mark.slow


ROOT = Path(__file__).parents[2]
MODEST = settings(deadline=None, max_examples=80, suppress_health_check=list(HealthCheck))


@pytest.mark.rule("9.1", "9.2", "9.3", "9.4", "9.5", "9.6", "9.7", "9.8", "9.9", "9.10", "9.11")
@pytest.mark.rule("9.12", "9.13", "9.14", "9.15", "9.16", "9.17", "9.18", "9.19", "9.20", "9.21")
@pytest.mark.rule("9.22", "9.23", "9.24", "9.25", "9.26", "9.27", "9.28", "9.31")
@EACH_PROFILE
def test_no_sequence_of_requests_breaks_an_invariant(profile):
    @MODEST
    @given(st.lists(COMMAND, min_size=5, max_size=40))
    def any_life(commands):
        life = Life(profile)
        life.do(("serve", (1, 2, 3)))
        for command in commands:
            life.do(command)

    any_life()


@pytest.mark.rule("9.31")
@EACH_PROFILE
def test_every_prefix_of_a_log_tells_a_state(profile):
    @settings(MODEST, max_examples=10)
    @given(st.lists(COMMAND, max_size=30))
    def any_life(commands):
        life = Life(profile)
        states = {}
        for command in commands:
            life.do(command)
            states[len(life.cluster.node.log.batches)] = life.cluster.node.committed.copy()
        for count, image in states.items():
            assert image == replay(life.cluster.node.log.batches[:count])

    any_life()


@pytest.mark.rule("9.31")
def test_the_order_of_hashes_never_reaches_the_log():
    program = "from tests.core.lives import digest_of_a_busy_run as run; print(run(5))"
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for seed in ("0", "1", "2")
    }

    assert 1 == len(digests)
