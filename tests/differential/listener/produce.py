"""Draws Produce requests: batches with and without producers, and with defects."""

from typing import Any

from tests.differential.listener.batches import GZIP, HEADER_BYTES, LZ4, NONE, SNAPPY, ZSTD
from tests.differential.listener.draft import Draft, Producer, named
from tests.differential.listener.settings import SOCKET_LIMIT
from tests.differential.sequence import Ask, Body

MINUTE_MS, HOUR_MS = 60_000, 3_600_000
LARGE = 400_000  # two of them fill a segment
MESSAGE_LIMITS = (150, 300, 1000, 1_048_588)  # of topics
REQUEST_BYTES = 120  # of a Produce beside its batch, more or less
ALL_ACKS, LEADER_ACK, NO_ACK = -1, 1, 0


def produce(draft: Draft) -> Ask:
    if draft.produced is not None and draft.chance(0.4):
        return _produce_again(draft, *draft.produced)
    version = draft.between(3, 13)
    acks = _acks(draft)
    if draft.chance(0.3):
        draft.produced = version, acks, draft.partition()
        return _produce_again(draft, *draft.produced)
    topics: dict[str, list[Body]] = {}
    for _ in range(draft.one_of(1, 1, 1, 2, 3)):
        name, partition = draft.partition()
        batches = _batches(draft, (name, partition))
        known = topics.setdefault(name, [])
        if partition not in [data["index"] for data in known] or draft.chance(0.1):
            known.append({"index": partition, "records": {"$batches": batches}})
    data = [
        named(draft, version >= 13, "name", name, partitionData=p) for name, p in topics.items()
    ]
    return _request(version, acks, data, "t" if draft.chance(0.02) else None)


def _acks(draft: Draft) -> int:
    """A connection that is muted after acks=0 would stay so, and a follower of Kafka lags."""
    leader_ack = ALL_ACKS if draft.has_follower else LEADER_ACK
    no_ack = ALL_ACKS if draft.has_quotas or draft.has_follower else NO_ACK
    drawn = draft.random.choices((ALL_ACKS, leader_ack, no_ack, None), (45, 45, 7, 3))[0]
    return draft.one_of(2, -2, 32_767) if drawn is None else drawn


def _produce_again(draft: Draft, version: int, acks: int, at: tuple[str, int]) -> Ask:
    """A request with one batch for one partition, alike but for the batch."""
    name, partition = at
    by_id = version >= 13
    topic = {"topicId": {"$topic_id": [name, -1]}} if by_id else {"name": {"$name": name}}
    data = {"index": partition, "records": {"$batches": [_batch(draft, at)]}}
    return _request(version, acks, [topic | {"partitionData": [data]}])


def _request(version: int, acks: int, data: list[Body], transaction: str | None = None) -> Ask:
    body = {"transactionalId": transaction, "acks": acks, "timeoutMs": 10_000, "topicData": data}
    return Ask("Produce", version, body)


def _batches(draft: Draft, at: tuple[str, int]) -> list[Body]:
    if draft.chance(0.02):
        return []
    batches = [_batch(draft, at)]
    if draft.chance(0.02):
        batches.append(_batch(draft, at))
    return batches


def _batch(draft: Draft, at: tuple[str, int]) -> Body:
    if draft.producers and draft.chance(0.35):
        return _idempotent(draft, at)
    batch = _records(draft)
    if draft.chance(0.05) and not draft.has_quotas:
        return batch | _near_limit(draft)
    if draft.chance(0.12):
        batch |= _defect(draft, batch)
    else:
        draft.ends[at] += len(batch["values"])
    return batch


def _records(draft: Draft) -> Body:
    count = draft.one_of(1, 1, 2, 3, 5)
    values = [None if draft.chance(0.05) else draft.one_of(0, 5, 20, 60, 200) for _ in range(count)]
    batch: Body = {"values": values, "at": _time(draft)}
    if draft.chance(0.5):
        keys = [None if draft.chance(0.05) else draft.between(0, 3) for _ in range(count)]
        batch["keys"] = keys
    if draft.chance(0.4):
        batch["times"] = [draft.one_of(0, 1, 50, -50, 1000) for _ in range(count)]
    if draft.chance(0.1):
        batch["headers"] = draft.between(1, 3)
    if draft.chance(0.4):
        batch["codec"] = draft.one_of(GZIP, SNAPPY, LZ4, ZSTD)
    return batch


def _time(draft: Draft) -> Any:
    if draft.chance(0.05):
        return draft.one_of(-1, 0, 1000)
    if draft.chance(0.05):
        return {"$at": draft.one_of(2 * HOUR_MS, 10 * MINUTE_MS, -2 * HOUR_MS)}
    return {"$at": -MINUTE_MS + draft.between(-40, 40) * 500}


