"""A released broker and a simulated broker give the same replies to drawn requests.

About one percent of what `make differential ARGS="--listener broker"` judges.
"""

from contextlib import AbstractContextManager

import pytest

from tests.differential.listener.generate import start_of
from tests.differential.listener.pair import listeners_at
from tests.differential.pair import Pair
from tests.differential.run import Run
from tests.released.releases import RELEASES

SEED = 41
DRAWN = [number for number in range(13) if not start_of(number).has_follower]

pytestmark = pytest.mark.released


def test_drawn_requests_about_messages_are_answered_alike(kafka_port: int, our_port: int) -> None:
    def start(*_: object) -> AbstractContextManager[Pair]:
        return listeners_at(kafka_port, our_port)

    run = Run(RELEASES["4.3.1"], progress=lambda outcome: None, start=start)
    run.judge_listener(SEED, DRAWN)

    assert run.outcome.is_clean, run.outcome.findings
    assert run.outcome.sequences == len(DRAWN)
