"""Questions of an operator in the midst of a run, and futures in which the answers are believed.

A yes is wrong if a client lacks in such a future what it has in the future without the operator,
unless no Kafka could know better when it was asked.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from random import Random

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.scenarios.running.run import Run
from kraftsim.simulation.world import World
from tests.scenarios.futures import Entries, Future, S, committed
from tests.scenarios.operators_answers import Answers, Place, reassigning

CAUGHT_UP_S = 15  # in which a broker that starts has joined its ISRs


class Question(Enum):
    """What an operator asks."""

    RESTART = "may I restart this broker?"
    REMOVE = "may I remove this broker?"
    REASSIGNED = "is the reassignment done?"
    REPLICATED = "is this partition replicated?"


class Harm(Enum):
    """What a client lacks."""

    LEADER = "a leader"
    WRITE = "a write with acks=all"
    READ = "a broker that serves the partition"
    LOSS = "acknowledged records"


class Unknown(Enum):
    """What an answer cannot know."""

    STALE = "the broker that was asked had old metadata"
    OTHERS = "another administrator moved the partition"
    GONE = "a member of the ISR that was to stay had ended, hung or was leaving"


Harms = Mapping[Place, set[Harm]]


@dataclass(slots=True)
class Verdicts:
    """Counts of answers, and of those that did harm; the texts of the wrong ones."""

    given: Counter[tuple[Question, bool]] = field(default_factory=Counter)
    harmful: Counter[tuple[Question, bool]] = field(default_factory=Counter)
    unknown: Counter[tuple[Question, Unknown]] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)


class Examination:
    """The questions of one run; `verdicts` collects the answers of several runs."""

    def __init__(self, run: Run, verdicts: Verdicts) -> None:
        self._run, self._world = run, run.world
        self._verdicts = verdicts
        self._draw = Random(run.seed)

    def ask_every(self, seconds: int, times: int) -> None:
        """Runs the scenario, and asks at each of these times."""
        self._run.begin()
        self._run.begin_steps()
        for _ in range(times):
            self._watch_reassignments(seconds)
            asked = self._listening()
            if asked:
                Moment(self._run, self._draw.choice(asked), self._draw, self._verdicts).ask()

    def _listening(self) -> list[int]:
        hosts = self._world.agents.items()
        return [broker_id for broker_id, of in hosts if of.is_alive and not of.is_paused]

    def _watch_reassignments(self, seconds: int) -> None:
        """Lets time pass; looks at each reassignment that ends."""
        world, before = self._world, self._added()
        end_us, seen = world.timeline.now_us + seconds * S, world.committed_log.end_offset
        while world.timeline.now_us < end_us:
            self._run.run_until(min(end_us, world.timeline.due_us))
            if world.committed_log.end_offset == seen:
                continue
            seen, added = world.committed_log.end_offset, self._added()
            ended, asked = before.keys() - added.keys(), self._listening()
            if ended and asked:
                moment = Moment(self._run, asked[0], self._draw, self._verdicts)
                for place in sorted(ended):
                    moment.ask_if_reassigned(place, before[place])
            before = added

    def _added(self) -> dict[Place, tuple[int, ...]]:
        """Returns the replicas that reassignments add."""
        image = self._world.committed
        return {
            Place(topic.name, index): topic.partitions[index].adding_replicas
            for topic_id, indexes in image.index.reassigning_by_topic().items()
            for topic in (image.topics[topic_id],)
            for index in indexes
        }


class Moment:
    """The questions of one moment of a run, answered by one broker."""

    def __init__(self, run: Run, asked: int, draw: Random, verdicts: Verdicts) -> None:
        self._run, self._world, self._asked = run, run.world, asked
        self._draw, self._verdicts = draw, verdicts
        self._answers = Answers(run.world, asked)
        self._places = self._answers.partitions.keys()
        self._promised: Entries | None = None
        self._led: set[Place] = set()
        self._written: set[Place] = set()
        self._moved: set[Place] = set()

    def ask(self) -> None:
        """Asks of one broker that has replicas, of one that has none, and what is replicated."""
        alive = [broker_id for broker_id, hosted in self._world.agents.items() if hosted.is_alive]
        hosting = [broker_id for broker_id in alive if self._answers.hosted(broker_id)]
        for broker_id in self._one_of(hosting):
            self._may_restart(broker_id)
            self._is_replicated_at(broker_id)
        empty = [broker_id for broker_id in alive if self._answers.may_remove(broker_id)]
        for broker_id in self._one_of(empty):
            self._may_remove(broker_id)

    def _one_of(self, broker_ids: list[int]) -> list[int]:
        return [self._draw.choice(broker_ids)] if broker_ids else []

    def _without_the_operator(self) -> None:
        """Lives through the future in which the operator does nothing.

        What consumers can read now, and then, must be there in other futures.
        """
        if self._promised is None:
            readable = Future(self._run).read_now(self._places)
            future = self._future()
            future.pass_session()
            self._led = future.led(self._places)
            self._promised = {
                place: entries & readable.get(place, set())
                for place, entries in future.read(self._places).items()
            }
            self._written = future.written(self._places)
            self._moved = {
                place
                for place in self._places
                if replicas_of(future.world, place) != replicas_of(self._world, place)
            }

    def _future(self) -> Future:
        """Returns a future whose faults have ended."""
        future = Future(self._run)
        future.heal()
        return future

    def _may_restart(self, broker_id: int) -> None:
        """Stops or kills the broker, and starts it again after a session."""
        places = self._answers.hosted(broker_id)
        future = self._future()
        end = self._draw.choice((future.stop, future.kill))
        end(broker_id)
        future.pass_session()
        led, written = future.led(places), future.written(places)
        future.start(broker_id)
        future.pass_s(CAUGHT_UP_S)
        harms = self._harms(places, led, written, future.read(places))
        answer = self._answers.may_stop(broker_id)
        self._judge(Question.RESTART, answer, harms, broker_id, end.__name__)

    def _may_remove(self, broker_id: int) -> None:
        places = self._places
        future = self._future()
        future.kill(broker_id)
        future.pass_session()
        led, read = future.led(places), future.read(places)
        harms = self._harms(places, led, future.written(places), read)
        self._judge(Question.REMOVE, True, harms, broker_id, "kill")

    def _is_replicated_at(self, broker_id: int) -> None:
        """Asks of each partition of the broker; all other brokers are killed."""
        places = self._answers.hosted(broker_id)
        harms = self._without_others(broker_id, places)
        for place in places:
            answer = self._answers.is_replicated(place)
            harm = {place: harms[place]} if place in harms else {}
            self._judge(Question.REPLICATED, answer, harm, broker_id, "alone")

    def ask_if_reassigned(self, place: Place, added: Iterable[int]) -> None:
        """Asks if a reassignment is done; each new replica must have all."""
        listed, partition = reassigning(self._world), committed(self._world, place)
        if listed is None or partition is None or place not in self._places:
            return
        for broker_id in added:
            if broker_id not in partition.replicas:
                continue  # it was cancelled
            harms = self._without_others(broker_id, [place])
            self._judge(Question.REASSIGNED, place not in listed, harms, broker_id, "alone")

    def _without_others(self, broker_id: int, places: list[Place]) -> Harms:
        """Kills all other brokers for a while: what a new leader lacks is lost."""
        future = self._future()
        future.kill(*(other for other in future.world.agents if other != broker_id))
        future.pass_session()
        led = future.led(places)
        for other in future.world.agents:
            future.start(other)
        future.pass_s(CAUGHT_UP_S)
        return self._harms(places, led, None, future.read(places))

    # Judgement

    def _harms(
        self, places: Iterable[Place], led: set[Place], written: set[Place] | None, read: Entries
    ) -> Harms:
        """Returns what clients lack, and have in the future without the operator."""
        self._without_the_operator()
        assert self._promised is not None
        harms: dict[Place, set[Harm]] = {}
        for place in places:
            harm = set()
            if place in self._led and place not in led:
                harm.add(Harm.LEADER)
            if written is not None and place in self._written and place not in written:
                harm.add(Harm.WRITE)
            if place in self._promised and place not in read:
                harm.add(Harm.READ)
            promised = self._promised.get(place, set())
            if place in read and self._answers.keeps(place) and not promised <= read[place]:
                harm.add(Harm.LOSS)
            if harm:
                harms[place] = harm
        return harms

    def _judge(
        self, question: Question, answer: bool, harms: Harms, broker_id: int, what: str
    ) -> None:
        verdicts = self._verdicts
        verdicts.given[question, answer] += 1
        verdicts.harmful[question, answer] += bool(harms)
        if not answer:
            return
        for place, harm in harms.items():
            unknown = self._unknown(question, place, broker_id)
            if unknown is None:
                verdicts.wrong.append(self._text(question, place, harm, broker_id, what))
            else:
                verdicts.unknown[question, unknown] += 1

    def _unknown(self, question: Question, place: Place, broker_id: int) -> Unknown | None:
        """Returns why no Kafka could know better; None if it could."""
        partition, described = committed(self._world, place), self._answers.partitions.get(place)
        if partition is None or place in self._moved:
            return Unknown.OTHERS
        is_of_a_broker = question is not Question.REASSIGNED  # which the controller answers
        if is_of_a_broker and described is not None and described.isr_nodes != partition.isr:
            return Unknown.STALE
        others = [member for member in partition.isr if member != broker_id]
        left = others if question in (Question.RESTART, Question.REMOVE) else [broker_id]
        return None if all(map(self._serves, left)) else Unknown.GONE

    def _serves(self, broker_id: int) -> bool:
        """True if the process of a broker is the registered one, and in service."""
        hosted = self._world.agents.get(broker_id)
        broker = self._world.committed.brokers.get(broker_id)
        if hosted is None or broker is None:
            return False
        is_it = broker.incarnation_id == hosted.agent.incarnation_id
        return is_it and hosted.state is ProcessState.RUNNING

    def _text(
        self, question: Question, place: Place, harm: set[Harm], broker_id: int, what: str
    ) -> str:
        at_s = (self._world.timeline.now_us - self._run.begin_us) / S
        lacking = ", ".join(sorted(kind.value for kind in harm))
        return (
            f"seed {self._run.seed}, {at_s:.3f} s: {question.value} {what} {broker_id}: {place} "
            f"{committed(self._world, place)} lacks {lacking}; broker {self._asked} was asked"
        )


def replicas_of(world: World, place: Place) -> tuple[int, ...]:
    """Returns the brokers of a partition, none if it does not exist."""
    partition = committed(world, place)
    return () if partition is None else partition.replicas
