"""The document of a part of a partition's log, as a broker stores it."""

from base64 import b64encode

from kraftsim.broker_agent.log.batch import header_of
from kraftsim.broker_agent.log.log import Log
from kraftsim.broker_agent.log.producers import Producer
from kraftsim.controller.core.image.partition import Topic
from kraftsim.controller.core.uuid import uuid_text
from kraftsim.simulation.world import World

from ..administration.documents import LogPart, StoredProducer
from .record_views import stored_log

BYTES_MAX = 1024 * 1024  # of the batches of a part; a larger batch is a part of its own


def log_part(world: World, topic: Topic, partition: int, broker_id: int, offset: int) -> LogPart:
    """Returns the batches of a replica from an offset on, and what its log says of itself."""
    log = stored_log(world, broker_id, (topic.topic_id, partition))
    log = Log(0) if log is None else log  # nothing was produced yet
    batches: list[bytes] = []
    size, following = 0, None
    for batch in log.batches_between(max(offset, log.segments[0].base_offset), log.end_offset):
        if batches and size + len(batch) > BYTES_MAX:
            following = header_of(batch).base_offset
            break
        batches.append(batch)
        size += len(batch)
    return {
        "topic": topic.name,
        "topicId": uuid_text(topic.topic_id),
        "partition": partition,
        "broker": broker_id,
        "logStartOffset": log.start_offset,
        "highWatermark": log.high_watermark,
        "logEndOffset": log.end_offset,
        "leaderEpochs": [
            {"epoch": epoch, "startOffset": start} for epoch, start in log.epochs.entries
        ],
        "segments": [segment.base_offset for segment in log.segments],
        "producers": [_producer(producer) for producer in log.producers],
        "batches": b64encode(b"".join(batches)).decode(),
        "next": following,
    }


def _producer(producer: Producer) -> StoredProducer:
    last = producer.batches[-1] if producer.batches else None
    return {
        "producerId": producer.producer_id,
        "producerEpoch": producer.epoch,
        "lastSequence": producer.last_sequence,
        "lastOffset": -1 if last is None else last.last_offset,
        "offsetDelta": 0 if last is None else last.last_offset - last.base_offset,
        "lastTimestampMs": producer.last_timestamp,
    }
