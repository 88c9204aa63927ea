"""One run of a scenario: warm-up, steps, calm and verdict.

fail      a property or a claim of the file was broken
vacuous   nothing was broken, but something had no effect: a fault changed nothing, a claim was
          never tested, or a named property had nothing to check
pass      everything else; also a run that broke only the property or claim of `fails_with`
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.node_id import numbers_of
from kraftsim.controller.core.rpc import CreatableTopic, CreateTopicsRequest
from kraftsim.simulation.delays import uniform
from kraftsim.simulation.event_row import EventRow
from kraftsim.simulation.streams import Streams
from kraftsim.simulation.world import World

from ..claims import Expectations, Measured
from ..conditions.occurrences import error_code_of
from ..document.plan import expand, topology_of
from ..document.scenario import Scenario
from ..document.step import LimitError
from ..language.durations import duration_text
from ..oracles.property import Property
from ..properties import ALL, GROUPS
from ..properties.own_properties import OWN, is_own
from ..stage.stage import Stage
from .calm import core_of
from .digest import Digest
from .own_code import Hosted, NoNodes, hosted, name_nodes
from .timetable import Timetable
from .watch import NODE_FAILED, UNNUMBERED, Violation, failed_assertion, watch

UNBROKEN = "fails_with"  # name of the violation when the property of `fails_with` was not broken
_UNTESTED = "had nothing to check"
_UNTESTED_OWN = "never returned both True and None, which says that there is nothing to check"
START_LIMIT_US = 120_000_000  # microseconds; a cluster without faults is up long before
RETRY_US = 100_000  # between two requests for a topic while no controller is active
STRETCH_US = 1_000_000  # virtual time between two reports of progress


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The result of one run.

    `bound` maps each `$name` of `let` to node ids. `effects` maps the id of each fault to the
    number of its effects. `exercised` maps each property to how often it had something to
    check. `measured` has the results of `measure:`. `begin_us` is the virtual time from which
    `at:` of steps counts, and `virtual_us` that of the end, both in microseconds.
    """

    scenario: str
    cell: tuple[str, ...]
    seed: int
    verdict: str
    digest: str
    violations: tuple[Violation, ...]
    vacuous: tuple[str, ...]
    bound: Mapping[str, tuple[int, ...]]
    effects: Mapping[str, int]
    exercised: Mapping[str, int]
    measured: tuple[Measured, ...]
    events: int
    begin_us: int
    virtual_us: int
    rows: Sequence[EventRow]

    @property
    def idle(self) -> tuple[str, ...]:
        """The properties that were never put to the test in this run."""
        return tuple(name for name, count in self.exercised.items() if not count)


Progress = Callable[[int, int], None]


def ignore_progress(now_us: int, end_us: int) -> None:
    """Ignores reports of progress."""


