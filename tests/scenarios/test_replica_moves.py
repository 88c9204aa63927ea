"""AlterReplicaLogDirs: a simulated broker moves replicas between its log directories (KIP-113)."""

import pytest

from kraftsim.broker_agent.messages.moves import alter_log_dirs
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.profile import KAFKA_4_3
from kraftsim.controller.core.rpc.configs import (
    AlterableConfig,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResource,
)
from kraftsim.controller.core.rpc.stored_messages import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from kraftsim.controller.core.uuid import Uuid
from kraftsim.simulation.world import World
from tests.worlds import ask, create_topic, node, nodes, partition, pass_time, unstarted_world

NONE, UNKNOWN = ErrorCode.NONE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
BROKER_ID = 1


@pytest.fixture
def world() -> World:
    """Two brokers with two directories each, and a topic with one replica on broker 1."""
    world = unstarted_world(brokers=2, log_dirs=2, profile=KAFKA_4_3)
    world.start(elects_at_once=True)
    assert world.run_until(lambda: world.are_unfenced((1, 2)), limit_us=60_000_000)
    create_topic(world, "t", (BROKER_ID,))
    pass_time(world, 2)
    return world


def paths(world: World) -> list[str]:
    return [of.path for of in world.hosts[node(BROKER_ID)].log_dirs]


def directories(world: World) -> list[Uuid]:
    return [of.directory_id for of in world.hosts[node(BROKER_ID)].log_dirs]


def place(world: World, topic: str = "t", index: int = 0) -> int:
    """The number of the directory that the metadata has for the replica."""
    directory = partition(world, topic, index).directory_of(BROKER_ID)
    assert directory is not None
    return directories(world).index(directory)


def move(world: World, path: str, topic: str = "t", index: int = 0) -> int:
    wanted = AlterReplicaLogDir(
        path=path, topics=(AlterReplicaLogDirTopic(name=topic, partitions=(index,)),)
    )
    response = alter_log_dirs(world.agents[BROKER_ID], AlterReplicaLogDirsRequest(dirs=(wanted,)))
    ((result,),) = (of.partitions for of in response.results)
    return result.error_code


def futures(world: World) -> list[tuple[str, int, int]]:
    """Topic, partition and number of the directory of each future replica."""
    image = world.agents[BROKER_ID].agent.image
    return [
        (
            of.replica.topic,
            of.replica.partition,
            directories(world).index(of.replica.directory or b""),
        )
        for of in world.agents[BROKER_ID].store.futures(image)
    ]


def cordon(world: World, path: str) -> None:
    config = AlterableConfig(name="cordoned.log.dirs", config_operation=0, value=path)
    resource = IncrementalAlterConfigsResource(
        resource_type=4, resource_name=str(BROKER_ID), configs=(config,)
    )
    ask(world, IncrementalAlterConfigsRequest(resources=(resource,), is_forwarded=True))
    pass_time(world, 1)


@pytest.mark.rule("B7.51")
def test_a_replica_moves_once_the_controller_has_accepted_its_directory(world: World) -> None:
    before = place(world)

    assert move(world, paths(world)[1 - before]) == NONE
    assert (place(world), futures(world)) == (before, [("t", 0, 1 - before)])
    pass_time(world, 1)

    assert (place(world), futures(world)) == (1 - before, [])


def test_a_move_waits_for_an_active_controller(world: World) -> None:
    before = place(world)
    world.network.isolate(node(BROKER_ID), nodes(world.controllers))
    move(world, paths(world)[1 - before])
    pass_time(world, 3)
    assert futures(world) == [("t", 0, 1 - before)]

    world.network.heal()
    pass_time(world, 60)

    assert (place(world), futures(world)) == (1 - before, [])


@pytest.mark.rule("B7.50")
def test_a_move_back_ends_a_move(world: World) -> None:
    before = place(world)
    move(world, paths(world)[1 - before])

    assert move(world, paths(world)[before]) == NONE
    assert futures(world) == []
    pass_time(world, 5)

    assert place(world) == before


@pytest.mark.rule("B7.52")
def test_a_move_back_after_the_report_takes_the_directory_back(world: World) -> None:
    before = place(world)
    move(world, paths(world)[1 - before])
    pass_time(world, 0.1005)  # the report is on its way

    move(world, paths(world)[before])
    pass_time(world, 5)

    assert (place(world), futures(world)) == (before, [])


