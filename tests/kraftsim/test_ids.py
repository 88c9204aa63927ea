"""Every door refuses an id that no node can have, and an id that another node has."""

from collections.abc import Callable
from pathlib import Path

import pytest

from kraftsim import Cluster
from kraftsim.cli.main import main
from kraftsim.controller.core.node_id import NODE_ID_MAX
from kraftsim.errors import USAGE, CommandError
from kraftsim.options import ClusterOptions
from kraftsim.scenarios.document.scenario import read_scenario
from kraftsim.scenarios.language.reading import Problem
from kraftsim.scenarios.running.run import run
from kraftsim.simulation.streams import Streams
from kraftsim.simulation.topology import BROKERS_MAX, BrokerSpec, ControllerSpec, Topology
from kraftsim.simulation.world import World
from tests.configuration.cases import text_of

NO_IDS = (-1, NODE_ID_MAX + 1, True, "1", None)
DIRECTORY = "AbcdefghijklmnopqrstuA"
SCENARIO = {
    "schema": "kraftsim/scenario/1",
    "name": "one",
    "claim": "Brokers come.",
    "cluster": {"controllers": 1, "brokers": 1},
    "time": {"warmup": "1s", "run": "2s", "calm": "1s"},
}


def topology(*broker_ids: int, controller_ids: tuple[int, ...] = (3000,)) -> Topology:
    return Topology(
        cluster_id="kraftsimTestCluster001",
        controllers=tuple(
            ControllerSpec(node_id=controller_id) for controller_id in controller_ids
        ),
        brokers=tuple(BrokerSpec(broker_id=broker_id, port=9092) for broker_id in broker_ids),
    )


def started(*broker_ids: int) -> World:
    world = World(topology(*broker_ids), streams=Streams(1))
    world.start()
    return world


def add_to_a_world(broker_id: int) -> None:
    started(1).add_broker(BrokerSpec(broker_id=broker_id, port=9092))


DOORS: dict[str, Callable[[int], object]] = {
    "a broker of a topology": topology,
    "a controller of a topology": lambda node_id: topology(controller_ids=(node_id,)),
    "a broker that is added to a world": add_to_a_world,
}


@pytest.mark.python_modules  # compiled modules refuse what is no int on their own
@pytest.mark.parametrize("number", NO_IDS)
@pytest.mark.parametrize("door", DOORS)
def test_no_door_takes_what_is_no_id(door: str, number: int) -> None:
    with pytest.raises(ValueError, match=f"expected an id of 0 to {NODE_ID_MAX}, got {number!r}"):
        DOORS[door](number)


@pytest.mark.rule("7.6")
@pytest.mark.parametrize("door", ["a broker of a topology", "a broker that is added to a world"])
def test_no_broker_gets_the_id_of_a_controller(door: str) -> None:
    with pytest.raises(ValueError, match="got 3000, which controller 3000 has"):
        DOORS[door](3000)


def test_no_two_nodes_of_a_topology_have_one_id() -> None:
    with pytest.raises(ValueError, match=r"broker: .* got 2, which broker 2 has"):
        topology(1, 2, 2)
    with pytest.raises(ValueError, match=r"controller: .* got 3001, which controller 3001 has"):
        topology(controller_ids=(3000, 3001, 3001))


def test_a_world_takes_no_second_broker_of_an_id() -> None:
    with pytest.raises(ValueError, match=r"broker: .* got 1, which broker 1 has"):
        add_to_a_world(1)


async def test_a_cluster_refuses_the_id_of_its_controller_and_never_gives_it() -> None:
    async with Cluster(brokers=1, clock="virtual") as kraft:
        with pytest.raises(CommandError, match=r"broker_id: .* which controller 3000 has"):
            await kraft.brokers.add(broker_id=3000)

        assert 2999 == await kraft.brokers.add(broker_id=2999)
        assert 3001 == await kraft.brokers.add()