class Run:
    """One run of a scenario with one seed.

    `properties` are the classes to watch, by default those that the plan names. `on_progress` is
    called with the current and the final virtual time in microseconds; it must not change the run.
    """

    def __init__(
        self,
        scenario: Scenario,
        seed: int,
        properties: Iterable[type[Property]] | None = None,
        on_progress: Progress = ignore_progress,
    ) -> None:
        self.plan = expand(scenario, seed)
        self.seed = seed
        streams = Streams(seed)
        self.world = World(topology_of(self.plan, streams), streams=streams)
        self._brokers = [broker.broker_id for broker in self.world.topology.brokers]
        self.stage = Stage(self.world)
        self.assertion: Violation | None = None  # the first failed assertion of a process
        self.world.controller_listeners.append(self._on_controller)
        self.failures: dict[str, Violation] = {}  # the first one of each own node
        self.world.own.failed.append(self._on_failed)
        self.digest = Digest(self.world)
        self.watch = watch(
            self.world, properties_of(self.plan) if properties is None else properties
        )
        self.expectations = Expectations(self.stage, self.plan.expect)
        network = self.plan.network
        self.world.network.loss = network.loss
        self.world.network.delay_us = uniform(network.low.us, network.high.us, streams.of("delay"))
        self.timetable = Timetable(self.stage, self.plan.do, self.plan.time.run.us)
        self.begin_us = 0  # the time from which `at:` counts, once the steps have begun
        times = self.plan.time
        self._limit_us = times.limit.us
        self._end_us = times.warmup.us + times.run.us + times.calm.us
        self._on_progress = on_progress
        self.own: Hosted = NoNodes()
        name_nodes(self.world, self.plan.nodes)

    def start(self) -> None:
        """Starts the cluster, with listeners for the nodes of the file."""
        self.world.start()
        self.own = hosted(self.world, self.plan.nodes, self.seed)
        self.own.open()

    def begin(self) -> None:
        """Runs until the cluster is up and the warm-up is over, then binds the names of `let`."""
        self.start()
        if not self.world.run_until(self.is_up, limit_us=START_LIMIT_US):
            raise LimitError("expected every broker unfenced within 2 minutes of the start")
        self.create_topics()
        self.move(self.plan.time.warmup.us)
        self.bind_names()

    def is_up(self) -> bool:
        """Returns True once every broker of the file is unfenced."""
        return self.world.are_unfenced(self._brokers)

    def bind_names(self) -> None:
        """Binds the names of `let` to the nodes that their selectors select now."""
        for name, binding in self.plan.let.items():
            self.stage.bind(name, binding.nodes)

    def finish(self) -> Result:
        """Runs all phases, from the start of the cluster to the verdict, and returns the result."""
        try:
            self.reach(self.plan.time.run.us)
            return self.finish_calm()
        finally:
            self.own.close()

    def reach(self, at_us: int) -> None:
        """Runs from the start of the cluster to a time of the steps, as `at:` counts it."""
        self.begin()
        self.begin_steps()
        self.move(at_us)

    def begin_steps(self) -> None:
        """Begins the steps, claims and nodes of the file, from whose begin `at:` counts."""
        self.begin_us = self.world.timeline.now_us
        self.expectations.begin()
        self.own.begin()
        self.timetable.begin()

    def begin_calm(self) -> None:
        """Ends the steps, and heals the nodes of the `calm:` block."""
        self.timetable.end()
        self.stage.heal(core_of(self.plan.calm, self.stage))
        self.expectations.begin_calm()

    def finish_calm(self) -> Result:
        """Runs the calm after the steps, and returns the result."""
        self.begin_calm()
        self.move(self.plan.time.calm.us)
        return self.judge()

    @property
    def broken(self) -> tuple[Violation, ...]:
        """The violations of properties and the failed processes so far, in the order of time."""
        found = (*self.watch.violations.values(), *self._ended)
        return tuple(sorted(found, key=lambda violation: violation.t_us))

    @property
    def _ended(self) -> tuple[Violation, ...]:
        """The failed assertion of a controller, and what the code of own nodes has raised."""
        ended = () if self.assertion is None else (self.assertion,)
        return (*ended, *self.failures.values())

    @property
    def broken_claims(self) -> tuple[Violation, ...]:
        """The claims of the file that were broken so far."""
        return tuple(
            Violation(UNNUMBERED, claim.name, *claim.broken)
            for claim in self.expectations.claims
            if claim.broken is not None
        )

    def judge(self) -> Result:
        """Returns the result at the end of the calm."""
        self.expectations.settle()
        self.watch.finish()
        return self._judge()

    def _on_controller(self, node_id: int, state: ProcessState) -> None:
        """Records the first failed assertion of a controller as a violation; the run continues."""
        if self.assertion is None:
            self.assertion = failed_assertion(self.world, node_id, state)

    def _on_failed(self, name: str, failure: str) -> None:
        """Records the first failure of an own node as a violation; the run continues."""
        what = f"node {name} failed: {failure}"
        now_us, seq = self.world.timeline.now_us, self.world.journal.last_seq
        self.failures.setdefault(name, Violation(UNNUMBERED, NODE_FAILED, what, now_us, seq))

    def create_topics(self) -> None:
        """Creates the topics of the file."""
        for name, shape in self.plan.cluster.topics.items():
            topic = CreatableTopic(
                name=name,
                num_partitions=shape.partitions,
                replication_factor=shape.replicas(len(self._brokers)),
            )
            self._create_topic(topic)

    def _create_topic(self, topic: CreatableTopic) -> None:
        """Requests the topic, and again while a failover is under way."""

        def replied(reply: object) -> None:
            if error_code_of(reply) == ErrorCode.NOT_CONTROLLER:
                self.world.timeline.after(RETRY_US, partial(self._create_topic, topic))
            else:
                _expect_topic(topic.name, reply)

        self.world.dispatch(CreateTopicsRequest(topics=(topic,)), replied)

    # Time

    def move(self, by_us: int) -> None:
        """Lets `by_us` microseconds pass, with all events in them."""
        timeline = self.world.timeline
        end_us = timeline.now_us + by_us
        if end_us > self._limit_us:
            limit, end = duration_text(self._limit_us), duration_text(end_us)
            raise LimitError(f"expected an end within {limit}, got {end}")
        while timeline.now_us < end_us:
            self.run_until(min(timeline.now_us + STRETCH_US, end_us))
            self._on_progress(timeline.now_us, self._end_us)

    def run_until(self, end_us: int) -> None:
        """Runs every event up to and including `end_us`, and checks the conditions after each."""
        timeline = self.world.timeline
        while timeline.due_us <= end_us:
            timeline.run_next()
            if self.stage.waiting:
                self.stage.check_conditions()
        timeline.run_until(end_us)

    # Judgement

    def _judge(self) -> Result:
        plan = self.plan
        violations = (*self.watch.violations.values(), *self.broken_claims, *self._ended)
        violations += self._unbroken({violation.name for violation in violations})
        exercised = {kind.name: kind.exercised for kind in self.watch.properties.values()}
        vacuous = tuple(self._vacuous(exercised))
        return Result(
            scenario=plan.name,
            cell=plan.cell,
            seed=self.seed,
            verdict=_verdict(plan, violations, vacuous),
            digest=self.digest.text(),
            violations=violations,
            vacuous=vacuous,
            bound=_numbers(self.stage),
            effects={fault.fault_id: fault.effects() for fault in self.stage.faults},
            exercised=exercised,
            measured=tuple(self.expectations.measured),
            events=self.world.timeline.scheduled_count,
            begin_us=self.begin_us,
            virtual_us=self.world.timeline.now_us,
            rows=self.world.journal.since(0),
        )

    def _unbroken(self, broken: set[str]) -> tuple[Violation, ...]:
        """Returns a violation if the property or claim of `fails_with` was not broken."""
        expected = self.plan.expect.fails_with
        if expected is None or expected in broken:
            return ()
        what = f"expected a violation of {expected}, got none"
        now_us, seq = self.world.timeline.now_us, self.world.journal.last_seq
        return (Violation(UNNUMBERED, UNBROKEN, what, now_us, seq),)

    def _vacuous(self, exercised: Mapping[str, int]) -> Iterable[str]:
        for fault in self.stage.faults:
            if fault.fault_id not in self.timetable.optional_faults and not fault.effects():
                yield f"fault {fault.fault_id} had no effect"
        for number in self.timetable.never_done():
            yield f"do[{number}] was never executed: its trigger never occurred"
        for name in self.expectations.unproven():
            yield f"{name} was never tested"
        for name in self.plan.expect.always:
            if name not in GROUPS and not exercised.get(name, 0):
                yield f"property {name} {_UNTESTED_OWN if is_own(name) else _UNTESTED}"


