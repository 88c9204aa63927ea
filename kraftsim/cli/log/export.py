"""`kraftsim log export`: the logs of a topic as files that a broker of Kafka opens."""

import argparse
from base64 import b64decode
from pathlib import Path
from typing import cast

from kraftsim.broker_agent.log.files import (
    ProducerEntry,
    by_segment,
    epoch_checkpoint,
    offset_checkpoint,
    partition_metadata,
    producer_snapshot,
    segment_files,
)
from kraftsim.broker_agent.log.reading import split

from ...api.administration.checks import check_topic
from ...api.administration.documents import LogPart, TopicDocument
from ...errors import GOOD, CommandError
from ...http.client import call, service_url
from ...operations.log import EXPORT_LOG
from ...operations.topics import DESCRIBE_TOPIC
from ..tables import print_document


def add_export_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `log export`."""
    parser.add_argument("name", metavar="TOPIC", help="name of the topic")
    parser.add_argument(
        "folder",
        metavar="DIR",
        type=Path,
        help="folder that gets a folder for each partition, such as DIR/orders-0, and checkpoints",
    )
    parser.add_argument(
        "--partition", type=int, metavar="N", help="number of one partition (default: all)"
    )
    parser.add_argument(
        "--broker", type=int, help="id of the broker whose replicas are written (default: leaders)"
    )


def export_log(arguments: argparse.Namespace) -> int:
    """Writes the files, and prints the offsets; returns the exit code.

    Raises CommandError if the folder of a partition exists.
    """
    name, folder = arguments.name, arguments.folder
    check_topic(name)
    url = service_url(arguments.url)
    numbers = _partitions(url, name, arguments.partition)
    starts: dict[tuple[str, int], int] = {}
    ends: dict[tuple[str, int], int] = {}
    marks: dict[tuple[str, int], int] = {}
    rows: list[dict[str, object]] = []
    for number in numbers:
        place = folder / f"{name}-{number}"
        try:
            place.mkdir(parents=True)
        except FileExistsError:
            raise CommandError(f"{place}: expected no such folder: name an empty DIR") from None
        part, batches = _log_of(url, name, number, arguments.broker)
        for file, content in _files_of(part, batches).items():
            (place / file).write_bytes(content)
        key = (name, number)
        starts[key], ends[key] = part["logStartOffset"], part["logEndOffset"]
        marks[key] = part["highWatermark"]
        rows.append(
            {
                "partition": number,
                "broker": part["broker"],
                "logStartOffset": starts[key],
                "logEndOffset": ends[key],
                "bytes": sum(map(len, batches)),
            }
        )
    for file, offsets in (
        ("log-start-offset-checkpoint", starts),
        ("recovery-point-offset-checkpoint", ends),
        ("replication-offset-checkpoint", marks),
    ):
        (folder / file).write_bytes(offset_checkpoint(offsets))
    print_document(arguments, {"exported": rows})
    return GOOD


def _partitions(url: str, name: str, chosen: int | None) -> list[int]:
    """Returns the chosen partition of a topic, or all; raises CommandError for an unknown one."""
    topic = cast(
        TopicDocument, call(url, DESCRIBE_TOPIC.method, DESCRIBE_TOPIC.path, {"name": name})
    )
    numbers = [partition["partition"] for partition in topic["partitions"]]
    if chosen is None:
        return numbers
    if chosen not in numbers:
        raise CommandError(f"partition: expected 0 to {len(numbers) - 1}, got {chosen}")
    return [chosen]


def _log_of(url: str, name: str, partition: int, broker: int | None) -> tuple[LogPart, list[bytes]]:
    """Returns the last part of a partition's log, and the batches of all parts."""
    given = {"name": name, "partition": partition}
    if broker is not None:
        given["broker"] = broker
    batches: list[bytes] = []
    following: int | None = 0
    while following is not None:
        document = call(url, EXPORT_LOG.method, EXPORT_LOG.path, given | {"from": following})
        part = cast(LogPart, document)
        batches += split(b64decode(part["batches"]))
        following = part["next"]
    return part, batches


def _files_of(part: LogPart, batches: list[bytes]) -> dict[str, bytes]:
    """Returns the content of the files in the folder of a partition, by their names."""
    producers = [
        ProducerEntry(
            producer["producerId"],
            producer["producerEpoch"],
            producer["lastSequence"],
            producer["lastOffset"],
            producer["offsetDelta"],
            producer["lastTimestampMs"],
        )
        for producer in part["producers"]
    ]
    files = {
        "leader-epoch-checkpoint": epoch_checkpoint(
            [(entry["epoch"], entry["startOffset"]) for entry in part["leaderEpochs"]]
        ),
        "partition.metadata": partition_metadata(part["topicId"]),
        f"{part['logEndOffset']:020}.snapshot": producer_snapshot(producers),
    }
    for base, own in by_segment(part["segments"], batches):
        files |= segment_files(base, own)
    return files
