"""A released controller and ours answer the same seeded sequences alike, and write the same log."""

import pytest

from tests.differential.run import Run
from tests.released.releases import RELEASES

DRAWN, SILENT = 90, 10
SEED = 20


@pytest.mark.released
def test_a_hundred_sequences_are_answered_alike() -> None:
    run = Run(RELEASES["4.3.1"], progress=lambda outcome: None)

    run.judge_drawn(SEED, DRAWN)
    run.judge_silent(SEED, SILENT)

    assert run.outcome.is_clean, (run.outcome.findings, run.outcome.log_differences)
    assert DRAWN + SILENT == run.outcome.sequences
    assert run.outcome.records > 10 * DRAWN, "the logs were compared"
