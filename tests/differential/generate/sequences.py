"""Whole sequences: brokers first, then anything, then everything is taken away."""

from collections.abc import Callable
from random import Random

from kraftsim.controller.core import feature_levels
from tests.differential.generate import (
    acls,
    brokers,
    cluster,
    configs,
    credentials,
    not_configured,
    partitions,
    quotas,
    reassignments,
    topics,
    voters,
)
from tests.differential.generate.big import draw_big
from tests.differential.generate.draft import TOPIC_NAMES, Draft
from tests.differential.sequence import Ask, Sequence, Step
from tests.differential.settings import USUAL, Start
from tests.released.releases import Release

Draw = Callable[[Draft], Ask]


def _alter_what_is_there(draft: Draft) -> Ask:
    """An AlterPartition; mostly a topic instead where there is none."""
    if draft.standing or draft.chance(0.15) or not draft.incarnations:
        return partitions.alter(draft)
    return topics.create_sensibly(draft, draft.one_of(*TOPIC_NAMES), sorted(draft.incarnations))


_USUAL: tuple[tuple[Draw, float], ...] = (
    (brokers.register, 11),
    (brokers.heartbeat, 22),
    (brokers.serve_any, 16),
    (brokers.fence_leader, 4.5),
    (topics.create, 18),
    (topics.create_too_many, 0.1),
    (topics.delete, 4),
    (_alter_what_is_there, 26),
    (reassignments.create_partitions, 5),
    (reassignments.create_too_many_partitions, 0.3),
    (reassignments.elect_leaders, 5),
    (reassignments.alter_reassignments, 9),
    (reassignments.list_reassignments, 3),
    (reassignments.assign_directories, 5),
    (reassignments.allocate_producer_ids, 1.5),
    (brokers.unregister, 4),
    (brokers.cordon, 2),
    (brokers.register_with_directories, 1),
    (cluster.describe_cluster, 3),
    (cluster.describe_quorum, 2),
    (configs.alter, 7),
    (configs.alter_whole, 2),
    (configs.describe, 5),
    (quotas.alter, 2),
    (credentials.alter, 1.5),
    (acls.create, 1.5),
    (acls.describe, 0.7),
    (acls.delete, 0.7),
    (not_configured.ask, 0.3),
)
_OF_THE_CLUSTER: tuple[tuple[Draw, float], ...] = (*_USUAL, *cluster.DRAWS)
_OF_VOTERS: tuple[tuple[Draw, float], ...] = (
    *((draw, weight / 2) for draw, weight in _USUAL),
    (voters.add, 25),
    (voters.remove, 8),
    (voters.update, 35),
    (cluster.describe_quorum, 12),
    (cluster.update_features, 4),
    (cluster.register_controller, 6),
    (cluster.unregister_controller, 6),
)
_OF_MIN_ISR: tuple[tuple[Draw, float], ...] = (
    (topics.create, 20),
    (topics.delete, 4),
    (configs.alter, 50),
    (configs.alter_whole, 15),
    (configs.describe, 15),
)
_OF_DIRECTORIES: tuple[tuple[Draw, float], ...] = (
    (brokers.register_with_directories, 10),
    (brokers.register, 4),
    (brokers.serve_any, 14),
    (brokers.cordon, 14),
    (brokers.heartbeat, 14),
    (reassignments.assign_directories, 20),
    (topics.create, 18),
    (reassignments.create_partitions, 6),
    (reassignments.alter_reassignments, 4),
)
_OF_GROUPS: tuple[tuple[Draw, float], ...] = (
    (configs.alter_group, 60),
    (configs.alter, 10),
    (configs.alter_whole, 10),
    (configs.describe, 20),
)
_OF_CLIENTS: tuple[tuple[Draw, float], ...] = (
    (quotas.alter, 40),
    (credentials.alter, 40),
    (credentials.describe, 3),
    (topics.create, 5),
    (brokers.heartbeat, 5),
)
_OF_ACLS: tuple[tuple[Draw, float], ...] = (
    (acls.create, 50),
    (acls.describe, 25),
    (acls.delete, 20),
    (topics.create, 3),
    (not_configured.ask, 4),
)
_REFUSED: tuple[tuple[Draw, float], ...] = ((cluster.register_controller, 5),)
EVERY_DRAW: tuple[Draw, ...] = (
    *(draw for draw, _ in _OF_THE_CLUSTER if draw is not cluster.change_voters),
    credentials.describe,
)
"""Each kind of request once, without those that change who votes."""

