"""kill -9 of the active controller at a random moment under load, each time in a fresh quorum."""

import os
import random
import threading
from pathlib import Path

import pytest

from kraftsim.controller.core.log.records import RegisterBrokerRecord
from kraftsim.controller.core.rpc import (
    BrokerRegistrationResponse,
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
)
from kraftsim.controller.core.uuid import METADATA_TOPIC_ID
from tests.interop.quorum_running import CLUSTER_ID, IDS, Quorum, ask, quorum_of_three
from tests.interop.running import eventually
from tests.limits import LIMIT_S
from tests.registrations import first_registration

pytestmark = pytest.mark.interop
CLUSTERS = int(os.environ.get("KRAFTSIM_SOAK_CLUSTERS", "2"))  # `make soak` runs twenty


@pytest.mark.rule("9.29", "9.40", "9.36")
@pytest.mark.parametrize("seed", range(CLUSTERS))
def test_no_acknowledged_registration_is_missing_after_a_kill(tmp_path: Path, seed: int) -> None:
    with quorum_of_three(tmp_path) as quorum:
        eventually(lambda: quorum.leader() is not None, True, ignoring=OSError)
        leader = quorum.leader()
        assert leader is not None
        load = Load(quorum.ports[leader])
        load.start()
        load.kill_after(random.Random(seed).randrange(1, 300), lambda: quorum.kill(leader))
        load.join()

        eventually(lambda: quorum.leader() in set(IDS) - {leader}, True, ignoring=OSError)
        following = quorum.leader()
        assert following is not None
        assert set(load.acknowledged) <= registered_at(quorum, following)
        assert load.acknowledged


class Load(threading.Thread):
    """Registers one broker after the other until the controller is gone."""

    def __init__(self, port: int) -> None:
        super().__init__(daemon=True)
        self._port = port
        self._progress = threading.Condition()
        self.acknowledged: list[int] = []

    def run(self) -> None:
        broker_id = 0
        while True:
            broker_id += 1
            try:
                response = ask(self._port, first_registration(broker_id, CLUSTER_ID))
            except OSError:
                return
            assert isinstance(response, BrokerRegistrationResponse)
            with self._progress:
                if response.error_code == 0:
                    self.acknowledged.append(broker_id)
                self._progress.notify()

    def kill_after(self, count: int, kill: object) -> None:
        with self._progress:
            self._progress.wait_for(lambda: len(self.acknowledged) >= count, timeout=LIMIT_S)
        assert callable(kill)
        kill()


def registered_at(quorum: Quorum, node_id: int) -> set[int]:
    """The brokers that this leader's committed log tells of."""
    found: set[int] = set()
    offset, last_epoch = 0, 0
    described = quorum.described(node_id)
    assert described is not None
    epoch = described.topics[0].partitions[0].leader_epoch
    while True:
        wanted = FetchPartition(
            partition=0,
            current_leader_epoch=epoch,
            fetch_offset=offset,
            last_fetched_epoch=last_epoch,
        )
        topic = FetchTopic(topic_id=METADATA_TOPIC_ID, partitions=(wanted,))
        response = ask(
            quorum.ports[node_id],
            FetchRequest(cluster_id=CLUSTER_ID, max_bytes=1 << 23, topics=(topic,)),
        )
        assert isinstance(response, FetchResponse)
        data = response.responses[0].partitions[0]
        for batch in data.records or ():
            for record in batch.records:
                if isinstance(record, RegisterBrokerRecord):
                    found.add(record.broker_id)
            offset, last_epoch = batch.last_offset + 1, batch.epoch
        if offset >= data.high_watermark:
            return found
