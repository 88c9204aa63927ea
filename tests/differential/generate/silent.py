"""Sequences in which brokers fall silent, so that their leases run out."""

from random import Random

from tests.differential.generate import brokers, cluster, partitions, topics
from tests.differential.generate.draft import Draft
from tests.differential.history import IDS_EACH as IDS_EACH
from tests.differential.sequence import Ask, Sequence, Silence, Step
from tests.differential.settings import SILENT_SESSION_MS
from tests.released.releases import Release

BROKERS = 3
SHORT_S = 1.0
MIDDLE_S = SILENT_SESSION_MS * 0.00055  # more than half a lease; what follows fits into the rest
LONG_S = SILENT_SESSION_MS * 9 / 8000 + 0.8  # longer than a lease and the check that ends it


def draw_silent_sequence(release: Release, cluster_id: str, seed: int, number: int) -> Sequence:
    """The sequence `number` of those that run side by side with `seed`: always the same."""
    random = Random(f"silent/{seed}/{number}")
    first_id = number * IDS_EACH + 1
    draft = Draft(random, release, cluster_id, number, first_id, f"s{number}.", BROKERS)
    draft.is_side_by_side = True
    steps: list[Step] = [*_opening(draft), *_drawn(draft, random.randint(0, 5))]
    for seconds in (SHORT_S, LONG_S):
        steps += [_silence(draft, seconds), *_drawn(draft, random.randint(1, 5))]
    steps += [*_half_a_lease(draft), *_drawn_amid_a_lease(draft, random.randint(2, 5))]
    return Sequence(f"silent-{seed}-{number}", tuple(steps), _cleanup(draft))


def is_silent(sequence: Sequence) -> bool:
    return any(isinstance(step, Silence) for step in sequence.steps)


def _opening(draft: Draft) -> list[Step]:
    steps: list[Step] = []
    for broker_id in draft.ids:
        draft.incarnations[broker_id] = 0
        body = brokers.plain_registration(draft, broker_id) | {"previousBrokerEpoch": -1}
        steps.append(Ask("BrokerRegistration", 4, body))
        if draft.chance(0.9):
            steps.append(brokers.serve(draft, broker_id))
    if draft.chance(0.75):
        steps += topics.create_first(draft, list(draft.ids))
    return steps


def _drawn(draft: Draft, count: int) -> list[Step]:
    """No description of the cluster: it has the brokers of other sequences, too, and a released
    controller publishes them some time after its replies."""
    draws = (
        (brokers.register, 3),
        (brokers.heartbeat, 8),
        (partitions.alter, 5),
        (brokers.unregister, 1),
        (topics.create, 1),
        (topics.delete, 1),
        (cluster.describe_quorum, 0.5),
    )
    kinds, weights = zip(*draws, strict=True)
    return [draw(draft) for draw in draft.random.choices(kinds, weights, k=count)]


def _half_a_lease(draft: Draft) -> list[Step]:
    """Some brokers renew their leases; none does for more than half a lease."""
    awake = tuple(broker_id for broker_id in draft.ids if draft.chance(0.7))
    return [Silence(SHORT_S, awake), Silence(MIDDLE_S)]


def _drawn_amid_a_lease(draft: Draft, count: int) -> list[Step]:
    """A lease that holds still protects its broker's id."""
    draws = (brokers.register_another, brokers.register, brokers.heartbeat, partitions.alter)
    return [draw(draft) for draw in draft.random.choices(draws, (4, 1, 3, 1), k=count)]


def _silence(draft: Draft, seconds: float) -> Silence:
    """Some brokers go on heartbeating. The others fall silent one after the other: at most one of
    them without a farewell."""
    ids = draft.broker_ids(BROKERS)
    awake = [broker_id for broker_id in ids if draft.chance(0.4)]
    silent = [broker_id for broker_id in ids if broker_id not in awake]
    if draft.chance(0.5):
        silent = silent[1:]
    farewells = tuple((broker_id, draft.chance(0.3)) for broker_id in silent)
    if seconds == SHORT_S:
        farewells = ()
    return Silence(seconds, tuple(awake), farewells)


def keep_alive(broker_id: int, *, want_fence: bool = False) -> Ask:
    body = {
        "brokerId": broker_id,
        "brokerEpoch": {"$epoch": [broker_id, -1, 0]},
        "currentMetadataOffset": {"$register_offset": [broker_id, 0]},
        "wantFence": want_fence,
        "wantShutDown": False,
    }
    return Ask("BrokerHeartbeat", 1, body)


def _cleanup(draft: Draft) -> tuple[Step, ...]:
    names = sorted(draft.topics)
    deletions = [Ask("DeleteTopics", 5, {"topicNames": [n], "timeoutMs": 10000}) for n in names]
    leaving = [Ask("UnregisterBroker", 0, {"brokerId": broker_id}) for broker_id in draft.ids]
    return (*deletions, *leaving)
