"""DecommissionBroker of many partitions goes on in slices, also after a failover (KIP-631)."""

from dataclasses import replace

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.log.records import PartitionChangeRecord, UnregisterBrokerRecord
from kraftsim.controller.core.profile import KAFKA_4_3
from kraftsim.controller.core.rpc import DecommissionBrokerResponse
from kraftsim.controller.time import timeline
from kraftsim.scenarios.document.scenario import read_scenario
from kraftsim.scenarios.running.run import Run
from tests.builders import ControllerUnderTest

SLICE = 4
IN_SLICES = replace(
    KAFKA_4_3, settings=replace(KAFKA_4_3.settings, decommission_slice_records=SLICE)
)


def with_partitions(count: int) -> ControllerUnderTest:
    cluster = ControllerUnderTest(IN_SLICES)
    cluster.unfenced(1, 2, 3)
    cluster.created("t", *[(1, 2, 3)] * count)
    return cluster


@pytest.mark.rule("3.12")
@pytest.mark.parametrize(
    ("count", "sizes"), [(3, [4]), (4, [3, 2]), (6, [3, 4]), (7, [3, 3, 2]), (10, [3, 3, 3, 2])]
)
def test_each_slice_is_a_bounded_batch_and_the_unregistration_is_in_the_last(
    count: int, sizes: list[int]
) -> None:
    cluster = with_partitions(count)
    mark = cluster.end

    assert cluster.decommission(1) == DecommissionBrokerResponse()

    batches = cluster.batches_since(mark)
    assert [len(batch.records) for batch in batches] == sizes
    kinds = [type(record) for batch in batches for record in batch.records]
    assert kinds == [PartitionChangeRecord] * count + [UnregisterBrokerRecord]
    assert all(cluster.partition("t", index).replicas == (2, 3) for index in range(count))


@pytest.mark.rule("3.12")
def test_every_partition_is_checked_before_the_first_slice() -> None:
    cluster = with_partitions(9)
    cluster.created("last", (1,))
    before = cluster.everything()

    refusal = cluster.decommission(1)

    assert refusal.code == ErrorCode.BROKER_REQUIRED_FOR_PARTITIONS
    assert before == cluster.everything()


@pytest.mark.rule("3.12")
def test_two_brokers_that_leave_together_leave_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Hunt 72: each placed its last replicas on the other, for ever."""
    monkeypatch.setattr(timeline, "ACTIONS_PER_INSTANT_MAX", 5_000)  # it ends soon if it fails
    document = {
        "schema": "kraftsim/scenario/1",
        "name": "two-leave",
        "claim": "Both leave.",
        "cluster": {
            "controllers": 1,
            "brokers": 3,
            "topics": {"t": {"partitions": 30, "replication": 1}},
        },
        "time": {"warmup": "1s", "run": "5s", "calm": "5s"},
        "config": {"decommission.slice.records": SLICE},
        "do": [{"at": "1s", "broker.decommission": {"on": on, "force": True}} for on in (1, 2)],
    }
    run = Run(read_scenario(document), 1)

    assert run.finish().violations == ()
    assert {3} == set(run.world.committed.brokers)
    log = run.world.controllers[3000].node.log.batches
    changes = [r for batch in log for r in batch.records if isinstance(r, PartitionChangeRecord)]
    moves = [change for change in changes if change.replicas is not None]
    assert 10 + 20 == len(moves)  # of the first broker to the second, and from there to the third
