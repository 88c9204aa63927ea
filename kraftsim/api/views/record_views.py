"""The documents of the records that simulated brokers store."""

from collections.abc import Iterator, Sequence

from kraftsim.broker_agent.log.batch import BadBatch
from kraftsim.broker_agent.log.log import Log
from kraftsim.broker_agent.log.reading import Shown, records_from
from kraftsim.controller.core.image.partition import PartitionKey, Topic
from kraftsim.simulation.world import World

from ...errors import CommandError
from ..administration.documents import RecordDocument


def record_views(
    world: World, topic: Topic, partitions: Sequence[int], offset: int
) -> Iterator[RecordDocument]:
    """Yields the records in the logs of the leaders of partitions, from an offset on."""
    for partition in partitions:
        leader_id = topic.partitions[partition].leader
        log = stored_log(world, leader_id, (topic.topic_id, partition))
        if log is not None:
            try:
                for record in records_from(log, offset):
                    yield _record_view(partition, record)
            except BadBatch as bad:
                raise CommandError(f"{topic.name}-{partition}: {bad}") from None


def stored_log(world: World, broker_id: int, key: PartitionKey) -> Log | None:
    """Returns the log of a replica on a broker's disk; None if it never had a message."""
    host = world.agents.get(broker_id)
    return None if host is None else host.store.logs.get(key)


def _record_view(partition: int, record: Shown) -> RecordDocument:
    return {
        "partition": partition,
        "offset": record.offset,
        "timestampMs": record.timestamp,
        "key": _text(record.key),
        "value": _text(record.value),
    }


def _text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "replace")
