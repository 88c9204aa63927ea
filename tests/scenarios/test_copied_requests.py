"""S42 compares a reply with every copy of its request that waits."""

from kraftsim.controller.core.node_id import controller_node
from kraftsim.controller.core.rpc import FetchPartition, FetchRequest, FetchTopic
from kraftsim.controller.core.uuid import METADATA_TOPIC_ID
from kraftsim.simulation.message import Message

from .watched import BY_NUMBER, CLIENT, settled_world


def test_a_reply_may_come_after_that_to_a_later_copy():
    world, watching = settled_world(classes=(BY_NUMBER["S42"],))
    request = fetch_from_the_start(world.active.node.epoch)
    leader_id = world.active.node.config.node_id
    follower_id = next(node_id for node_id in world.controllers if node_id != leader_id)
    to_leader = Message(CLIENT, controller_node(leader_id), request)
    to_follower = Message(CLIENT, controller_node(follower_id), request)

    watching.on_arrived(to_leader)
    watching.on_arrived(to_follower)
    watching.on_arrived(answered(world, to_follower))
    watching.on_arrived(to_follower)
    watching.on_arrived(answered(world, to_leader))

    assert watching.properties["S42"].exercised >= 2
    assert watching.violations == {}


def fetch_from_the_start(epoch):
    partition = FetchPartition(
        partition=0, current_leader_epoch=epoch, fetch_offset=0, last_fetched_epoch=0
    )
    topic = FetchTopic(topic_id=METADATA_TOPIC_ID, partitions=(partition,))
    return FetchRequest(topics=(topic,))


def answered(world, message):
    replies = []
    world.controllers[message.receiver.number].submit(message.request, replies.append)
    return message.answered(*replies)