def _verdict(plan: Scenario, violations: Sequence[Violation], vacuous: Sequence[str]) -> str:
    if {violation.name for violation in violations} != {plan.expect.fails_with} - {None}:
        return "fail"
    return "vacuous" if vacuous else "pass"


def _expect_topic(name: str, reply: object) -> None:
    """Raises LimitError if the topic was not created: claims about it would prove nothing."""
    code = error_code_of(reply)
    if code:
        raise LimitError(f"expected topic {name!r} to be created, got {ErrorCode(code).name}")


class _WithoutNodes(Run):
    """A run that ends before the nodes of the file run their code."""

    def start(self) -> None:
        self.world.start()


def bound_by(scenario: Scenario, seed: int) -> Mapping[str, tuple[int, ...]]:
    """Returns the nodes that the selectors of `let` select in this run, by name.

    They may depend on the first leader, so this runs the warm-up.
    """
    new_run = _WithoutNodes(scenario, seed, ())
    if scenario.let:
        new_run.begin()
    return _numbers(new_run.stage)


def _numbers(stage: Stage) -> Mapping[str, tuple[int, ...]]:
    """Returns the ids of the bound nodes, by name."""
    return {name: numbers_of(nodes) for name, nodes in stage.bound.items()}


def run(scenario: Scenario, seed: int, on_progress: Progress = ignore_progress) -> Result:
    """Runs the scenario with the properties that it names."""
    return Run(scenario, seed, on_progress=on_progress).finish()


def properties_of(scenario: Scenario) -> tuple[type[Property], ...]:
    """Returns the properties that the scenario names; `all` stands for those that hold in Kafka.

    Raises KeyError for a property of a file that was not loaded.
    """
    wanted = {*scenario.expect.always, scenario.expect.fails_with or ""}
    grouped = {property_ for name in wanted & GROUPS.keys() for property_ in GROUPS[name]}
    ours = (property_ for property_ in ALL if property_.name in wanted or property_ in grouped)
    return (*ours, *(OWN[name] for name in sorted(wanted) if is_own(name)))
