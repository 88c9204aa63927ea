"""Worlds that are watched from before their start, and a troubled life for them."""

import random

from kraftsim.controller.core.node_id import Kind, NodeId
from kraftsim.controller.core.rpc import (
    CreatableTopic,
    CreateTopicsRequest,
    DecommissionBrokerRequest,
    DescribeClusterRequest,
    DescribeQuorumPartition,
    DescribeQuorumRequest,
    DescribeQuorumTopic,
    UnregisterBrokerRequest,
)
from kraftsim.controller.core.rpc.cluster import CONTROLLER_ENDPOINT
from kraftsim.controller.raft.messages import METADATA_TOPIC
from kraftsim.scenarios.properties import ALL
from kraftsim.scenarios.running.watch import watch
from kraftsim.simulation.delays import uniform
from tests.worlds import SECOND_US, pass_time, unstarted_world

BY_NUMBER = {property_.number: property_ for property_ in ALL}
CALM_S = 60
CLIENT = NodeId(900, Kind.OUTSIDE)
VERBS = (
    *("kill a controller", "start a controller", "pause a controller", "resume a controller"),
    *("kill a broker", "start a broker", "stop a broker", "pause a broker", "resume a broker"),
    *("cut", "cut", "heal", "lose", "lose nothing", "create a topic", "unregister", "decommission"),
    *("describe", "wait", "wait", "wait"),
)


def watched_world(brokers=3, *, controllers=3, classes=ALL, seed=1, starts=True, **how):
    """(world, watch); not all of its brokers need be unfenced yet."""
    world = unstarted_world(brokers, controllers=controllers, seed=seed, **how)
    watching = watch(world, classes)
    world.network.delay_us = uniform(200, 20_000, world.streams.of("delays"))
    if starts:
        world.start()
    return world, watching


def settled_world(brokers=3, **how):
    world, watching = watched_world(brokers, **how)
    assert world.run_until(
        lambda: world.are_unfenced(range(1, brokers + 1)), limit_us=60 * SECOND_US
    )
    return world, watching


def troubled(world, seed, steps=40, calm_s=CALM_S):
    """Whatever befalls a cluster, drawn from `seed`, and a calm end."""
    draw = random.Random(seed)
    pass_time(world, 8)
    for number in range(steps):
        befall(world, draw, draw.choice(VERBS), number)
        pass_time(world, draw.choice((0.1, 1, 5, 12)))
    calm(world, calm_s)


def calm(world, calm_s):
    world.network.heal()
    world.network.loss = 0.0
    for node_id in world.controllers:
        world.start_controller(node_id)
        world.resume_controller(node_id)
    for hosted in world.agents.values():
        hosted.resume()
        hosted.start()
    pass_time(world, calm_s)


def befall(world, draw, verb, number):
    node_id = draw.choice(list(world.controllers))
    broker_id = draw.choice(list(world.agents))
    hosted = world.agents[broker_id]
    match verb.split():
        case [what, "a", "controller"]:
            getattr(world, f"{what}_controller")(node_id)
        case [what, "a", "broker"]:
            getattr(hosted, what)()
        case ["cut"]:
            world.network.cut.add(tuple(draw.sample(world.nodes, 2)))
        case ["heal"]:
            world.network.heal()
        case ["lose", *nothing]:
            world.network.loss = 0.0 if nothing else 0.2
        case ["create", *_]:
            ask(world, topic(f"t{number}", partitions=3, replicas=2))
        case ["unregister"] if draw.random() < 0.3:
            ask(world, UnregisterBrokerRequest(broker_id=broker_id))
        case ["decommission"] if draw.random() < 0.3:
            ask(world, DecommissionBrokerRequest(broker_id=broker_id, force=draw.random() < 0.5))
        case ["describe"]:
            describe(world, node_id)


def topic(name, *, partitions=1, replicas=3):
    wanted = CreatableTopic(name=name, num_partitions=partitions, replication_factor=replicas)
    return CreateTopicsRequest(topics=(wanted,))


def ask(world, request):
    """As from outside, without waiting for the answer; it comes into the list."""
    replies = []
    world.dispatch(request, replies.append)
    return replies


def describe(world, node_id):
    """As a client would, over the network."""
    parts = (DescribeQuorumPartition(),)
    quorum = DescribeQuorumTopic(topic_name=METADATA_TOPIC, partitions=parts)
    for request in (
        DescribeClusterRequest(endpoint_type=CONTROLLER_ENDPOINT),
        DescribeQuorumRequest(topics=(quorum,)),
    ):
        world.send_request(CLIENT, request, lambda reply: None, node_id)
