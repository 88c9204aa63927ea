"""Draws sequences of requests to a broker's listener: mostly sensible ones, and wrong ones."""

from collections.abc import Callable
from random import Random
from typing import Any

from tests.differential.listener.draft import Draft
from tests.differential.listener.fetch import fetch
from tests.differential.listener.produce import HOUR_MS, MINUTE_MS, init_producer_id, produce
from tests.differential.listener.quotas import limit, unlimited
from tests.differential.listener.topics import alter, create, delete, grow, metadata
from tests.differential.sequence import Ask, Body, Sequence
from tests.differential.settings import Start

LISTENER = Start(has_listener=True)
FOLLOWED = Start(has_listener=True, has_follower=True)
FOLLOWED_SHARE = 8  # one of so many sequences has topics with a follower
STEPS = (15, 35)
SPECIAL = (-1, -2, -3, -4, -5, -6, -7)


def start_of(number: int) -> Start:
    """Returns how the pair begins that judges a sequence."""
    return FOLLOWED if number % FOLLOWED_SHARE == FOLLOWED_SHARE - 1 else LISTENER


def draw_listener_sequence(seed: int, number: int) -> Sequence:
    """A sequence of topics, batches and questions about them."""
    random = Random(f"listener {seed} {number}")
    start = start_of(number)
    has_quotas = random.random() < 0.12 and not start.has_follower
    draft = Draft(
        random,
        converts=random.random() < 0.15,
        has_quotas=has_quotas,
        has_follower=start.has_follower,
    )
    steps = [create(draft)]
    for _ in range(draft.between(*STEPS)):
        ((draw,),) = [random.choices(tuple(DRAWS), tuple(DRAWS.values()))]
        steps.append(draw(draft))
    names = [{"$name": name} for name in sorted(draft.created)]
    cleanup = [Ask("DeleteTopics", 5, {"topicNames": names, "timeoutMs": 30_000})]
    cleanup += [unlimited()] if draft.has_quotas else []
    return Sequence(f"listener-{seed}-{number}", tuple(steps), tuple(cleanup), start)


# Offsets, and what logs hold


def _list_offsets(draft: Draft) -> Ask:
    version = draft.between(1, 11)
    topics: dict[str, list[Body]] = {}
    for _ in range(draft.between(1, 3)):
        name, partition = draft.partition()
        timestamp = _asked_time(draft)
        asked = {"partitionIndex": partition, "currentLeaderEpoch": draft.epoch()}
        topics.setdefault(name, []).append(asked | {"timestamp": timestamp})
    body = {
        "replicaId": draft.random.choices((-1, -2, 5), (90, 5, 5))[0],
        "isolationLevel": draft.one_of(0, 0, 1),
        "topics": [
            {"name": {"$name": name}, "partitions": asked} for name, asked in topics.items()
        ],
        "timeoutMs": 1000,
    }
    return Ask("ListOffsets", version, body)


def _asked_time(draft: Draft) -> Any:
    if draft.chance(0.7):
        return draft.one_of(*(time for time in SPECIAL if time != -3 or not draft.stamps))
    if draft.chance(0.2):
        return draft.one_of(0, 1, 1000, 2**60)
    return {"$at": draft.one_of(-MINUTE_MS + draft.between(-42, 42) * 500, 3 * HOUR_MS, -10_000)}


def _epochs(draft: Draft) -> Ask:
    name, partition = draft.partition()
    asked = {"partition": partition, "currentLeaderEpoch": draft.epoch()}
    asked |= {"leaderEpoch": draft.one_of(-1, 0, 0, 1, 5)}
    topic = {"topic": {"$name": name}, "partitions": [asked]}
    body = {"replicaId": draft.one_of(-1, -2, 5), "topics": [topic]}
    return Ask("OffsetForLeaderEpoch", draft.between(2, 4), body)


def _delete_records(draft: Draft) -> Ask:
    at = draft.partition()
    asked = {
        "partitionIndex": at[1],
        "offset": draft.one_of(-1, -2, draft.offset(at), draft.offset(at)),
    }
    body = {"topics": [{"name": {"$name": at[0]}, "partitions": [asked]}], "timeoutMs": 5000}
    return Ask("DeleteRecords", draft.between(0, 2), body)


def _log_dirs(draft: Draft) -> Ask:
    name = draft.name()
    partitions = list(range(draft.topics.get(name, 1))) + draft.one_of([], [7])
    body = {"topics": [{"topic": {"$name": name}, "partitions": partitions}]}
    return Ask("DescribeLogDirs", draft.between(1, 5), body)


def _move(draft: Draft) -> Ask:
    """Mostly to one of the broker's directories."""
    dirs = []
    for _ in range(draft.one_of(1, 1, 1, 2)):
        name, partition = draft.partition()
        is_own = draft.chance(0.85)
        path = {"$dir": draft.one_of(0, 1)} if is_own else draft.one_of("/nowhere", "relative", "")
        partitions = [partition, *draft.one_of([], [], [0], [7])]
        dirs.append({"path": path, "topics": [{"name": {"$name": name}, "partitions": partitions}]})
    return Ask("AlterReplicaLogDirs", draft.between(1, 2), {"dirs": dirs})


def _producers(draft: Draft) -> Ask:
    name, partition = draft.partition()
    body = {"topics": [{"name": {"$name": name}, "partitionIndexes": [partition]}]}
    return Ask("DescribeProducers", 0, body)


DRAWS: dict[Callable[[Draft], Ask], int] = {
    produce: 40,
    fetch: 24,
    _list_offsets: 9,
    init_producer_id: 5,
    _epochs: 3,
    _delete_records: 4,
    _log_dirs: 3,
    _producers: 3,
    _move: 2,
    metadata: 3,
    alter: 4,
    create: 2,
    delete: 2,
    grow: 1,
    limit: 6,
}
