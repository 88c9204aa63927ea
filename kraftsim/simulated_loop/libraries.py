"""What libraries do that no replaced clock or draw reaches: in C, and in the order of sets."""

import sys
import zlib
from collections.abc import Callable
from typing import Any

from .replacing import Replacing


def replace_in_libraries(replacing: Replacing) -> None:
    """Replaces it in the libraries that are imported."""
    structs = sys.modules.get("aiokafka.structs")
    if structs is not None:
        replacing.set(structs.TopicPartition, "__hash__", _of_partition)
        replacing.set(structs.BrokerMetadata, "__hash__", _of_broker)
    accumulator = sys.modules.get("aiokafka.producer.message_accumulator")
    if accumulator is not None:
        builder = accumulator.BatchBuilder
        replacing.set(builder, "append", _stamped(builder.append))


def _of_partition(partition: Any) -> int:
    """Returns a hash that is the same in each process: of a text it is not."""
    return zlib.crc32(f"{partition.topic}-{partition.partition}".encode())


def _of_broker(broker: Any) -> int:
    """Returns a hash that is the same in each process: of None it is an address before 3.12."""
    return zlib.crc32(f"{broker.nodeId} at {broker.host}:{broker.port}".encode())


def _stamped(append: Callable[..., Any]) -> Callable[..., Any]:
    """Returns an `append` that asks the clock in Python, where the library asks it in C."""

    def append_stamped(builder: Any, *, timestamp: int | None, **options: Any) -> Any:
        import time

        if timestamp is None:
            timestamp = int(time.time() * 1000)
        return append(builder, timestamp=timestamp, **options)

    return append_stamped
