"""What a user may say about a cluster, and what it means."""

from typing import Any

import pytest

from kraftsim import Cluster
from kraftsim.cli.main import build_parser
from kraftsim.configuration.configuration import names_of
from kraftsim.controller.core.feature_levels import level_of
from kraftsim.controller.core.profile import DEFAULT_PROFILE, KAFKA_3_9, KAFKA_4_3, PROFILES
from kraftsim.options import BROKERS_MAX, ClusterOptions, topology_of
from kraftsim.scenarios.document.scenario import SCHEMA, Scenario
from kraftsim.scenarios.language.suggestions import nearest
from kraftsim.simulation.topology import Topology


def topology(**options: object) -> Topology:
    return topology_of(ClusterOptions(**options), "some-cluster")


def test_a_cluster_of_which_nothing_was_said_is_kafkas_default() -> None:
    meant = topology()

    assert [(broker.broker_id, broker.port, broker.rack) for broker in meant.brokers] == [
        (1, 9092, None),
        (2, 9093, None),
        (3, 9094, None),
    ]
    assert (meant.controllers[0].node_id, meant.controllers[0].port) == (3000, 9990)
    assert meant.profile is DEFAULT_PROFILE
    assert meant.settings == DEFAULT_PROFILE.settings
    assert meant.metadata_version is None


def test_an_id_that_is_not_of_kip_78_is_taken_with_a_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    ClusterOptions(cluster_id="kraftsim_Test-Cluster")
    assert caplog.messages == []

    ClusterOptions(cluster_id="a.b")

    (warning,) = caplog.messages
    assert "cluster_id: expected only letters, digits, '_' and '-' (KIP-78), got 'a.b'" in warning


def test_kafka_4_4_is_the_default_of_every_command_and_class() -> None:
    parser = build_parser()
    voter = ["--node-id", "3000", "--cluster-id", "some-cluster", "--voters", "3000@host:9990:D"]

    assert {"kafka-4.4"} == {
        parser.parse_args(["up"]).profile,
        parser.parse_args(["controller", "run", *voter]).profile,
        Cluster().options.profile,
        ClusterOptions().profile,
        Topology(cluster_id="some-cluster").profile.name,
        Scenario(schema=SCHEMA, name="any", claim="Any.").profile,
    }
    assert level_of("4.4-IV2") == DEFAULT_PROFILE.metadata_version


def test_racks_go_round() -> None:
    assert [broker.rack for broker in topology(brokers=5, racks=("a", "b")).brokers] == list(
        "ababa"
    )


def test_the_advertised_host_is_the_one_that_is_registered() -> None:
    meant = topology(host="0.0.0.0", advertised_host="kafka.test")

    assert {broker.host for broker in meant.brokers} == {"kafka.test"}
    assert meant.controllers[0].host == "kafka.test"


def test_settings_have_kafkas_names_with_dots_or_underscores() -> None:
    meant = topology(
        settings={
            "broker.session.timeout.ms": "3000",
            "num_partitions": 7,
            "unclean.leader.election.enable": "True",
            "kraftsim.start.time.tag": True,
        }
    ).settings

    assert (meant.broker_session_timeout_ms, meant.num_partitions) == (3000, 7)
    assert (meant.unclean_leader_election_enable, meant.start_time_tag) == (True, True)


@pytest.mark.rule("7.5")
@pytest.mark.parametrize("session_ms", [0, -1])
def test_a_session_may_be_0_or_negative_as_in_kafka(session_ms: int) -> None:
    meant = topology(settings={"broker.session.timeout.ms": session_ms})

    assert meant.settings.broker_session_timeout_ms == session_ms


@pytest.mark.rule("7.5")
@pytest.mark.parametrize("interval_ms", [0, -1])
def test_a_heartbeat_interval_of_0_or_less_is_refused(interval_ms: int) -> None:
    name = "broker.heartbeat.interval.ms"

    with pytest.raises(ValueError, match=f"{name}: expected 1 or more, got {interval_ms}"):
        topology(settings={name: interval_ms})


@pytest.mark.parametrize("name", sorted(PROFILES))
def test_every_profile_is_known_by_its_name(name: str) -> None:
    assert topology(profile=name).profile is PROFILES[name]


