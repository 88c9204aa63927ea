"""Sequences in which brokers fall silent, so that their leases run out."""

from random import Random

from tests.differential.generate import brokers, partitions, topics
from tests.differential.generate.draft import Draft
from tests.differential.sequence import Ask, Sequence, Silence, Step
from tests.differential.settings import SILENT_SESSION_MS
from tests.released.releases import Release

IDS_EACH = 10  # ids of brokers that each of the sequences side by side has for itself
BROKERS = 3
SHORT_S = 1.0
LONG_S = SILENT_SESSION_MS * 9 / 8000 + 0.8  # longer than a lease and the check that ends it


def draw_silent_sequence(release: Release, cluster_id: str, seed: int, number: int) -> Sequence:
    """The sequence `number` of those that run side by side with `seed`: always the same."""
    random = Random(f"silent/{seed}/{number}")
    first_id = number * IDS_EACH + 1
    draft = Draft(random, release, cluster_id, number, first_id, f"s{number}.", BROKERS)
    steps: list[Step] = [*_opening(draft), *_drawn(draft, random.randint(0, 5))]
    for seconds in (SHORT_S, LONG_S):
        steps += [_silence(draft, seconds), *_drawn(draft, random.randint(1, 5))]
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
    for name in ("a", "b")[: draft.random.randint(0, 2)]:
        lists = topics.replica_lists(draft)
        steps.append(topics.create_plainly(draft, draft.prefix + name, lists))
    return steps


def _drawn(draft: Draft, count: int) -> list[Step]:
    draws = (brokers.register, brokers.heartbeat, partitions.alter, brokers.unregister)
    return [draw(draft) for draw in draft.random.choices(draws, (3, 8, 4, 1), k=count)]


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
