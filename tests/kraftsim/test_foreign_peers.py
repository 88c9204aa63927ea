"""A controller's process says in its log who cannot be of its quorum, and why: once."""

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from kraftsim.commands.controller import ControllerService
from kraftsim.controller.core.log.control_records import Voter, VoterEndpoint
from kraftsim.controller.core.profile import DEFAULT_PROFILE
from kraftsim.controller.core.rpc import BrokerHeartbeatRequest, FetchRequest, VoteRequest
from kraftsim.controller.core.uuid import uuid_text
from kraftsim.controller.node.config import NodeConfig
from kraftsim.controller.raft.identity import LISTENER, RAFT_VERSIONS
from kraftsim.controller.server.kafka_listener import KafkaListener
from kraftsim.service.foreign_peers import ForeignPeers
from tests.free_ports import free_ports
from tests.limits import LIMIT_S

LOG = "kraftsim.controller"


class Lines(logging.Handler):
    """What is said from now on, to be waited for."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.said: list[str] = []
        self._news = asyncio.Event()

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())
        self._news.set()

    async def until(self, *words: str) -> str:
        """The first line that has all the words."""
        async with asyncio.timeout(LIMIT_S):
            while True:
                for line in self.said:
                    if all(word in line for word in words):
                        return line
                self._news.clear()
                await self._news.wait()


@pytest.fixture
async def lines() -> AsyncIterator[Lines]:
    handler = Lines()
    logging.getLogger(LOG).addHandler(handler)
    yield handler
    logging.getLogger(LOG).removeHandler(handler)


def two_controllers() -> tuple[NodeConfig, NodeConfig]:
    voters = tuple(
        Voter(
            voter_id=node_id,
            voter_directory_id=secrets.token_bytes(16),
            endpoints=(VoterEndpoint(name=LISTENER, host="127.0.0.1", port=port),),
            k_raft_version_feature=RAFT_VERSIONS,
        )
        for node_id, port in zip((3000, 3001), free_ports(2), strict=True)
    )
    first, other = (
        NodeConfig(
            node_id=voter.voter_id,
            cluster_id="one",
            host="127.0.0.1",
            port=voter.endpoints[0].port,
            directory_id=voter.voter_directory_id,
            voters=voters,
            may_have_lost_log=True,
        )
        for voter in voters
    )
    return first, other


@asynccontextmanager
async def running(*configs: NodeConfig) -> AsyncIterator[None]:
    services: list[ControllerService] = []
    profile = DEFAULT_PROFILE
    try:
        for config in configs:
            listener = KafkaListener("controller", f"controller-{config.node_id}")
            await listener.open(config.host, config.port)
            services.append(
                ControllerService(config, profile, profile.settings, asyncio.Event(), listener)
            )
            services[-1].start()
        yield
    finally:
        for service in services:
            service.close()


@pytest.mark.realtime
@pytest.mark.rule("10.13")
async def test_controllers_of_two_clusters_say_so_on_both_sides(lines: Lines) -> None:
    first, other = two_controllers()

    async with running(first, replace(other, cluster_id="another")):
        said = await lines.until("node 3001 belongs to another cluster: expected one, but it ")
        await lines.until("node 3000 belongs to another cluster: expected another, but it ")

    assert "Give both the same --cluster-id, or correct --voters" in said


@pytest.mark.realtime
@pytest.mark.rule("10.13")
async def test_a_voter_under_another_directory_is_told_of_with_the_way_out(lines: Lines) -> None:
    first, other = two_controllers()
    directory = secrets.token_bytes(16)
    moved = replace(other, directory_id=directory)
    listed, mine = uuid_text(other.directory_id), uuid_text(directory)

    async with running(first, moved):
        theirs = await lines.until("controller 3001 at 127.0.0.1", f"expected {listed}")
        own = await lines.until("controller 3000 lists this one, 3001", f"directory id {listed}")

    assert f"expected {mine}; this controller does not vote" in own
    assert "`kraftsim controller remove 3001`" in theirs
    assert f"`kraftsim controller add 3001@127.0.0.1:{other.port}:{mine}`" in own


def test_a_voter_is_told_of_once_and_a_whole_fleet_is_too(caplog: pytest.LogCaptureFixture) -> None:
    config, _ = two_controllers()
    foreign_peers = ForeignPeers(config)

    for replica_id in (*range(1001, 1101), 3001, 3001):
        foreign_peers.check_request(FetchRequest(replica_id=replica_id, cluster_id="another"))

    fleet, voter = caplog.messages
    assert "node 1001 belongs to another cluster" in fleet
    assert "node 3001 belongs to another cluster" in voter


@pytest.mark.parametrize(
    "request_",
    [
        FetchRequest(replica_id=1, cluster_id="one"),
        FetchRequest(replica_id=1),
        VoteRequest(voter_id=3000),
        VoteRequest(voter_id=3001, cluster_id="one"),
        BrokerHeartbeatRequest(
            broker_id=1,
            broker_epoch=1,
            current_metadata_offset=0,
            want_fence=False,
            want_shut_down=False,
        ),
    ],
)
def test_of_others_there_is_nothing_to_say(
    request_: FetchRequest | VoteRequest, caplog: pytest.LogCaptureFixture
) -> None:
    config, _ = two_controllers()

    ForeignPeers(config).check_request(request_)

    assert caplog.messages == []
