"""A rack that no record can hold is refused at every door, before it harms the cluster."""

import pytest

from kraftsim import Cluster, CommandError

BAD = pytest.mark.parametrize("rack", ["\ud800", "a" * 32_768, "é" * 16_384])


@BAD
async def test_a_broker_with_such_a_rack_is_not_added(kraft: Cluster, rack: str) -> None:
    before = await kraft.brokers.list()

    with pytest.raises(CommandError, match="rack: expected"):
        await kraft.brokers.add(rack)
    assert await kraft.brokers.list() == before
    assert await kraft.brokers.add("é" * 16_383) == len(before) + 1


@BAD
def test_such_racks_of_a_cluster_are_refused_when_it_is_made(rack: str) -> None:
    with pytest.raises(ValueError, match="rack: expected"):
        Cluster(racks=["good", rack])
