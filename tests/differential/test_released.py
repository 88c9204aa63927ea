"""A released controller and ours answer alike: seeded sequences, and the calls of the admin client.

One run judges the sequences; the calls go to the first controller that it starts.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from kraftsim import Cluster
from kraftsim.admin import QuorumDescription
from tests.differential.admin_calls import Called, called
from tests.differential.pair import CLUSTER_ID, Pair, started_pair
from tests.differential.run import Run
from tests.released.releases import RELEASES, Release

DRAWN, SILENT = 90, 10
SEED = 20

pytestmark = pytest.mark.released


@dataclass(slots=True)
class Judged:
    """A run that is over, and the calls of the admin client to its first released controller."""

    run: Run
    calls: list[Called] = field(default_factory=list)


@pytest.fixture(scope="module")
def judged() -> Judged:
    @contextmanager
    def started(release: Release, *arguments: Any, **options: Any) -> Iterator[Pair]:
        with started_pair(release, *arguments, **options) as pair:
            yield pair
            if not result.calls:
                port = pair.bench.kafka.side.controller.port
                result.calls.append(asyncio.run(called(port)))

    result = Judged(Run(RELEASES["4.3.1"], progress=lambda outcome: None, start=started))
    result.run.judge_drawn(SEED, DRAWN)
    result.run.judge_silent(SEED, SILENT)
    return result


def test_a_hundred_sequences_are_answered_alike(judged: Judged) -> None:
    outcome = judged.run.outcome

    assert outcome.is_clean, (outcome.findings, outcome.log_differences)
    assert DRAWN + SILENT == outcome.sequences
    assert outcome.records > 10 * DRAWN, "the logs were compared"


async def test_the_admin_client_is_told_alike_by_both(judged: Judged) -> None:
    (kafka,) = judged.calls
    async with Cluster(
        brokers=0, cluster_id=CLUSTER_ID, profile="kafka-4.3", clock="auto", controller_port=0
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
