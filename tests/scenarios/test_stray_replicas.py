"""A broker compares its disk with the metadata at RECOVERY (KIP-631, topic identifiers)."""

from kraftsim.broker_agent.replica_store import Found
from kraftsim.controller.core.rpc import DeleteTopicsRequest, DeleteTopicState, Request
from kraftsim.controller.core.rpc.partitions import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from kraftsim.simulation.event_row import EventRow
from kraftsim.simulation.processes import Processes
from kraftsim.simulation.world import World
from tests.worlds import ask, create_topic, node, pass_time, world_of

BROKER = 1


def deletion(*names: str) -> Request:
    return DeleteTopicsRequest(topics=tuple(DeleteTopicState(name=name) for name in names))


def reassignment(topic: str, *replicas: int) -> Request:
    partition = ReassignablePartition(partition_index=0, replicas=replicas)
    topics = (ReassignableTopic(name=topic, partitions=(partition,)),)
    return AlterPartitionReassignmentsRequest(timeout_ms=1000, topics=topics)


def rows(world: World) -> list[EventRow]:
    kinds = ("replicas_deleted", "replicas_stray")
    return [row for row in world.journal.since(0) if row.kind in kinds]


def found_in(world: World) -> list[tuple[str, object]]:
    return [(row.kind, row.detail["replicas"]) for row in rows(world)]


def while_down(world: World, *requests: Request) -> None:
    """Kills the broker, sends requests, waits until its replicas may go, and starts it again."""
    processes = Processes(world)
    processes.crash(node(BROKER))
    pass_time(world, 12)
    for request in requests:
        ask(world, request)
    pass_time(world, 3)
    processes.start(node(BROKER))
    pass_time(world, 15)


def test_replicas_of_a_topic_that_was_deleted_meanwhile_are_deleted() -> None:
    world = world_of(3)
    create_topic(world, "kept", (1, 2))
    create_topic(world, "gone", (2, 1), (2, 3), (3, 1))

    while_down(world, deletion("gone"))

    assert found_in(world) == [("replicas_deleted", ["gone-0", "gone-2"])]
    (row,) = rows(world)
    assert (row.broker_id, row.detail["count"]) == (BROKER, 2)


def test_a_topic_of_the_same_name_with_another_id_is_another_topic() -> None:
    world = world_of(3)
    create_topic(world, "again", (1, 2))
    processes = Processes(world)
    processes.crash(node(BROKER))
    ask(world, deletion("again"))
    create_topic(world, "again", (2, 3))
    processes.start(node(BROKER))
    pass_time(world, 15)

    assert found_in(world) == [("replicas_deleted", ["again-0"])]


def test_a_replica_that_moved_to_other_brokers_is_stray_until_its_topic_is_deleted() -> None:
    world = world_of(3)
    create_topic(world, "moved", (1, 2))

    while_down(world, reassignment("moved", 2, 3))
    while_down(world)
    while_down(world, deletion("moved"))
    while_down(world)

    assert found_in(world) == [
        ("replicas_stray", ["moved-0"]),
        ("replicas_stray", ["moved-0"]),
        ("replicas_deleted", ["moved-0"]),
    ]


def test_a_running_broker_and_a_lost_disk_leave_nothing_to_find() -> None:
    world = world_of(3)
    create_topic(world, "t", (1, 2))
    ask(world, deletion("t"))
    pass_time(world, 1)
    while_down(world)
    create_topic(world, "u", (1, 2))
    pass_time(world, 1)
    Processes(world).wipe(node(BROKER))
    ask(world, deletion("u"))
    Processes(world).start(node(BROKER))
    pass_time(world, 15)

    assert found_in(world) == []


def test_a_process_that_ends_before_recovery_leaves_the_inventory_to_the_next() -> None:
    world = world_of(3)
    create_topic(world, "gone", (1, 2))
    processes = Processes(world)
    processes.crash(node(BROKER))
    ask(world, deletion("gone"))
    processes.start(node(BROKER))
    agent = world.agents[BROKER].agent
    assert [replica.name for replica in agent.store.on_disk(agent.image, BROKER)] == ["gone-0"]
    processes.crash(node(BROKER))
    assert found_in(world) == []

    processes.start(node(BROKER))
    pass_time(world, 15)

    assert found_in(world) == [("replicas_deleted", ["gone-0"])]
    assert world.agents[BROKER].agent.found != Found()
    assert world.agents[BROKER].agent.store.on_disk(world.committed, BROKER) == []
