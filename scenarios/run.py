"""One run of a scenario: warm up, do what the file says, calm down, and judge.

fail      a property was broken, or a claim of the file
vacuous   nothing was broken, but something that was declared never bit: a fault without effect,
          a claim that was never put to the test, a named property with nothing to check
pass      the rest; and a scenario that says what it breaks, and broke just that
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import CreatableTopic, CreateTopicsRequest

from .calm import core_of
from .delays import uniform
from .digest import Digest
from .expectations import Expectations
from .happenings import error_code_of
from .journal import EventRow
from .plan import expand, topology_of
from .properties import ALL
from .property import Property
from .reading import Problem
from .scenario import TIMES_MAX, Scenario, Step
from .stage import Stage
from .streams import Streams
from .watch import Violation, watch
from .words import nearest
from .world import World

START_LIMIT_US = 120_000_000  # a cluster that is not up by then, without a fault, never will be


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """`effects` counts what each fault changed, `idle` names what there was nothing to check of."""

    scenario: str
    seed: int
    verdict: str
    digest: str
    violations: tuple[Violation, ...]
    vacuous: tuple[str, ...]
    effects: Mapping[str, int]
    exercised: Mapping[str, int]
    events: int
    virtual_us: int
    rows: Sequence[EventRow]


class LimitError(Exception):
    """A run that would not end, and what it was doing."""


class Run:
    """`properties` are the classes that are watched; by default those the scenario asks for."""

    def __init__(self, scenario: Scenario, seed: int, properties: Iterable[type[Property]]) -> None:
        self.plan = expand(scenario, seed)
        self.seed = seed
        streams = Streams(seed)
        self.world = World(topology_of(self.plan, streams), streams=streams)
        self.stage = Stage(self.world)
        self.digest = Digest(self.world)
        self.watch = watch(self.world, properties)
        self.expectations = Expectations(self.stage)
        network = self.plan.network
        self.world.network.loss = network.loss
        self.world.network.delay_us = uniform(network.low.us, network.high.us, streams.of("delay"))
        self._steps = 0
        self._limit_us = self.plan.time.limit.us

    def finish(self) -> Result:
        """All of it, from the first start to the verdict."""
        self._warm_up()
        plan, timeline = self.plan, self.world.timeline
        for name, binding in plan.let.items():
            self.stage.bound[name] = self.stage.nodes(binding.nodes)
        self.expectations.watch(plan.expect)
        begins_us = timeline.now_us
        before_us = begins_us
        for step in plan.do:
            before_us = self._arrange(step, begins_us, before_us)
        self._move(plan.time.run.us)
        self.stage.heal(core_of(plan.calm, self.stage))
        self._move(plan.time.calm.us)
        self.expectations.settle(plan.expect)
        self.watch.finish()
        return self._judge()

    def _warm_up(self) -> None:
        world, plan = self.world, self.plan
        world.start()
        brokers = [one.broker_id for one in world.topology.brokers]
        if not world.run_until(lambda: world.are_unfenced(brokers), limit_us=START_LIMIT_US):
            raise LimitError("expected every broker unfenced within 2 minutes of the start")
        for name, shape in plan.cluster.topics.items():
            topic = CreatableTopic(
                name=name,
                num_partitions=shape.partitions,
                replication_factor=min(shape.replication, len(brokers)),
            )
            world.dispatch(CreateTopicsRequest(topics=(topic,)), partial(_expect_topic, name))
        self._move(plan.time.warmup.us)

    # Steps

    def _arrange(self, step: Step, begins_us: int, before_us: int) -> int:
        """Have it done when its trigger says; the time at which it is, for the next `after`."""
        timeline = self.world.timeline
        amount_us = 0 if step.amount is None else step.amount.us
        if step.when is not None:
            self.stage.wait_for(step.when, lambda: self._do(step))
            return before_us
        at_us = (before_us if step.trigger == "after" else begins_us) + amount_us
        if step.trigger != "every":
            timeline.at(at_us, lambda: self._do(step))
            return at_us
        run_us = self.plan.time.run.us if step.until is None else step.until.us
        times = step.times if step.times is not None else run_us // max(amount_us, 1)
        if not amount_us or times > TIMES_MAX:
            raise LimitError(f"{step.word}: expected at most {TIMES_MAX} times, every > 0s")
        for number in range(1, times + 1):
            timeline.at(begins_us + number * amount_us, lambda: self._do(step))
        return at_us

    def _do(self, step: Step) -> None:
        self._steps += 1
        fault_id = step.id or f"{step.word}#{self._steps}"
        self.stage.tell("fault_begins", fault_id, step.word, step.say)
        fault = self.stage.begin(step.verb, step.word, fault_id)
        if step.verb.for_ is not None:
            self.world.timeline.after(step.verb.for_.us, lambda: self.stage.lift(fault))

    # Time

    def _move(self, by_us: int) -> None:
        timeline = self.world.timeline
        end_us = timeline.now_us + by_us
        if end_us > self._limit_us:
            raise LimitError(f"expected to end within {self._limit_us} us, would take {end_us} us")
        while timeline.due_us <= end_us:
            timeline.run_until(timeline.due_us)
            if self.stage.waiting:
                self.stage.look()
        timeline.run_until(end_us)

    # Judgement

    def _judge(self) -> Result:
        plan = self.plan
        broken = tuple(
            Violation("-", one.name, *one.broken, -1)
            for one in self.expectations.claims
            if one.broken is not None
        )
        violations = (*self.watch.violations.values(), *broken)
        exercised = {one.name: one.exercised for one in self.watch.properties.values()}
        vacuous = tuple(self._vacuous(exercised))
        return Result(
            scenario=plan.name,
            seed=self.seed,
            verdict=_verdict(plan, violations, vacuous),
            digest=self.digest.text(),
            violations=violations,
            vacuous=vacuous,
            effects={one.fault_id: one.effects() for one in self.stage.faults},
            exercised=exercised,
            events=self.world.timeline.asked,
            virtual_us=self.world.timeline.now_us,
            rows=self.world.journal.since(0),
        )

    def _vacuous(self, exercised: Mapping[str, int]) -> Iterable[str]:
        for fault in self.stage.faults:
            if not fault.effects():
                yield f"fault {fault.fault_id} changed nothing"
        if len(self.stage.faults) < len(self.plan.do) and self._steps < len(self.plan.do):
            yield "a step was never done: its condition never held"
        for claim in self.expectations.claims:
            if not claim.occurred:
                yield f"{claim.name} was never put to the test"
        for name in self.plan.expect.always:
            if name != "all" and not exercised.get(name, 0):
                yield f"property {name} had nothing to check"


def _verdict(plan: Scenario, violations: Sequence[Violation], vacuous: Sequence[str]) -> str:
    broken = {one.name for one in violations}
    expected = plan.expect.fails_with
    if expected is not None:
        return "pass" if broken == {expected} else "fail"
    if broken:
        return "fail"
    return "vacuous" if vacuous else "pass"


def _expect_topic(name: str, reply: object) -> None:
    """A scenario about a topic that is not there would be about nothing."""
    code = error_code_of(reply)
    if code:
        raise LimitError(f"expected topic {name!r} to be created, got {ErrorCode(code).name}")


def run(scenario: Scenario, seed: int) -> Result:
    return Run(scenario, seed, properties_of(scenario)).finish()


def properties_of(scenario: Scenario) -> tuple[type[Property], ...]:
    """Those that it names; `all`: every one that holds in faithful Kafka."""
    wanted = set(scenario.expect.always) | {scenario.expect.fails_with}
    known = {one.name for one in ALL} | {"all"}
    for name in scenario.expect.always:
        if name not in known:
            raise Problem(
                ("expect", "always"),
                f"unknown property {name!r}: expected {nearest(name, [*known])}",
            )
    return tuple(one for one in ALL if one.name in wanted or ("all" in wanted and one.always))
