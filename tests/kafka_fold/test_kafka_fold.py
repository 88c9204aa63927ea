"""Released Kafka replays what chaos runs wrote, to the states that our controllers had."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.records import PartitionRecord, UnregisterBrokerRecord
from kraftsim.controller.wire.records.record_batch import decode_batches, encode_batch
from tests.kafka_fold.chaos import State, Written, chaos, write
from tests.kafka_fold.kafka import Kafka, kafka

pytestmark = [pytest.mark.released, pytest.mark.slow]

RUNS = 30  # `make fold` has ten thousand
SEED = 4  # a run with snapshots


@pytest.fixture(scope="module")
def fold(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kafka]:
    with kafka(tmp_path_factory.mktemp("fold")) as process:
        yield process


@pytest.mark.rule("9.31", "9.34", "9.46", "10.43")
def test_kafka_refuses_no_record_and_has_the_same_states(fold: Kafka) -> None:
    scenario = chaos()
    runs = (write(scenario, seed) for seed in range(RUNS))

    findings = [f"{name}: {finding}" for name, found in fold.each(runs) for finding in found]

    assert findings == []


# What the judge would see: each run below was changed after it was written.


def changed(data: bytes, change: Callable[[Batch], Batch]) -> bytes:
    batches = (replace(batch, encoded=[]) for batch in decode_batches(data))
    return b"".join(encode_batch(change(batch)) for batch in batches)


def other_leader_epoch(batch: Batch) -> Batch:
    records = tuple(
        replace(record, leader_epoch=record.leader_epoch + 1)
        if isinstance(record, PartitionRecord)
        else record
        for record in batch.records
    )
    return replace(batch, records=records, encoded=[])


def first_snapshot(written: Written) -> State:
    return next(state for state in written.states.values() if state.is_snapshot)


def test_a_state_that_differs_is_found(fold: Kafka) -> None:
    written = write(chaos(), SEED)
    image = next(state for state in written.states.values() if not state.is_snapshot)
    written.states = {b"": replace(image, data=changed(image.data, other_leader_epoch))}

    findings = fold.findings(written)

    assert findings
    assert all(finding.startswith(image.name) for finding in findings)
    assert any("only ours has" in finding for finding in findings)


def test_a_snapshot_that_leads_elsewhere_is_found(fold: Kafka) -> None:
    written = write(chaos(), SEED)
    snapshot = first_snapshot(written)
    written.states = {b"": replace(snapshot, data=changed(snapshot.data, other_leader_epoch))}

    findings = " ".join(fold.findings(written))

    assert "as an image: expected" in findings
    assert "only Kafka's fold has" in findings


def test_a_record_that_kafka_refuses_is_found(fold: Kafka) -> None:
    written = write(chaos(), SEED)
    last = written.log[-1]
    impossible = replace(
        last,
        base_offset=last.last_offset + 1,
        records=(UnregisterBrokerRecord(broker_id=77, broker_epoch=5),),
        versions=(0,),
        is_control=False,
        encoded=[],
    )
    written.log.append(impossible)
    written.states.clear()

    findings = " ".join(fold.findings(written))

    assert "the log in a controller" in findings
    assert "77" in findings
