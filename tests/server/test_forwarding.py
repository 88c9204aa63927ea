"""Requests that a broker forwards while no controller answers."""

from collections.abc import AsyncIterator

import pytest

from kraftsim import Cluster
from kraftsim.controller.core.cluster.quorum_request import QUORUM_REQUEST
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import (
    CreatableTopic,
    CreateTopicsRequest,
    FeatureUpdate,
    Request,
    UnregisterBrokerRequest,
    UpdateFeaturesRequest,
)
from kraftsim.controller.core.rpc.quotas import (
    AlterClientQuotasEntry,
    AlterClientQuotasRequest,
    QuotaEntityData,
    QuotaOperation,
)
from tests.server.kafka_client import connected

pytestmark = pytest.mark.realtime


@pytest.fixture
async def kraft() -> AsyncIterator[Cluster]:
    async with Cluster(brokers=1, clock="virtual", seed=1, kafka_port=0) as cluster:
        yield cluster


TOPIC = CreatableTopic(name="orders", num_partitions=1, replication_factor=1)
GROUPS = FeatureUpdate(feature="group.version", max_version_level=1)
USER = QuotaEntityData(entity_type="user", entity_name="u")
RATE = QuotaOperation(key="producer_byte_rate", value=1.0, remove=False)
ASKED: dict[str, tuple[int, int, Request, str | None]] = {
    "CreateTopics": (19, 7, CreateTopicsRequest(topics=(TOPIC,)), None),
    "UnregisterBroker": (64, 0, UnregisterBrokerRequest(broker_id=9), None),
    "UpdateFeatures": (
        57,
        2,
        UpdateFeaturesRequest(
            feature_updates=(FeatureUpdate(feature="group.version", max_version_level=1),)
        ),
        None,
    ),
    "AlterClientQuotas": (
        49,
        1,
        AlterClientQuotasRequest(entries=(AlterClientQuotasEntry(entity=(USER,), ops=(RATE,)),)),
        "The request timed out.",
    ),
    "DescribeQuorum": (55, 2, QUORUM_REQUEST, "The request timed out."),
}
"""Requests with what 4.3.1 answers 60 s after its only controller was killed: 7 and this text."""


@pytest.mark.parametrize("api", ASKED)
async def test_a_broker_without_controllers_answers_after_a_minute(
    kraft: Cluster, api: str
) -> None:
    key, version, request, text = ASKED[api]
    await kraft.controllers.kill(3000)

    async with (
        connected(kraft.bootstrap_servers) as client,
        connected(kraft.bootstrap_servers) as other,
    ):
        client.send(key, version, request)
        await client.round_trips(other)
        await kraft.clock.advance("59s")
        await client.round_trips(other)
        assert client.nothing_came

        await kraft.clock.advance("2s")

        _, response = await client.answer(key, version)
        (refused,) = (
            getattr(response, "topics", ()) or getattr(response, "entries", ()) or (response,)
        )
        assert (refused.error_code, refused.error_message) == (ErrorCode.REQUEST_TIMED_OUT, text)