def test_a_move_goes_on_with_the_next_process(world: World) -> None:
    before = place(world)
    move(world, paths(world)[1 - before])
    world.agents[BROKER_ID].kill()
    pass_time(world, 1)
    assert place(world) == before

    world.agents[BROKER_ID].start()
    pass_time(world, 30)

    assert (place(world), futures(world)) == (1 - before, [])


def test_a_lost_disk_loses_the_moves(world: World) -> None:
    move(world, paths(world)[1 - place(world)])

    world.agents[BROKER_ID].lose_disk()

    assert futures(world) == []


@pytest.mark.parametrize("lost", ["its own directory", "the other directory"])
def test_a_move_ends_with_a_directory(world: World, lost: str) -> None:
    create_topic(world, "u", (BROKER_ID,))
    pass_time(world, 2)
    topic = next(name for name in ("t", "u") if place(world, name) == int(lost[4] == "i"))
    before = place(world, topic)
    move(world, paths(world)[1 - before], topic)

    world.agents[BROKER_ID].fail_directory(directories(world)[1])
    pass_time(world, 5)

    assert (place(world, topic), futures(world)) == (before, [])


@pytest.mark.rule("B7.50")
def test_errors_come_in_the_order_of_kafka(world: World) -> None:
    first, second = paths(world)
    long, longest = "z" * 214, "z" * 213

    assert move(world, "/nowhere", long) == ErrorCode.INVALID_TOPIC_EXCEPTION
    assert move(world, "/nowhere", longest) == ErrorCode.LOG_DIR_NOT_FOUND
    assert move(world, "relative") == ErrorCode.LOG_DIR_NOT_FOUND
    assert move(world, first + "/") == ErrorCode.LOG_DIR_NOT_FOUND
    assert [move(world, first, name) for name in (longest, "", "bad name!")] == [UNKNOWN] * 3
    assert [move(world, first, "t", index) for index in (7, -1)] == [UNKNOWN] * 2
    assert move(world, paths(world)[place(world)]) == NONE

    create_topic(world, "elsewhere", (2,))
    pass_time(world, 1)
    assert move(world, first, "elsewhere") == ErrorCode.REPLICA_NOT_AVAILABLE

    cordon(world, second)
    assert move(world, second, long) == ErrorCode.INVALID_TOPIC_EXCEPTION
    assert move(world, second) == ErrorCode.INVALID_REPLICA_ASSIGNMENT
    assert move(world, second, "unknown") == ErrorCode.INVALID_REPLICA_ASSIGNMENT

    world.agents[BROKER_ID].fail_directory(directories(world)[1])
    assert move(world, second, "unknown") == ErrorCode.KAFKA_STORAGE_ERROR


def test_the_replica_of_a_lost_directory_does_not_move(world: World) -> None:
    if place(world) == 0:
        move(world, paths(world)[1])
        pass_time(world, 2)
    world.agents[BROKER_ID].fail_directory(directories(world)[1])

    assert move(world, paths(world)[0]) == ErrorCode.KAFKA_STORAGE_ERROR


def test_a_full_directory_takes_no_replica_and_goes_offline(world: World) -> None:
    if place(world) == 1:
        move(world, paths(world)[0])
        pass_time(world, 2)
    world.agents[BROKER_ID].store.full.add(directories(world)[1])

    assert move(world, paths(world)[1]) == ErrorCode.KAFKA_STORAGE_ERROR
    assert directories(world)[1] in world.agents[BROKER_ID].store.failed


@pytest.mark.rule("B7.50")
@pytest.mark.parametrize("number", [0, 1])
def test_the_directory_of_a_replica_to_come_is_remembered(world: World, number: int) -> None:
    for index in range(4):
        assert move(world, paths(world)[number], "w", index) == UNKNOWN

    create_topic(world, "w", *[(BROKER_ID,)] * 4)
    pass_time(world, 2)

    assert [place(world, "w", index) for index in range(4)] == [number] * 4


@pytest.mark.rule("B7.50")
def test_of_two_directories_of_a_replica_the_last_counts(world: World) -> None:
    before = place(world)
    topics = (AlterReplicaLogDirTopic(name="t", partitions=(0,)),)
    request = AlterReplicaLogDirsRequest(
        dirs=tuple(
            AlterReplicaLogDir(path=paths(world)[number], topics=topics)
            for number in (1 - before, before)
        )
    )

    response = alter_log_dirs(world.agents[BROKER_ID], request)

    assert [len(of.partitions) for of in response.results] == [1]
    assert futures(world) == []
