"""Draws the cluster of a scenario: nodes, topics, release, feature levels, settings, network."""

from random import Random

from kraftsim.controller.core.profile import PROFILES
from kraftsim.controller.core.settings import STANDARD_AUTHORIZER

from .lot import Words

CONTROLLERS, CONTROLLER_WEIGHTS = (1, 3, 5), (2, 6, 2)
BROKERS, BROKER_WEIGHTS = range(2, 13), (3, 6, 8, 6, 4, 3, 2, 1, 1, 1, 1)
RELEASES, RELEASE_WEIGHTS = ("kafka-4.4", "kafka-4.3", "kafka-4.1", "kafka-3.9"), (4, 4, 2, 2)
RACKS = ((), ("a", "b"), ("a", "b", "c"))
# Without the preset "lossy": a network that loses messages in the calm too fences healthy brokers.
NETWORKS, NETWORK_WEIGHTS = ("lan", "zones", "wan"), (5, 3, 2)
OLDEST_METADATA_VERSION = 14  # 3.6-IV2; older clusters are upgraded before 3.9 (rule 0A.11)
# Kafka's name of a setting: the values that are drawn beside its default.
SETTINGS: dict[str, tuple[int | bool, ...]] = {
    "controller.quorum.election.timeout.ms": (500, 2_000),
    "controller.quorum.fetch.timeout.ms": (1_500, 4_000),
    "controller.quorum.auto.join.enable": (True,),
    "metadata.log.max.record.bytes.between.snapshots": (2_000, 5_000, 20_000),
    "metadata.log.max.snapshot.interval.ms": (10_000, 60_000),
    "metadata.max.idle.interval.ms": (200, 2_000),
    "min.insync.replicas": (2,),
    "unclean.leader.election.enable": (True,),
    "replica.fetch.wait.max.ms": (50, 4_000),
}
# Intervals of the elections that a controller begins by itself: a run ends before those by default.
UNCLEAN_INTERVALS_MS = (2_000, 5_000, 30_000)
BALANCING_INTERVALS_S = (2, 5, 20)
PART_WITH_PERIODIC_ELECTIONS = 0.6
PART_THAT_BALANCES = 0.7  # of these; others must not balance at such an interval
# A drawn broker has few replicas; with slices of so few records its decommission takes several.
SLICE_RECORDS = (2, 3)
PART_WITH_SLICES = 0.6
# Session timeouts and heartbeat intervals: at least four heartbeats a session, as by default.
LEASES = ((3_000, 500), (6_000, 1_000), (18_000, 2_000))
PART_OF_SETTINGS = 0.25
PART_WITH_STATIC_VOTERS = 0.2
PART_WITH_AUTHORIZER = 0.5  # of the runs; others refuse access control entries
# By default a broker exits if it cannot register for a minute; no step would start it again.
REGISTRATION = {"initial.broker.registration.timeout.ms": 600_000}


def drawn_shape(stream: Random) -> Words:
    """Returns the keys profile, cluster, config and network of a scenario document."""
    (release,) = stream.choices(RELEASES, RELEASE_WEIGHTS)
    (network,) = stream.choices(NETWORKS, NETWORK_WEIGHTS)
    return {
        "profile": release,
        "cluster": _cluster(stream, release),
        "config": _config(stream),
        "network": network,
    }


def _cluster(stream: Random, release: str) -> Words:
    (controllers,) = stream.choices(CONTROLLERS, CONTROLLER_WEIGHTS)
    (brokers,) = stream.choices(BROKERS, BROKER_WEIGHTS)
    cluster: Words = {
        "controllers": controllers,
        "brokers": brokers,
        "racks": list(stream.choice(RACKS)),
        "topics": {f"t{number}": _topic(stream, brokers) for number in range(stream.randint(1, 3))},
    }
    if stream.random() < PART_OF_SETTINGS:
        newest = PROFILES[release].metadata_version
        cluster["metadata_version"] = stream.randint(OLDEST_METADATA_VERSION, newest)
    if stream.random() < PART_WITH_STATIC_VOTERS:
        cluster["kraft_version"] = 0
    return cluster


def _topic(stream: Random, brokers: int) -> Words:
    return {"partitions": stream.randint(1, 6), "replication": stream.randint(1, min(4, brokers))}


def _config(stream: Random) -> Words:
    drawn: Words = {
        key: stream.choice(values)
        for key, values in SETTINGS.items()
        if stream.random() < PART_OF_SETTINGS
    }
    if stream.random() < PART_OF_SETTINGS:
        session_ms, interval_ms = stream.choice(LEASES)
        drawn["broker.session.timeout.ms"] = session_ms
        drawn["broker.heartbeat.interval.ms"] = interval_ms
    if stream.random() < PART_WITH_PERIODIC_ELECTIONS:
        drawn |= _periodic_elections(stream)
    if stream.random() < PART_WITH_SLICES:
        drawn["decommission.slice.records"] = stream.choice(SLICE_RECORDS)
    if stream.random() < PART_WITH_AUTHORIZER:
        drawn["authorizer.class.name"] = STANDARD_AUTHORIZER
    return REGISTRATION | drawn


def _periodic_elections(stream: Random) -> Words:
    """Returns the settings of leader balancing and of the search for unclean leaders."""
    return {
        "auto.leader.rebalance.enable": stream.random() < PART_THAT_BALANCES,
        "leader.imbalance.check.interval.seconds": stream.choice(BALANCING_INTERVALS_S),
        "unclean.leader.election.interval.ms": stream.choice(UNCLEAN_INTERVALS_MS),
    }