_SHARE_OF_THE_CLUSTER = 0.1
_SHARE_OF_MIN_ISR = 0.08
_SHARE_OF_CLIENTS = 0.08
_SHARE_OF_ACLS = 0.1
_SHARE_OF_VOTERS = 0.8
_SHARE_OF_DIRECTORIES = 0.08
_SHARE_OF_GROUPS = 0.05
_SHARE_OF_BIG_TOPICS = 0.004


def draw_sequence(
    release: Release, cluster_id: str, seed: int, number: int, start: Start = USUAL
) -> Sequence:
    """The sequence `number` of `seed`: always the same."""
    random = Random(f"{seed}/{number}")
    draft = Draft(random, release, cluster_id, number, level=start.level or 0)
    draft.has_second_voter = start.has_second_voter
    steps = draw_big(draft) if draft.chance(_SHARE_OF_BIG_TOPICS) else draw_steps(draft)
    return Sequence(f"{seed}-{number}", tuple(steps), tuple(cleanup(draft)), start)


def draw_steps(draft: Draft) -> list[Step]:
    """The steps of a usual sequence, without the cleanup."""
    steps = _opening(draft)
    return steps + _drawn(draft, _draws(draft), draft.random.randint(4, 24))


def _draws(draft: Draft) -> tuple[tuple[Draw, float], ...]:
    if draft.has_second_voter and draft.chance(_SHARE_OF_VOTERS):
        return _OF_VOTERS
    if draft.chance(_SHARE_OF_MIN_ISR):
        draft.changes_min_isr = True
        return _OF_MIN_ISR
    if draft.chance(_SHARE_OF_CLIENTS):
        return _OF_CLIENTS
    if draft.chance(_SHARE_OF_ACLS):
        return _OF_ACLS
    if draft.chance(_SHARE_OF_DIRECTORIES):
        return _OF_DIRECTORIES
    if draft.chance(_SHARE_OF_GROUPS):
        return _OF_GROUPS
    if draft.chance(_SHARE_OF_THE_CLUSTER):
        return _OF_THE_CLUSTER
    if draft.level < feature_levels.CONTROLLER_REGISTRATION_FROM:
        return _USUAL + _REFUSED
    return _USUAL


def _opening(draft: Draft) -> list[Step]:
    """Some brokers that serve, and topics on them, so that what follows meets something."""
    steps: list[Step] = []
    serving: list[int] = []
    for broker_id in draft.ids:
        if draft.chance(0.85) or broker_id == draft.first_id + 1:
            draft.incarnations[broker_id] = 0
            body = brokers.plain_registration(draft, broker_id) | {"previousBrokerEpoch": -1}
            steps.append(Ask("BrokerRegistration", 4, body))
            if draft.chance(0.9):
                serving.append(broker_id)
                steps.append(brokers.serve(draft, broker_id))
    if serving and draft.chance(0.9):
        ids = serving if len(serving) > 1 and draft.chance(0.7) else sorted(draft.incarnations)
        steps += topics.create_first(draft, ids)
    return steps


def _drawn(draft: Draft, draws: tuple[tuple[Draw, float], ...], count: int) -> list[Step]:
    kinds = [draw for draw, _ in draws]
    weights = [weight for _, weight in draws]
    return [draw(draft) for draw in draft.random.choices(kinds, weights, k=count)]


def cleanup(draft: Draft) -> list[Step]:
    """Delete every topic, unregister every broker: the next sequence meets an empty cluster."""
    steps = configs.restore(draft) + quotas.restore(draft) + credentials.restore(draft)
    steps += acls.restore(draft)
    steps += [
        Ask("DeleteTopics", 5, {"topicNames": [name], "timeoutMs": 10000})
        for name in sorted(draft.topics)
    ]
    steps += [Ask("UnregisterBroker", 0, {"brokerId": broker_id}) for broker_id in draft.ids]
    steps += voters.restore(draft)
    steps += cluster.restore_controllers(draft)
    return [*steps, *(cluster.restore_features(draft) if draft.has_changed_features else [])]
