"""The simulation of a cluster with its driver and clock: a new one, or a copy of another."""

import time
from collections.abc import Callable, Iterable

from kraftsim.controller.core.value import value
from kraftsim.controller.server.runtime import Runtime
from kraftsim.simulation.streams import Streams
from kraftsim.simulation.world import VIRTUAL_WALL_START_MS, World

from ...errors import UsageError
from ...options import ClusterOptions, topology_of
from ...service.clock.clock_control import ClockControl
from ...service.event_loop.simulated import simulated_loop
from ...service.listeners import Service
from ...service.snapshot_files import SNAPSHOT_FILES


@value(kw_only=False)
class Running:
    """The simulation of a running cluster, its driver and its clock."""

    world: World
    runtime: Runtime
    clock: ClockControl

    def close(self) -> None:
        """Ends the simulation: time no longer passes, and every wait ends with an error."""
        for process in self.world.own.processes.values():
            process.kill()
        self.clock.close()
        self.runtime.close()


def new_simulation(
    options: ClusterOptions,
    cluster_id: str,
    streams: Streams,
    service: Service,
    listeners: Iterable[Callable[[World], None]],
) -> Running:
    """Starts a simulation on the ports that the service has bound.

    `listeners` are called with the world before it begins. Raises UsageError for a clock that
    waits move in a simulated loop, whose time it could not follow.
    """
    if simulated_loop() is not None and options.can_stand:
        raise UsageError(
            f"clock: in a simulated loop expected 'real' or a number, got {options.clock!r}, which "
            "waits move: the time of the loop is that of the cluster"
        )
    topology = topology_of(
        options,
        cluster_id,
        controller_ports=[listener.port for listener in service.controllers.values()],
        broker_ports=[listener.port for listener in service.brokers.values()],
        named_ports=[service.named_ports(broker_id) for broker_id in service.brokers],
    )
    world = World(
        topology,
        streams=streams,
        snapshot_format=SNAPSHOT_FILES,
        wall_start_ms=VIRTUAL_WALL_START_MS
        if options.speed() != 1.0 or options.skips  # it may not run ahead of real time (rule 6.36)
        else time.time_ns() // 1_000_000,
    )
    for listener in listeners:
        listener(world)
    running = _driven(world, options, service)
    service.serve(world, running.runtime)
    world.start(elects_at_once=True)
    for broker_id in service.brokers:
        service.serve_broker(broker_id, running.runtime)
    running.runtime.leave()
    return running


def continued(world: World, options: ClusterOptions, service: Service) -> Running:
    """Lets a copied world go on, on the ports that the service has bound."""
    running = _driven(world, options, service)
    service.serve(world, running.runtime)
    for broker_id in service.brokers:
        service.serve_broker(broker_id, running.runtime)
    service.follow_all()
    running.runtime.leave()
    return running


def _driven(world: World, options: ClusterOptions, service: Service) -> Running:
    runtime = _runtime_of(world, options.speed())
    clock = ClockControl(
        world,
        runtime,
        service.traffic(runtime),
        moves_for_requests=options.moves_for_requests,
        skips=options.skips,
    )
    return Running(world, runtime, clock)


def _runtime_of(world: World, speed: float) -> Runtime:
    """Returns what moves the world: the clock, or the time of the simulated loop that runs.

    The clock of a branch stands, and only the branch itself moves it.
    """
    loop = simulated_loop()
    if loop is None or not speed:
        return Runtime(world.timeline, speed=speed)
    from ...simulated_loop.attached import attach

    return attach(loop, world, speed)
