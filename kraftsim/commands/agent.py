"""`kraftsim agent`: simulated brokers over real sockets, for any KRaft controller."""

import argparse
import asyncio
import logging
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from kraftsim.broker_agent.config import AgentConfig
from kraftsim.broker_agent.fleet import Fleet
from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.configuration.configuration import Configuration
from kraftsim.configuration.quorum import SERVERS, VOTERS
from kraftsim.configuration.roles import BROKER
from kraftsim.controller.core.node_id import NODE_ID_MAX, checked_id
from kraftsim.controller.core.profile import Profile
from kraftsim.controller.core.rpc import BrokerListener
from kraftsim.controller.server.kafka_caller import Address
from kraftsim.controller.server.runtime import Runtime
from kraftsim.controller.time.timeline import Timeline
from kraftsim.simulation.topology import (
    BrokerSpec,
    Topology,
    agent_config,
    unbound_port,
)

from ..errors import FAILED, CommandError, PortUnavailable
from ..first_of import first_of
from ..options import ClusterOptions, accept_cluster_id, topology_of
from ..releases import profile_of, profiles_of
from ..service.client_view import ClientView
from ..service.configuration_warnings import ConfigurationWarnings
from ..service.fleet_listeners import FleetListeners
from ..service.voter_addresses import address_of
from .agent_directories import directories_of
from .agent_listeners import AgentListeners, agent_listeners
from .configured import configured, expect_no_voter, pairs_of
from .up import StopRequest, as_option, log_to_stderr, run_until_signalled, stop_signals

AGENTS_MAX = 5_000
FIRST_ID = 1001
DRAIN_LIMIT_S = 10.0  # after SIGTERM: brokers still running by then are dropped
REPORT_EVERY_S = 30.0  # while brokers wait for their controllers
SILENCE_LIMIT_S = 1.0  # a leader answers every fetch within 0.5 s, even without new records

log = logging.getLogger("kraftsim.agent")


def run_agents(arguments: argparse.Namespace) -> int:
    """Runs the brokers until a signal or until all have stopped, and returns the exit code."""
    log_to_stderr(arguments.log_format)
    agents = agents_of(arguments)
    try:
        return run_until_signalled(_run(agents))
    except PortUnavailable as error:
        raise as_option(error) from None
    except OSError as error:
        raise CommandError(f"{_option(arguments)}: {error}") from None


def agents_of(arguments: argparse.Namespace) -> "Agents":
    """Returns the brokers that the arguments describe; raises ValueError if they cannot run."""
    if not 1 <= arguments.count <= AGENTS_MAX:
        raise ValueError(f"--count: expected 1 to {AGENTS_MAX}, got {arguments.count}")
    profile = profile_of(arguments.profile)
    pairs = pairs_of(arguments, profile)
    configuration = configured(pairs, profile, BROKER)
    controllers = _controllers(arguments, configuration)
    broker_ids = _broker_ids(arguments, configuration)
    racks = arguments.rack or ([configuration.rack] if configuration.rack else [])
    options = ClusterOptions(brokers=0, profile=profile.name, racks=racks, settings=pairs)
    accept_cluster_id(arguments.cluster_id, "--cluster-id")
    topology = replace(
        topology_of(options, arguments.cluster_id),
        controllers=(),  # of another process: their ids need not be those of `kraftsim up`
        brokers=tuple(_specs(broker_ids, options.racks, _profiles(arguments, broker_ids))),
    )
    listeners = agent_listeners(arguments.kafka_port, configuration, arguments.count)
    return Agents(topology, controllers, listeners, configuration)


def _option(arguments: argparse.Namespace) -> str:
    """Returns the option that chose the listeners."""
    return "--config" if arguments.kafka_port is None else "--kafka-port"


def _controllers(arguments: argparse.Namespace, configuration: Configuration) -> list[Address]:
    """Returns the addresses of --controller, else those of the quorum in the configuration."""
    if arguments.controller is not None:
        return [address_of("--controller", item) for item in arguments.controller.split(",")]
    known = configuration.servers or tuple(configuration.voters.values())
    if not known:
        raise ValueError(
            f"--controller: expected HOST:PORT,..., or a --config with {SERVERS} or {VOTERS}"
        )
    return [(address.host, address.port) for address in known]


def _broker_ids(arguments: argparse.Namespace, configuration: Configuration) -> range:
    """Returns the ids from --first-id on, else from node.id on; no broker is a voter (rule 7.6)."""
    node = configuration.node
    if node is not None and BROKER not in node.roles:
        raise ValueError(
            "--config: process.roles: expected broker, got controller: `kraftsim controller run` "
            "runs controllers"
        )
    first_id = arguments.first_id
    if first_id is None:
        first_id = FIRST_ID if configuration.node_id is None else configuration.node_id
    first_id = checked_id("--first-id", first_id, NODE_ID_MAX - arguments.count + 1)
    broker_ids = range(first_id, first_id + arguments.count)
    expect_no_voter(configuration, broker_ids)
    return broker_ids


def _profiles(arguments: argparse.Namespace, broker_ids: range) -> dict[int, Profile]:
    """Returns the profiles of --profiles by id; ValueError for an id that no broker has."""
    profiles = profiles_of(arguments.profiles)
    for broker_id in profiles:
        if broker_id not in broker_ids:
            raise ValueError(
                f"--profiles: expected an id of a broker, {broker_ids[0]} to {broker_ids[-1]}, "
                f"got {broker_id}"
            )
    return {
        broker_id: profile_of(name, f"--profiles: {broker_id}")
        for broker_id, name in profiles.items()
    }


