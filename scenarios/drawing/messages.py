"""Draws clients that write to topics, and faults of how brokers store and copy what they write.

A damaged batch keeps its replica out of the ISR for good, so that such a run need not recover:
`log.corrupt` is not drawn.
"""

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any

from kraftsim.simulation.topology import broker_ids

from .lot import Words, log_uniform_ms
from .steps import at_ms_of, step_of, words_of
from .successions import succession

WRITE, DELETE = "topic.write", "topic.delete"
BEGIN_MS_MAX = 5_000
RECORDS_MAX = 5
SIZES = (10, 1_000, 20_000)
PARTS_LOST = (0.0, 0.0, 0.2)  # of the responses to Produce
ACKS = ("all", "all", "leader")
AGES_MS = (0, 0, 5_000, 30_000)  # of the metadata of clients
FAULTS_MAX = 6
DEATHS_MAX = 6  # of leaders and followers, beside those of `everything`
PART_WITH_SUCCESSIONS = 0.7  # of the runs
PART_WITH_RETENTION = 0.4  # of the written topics
RETENTION_MS = ("10000", "60000")
# Faults after which S54 to S58 judge nothing more, whichever node they strike.
LOSSES = frozenset({"log.lose_tail", "proc.amnesia", "proc.clone", "disk.full"})
PART_WITH_LOSSES = 0.2  # of the runs; others have none
# Kafka's name of a setting: the values that are drawn. By default a follower that lags leaves the
# ISR after half a run, and a leader that dies is replaced after nine seconds.
SETTINGS: dict[str, tuple[int, ...]] = {
    "min.insync.replicas": (1, 2),
    "replica.lag.time.max.ms": (2_000, 5_000, 30_000),
}
PART_OF_SETTINGS = 0.6
SHORT_LEASE = {"broker.session.timeout.ms": 3_000, "broker.heartbeat.interval.ms": 500}
PART_WITHOUT_DELAYS = 0.3  # of the networks: a copy takes no time there


def _slow(stream: Random) -> Words:
    return {"bytes_per_second": stream.choice((100, 1_000, 100_000))}


FAULTS: Mapping[str, Callable[[Random], Words]] = {
    "replica.stop": lambda stream: {},
    "replica.slow": _slow,
}
DEATHS = ("proc.crash", "proc.crash", "proc.pause", "net.partition")


def shape_with_messages(document: Mapping[str, Any], stream: Random) -> Words:
    """Returns the document of a drawn cluster with settings and a network for messages."""
    drawn = {
        key: stream.choice(values)
        for key, values in SETTINGS.items()
        if stream.random() < PART_OF_SETTINGS
    }
    if stream.random() < PART_OF_SETTINGS:
        drawn |= SHORT_LEASE
    is_prompt = stream.random() < PART_WITHOUT_DELAYS
    network = {"low": "0ms", "high": "0ms"} if is_prompt else document["network"]
    return {**document, "config": document["config"] | drawn, "network": network}


def with_messages(document: Mapping[str, Any], stream: Random, run_ms: int) -> Words:
    """Returns the document of a drawn cluster, to whose topics clients write."""
    brokers = broker_ids(document["cluster"]["brokers"])
    topics = list(document["cluster"]["topics"])
    topics = sorted(stream.sample(topics, stream.randint(1, len(topics))))
    middle_ms = run_ms // 2
    steps = [step for step in document["do"] if not _deletes(step, topics, middle_ms)]
    steps += _writes(stream, topics, run_ms)
    if stream.random() < PART_WITH_SUCCESSIONS:
        steps += succession(stream, stream.choice(topics), brokers, run_ms)
    for _ in range(stream.randint(0, FAULTS_MAX)):
        steps.append(drawn_copy_fault(stream, brokers, topics, stream.randrange(run_ms)))
    for _ in range(stream.randint(0, DEATHS_MAX)):
        words = {"on": stream.choice(brokers), "for": f"{log_uniform_ms(stream, 500, 10_000)}ms"}
        steps.append(step_of(stream.randrange(run_ms), stream.choice(DEATHS), words))
    lost_ms = stream.randrange(middle_ms, run_ms)
    steps.append(step_of(lost_ms, "log.lose_tail", _aim(stream, brokers)))
    steps = judged(steps, stream, middle_ms)
    return {**document, "do": sorted(steps, key=at_ms_of)}


def judged(steps: list[Words], stream: Random, from_ms: int) -> list[Words]:
    """Returns the steps with losses of messages after `from_ms` only, and mostly without any."""
    has_losses = stream.random() < PART_WITH_LOSSES
    return [
        step
        for step in steps
        if not LOSSES & step.keys() or (has_losses and at_ms_of(step) >= from_ms)
    ]


def _deletes(step: Words, topics: list[str], until_ms: int) -> bool:
    """Returns True if a step deletes one of the topics before a time."""
    return DELETE in step and words_of(step)["name"] in topics and at_ms_of(step) < until_ms


def drawn_copy_fault(stream: Random, brokers: range, topics: list[str], at_ms: int) -> Words:
    """Returns a step that slows or stops a broker's fetchers, of one topic or of all."""
    verb = stream.choice(list(FAULTS))
    words = FAULTS[verb](stream) | _aim(stream, brokers)
    words |= {"topic": stream.choice(topics)} if stream.random() < 0.5 else {}
    return step_of(at_ms, verb, words)


def _aim(stream: Random, brokers: range) -> Words:
    """Returns the broker of a fault, and how long it lasts."""
    return {"on": stream.choice(brokers), "for": f"{log_uniform_ms(stream, 1_000, 60_000)}ms"}


def _writes(stream: Random, topics: list[str], run_ms: int) -> Iterator[Words]:
    for name in topics:
        begin_ms = stream.randrange(min(BEGIN_MS_MAX, run_ms))
        words: Words = {
            "name": name,
            "every": f"{log_uniform_ms(stream, 100, 5_000)}ms",
            "records": stream.randint(1, RECORDS_MAX),
            "size": stream.choice(SIZES),
            "lost": stream.choice(PARTS_LOST),
            "acks": stream.choice(ACKS),
            "refresh": f"{stream.choice(AGES_MS)}ms",
            "for": f"{run_ms - begin_ms}ms",
        }
        yield step_of(begin_ms, WRITE, words)
        if stream.random() < PART_WITH_RETENTION:
            value = stream.choice(RETENTION_MS)
            yield step_of(
                begin_ms, "config.set", {"name": name, "key": "retention.ms", "value": value}
            )
