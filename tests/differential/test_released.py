"""Released controllers and ours answer alike: seeded sequences, and the calls of the admin client.

A tenth of a percent of the 10,000 sequences by which `make differential` judges a release. Each
release is started once; the admin client calls the controller of 4.3.1.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest

from kraftsim import Cluster
from kraftsim.admin import QuorumDescription
from tests.differential.admin_calls import Called, called
from tests.differential.pair import CLUSTER_ID, Pair, started_pair
from tests.differential.run import Run
from tests.released.releases import RELEASES, Release

DRAWN = 10
SEED = 20
CALLED = "4.3.1"

pytestmark = pytest.mark.released


@dataclass(slots=True)
class Judged:
    """A run that is over, and the calls of the admin client to its released controller."""

    run: Run
    calls: list[Called] = field(default_factory=list)


@cache
def judged(version: str) -> Judged:
    """Judges ten sequences of a release, once."""

    @contextmanager
    def started(release: Release, *arguments: Any, **options: Any) -> Iterator[Pair]:
        with started_pair(release, *arguments, **options) as pair:
            yield pair
            if version == CALLED:
                port = pair.bench.kafka.side.controller.port
                result.calls.append(asyncio.run(called(port)))

    result = Judged(Run(RELEASES[version], progress=lambda outcome: None, start=started))
    result.run.judge_drawn(SEED, DRAWN)
    return result


@pytest.mark.parametrize("version", RELEASES)
def test_ten_sequences_are_answered_alike(version: str) -> None:
    outcome = judged(version).run.outcome

    assert outcome.is_clean, (outcome.findings, outcome.log_differences)
    assert DRAWN == outcome.sequences
    assert outcome.records > 10 * DRAWN, "the logs were compared"


async def test_the_admin_client_is_told_alike_by_both() -> None:
    kafka, *_ = (await asyncio.to_thread(judged, CALLED)).calls
    async with Cluster(
        brokers=0,
        cluster_id=CLUSTER_ID,
        profile=RELEASES[CALLED].profile_name,
        clock="auto",
        controller_port=0,
    ) as kraft:
        ours = await called(int(kraft.bootstrap_controllers.rpartition(":")[2]))

    assert kafka.answers == ours.answers
    assert shape(kafka.quorum) == shape(ours.quorum)


def shape(quorum: QuorumDescription) -> object:
    """What is alike in the quorums of two clusters: who votes, and which numbers are known."""
    return [
        (
            replica.id == quorum.leader_id,
            replica.directory_id is None,
            replica.log_end_offset > 0,
            replica.last_fetch_time_ms is None,
            replica.last_caught_up_time_ms is None,
            [endpoint.listener for endpoint in replica.endpoints],
        )
        for replica in (*quorum.voters, *quorum.observers)
    ]