def _specs(
    broker_ids: range, racks: Sequence[str], profiles: Mapping[int, Profile]
) -> Iterator[BrokerSpec]:
    for position, broker_id in enumerate(broker_ids):
        yield BrokerSpec(
            broker_id=broker_id,
            port=unbound_port(broker_id),
            rack=racks[position % len(racks)] if racks else None,
            profile=profiles.get(broker_id),
        )


class Agents(NamedTuple):
    """What a process of agents is started with."""

    topology: Topology
    controllers: Sequence[Address]
    listeners: AgentListeners
    configuration: Configuration

    async def configs(
        self, fleet_listeners: FleetListeners, entropy: Callable[[], float]
    ) -> list[AgentConfig]:
        """Binds the listeners, and returns the configuration of each broker."""
        cordoned = self.configuration.cordoned_log_dirs
        return [
            _with_listeners(
                replace(
                    agent_config(
                        self.topology, spec, directories_of(self.configuration, spec, entropy)
                    ),
                    cordoned_log_dirs=cordoned,
                ),
                await self.listeners.bind(fleet_listeners, spec.broker_id, position),
                self.listeners.inter_broker,
            )
            for position, spec in enumerate(self.topology.brokers)
        ]


async def _run(agents: Agents) -> int:
    topology, controllers = agents.topology, agents.controllers
    stopping = stop_signals()
    entropy = random.SystemRandom().random
    timeline = Timeline(wall_start_ms=time.time_ns() // 1_000_000)
    runtime = Runtime(timeline)
    fleet = Fleet(timeline, runtime, controllers=controllers, random=entropy)
    fleet.fetched_listeners.append(partial(ConfigurationWarnings().check, topology.profile))
    fleet_listeners = FleetListeners(fleet, runtime)
    view = ClientView(topology.cluster_id, topology.profile, entropy, settings=topology.settings)
    progress = _Progress(len(topology.brokers), fleet_listeners, stopping)
    try:
        fleet.start(await agents.configs(fleet_listeners, entropy), progress.on_state)
        fleet_listeners.serve(view)
        waiting = asyncio.ensure_future(progress.report_until_all_run(controllers))
        await first_of(stopping.wait(), progress.all_stopped.wait())
        waiting.cancel()
        was_signalled = stopping.is_set()
        stopping.clear()
        fleet.stop()
        drain_limit = asyncio.sleep(DRAIN_LIMIT_S)
        await first_of(progress.all_stopped.wait(), stopping.wait(), drain_limit, _silence(fleet))
    finally:
        fleet.close()
        await fleet_listeners.close()
        runtime.close()
    return stopping.exit_code if was_signalled else FAILED


def _with_listeners(
    config: AgentConfig, bound: tuple[BrokerListener, ...], inter_broker: str
) -> AgentConfig:
    """Returns the configuration with the bound listeners; without any, nothing listens."""
    if not bound:
        return config
    return replace(config, listeners=bound, inter_broker_listener=inter_broker)


async def _silence(fleet: Fleet) -> None:
    """Returns once no leader has answered for SILENCE_LIMIT_S.

    Without a leader, no broker can complete its controlled shutdown.
    """
    while True:
        remaining_s = SILENCE_LIMIT_S - fleet.silence_s()
        if remaining_s <= 0:
            return
        await asyncio.sleep(remaining_s)


class _Progress:
    """Announces on stdout that all brokers run, and sets `all_stopped` when all have stopped."""

    def __init__(self, count: int, fleet_listeners: FleetListeners, stopping: StopRequest) -> None:
        self._fleet_listeners, self._stopping = fleet_listeners, stopping
        self.all_stopped = asyncio.Event()
        self._states: dict[int, ProcessState] = {}
        self._counts = Counter[ProcessState]()  # of brokers by state: a fleet changes states often
        self._count = count
        self._is_announced = False
        self._began = time.monotonic()

    async def report_until_all_run(self, controllers: Sequence[Address]) -> None:
        """Logs at once and every REPORT_EVERY_S how many brokers run, until all of them do."""
        addresses = ", ".join(f"{host}:{port}" for host, port in controllers)
        while not self._is_announced:
            log.info(
                "%d of %d brokers run; waiting for a controller at %s to unfence the others",
                self._counts[ProcessState.RUNNING],
                self._count,
                addresses,
            )
            await asyncio.sleep(REPORT_EVERY_S)

    def on_state(self, broker_id: int, state: ProcessState) -> None:
        if broker_id in self._states:
            self._counts[self._states[broker_id]] -= 1
        self._states[broker_id] = state
        self._counts[state] += 1
        self._fleet_listeners.follow(broker_id, state)
        if not self._is_announced and self._counts[ProcessState.RUNNING] == self._count:
            self._is_announced = self._stopping.is_running = True
            elapsed_s = time.monotonic() - self._began
            if self._fleet_listeners.bootstrap_servers:
                print(f"KRAFTSIM_BOOTSTRAP_SERVERS={self._fleet_listeners.bootstrap_servers}")
            print(f"KRAFTSIM_AGENTS_RUNNING={self._count}", flush=True)
            log.info("%d agents registered and unfenced in %.2f s", self._count, elapsed_s)
        if self._counts[ProcessState.NOT_RUNNING] == self._count:
            self.all_stopped.set()
