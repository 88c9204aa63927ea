"""A broker that is killed is fenced nine seconds later, which take some milliseconds."""

import pytest
from kafka.admin import KafkaAdminClient


@pytest.mark.kraft(brokers=3)
def test_a_killed_broker_is_fenced(kraft_sync):
    kraft_sync.brokers.kill(2)
    kraft_sync.clock.run_until("broker_fenced", broker=2)

    client = KafkaAdminClient(bootstrap_servers=kraft_sync.bootstrap_servers.split(","))
    brokers = client.describe_cluster()["brokers"]
    client.close()

    assert {broker["broker_id"] for broker in brokers if broker["is_fenced"]} == {2}