def test_a_start_has_no_more_brokers_than_ids_below_the_controllers() -> None:
    with pytest.raises(ValueError, match=f"brokers: expected 0 to {BROKERS_MAX}, got 3000"):
        ClusterOptions(brokers=BROKERS_MAX + 1)
    with pytest.raises(Problem, match=r"cluster\.brokers: expected 1 to 2999, got 3000"):
        read_scenario(SCENARIO | {"cluster": {"brokers": BROKERS_MAX + 1}})


@pytest.mark.slow
def test_a_scenario_that_adds_too_many_brokers_is_refused_at_the_controllers_id() -> None:
    steps = [{"at": "1s", "broker.add": {"count": BROKERS_MAX}}]

    with pytest.raises(ValueError, match="got 3000, which controller 3000 has"):
        run(read_scenario(SCENARIO | {"do": steps}), 1)


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(words) == USAGE
    return capsys.readouterr().err


def controller(node_id: int, *words: str, voter_id: int = 3000) -> tuple[str, ...]:
    voters = f"--voters={voter_id}@127.0.0.1:9990:{DIRECTORY}"
    named = ("--node-id", str(node_id), voters, "--cluster-id", "c")
    return ("controller", "run", *named, *words)


AGENT = ("agent", "--controller", "127.0.0.1:9990", "--cluster-id", "c")


@pytest.mark.parametrize("number", [-1, NODE_ID_MAX + 1])
@pytest.mark.parametrize("door", ["--node-id", "--voters", "--first-id"])
def test_the_command_line_takes_no_number_that_is_no_id(
    capsys: pytest.CaptureFixture[str], door: str, number: int
) -> None:
    words = {
        "--node-id": controller(number),
        "--voters": controller(3000, voter_id=number),
        "--first-id": (*AGENT, "--first-id", str(number)),
    }[door]

    assert f"{door}: expected an id of 0 to {NODE_ID_MAX}, got {number}" in refused(capsys, *words)


def test_the_last_agent_has_an_id_too(capsys: pytest.CaptureFixture[str]) -> None:
    words = (*AGENT, "--first-id", str(NODE_ID_MAX), "--count", "2")

    assert f"expected an id of 0 to {NODE_ID_MAX - 1}, got" in refused(capsys, *words)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("node.id=-1", "Invalid value -1 for configuration node.id: Value must be at least 0"),
        (
            "broker.id=one",
            "Invalid value one for configuration broker.id: Not a number of type INT",
        ),
        ("node.id=3001", "--config: node.id: expected 3000 of --node-id, got 3001"),
        ("node.id=3000\nbroker.id=1", "`node.id` and `broker.id` must be set to the same value."),
    ],
)
@pytest.mark.rule("7.6")
def test_a_properties_file_names_no_other_node(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, line: str, message: str
) -> None:
    config = tmp_path / "server.properties"
    config.write_text(f"{line}\n", "utf-8")

    assert message in refused(capsys, *controller(3000, "--config", str(config)))


@pytest.mark.rule("7.6")
def test_no_agent_has_the_id_of_a_voter(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    config = tmp_path / "server.properties"
    config.write_text("controller.quorum.voters=3000@a:9990,1002@b:9990\n", "utf-8")
    words = (*AGENT, "--first-id", "1001", "--count", "2", "--config", str(config))

    expected = "--config: controller.quorum.voters: expected ids that no broker has, got 1002"
    assert expected in refused(capsys, *words)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("node.id=7", "--controller: expected HOST:PORT,..., or a --config with controller.quorum"),
        ("controller.quorum.voters=1001@a:1", "expected ids that no broker has, got 1001"),
        ("node.id=7\ncontroller.quorum.voters=7@a:1", "expected ids that no broker has, got 7"),
        (text_of("controller", {}), "--config: process.roles: expected broker, got controller"),
    ],
)
@pytest.mark.rule("7.6")
def test_an_agent_takes_its_id_and_its_controllers_from_a_file(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, lines: str, message: str
) -> None:
    config = tmp_path / "server.properties"
    config.write_text(lines, "utf-8")

    assert message in refused(capsys, "agent", "--cluster-id", "c", "--config", str(config))
