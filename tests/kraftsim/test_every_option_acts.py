"""Each option of a cluster and of `kraftsim up` changes something that can be observed."""

import argparse
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kraftsim import Cluster
from kraftsim.cli.main import build_parser
from kraftsim.commands.up import cluster_of
from kraftsim.options import ClusterOptions

Observe = Callable[[Cluster], object]


def registered(kraft: Cluster) -> object:
    """The listeners and racks of the brokers, as the controllers know them."""
    brokers = kraft.world.committed.brokers.values()
    return [
        (broker.rack, [(at.name, at.host, at.port > 0) for at in broker.listeners])
        for broker in brokers
    ]


WALK: Mapping[str, tuple[object, Observe]] = {
    "brokers": (2, lambda kraft: [*kraft.world.committed.brokers]),
    "controllers": (3, lambda kraft: [*kraft.world.committed.controllers]),
    "cluster_id": ("another", lambda kraft: kraft.cluster_id),
    "profile": ("kafka-4.3", lambda kraft: kraft.world.committed.metadata_version),
    "profiles": ({1: "kafka-4.3"}, lambda kraft: kraft.world.committed.metadata_version),
    "metadata_version": ("4.0-IV0", lambda kraft: kraft.world.committed.metadata_version),
    "clock": ("scaled:50", lambda kraft: kraft._live.clock.speed),
    "seed": (2, lambda kraft: kraft.cluster_id),
    "racks": (["a"], registered),
    "settings": (
        {"broker.session.timeout.ms": 3000},
        lambda kraft: kraft.world.topology.settings.broker_session_timeout_ms,
    ),
    "host": ("localhost", registered),
    "advertised_host": ("kafka.test", registered),
    "kafka_port": (0, lambda kraft: bool(kraft.bootstrap_servers)),
    "listeners": ({"OUTSIDE": 0}, registered),
    "log_dirs": (
        2,
        lambda kraft: [len(broker.log_dirs) for broker in kraft.world.committed.brokers.values()],
    ),
    "retention_bytes": (2**20, lambda kraft: kraft._live.service.data_plane.retention_bytes),
    "advertised_listeners": ({"PLAINTEXT": "kafka.test"}, registered),
    "controller_port": (0, lambda kraft: bool(kraft.bootstrap_controllers)),
    "http_port": (0, lambda kraft: bool(kraft.http_url)),
    "token": ("secret", lambda kraft: kraft.http_token),
}
"""Another value of each option, and what it changes."""
NEEDS: Mapping[str, Mapping[str, object]] = {"listeners": {"kafka_port": 0}}
"""The options without which an option is refused."""


async def observed(observe: Observe, **options: Any) -> object:
    usual = {"brokers": 1, "clock": "virtual", "seed": 1}
    async with Cluster(**(usual | options)) as kraft:
        return observe(kraft)


def test_the_walk_has_every_option_of_a_cluster() -> None:
    assert {*WALK} == {option.name for option in fields(ClusterOptions)}


@pytest.mark.realtime
@pytest.mark.parametrize("name", WALK)
async def test_an_option_of_a_cluster_acts(name: str) -> None:
    value, observe = WALK[name]
    needed = NEEDS.get(name, {})

    assert await observed(observe, **needed, **{name: value}) != await observed(observe, **needed)


LINES: Mapping[str, str] = {
    "--controllers": "3",
    "--brokers": "1",
    "--cluster-id": "another",
    "--clock": "virtual",
    "--seed": "7",
    "--rack": "a",
    "--host": "localhost",
    "--advertised-host": "kafka.test",
    "--kafka-port": "0",
    "--listeners": "OUTSIDE=0",
    "--advertised-listeners": "PLAINTEXT=kafka.test",
    "--controller-port": "0",
    "--http-port": "0",
    "--profile": "kafka-4.3",
    "--profiles": "3=kafka-4.3",
    "--log-dirs": "2",
    "--retention-bytes": "1048576",
    "--metadata-version": "4.0-IV0",
    "--config": "FILE",
    "--set": "num.partitions=3",
    "--token-file": "FILE",
}
"""Another value of each option of `up` that describes the cluster."""
OF_THE_COMMAND = {
    "--help": "test_help_texts.py",
    "--ready-file": "test_ready_file.py",
    "--demo": "test_up.py",
    "--open-lessons": "test_http_lessons.py",
    "--log-format": "test_log_lines.py",
    "--node": "test_up_nodes.py",
    "--allow-code": "test_up_nodes.py",
}
"""Options of the process, not of the cluster, and the tests that hold them."""


@cache
def parser() -> argparse.ArgumentParser:
    return build_parser()


def options_of(line: list[str]) -> dict[str, object]:
    arguments: argparse.Namespace = parser().parse_args(["up", *line])
    options = cluster_of(arguments).options
    return {option.name: getattr(options, option.name) for option in fields(options)}


def test_the_walk_has_every_option_of_up() -> None:
    parsers: Any = parser()._subparsers
    up = parsers._group_actions[0].choices["up"]
    names = {action.option_strings[-1] for action in up._actions if action.option_strings}

    assert names == {*LINES, *OF_THE_COMMAND}
    folder = Path(__file__).parent
    assert [name for name in OF_THE_COMMAND.values() if not (folder / name).exists()] == []


@pytest.mark.parametrize("option", LINES)
def test_an_option_of_up_changes_the_cluster(option: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("num.partitions=3\n", "utf-8")
    value = str(file) if LINES[option] == "FILE" else LINES[option]

    assert options_of([option, value]) != options_of([])
