"""Whole sequences: brokers first, then anything, then everything is taken away."""

from collections.abc import Callable
from random import Random

from tests.differential.generate import brokers, cluster, partitions, topics
from tests.differential.generate.draft import Draft
from tests.differential.sequence import Ask, Sequence, Step
from tests.differential.settings import USUAL, Start
from tests.released.releases import Release

Draw = Callable[[Draft], Ask]

_USUAL: tuple[tuple[Draw, float], ...] = (
    (brokers.register, 16),
    (brokers.heartbeat, 34),
    (topics.create, 18),
    (topics.create_too_many, 0.1),
    (topics.delete, 7),
    (partitions.alter, 18),
    (brokers.unregister, 4),
    (cluster.describe_cluster, 3),
    (cluster.describe_quorum, 2),
)
_OF_THE_CLUSTER: tuple[tuple[Draw, float], ...] = (
    *_USUAL,
    (cluster.update_features, 40),
    (cluster.register_controller, 5),
    (cluster.change_voters, 20),
)
_SHARE_OF_THE_CLUSTER = 0.1


def draw_sequence(
    release: Release, cluster_id: str, seed: int, number: int, start: Start = USUAL
) -> Sequence:
    """The sequence `number` of `seed`: always the same."""
    random = Random(f"{seed}/{number}")
    draft = Draft(random, release, cluster_id, number)
    steps = _opening(draft)
    draws = _OF_THE_CLUSTER if draft.chance(_SHARE_OF_THE_CLUSTER) else _USUAL
    steps += _drawn(draft, draws, random.randint(4, 24))
    return Sequence(f"{seed}-{number}", tuple(steps), tuple(cleanup(draft)), start)


def _opening(draft: Draft) -> list[Step]:
    """Some brokers that serve, and a topic on them, so that what follows meets something."""
    steps: list[Step] = []
    for broker_id in draft.ids:
        if draft.chance(0.6):
            draft.incarnations[broker_id] = 0
            body = brokers.plain_registration(draft, broker_id) | {"previousBrokerEpoch": -1}
            steps.append(Ask("BrokerRegistration", 4, body))
            if draft.chance(0.8):
                steps.append(brokers.serve(draft, broker_id))
    if draft.incarnations and draft.chance(0.7):
        ids = sorted(draft.incarnations)
        draft.random.shuffle(ids)
        lists = [ids[: draft.random.randint(1, 3)] for _ in range(draft.random.randint(1, 2))]
        steps.append(topics.create_plainly(draft, draft.prefix + "t1", [sorted(lists[0])]))
    return steps


def _drawn(draft: Draft, draws: tuple[tuple[Draw, float], ...], count: int) -> list[Step]:
    kinds = [draw for draw, _ in draws]
    weights = [weight for _, weight in draws]
    return [draw(draft) for draw in draft.random.choices(kinds, weights, k=count)]


def cleanup(draft: Draft) -> list[Step]:
    """Delete every topic, unregister every broker: the next sequence meets an empty cluster."""
    steps: list[Step] = [
        Ask("DeleteTopics", 5, {"topicNames": [name], "timeoutMs": 10000})
        for name in sorted(draft.topics)
    ]
    steps += [Ask("UnregisterBroker", 0, {"brokerId": broker_id}) for broker_id in draft.ids]
    return [*steps, *(cluster.restore_features(draft) if draft.has_changed_features else [])]
