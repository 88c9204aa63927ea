"""A cluster that some properties watch, and the requests of its administrator."""

from kraftsim.controller.core.log.records import TOPIC_RESOURCE
from kraftsim.controller.core.rpc import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from kraftsim.controller.core.rpc.configs import (
    AlterConfigsRequest,
    AlterConfigsResource,
    LegacyConfig,
)
from tests.scenarios.watched import BY_NUMBER, settled_world
from tests.worlds import SECOND_US, ask


def watched(*numbers, **how):
    return settled_world(classes=tuple(BY_NUMBER[number] for number in numbers), **how)


def reassign(world, name, replicas, index=1):
    to = (ReassignablePartition(partition_index=index, replicas=replicas),)
    topics = (ReassignableTopic(name=name, partitions=to),)
    reply = ask(world, AlterPartitionReassignmentsRequest(topics=topics))
    assert reply.responses[0].partitions[0].error_code == 0, reply


def set_min_isr(world, name, value):
    configure(world, name, "min.insync.replicas", value)


def configure(world, name, key, value):
    change = LegacyConfig(name=key, value=value)
    resource = AlterConfigsResource(
        resource_type=TOPIC_RESOURCE, resource_name=name, configs=(change,)
    )
    reply = ask(world, AlterConfigsRequest(resources=(resource,)))
    assert reply.responses[0].error_code == 0, reply


def elected_before_it_is_active(world):
    """Returns the new leader of two voters; both have its first entry, and it does not know yet."""
    nodes = [process.node for process in world.controllers.values() if process.is_running]

    def has_written():
        is_led = any(node.quorum.is_leader for node in nodes)
        return is_led and len({node.log.end_offset for node in nodes}) == 1

    assert world.run_until(has_written, limit_us=20 * SECOND_US)
    (leader,) = [node for node in nodes if node.quorum.is_leader]
    assert leader.active is None
    return leader
