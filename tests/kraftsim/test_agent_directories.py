"""The log directories of `kraftsim agent`, which a property file names."""

from collections.abc import Mapping
from random import Random

import pytest

from kraftsim.broker_agent.directories.log_directories import LogDirectory
from kraftsim.commands.agent_directories import directories_of
from kraftsim.configuration.configuration import Configuration, configuration_of
from kraftsim.controller.core.profile import KAFKA_4_3
from kraftsim.simulation.topology import BrokerSpec
from tests.configuration.cases import BROKER

SPEC = BrokerSpec(broker_id=1, port=9092)


def configuration(pairs: Mapping[str, str]) -> Configuration:
    return configuration_of(KAFKA_4_3, {**BROKER, **pairs})


def directories(pairs: Mapping[str, str]) -> tuple[LogDirectory, ...]:
    return directories_of(configuration(pairs), SPEC, Random(1).random)


@pytest.mark.parametrize(
    ("pairs", "paths"),
    [
        ({"log.dirs": "/a, /b"}, ["/a", "/b"]),
        ({"log.dir": "/a"}, ["/a"]),
        ({"log.dirs": "/b", "log.dir": "/a"}, ["/b"]),
    ],
)
def test_each_path_of_the_file_is_a_directory(pairs: Mapping[str, str], paths: list[str]) -> None:
    found = directories(pairs)

    assert [directory.path for directory in found] == paths
    assert len({directory.directory_id for directory in found}) == len(paths)


def test_without_a_path_a_broker_has_one_directory() -> None:
    without = {key: text for key, text in BROKER.items() if key not in ("log.dirs", "log.dir")}

    [directory] = directories_of(configuration_of(KAFKA_4_3, without), SPEC, Random(1).random)

    assert directory.path.startswith("/kraftsim/")


@pytest.mark.rule("2.32a")
def test_the_file_cordons_directories_that_it_names() -> None:
    assert configuration({"log.dirs": "/a,/b", "cordoned.log.dirs": "/b"}).cordoned_log_dirs == "/b"
    with pytest.raises(ValueError, match="Missing entries : /c"):
        configuration({"log.dirs": "/a,/b", "cordoned.log.dirs": "/c"})
