"""Small worlds in virtual time, for tests that tell what happens between brokers and controller."""

from collections.abc import Iterable
from typing import Any

from kraftsim.controller.core.image.partition import Partition
from kraftsim.controller.core.node_id import NodeId, broker_node, controller_node
from kraftsim.controller.core.profile import DEFAULT_PROFILE, Profile
from kraftsim.controller.core.rpc import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreateTopicsRequest,
    Request,
)
from kraftsim.controller.core.settings import Settings
from kraftsim.simulation.streams import Streams
from kraftsim.simulation.topology import FIRST_CONTROLLER_ID, BrokerSpec, ControllerSpec, Topology
from kraftsim.simulation.world import World

SECOND_US = 1_000_000


def world_of(
    brokers: int = 3,
    *,
    controllers: int = 1,
    seed: int = 1,
    profile: Profile = DEFAULT_PROFILE,
    kraft_version: int = 1,
    **settings: Any,
) -> World:
    """A started world whose brokers are all unfenced."""
    world = unstarted_world(
        brokers,
        controllers=controllers,
        seed=seed,
        profile=profile,
        kraft_version=kraft_version,
        **settings,
    )
    world.start()
    assert world.run_until(
        lambda: world.are_unfenced(range(1, brokers + 1)), limit_us=60 * SECOND_US
    ), "every broker unfenced"
    return world


def unstarted_world(
    brokers: int = 3,
    *,
    controllers: int = 1,
    seed: int = 1,
    profile: Profile = DEFAULT_PROFILE,
    kraft_version: int = 1,
    metadata_version: int | None = None,
    log_dirs: int = 1,
    **settings: Any,
) -> World:
    topology = Topology(
        cluster_id="kraftsimTestCluster001",
        controllers=tuple(
            ControllerSpec(node_id=3000 + place, port=9990 + place) for place in range(controllers)
        ),
        brokers=tuple(
            BrokerSpec(broker_id=broker_id, port=9091 + broker_id, log_dirs=log_dirs)
            for broker_id in range(1, brokers + 1)
        ),
        profile=profile,
        settings=Settings(**settings) if settings else profile.settings,
        kraft_version=kraft_version,
        metadata_version=metadata_version,
    )
    return World(topology, streams=Streams(seed))


def node(number: int) -> NodeId:
    """A node of a small world, in which controllers have the numbers from 3000 on."""
    return controller_node(number) if number >= FIRST_CONTROLLER_ID else broker_node(number)


def nodes(numbers: Iterable[int]) -> tuple[NodeId, ...]:
    return tuple(map(node, numbers))


def ask(world: World, request: Request) -> Any:
    """The controller's reply: a single voter's at once, else when a majority has it."""
    replies: list[Any] = []
    world.dispatch(request, replies.append)
    assert world.run_until(lambda: bool(replies), limit_us=5 * SECOND_US), "an answer"
    return replies[0]


def create_topic(world: World, name: str, *assignments: tuple[int, ...]) -> None:
    topic = CreatableTopic(
        name=name,
        assignments=tuple(
            CreatableReplicaAssignment(partition_index=index, broker_ids=ids)
            for index, ids in enumerate(assignments)
        ),
    )
    reply = ask(world, CreateTopicsRequest(topics=(topic,)))
    assert reply.topics[0].error_code == 0, reply


def partition(world: World, name: str, index: int = 0) -> Partition:
    image = world.committed
    return image.topics[image.topic_ids[name]].partitions[index]


def pass_time(world: World, seconds: float) -> None:
    world.advance(round(seconds * SECOND_US))


def kinds(world: World, broker_id: int | None = None) -> list[str]:
    """What happened, in order; agents' states by their names."""
    return [
        str(row.detail["state"]) if row.kind == "agent_state" else row.kind
        for row in world.journal.since(0)
        if broker_id is None or row.broker_id == broker_id
    ]
