"""Agents forward requests over sockets with the version and the client id of their clients."""

import asyncio
from functools import partial
from typing import Any

import pytest

from kraftsim.broker_agent.data_plane import DataPlane
from kraftsim.controller.core.profile import DEFAULT_PROFILE, KAFKA_3_9
from kraftsim.controller.core.rpc import (
    AlterPartitionReassignmentsRequest,
    ApiVersionsRequest,
    CreatableTopic,
    CreateTopicsRequest,
    DeleteTopicsRequest,
    FeatureUpdate,
    Request,
    UpdateFeaturesRequest,
)
from kraftsim.controller.core.rpc.configs import (
    AlterableConfig,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResource,
)
from kraftsim.controller.core.rpc.quotas import (
    AlterClientQuotasEntry,
    AlterClientQuotasRequest,
    QuotaEntityData,
    QuotaOperation,
)
from kraftsim.controller.core.rpc.senders import Requester
from kraftsim.service.broker_apis import BrokerApis
from kraftsim.service.client_view import ClientView
from kraftsim.service.fleet_listeners import release_of
from tests.broker_agent.test_fleet import LIMIT_S, Watched, fleet_for, quick_cluster

pytestmark = pytest.mark.realtime

VALID = ApiVersionsRequest(client_software_name="test", client_software_version="1")


async def forwarded(watched: Watched, request: Request) -> Any:
    """Returns the response to a request of a client of broker 1."""
    answered: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    watched.fleet.forward(1, DEFAULT_PROFILE, request, answered.set_result, -1)
    async with asyncio.timeout(LIMIT_S):
        return await answered


@pytest.mark.rule("4.52")
async def test_topics_that_an_old_client_names_are_deleted() -> None:
    async with quick_cluster() as kraft, fleet_for(kraft.bootstrap_controllers) as watched:
        watched.start(kraft.cluster_id, count=1)
        await watched.all_are("RUNNING")
        await kraft.topics.create("orders")
        client = Requester(client_id="old", version=5)

        deletion = DeleteTopicsRequest(topic_names=("orders", "none"), requester=client)
        response = await forwarded(watched, deletion)

        codes = {result.name: result.error_code for result in response.responses}
        assert codes == {"orders": 0, "none": 3}


@pytest.mark.rule("5.55")
async def test_clients_of_old_versions_get_the_results_of_features() -> None:
    async with quick_cluster() as kraft, fleet_for(kraft.bootstrap_controllers) as watched:
        watched.start(kraft.cluster_id, count=1)
        await watched.all_are("RUNNING")
        update = FeatureUpdate(feature="group.version", max_version_level=1)

        response = await forwarded(
            watched, UpdateFeaturesRequest(feature_updates=(update,), validate_only=True)
        )

        assert [(of.feature, of.error_message) for of in response.results] == [
            ("group.version", "NONE")
        ]


@pytest.mark.rule("4.63")
async def test_a_quota_of_mutations_is_that_of_the_client() -> None:
    async with quick_cluster() as kraft, fleet_for(kraft.bootstrap_controllers) as watched:
        watched.start(kraft.cluster_id, count=1)
        await watched.all_are("RUNNING")
        entity = (QuotaEntityData(entity_type="client-id", entity_name="judge"),)
        rate = QuotaOperation(key="controller_mutation_rate", value=1.0, remove=False)
        entry = AlterClientQuotasEntry(entity=entity, ops=(rate,))
        await kraft.request(AlterClientQuotasRequest(entries=(entry,)))

        async def codes(name: str, client_id: str) -> list[int]:
            wanted = CreatableTopic(name=name, num_partitions=300, replication_factor=1)
            client = Requester(client_id=client_id, version=7)
            request = CreateTopicsRequest(topics=(wanted,), requester=client)
            return [topic.error_code for topic in (await forwarded(watched, request)).topics]

        assert [*await codes("a", "judge"), *await codes("b", "judge")] == [0, 89]
        assert await codes("b", "another") == [0]


@pytest.mark.rule("4.61a")
async def test_a_forwarded_configuration_is_not_checked_as_one_of_a_direct_client() -> None:
    async with quick_cluster() as kraft, fleet_for(kraft.bootstrap_controllers) as watched:
        watched.start(kraft.cluster_id, count=1)
        await watched.all_are("RUNNING")
        cordoned = AlterableConfig(name="cordoned.log.dirs", config_operation=0, value="/none")
        broker = IncrementalAlterConfigsResource(
            resource_type=4, resource_name="1", configs=(cordoned,)
        )
        request = IncrementalAlterConfigsRequest(resources=(broker,))

        direct: Any = await kraft.request(request)
        through: Any = await forwarded(watched, request)

        assert [of.error_code for of in direct.responses] != [0]
        assert [of.error_code for of in through.responses] == [0]


@pytest.mark.rule("5.48a")
async def test_a_broker_lists_the_versions_of_the_controller_that_has_answered() -> None:
    """An agent of 4.4 at a controller of 3.9, whose AlterPartitionReassignments has version 0."""
    key = AlterPartitionReassignmentsRequest.api_key
    async with (
        quick_cluster(profile="kafka-3.9") as kraft,
        fleet_for(kraft.bootstrap_controllers) as watched,
    ):
        watched.start(kraft.cluster_id, count=1)
        await watched.all_are("RUNNING")
        agent = watched.fleet.agents[1]
        ask = partial(watched.fleet.forward, 1, DEFAULT_PROFILE)
        view = ClientView(kraft.cluster_id, DEFAULT_PROFILE, watched.random)
        known = partial(release_of, agent)
        apis = BrokerApis(view, agent, watched.runtime, ask, DataPlane(print), known)

        def newest() -> int:
            listed = apis.describe(VALID, 4)
            return next(api.max_version for api in listed.api_keys if api.api_key == key)

        before = newest()
        answered: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        apis.answer(DeleteTopicsRequest(topic_names=("none",)), answered.set_result)
        async with asyncio.timeout(LIMIT_S):
            await answered

        assert (before, newest()) == (1, 0)
        assert release_of(agent, 3000) is KAFKA_3_9
        assert release_of(agent, 7) is None
