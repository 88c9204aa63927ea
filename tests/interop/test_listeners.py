"""Brokers with several listeners, over sockets: a client gets the addresses of its own listener."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreateTopicsRequest,
    DescribeClusterRequest,
    DescribeClusterResponse,
    MetadataRequest,
    MetadataResponse,
    Request,
)
from kraftsim.controller.wire.apis.table import APIS
from tests.free_ports import free_ports
from tests.interop.quorum_running import ask
from tests.interop.running import _running, eventually, kraftsim_up
from tests.released.controller import Connection

pytestmark = pytest.mark.interop
BOTH_ID, INSIDE_ID = 1001, 1002
METADATA = APIS[3]


def properties(broker_id: int, controller: str, **ports: int) -> str:
    listeners = ",".join(f"{name.upper()}://127.0.0.1:{port}" for name, port in ports.items())
    return f"""
process.roles=broker
node.id={broker_id}
controller.quorum.bootstrap.servers={controller}
controller.listener.names=CONTROLLER
listeners={listeners}
listener.security.protocol.map=CONTROLLER:PLAINTEXT,INSIDE:PLAINTEXT,OUTSIDE:PLAINTEXT
inter.broker.listener.name=INSIDE
broker.heartbeat.interval.ms=500
"""


def metadata(port: int, version: int = METADATA.max_version) -> MetadataResponse:
    connection = Connection(port)
    try:
        response = connection.ask(METADATA.key, version, MetadataRequest())
    finally:
        connection.close()
    assert isinstance(response, MetadataResponse)
    return response


def addresses(port: int, request: Request) -> dict[int, int]:
    response = ask(port, request)
    if isinstance(response, DescribeClusterResponse):
        return {broker.broker_id: broker.port for broker in response.brokers}
    assert isinstance(response, MetadataResponse)
    return {broker.node_id: broker.port for broker in response.brokers}


@pytest.mark.rule("5.40", "5.41", "5.42", "5.17")
def test_each_client_gets_the_addresses_of_its_own_listener(tmp_path: Path) -> None:
    inside, outside, only_inside = free_ports(3)
    with ExitStack() as running:
        kraft = running.enter_context(kraftsim_up(tmp_path, brokers=0))
        for broker_id, ports in (
            (BOTH_ID, {"inside": inside, "outside": outside}),
            (INSIDE_ID, {"inside": only_inside}),
        ):
            folder = tmp_path / str(broker_id)
            folder.mkdir()
            words = ("agent", "--cluster-id", kraft.cluster_id, "--count", "1")
            settings = properties(broker_id, kraft.controller, **ports)
            process = running.enter_context(_running(folder, words, settings=settings))
            assert process.stdout is not None
            first = f"KRAFTSIM_BOOTSTRAP_SERVERS=127.0.0.1:{ports['inside']}\n"
            assert first == process.stdout.readline()

        of_both = {BOTH_ID: inside, INSIDE_ID: only_inside}
        for request in (MetadataRequest(), DescribeClusterRequest()):
            eventually(lambda of=request: addresses(inside, of), of_both, ignoring=OSError)
            assert {BOTH_ID: outside} == addresses(outside, request)

        assigned = CreatableReplicaAssignment(partition_index=0, broker_ids=(INSIDE_ID, BOTH_ID))
        topic = CreatableTopic(
            name="t", num_partitions=-1, replication_factor=-1, assignments=(assigned,)
        )
        ask(outside, CreateTopicsRequest(topics=(topic,), timeout_ms=5_000))
        eventually(lambda: len(metadata(outside).topics), 1, ignoring=OSError)
        for version, code in (
            (METADATA.max_version, ErrorCode.LISTENER_NOT_FOUND),
            (5, ErrorCode.LEADER_NOT_AVAILABLE),
        ):
            [partition] = metadata(outside, version).topics[0].partitions
            assert (code, -1) == (partition.error_code, partition.leader_id)
            assert (INSIDE_ID,) == partition.offline_replicas
        [partition] = metadata(only_inside).topics[0].partitions
        assert (ErrorCode.NONE, INSIDE_ID) == (partition.error_code, partition.leader_id)


@pytest.mark.rule("5.40")
def test_the_brokers_of_up_have_the_listeners_of_a_file(tmp_path: Path) -> None:
    (outside,) = free_ports(1)
    settings = properties(1, "127.0.0.1:1", plaintext=1, outside=outside)
    with kraftsim_up(
        tmp_path, brokers=1, settings=settings.replace("INSIDE", "PLAINTEXT")
    ) as kraft:
        assert addresses(outside, MetadataRequest()) == {1: outside}
        port = kraft.bootstrap_servers.partition(":")[2]
        assert addresses(int(port), MetadataRequest()) == {1: int(port)}
