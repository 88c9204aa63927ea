"""What properties accept of absurd requests and of forged replies, as Kafka does."""

from collections import defaultdict

import pytest

from kraftsim.controller.core.configs.resources import ResourceType
from kraftsim.controller.core.features.update_features import UPGRADE
from kraftsim.controller.core.rpc import (
    AlterPartitionReassignmentsRequest,
    BrokerHeartbeatRequest,
    DescribeClusterRequest,
    FeatureUpdate,
    FetchRequest,
    FetchTopic,
    ReassignablePartition,
    ReassignableTopic,
    UpdateFeaturesRequest,
)
from kraftsim.controller.core.rpc.cluster import CONTROLLER_ENDPOINT
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
from kraftsim.files.scenario_files import find, read_file
from kraftsim.scenarios.running.run import Run
from tests.scenarios.lives import active_id
from tests.scenarios.request_worlds import begin
from tests.scenarios.watched import BY_NUMBER, settled_world
from tests.worlds import ask, create_topic, partition, pass_time

pytestmark = pytest.mark.slow


def watched(*numbers, **how):
    return settled_world(classes=tuple(BY_NUMBER[number] for number in numbers), **how)


def test_the_reply_to_a_repetition_is_sent_although_nobody_gets_it():
    """L9: rpc.duplicate told no listener of it, and the repetition seemed to wait for ever."""
    world, watching = watched("L9", brokers=1, controllers=1)
    begin(world, "rpc.duplicate", {})
    ask(world, DescribeClusterRequest(endpoint_type=CONTROLLER_ENDPOINT))
    pass_time(world, 20)

    assert watching.properties["L9"].exercised
    assert watching.finish() == ()


def test_a_partition_that_a_request_names_twice_changes_once():
    """S31, S32, S33: each mention is decided from the same state, and no broker sees the first."""
    world, watching = watched("S31", "S32", "S33")
    create_topic(world, "t", (1, 2, 3))
    pass_time(world, 20)
    moves = tuple(ReassignablePartition(partition_index=0, replicas=(to,)) for to in (2, 1))
    topics = (ReassignableTopic(name="t", partitions=moves),)
    reply = ask(world, AlterPartitionReassignmentsRequest(topics=topics))
    pass_time(world, 2)

    assert not any(result.error_code for result in reply.responses[0].partitions)
    assert partition(world, "t").replicas == (1,)
    assert watching.properties["S31"].exercised
    assert watching.finish() == ()


def test_a_leader_that_moves_away_and_back_in_one_batch_has_not_moved():
    """S49: seed 2 of the hostile client names a partition several times in one request."""
    hostile = read_file(find("hostile-client")).scenario

    assert Run(hostile, 2, (BY_NUMBER["S49"],)).finish().violations == ()


def test_a_quota_of_an_entity_whose_type_is_named_twice():
    """S16: it looked for the refused entity with both names; Kafka keeps the last."""
    world, watching = watched("S16")
    ip = QuotaEntityData(entity_type="ip", entity_name="127.0.0.1")
    entity = ip, QuotaEntityData(entity_type="ip", entity_name="no address")
    set_rate = QuotaOperation(key="connection_creation_rate", value=1.0, remove=False)
    entry = AlterClientQuotasEntry(entity=entity, ops=(set_rate,))
    reply = ask(world, AlterClientQuotasRequest(entries=(entry,)))

    assert reply.entries[0].error_code
    assert watching.finish() == ()


def test_a_feature_that_a_request_names_twice_has_the_last_level():
    """S16: seed 7001491 of a hunt; the first level is one that no feature can have (rule 5.56)."""
    world, watching = watched("S16")
    levels = (
        FeatureUpdate(feature="transaction.version", max_version_level=level, upgrade_type=UPGRADE)
        for level in (-1, 2)
    )
    reply = ask(world, UpdateFeaturesRequest(feature_updates=tuple(levels)))

    assert reply.error_code == 0
    assert watching.finish() == ()


def test_a_client_from_outside_claims_to_have_read_the_whole_log():
    """S39: no broker has."""
    world, watching = watched("S39")
    heartbeat = BrokerHeartbeatRequest(
        broker_id=1,
        broker_epoch=-1,
        current_metadata_offset=1 << 62,
        want_fence=False,
        want_shut_down=False,
    )
    ask(world, heartbeat)
    pass_time(world, 2)

    assert watching.finish() == ()


def test_a_fetch_without_partitions_is_no_fetch_of_a_voter():
    """S37: it looked for the partition of a voter's fetch."""
    world, watching = watched("S37")
    for topics in ((), (FetchTopic(topic="", partitions=()),)):
        ask(world, FetchRequest(topics=topics))

    assert watching.finish() == ()


def test_a_minimum_of_a_node_that_is_no_number_leaves_the_default():
    """S31: no controller checks the value; the ghost could not read it."""
    world, watching = watched("S31")
    change = AlterableConfig(name="min.insync.replicas", config_operation=0, value="..")
    resource = IncrementalAlterConfigsResource(
        resource_type=ResourceType.BROKER, resource_name="", configs=(change,)
    )
    reply = ask(world, IncrementalAlterConfigsRequest(resources=(resource,)))
    create_topic(world, "t", (1, 2, 3))
    pass_time(world, 5)

    assert reply.responses[0].error_code == 0
    assert watching.finish() == ()


def test_a_forged_reply_names_no_other_leader_of_its_epoch():
    """L8: a voter that believed one followed a replica that led nobody, and never caught up."""
    world, _ = watched("S46", controllers=5)
    begin(world, "rpc.forge", {"api": "Fetch"})
    world.kill_controller(active_id(world))
    leaders = defaultdict(set)
    for _ in range(3000):
        pass_time(world, 0.01)
        for quorum in (process.node.quorum for process in world.controllers.values()):
            leaders[quorum.epoch].add(quorum.leader_id)

    assert len(leaders) > 2
    assert all(len(known - {-1}) <= 1 for known in leaders.values())
