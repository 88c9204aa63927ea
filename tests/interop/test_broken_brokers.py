"""What each stock client sees while brokers die, come back, and miss the news."""

import pytest

from tests.interop.clients import KafkaPython, Partition, leaders
from tests.interop.conftest import Connect, Start
from tests.interop.running import eventually

pytestmark = [
    pytest.mark.interop,
    pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"),  # see KafkaPython.close
]


def test_a_client_sees_the_leaders_of_a_killed_broker_move(start: Start, connect: Connect) -> None:
    kraft = start(4)
    client = connect(kraft.bootstrap_servers)
    client.create("orders", partitions=4, replication_factor=3)
    before = client.partitions("orders")

    kraft.kill(2)
    kraft.wait(2, "fenced")

    moved = [without(2, partition) for partition in before]
    assert [1, 2, 3, 4] == sorted(partition.leader for partition in before)
    assert [1, 3, 4] == sorted({partition.leader for partition in moved})
    eventually(lambda: client.partitions("orders"), moved, ignoring=client.failure)
    eventually(client.brokers, {1, 3, 4}, ignoring=client.failure)


@pytest.mark.parametrize("connect", [KafkaPython], indirect=True, ids=["KafkaPython"])
def test_of_four_brokers_one_is_killed_and_is_listed_as_fenced_until_it_is_back(
    start: Start, connect: Connect
) -> None:
    kraft = start(4)
    client = connect(kraft.bootstrap_servers)
    assert isinstance(client, KafkaPython)
    client.create("orders", partitions=6, replication_factor=3)
    assert {1: False, 2: False, 3: False, 4: False} == client.fencing()

    kraft.kill(2)
    kraft.wait(2, "fenced")

    one_fenced = {1: False, 2: True, 3: False, 4: False}
    eventually(client.fencing, one_fenced, ignoring=client.failure)
    eventually(lambda: 2 in leaders(client, "orders"), False, ignoring=client.failure)

    kraft.restart(2)
    kraft.wait(2, "unfenced")

    eventually(client.fencing, dict.fromkeys(one_fenced, False), ignoring=client.failure)
    eventually(
        lambda: all(
            sorted(partition.isr) == sorted(partition.replicas)
            for partition in client.partitions("orders")
        ),
        True,
        ignoring=client.failure,
    )


def test_a_client_finds_its_only_broker_again_after_that_was_killed_and_restarted(
    start: Start, connect: Connect
) -> None:
    kraft = start(1)
    client = connect(kraft.bootstrap_servers)
    client.create("before", partitions=1, replication_factor=1)

    kraft.kill(1)
    kraft.wait(1, "fenced")
    kraft.restart(1)
    kraft.wait(1, "unfenced")

    eventually(client.brokers, {1}, ignoring=client.failure)
    eventually(client.topics, {"before"}, ignoring=client.failure)
    client.create("after", partitions=1, replication_factor=1)
    eventually(client.topics, {"before", "after"}, ignoring=client.failure)


def test_a_deaf_broker_tells_its_clients_old_news_until_it_hears_again(
    start: Start, connect: Connect
) -> None:
    """It still leads, for the controller hears it; only it knows nothing of broker 1's end."""
    kraft = start(2)
    client = connect(kraft.bootstrap_servers)
    client.create("orders", partitions=2, replication_factor=2)
    before = leaders(client, "orders")

    kraft.deafen(2)
    kraft.kill(1)
    kraft.wait(1, "fenced")

    assert [1, 2] == sorted(before)
    assert [2, 2] == kraft.leaders("orders")
    eventually(client.brokers, {1, 2}, ignoring=client.failure)
    eventually(lambda: leaders(client, "orders"), before, ignoring=client.failure)

    kraft.undeafen(2)

    eventually(client.brokers, {2}, ignoring=client.failure)
    eventually(lambda: leaders(client, "orders"), [2, 2], ignoring=client.failure)


def without(broker_id: int, partition: Partition) -> Partition:
    """The partition once the broker is fenced: the first replica that is left in sync leads."""
    isr = [replica for replica in partition.isr if replica != broker_id]
    leader = next(replica for replica in partition.replicas if replica in isr)
    return Partition(leader, partition.replicas, isr)
