"""Draws Fetch requests, alone and in sessions."""

from tests.differential.listener.draft import Draft, named
from tests.differential.sequence import Ask, Body


def fetch(draft: Draft) -> Ask:
    if draft.fetched is not None and draft.chance(0.35):
        return _fetch_again(draft, *draft.fetched)
    version = draft.between(4, 18)
    body: Body = {
        "maxWaitMs": draft.one_of(0, 0, 0, 40),
        "minBytes": draft.one_of(0, 1, 1, 100_000),
        "maxBytes": 2**20 if draft.converts else draft.one_of(0, 100, 250, 1000, 2**20, 2**20),
        "isolationLevel": draft.one_of(0, 0, 1),
        "sessionId": 0,
        "sessionEpoch": -1,
        "topics": _fetched(draft, version),
        "forgottenTopicsData": [],
        "rackId": draft.one_of(
            *("", "", "r1"), *(("r2", "r2", "r9") if draft.has_follower else ())
        ),
    }
    replica = draft.random.choices((-1, -2, -3, 1, 5), (92, 4, 2, 1, 1))[0]
    body |= {"replicaState": {"replicaId": replica, "replicaEpoch": -1}, "replicaId": replica}
    if draft.chance(0.25):
        draft.fetched = version, body | {"minBytes": 1, "rackId": ""}, draft.partition()
        return _fetch_again(draft, *draft.fetched)
    return _in_session(draft, version, body)


def _fetch_again(draft: Draft, version: int, body: Body, at: tuple[str, int]) -> Ask:
    """A request for one partition, alike but for the offset."""
    name, partition = at
    by_id = version >= 13
    topic = {"topicId": {"$topic_id": [name, -1]}} if by_id else {"topic": {"$name": name}}
    position = {
        "partition": partition,
        "currentLeaderEpoch": -1,
        "fetchOffset": draft.offset(at),
        "lastFetchedEpoch": -1,
        "logStartOffset": -1,
        "partitionMaxBytes": 2**20,
    }
    return Ask("Fetch", version, body | {"topics": [topic | {"partitions": [position]}]})


def _fetched(draft: Draft, version: int) -> list[Body]:
    topics: dict[str, list[Body]] = {}
    for _ in range(draft.one_of(1, 1, 2, 3)):
        name, partition = draft.partition()
        known = topics.setdefault(name, [])
        if partition in [of["partition"] for of in known] and draft.chance(0.9):
            continue
        last_epoch = -1 if draft.chance(0.85) else draft.one_of(0, 0, 2)
        limit = 2**20 if draft.converts else draft.one_of(2**20, 2**20, 0, 150, 400, -1)
        known.append(
            {
                "partition": partition,
                "currentLeaderEpoch": draft.epoch(),
                "fetchOffset": draft.offset((name, partition)),
                "lastFetchedEpoch": last_epoch,
                "logStartOffset": -1,
                "partitionMaxBytes": limit,
            }
        )
    return [named(draft, version >= 13, "topic", name, partitions=p) for name, p in topics.items()]


def _in_session(draft: Draft, version: int, body: Body) -> Ask:
    """Mostly none; a session goes on in its version, with the next epoch."""
    if version < 7:
        return Ask("Fetch", version, body)
    session = draft.session
    if session is None or draft.chance(0.15):
        if draft.chance(0.5):
            draft.session = {"version": version, "epoch": 1}
            body["sessionEpoch"] = 0
        return Ask("Fetch", version, body)
    if draft.chance(0.3):
        return Ask("Fetch", version, body)
    body |= {"sessionId": {"$session": -1}, "sessionEpoch": session["epoch"]}
    is_by_id = session["version"] >= 13
    version = session["version"]
    wrong = draft.random.choices(("", "epoch", "end", "id", "version"), (85, 4, 4, 3, 4))[0]
    match wrong:
        case "epoch":
            body["sessionEpoch"] += draft.one_of(1, -1)
        case "end":
            body["sessionEpoch"], draft.session = -1, None
        case "id":
            body["sessionId"] = 77
        case "version":
            version, is_by_id = (12, False) if is_by_id else (13, True)
        case _:
            session["epoch"] += 1
    body["topics"] = _fetched(draft, version) if draft.chance(0.5) else []
    if draft.chance(0.2):
        name, partition = draft.partition()
        body["forgottenTopicsData"] = [
            named(draft, is_by_id, "topic", name, partitions=[partition])
        ]
    return Ask("Fetch", version, body)