def test_a_release_is_chosen_by_profile_and_by_metadata_version() -> None:
    assert topology(profile="kafka-3.9").profile is KAFKA_3_9
    assert topology(metadata_version="3.9-IV0").metadata_version == 21


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"profile": "kafka-4.2"}, "profile: expected 'kafka-4.4' (nearest), got 'kafka-4.2'"),
        ({"profile": "zookeeper"}, "profile: expected kafka-4.4, kafka-4.3"),
        ({"metadata_version": "9.9"}, "expected a metadata.version such as"),
        (
            {"settings": {"broker.session.timeout": 1}},
            "settings: expected 'broker.session.timeout.ms' (nearest), got",
        ),
        (
            {"settings": {"num.partitions": "many"}},
            "settings: Invalid value many for configuration num.partitions: Not a number of type ",
        ),
        (
            {"settings": {"unclean.leader.election.enable": "1"}},
            "settings: Invalid value 1 for configuration unclean.leader.election.enable: Expected "
            "value to be either true or false",
        ),
        ({"settings": {"num.partitions": 0}}, "must be at least 1"),
        ({"settings": {"broker.session.timeout.ms": "--5"}}, "Invalid value --5 for"),
        ({"settings": {"broker.session.timeout.ms": "²"}}, "Invalid value ² for"),
        (
            {"settings": {"kraftsim.x": 1}},
            "settings: expected kraftsim.decommission.slice",
        ),
        ({"brokers": -1}, f"brokers: expected 0 to {BROKERS_MAX}, got -1"),
        ({"brokers": BROKERS_MAX + 1}, f"brokers: expected 0 to {BROKERS_MAX}"),
        ({"controllers": 10}, "controllers: expected 1 to 9, got 10"),
        ({"clock": "wall"}, "clock: expected real, virtual, auto, skipping, scaled:K"),
        ({"clock": "scaled"}, "clock: expected"),
        ({"clock": "scaled:0"}, "clock: expected"),
        ({"clock": "scaled:-2"}, "clock: expected"),
        ({"clock": "scaled:1e-320"}, "scaled:K with K from 0.001 to 1000, got"),
        ({"clock": "scaled:nan"}, "clock: expected"),
        ({"clock": "scaled:inf"}, "clock: expected"),
        ({"http_port": 65536}, "http_port: expected 0 to 65535, got 65536"),
        ({"controller_port": -1}, "controller_port: expected 0 to 65535, got -1"),
        ({"kafka_port": 65534}, "kafka_port: expected 0 to 65533, got 65534"),
    ],
)
def test_what_cannot_be_is_refused_with_what_can(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError) as refused:
        topology(**options)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"profile": "x"}, "profile: expected kafka-4.4"),
        ({"profile": 4}, "profile: expected a text, got 4"),
        ({"seed": "x"}, "seed: expected a whole number, got 'x'"),
        ({"brokers": "3"}, "brokers: expected a whole number, got '3'"),
        ({"controllers": True}, "controllers: expected a whole number, got True"),
        ({"kafka_port": "9092"}, "kafka_port: expected a whole number, got '9092'"),
        ({"racks": "ab"}, "racks: expected a list of names, got 'ab'"),
        ({"metadata_version": "9.9"}, "expected a metadata.version such as"),
        ({"settings": {"no.such": 1}}, "settings: expected"),
        ({"settings": ["a"]}, "settings: expected a mapping"),
        ({"clock": -1.0}, "clock: expected"),
        ({"clock": None}, "clock: expected"),
        ({"token": ""}, "token: expected a text of at least one character, got ''"),
        ({"cluster_id": ""}, "characters without spaces, got ''"),
        ({"cluster_id": "x" * 256}, "characters without spaces, got 256 characters"),
        *(
            ({"cluster_id": cluster_id}, "cluster_id: expected 1 to 255 printable characters")
            for cluster_id in ("", "x y", "x\ty", "x\n", "x\x1b", "\ud800", "x" * 256)
        ),
    ],
)
def test_a_wrong_argument_fails_when_the_cluster_is_made(
    options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError) as refused:
        Cluster(**options)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("clock", "speed"),
    [
        ("real", 1.0),
        ("virtual", 0.0),
        ("skipping", 1.0),
        ("scaled:20", 20.0),
        ("scaled:0.5", 0.5),
        (20, 20.0),
    ],
)
def test_a_clock_has_a_speed(clock: str, speed: float) -> None:
    assert ClusterOptions(clock=clock).speed() == speed


def test_the_nearest_word_is_named_or_all_of_them() -> None:
    assert nearest("fencd", ("fenced", "unfenced")) == "'fenced' (nearest)"
    assert nearest("xyz", ("fenced", "unfenced")) == "fenced, unfenced"
    assert nearest("fe", ("unfenced", "fenced")) == "'fenced' (nearest)"
    assert nearest("ki", ("kill_all", "kill")) == "'kill' or 'kill_all' (nearest)"
    assert nearest("", ("fenced", "unfenced")) == "fenced, unfenced"


def test_a_word_that_many_words_begin_with_names_five() -> None:
    many = [f"M{number}" for number in range(10, 100)]

    assert nearest("m4", many) == "'M40' or 'M41' or 'M42' or 'M43' or 'M44' (nearest)"


@pytest.mark.parametrize("word", ["foo", "a?", "xyz"])
def test_a_word_that_no_configuration_is_like_gets_no_hint(word: str) -> None:
    known = names_of(KAFKA_4_3)

    assert nearest(word, known, "the page") == f"one of {len(known)} (all: the page)"


def test_a_part_of_a_name_leads_to_the_shortest_names_that_have_it() -> None:
    known = ("a.heartbeat.interval", "heartbeats", "session.timeout")

    assert nearest("beat", known) == "'heartbeats' or 'a.heartbeat.interval' (nearest)"
    assert nearest("be", known) == ", ".join(known)  # too short to mean a part