def _near_limit(draft: Draft) -> Body:
    """One record in a batch, or a request, about as large as may be."""
    limit, slack = draft.one_of(*((limit, 1) for limit in MESSAGE_LIMITS), (SOCKET_LIMIT, 80))
    around = draft.between(-slack, slack)
    # A length of more than 63 bytes takes two bytes, one of more than 8,191 three.
    size = limit - HEADER_BYTES - (9 if limit < 8_192 else 12) + around
    size -= REQUEST_BYTES if limit == SOCKET_LIMIT else 0
    usual = {"keys": None, "times": None, "headers": 0, "codec": NONE}
    return {"values": [size], **usual}


def _defect(draft: Draft, batch: Body) -> Body:
    count = len(batch["values"])
    options: tuple[Body, ...] = (
        {"crc": 1},
        {"magic": draft.one_of(0, 1, 3, -1)},
        {"old": draft.one_of(0, 1)},
        {"old": draft.one_of(0, 1)},
        {"length": draft.one_of(-40, 10)},
        {"count": draft.one_of(0, count - 1, count + 1, -1)},
        {"last_delta": draft.one_of(-1, count, count + 3)},
        {"count": count + 1, "last_delta": count},
        {"count": count - 1, "last_delta": count - 2},
        {"base_offset": draft.one_of(1, 7)},
        {"leader_epoch": 99},
        {"attributes": draft.one_of(8, 64, 128, 32, 16)},
        {"codec": draft.one_of(5, 6, 7)},
        {"codec": draft.one_of(GZIP, ZSTD), "plain": True},
        {"max_time": draft.one_of(100_000_000, -100_000)},
        {"producer": [9, 0, -1]},
        {"producer": [9, -1, draft.one_of(-1, 0, 5)]},
        {"tail": draft.one_of(1, 5, 11, 13)},
        {"cut": draft.one_of(1, 1, 2, 4)},
        {"junk": draft.one_of(1, 2, 5)},
        {"cut": draft.one_of(1, 3), "codec": draft.one_of(GZIP, SNAPPY, LZ4, ZSTD)},
        {"junk": draft.one_of(1, 4), "codec": draft.one_of(GZIP, SNAPPY, LZ4, ZSTD)},
        {"codec": SNAPPY, "bare": True},
        {"deltas": [place * 2 for place in range(count)]},
        {"deltas": [place * 2 for place in range(count)], "codec": draft.one_of(GZIP, ZSTD)},
        {"values": [3000], "keys": None, "times": None},
    )
    large: tuple[Body, ...] = (
        {"values": [LARGE], "keys": [1], "times": None},
        {"values": [LARGE], "keys": [1], "times": None},
        {"values": [2 * LARGE + 300_000], "keys": [2], "times": None},
    )
    # Their throttle times would not fit into an int, and that is a matter of milliseconds.
    return draft.one_of(*options, *(() if draft.has_quotas else large))


def _idempotent(draft: Draft, at: tuple[str, int]) -> Body:
    producer = draft.random.choice(draft.producers)
    if producer.sent and draft.chance(0.25):
        name, index, batch = draft.random.choice(producer.sent[-7:])
        if (name, index) == at:
            return dict(batch)
    batch = _records(draft) | {"at": {"$at": -MINUTE_MS + draft.between(-40, 40) * 500}}
    count = len(batch["values"])
    epoch, sequence = producer.epoch, producer.sequences[at]
    match draft.random.choices(("next", "gap", "old", "new", "wrap"), (80, 6, 4, 6, 2))[0]:
        case "gap":
            sequence += draft.one_of(1, 5, -1)
        case "old":
            epoch -= 1
        case "new":
            producer.epoch = epoch = epoch + draft.one_of(1, 3)
            producer.sequences.clear()
            sequence = draft.one_of(0, 0, 0, 5)
        case "wrap":
            sequence = 2**31 - draft.between(1, 3)
    sequence = max(sequence, 0) % 2**31
    batch["producer"] = [producer.producer_id, epoch, sequence]
    producer.sequences[at] = (sequence + count) % 2**31
    producer.sent.append((*at, batch))
    draft.ends[at] += count
    return batch


def init_producer_id(draft: Draft) -> Ask:
    version = draft.between(0, 5)
    body: Body = {"transactionalId": None, "transactionTimeoutMs": draft.one_of(0, 60_000)}
    body |= {"producerId": -1, "producerEpoch": -1}
    if draft.chance(0.1):
        body |= draft.one_of({"transactionalId": ""}, {"producerId": 7}, {"producerEpoch": 3})
    is_given = body["transactionalId"] is None and (
        version < 3 or (body["producerId"] < 0) == (body["producerEpoch"] < 0)
    )
    if is_given:
        draft.producers.append(Producer({"$producer": draft.ids_given}))
        draft.ids_given += 1
    return Ask("InitProducerId", version, body)
