"""What the judge draws, how it names things, and which differences it sees."""

from collections import Counter
from collections.abc import Iterator

import pytest

from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.records import (
    BrokerRegistrationChangeRecord,
    PartitionChangeRecord,
    Record,
)
from kraftsim.controller.core.profile import KAFKA_4_3
from tests.differential import canonical
from tests.differential.generate import draw_sequence, draw_silent_sequence
from tests.differential.history import History
from tests.differential.judge import Witness
from tests.differential.pair import CLUSTER_ID
from tests.differential.sequence import Ask, Sequence
from tests.differential.settings import Start
from tests.differential.sides import OurSide
from tests.released.releases import RELEASES

pytestmark = pytest.mark.slow


RELEASE = RELEASES["4.3.1"]
TOPIC = bytes(range(16))
FENCE = BrokerRegistrationChangeRecord(broker_id=1, broker_epoch=5, fenced=1)


def change(partition_id: int) -> PartitionChangeRecord:
    return PartitionChangeRecord(topic_id=TOPIC, partition_id=partition_id, isr=(2,))


def spelled(*batches: tuple[Record, ...], keeps_order: bool = False) -> list[dict[str, object]]:
    made, offset = [], 0
    for records in batches:
        made.append(
            Batch(
                base_offset=offset,
                epoch=1,
                timestamp_ms=0,
                records=records,
                versions=(2,) * len(records),
            )
        )
        offset += len(records)
    return canonical.records(made, History(), keeps_order=keeps_order)


def silent_sequences() -> list[Sequence]:
    return [draw_silent_sequence(RELEASE, CLUSTER_ID, 5, number) for number in range(300)]


def asked(sequences: list[Sequence], api: str) -> Iterator[Ask]:
    for sequence in sequences:
        for step in sequence.every_step:
            if isinstance(step, Ask) and step.api == api:
                yield step


def test_records_of_one_batch_differ_from_those_of_two() -> None:
    assert spelled((change(0), change(1))) != spelled((change(0),), (change(1),))


def test_a_record_that_a_later_batch_holds_is_at_another_place() -> None:
    assert spelled((change(0), change(1)), (FENCE,)) != spelled((change(0),), (change(1), FENCE))


def test_changes_of_an_alter_partition_keep_their_order() -> None:
    first, other = (change(0), change(1)), (change(1), change(0))

    assert spelled(first, keeps_order=True) != spelled(other, keeps_order=True)


def test_changes_that_a_fence_brings_come_in_any_order() -> None:
    assert spelled((change(0), change(1), FENCE)) == spelled((change(1), change(0), FENCE))
    assert spelled((change(0),), (change(1), FENCE)) == spelled((change(1),), (change(0), FENCE))


def test_nothing_of_a_sequence_is_left_to_the_next() -> None:
    side = OurSide(KAFKA_4_3, cluster_id=CLUSTER_ID, port=9990, directory_id=bytes(range(16)))
    witness = Witness(side)

    for number in range(12):
        for step in draw_sequence(RELEASE, CLUSTER_ID, 5, number).every_step:
            assert isinstance(step, Ask)
            witness.observe(step)

        history = witness.history
        left = [history.topic_ids, history.partitions, history.register_offsets]
        assert not any(left), left
        assert all(history.epoch(broker_id) == -1 for broker_id in range(1, 5))


def test_silent_sequences_ask_nothing_that_makes_kafka_resign() -> None:
    for sequence in silent_sequences():
        has_deleted = False
        for step in sequence.steps:
            body = step.body if isinstance(step, Ask) else {}
            has_deleted = has_deleted or getattr(step, "api", "") == "DeleteTopics"
            assert not (has_deleted and "offlineLogDirs" in body), sequence.name
    for step in asked(silent_sequences(), "AlterPartition"):
        for topic in step.body["topics"]:
            assert all(
                partition["leaderRecoveryState"] in (0, 1) for partition in topic["partitions"]
            )


def test_silent_sequences_name_no_topic_and_no_broker_of_another() -> None:
    for number, sequence in enumerate(silent_sequences()):
        for step in asked([sequence], "CreateTopics"):
            for topic in step.body["topics"]:
                assert topic["name"].startswith(f"s{number}."), sequence.name
                assert topic["assignments"], "Kafka would place it on any brokers"


def test_changes_of_the_voters_are_accepted_beside_a_second_controller() -> None:
    start = Start(has_second_voter=True)
    side = OurSide(
        KAFKA_4_3, cluster_id=CLUSTER_ID, port=9990, directory_id=bytes(range(16)), start=start
    )
    witness = Witness(side)
    accepted: Counter[str] = Counter()

    for number in range(30):
        for step in draw_sequence(RELEASE, CLUSTER_ID, 5, number, start).every_step:
            assert isinstance(step, Ask)
            accepted[step.api] += witness.observe(step).reply.get("errorCode") == 0

    changes = ("AddRaftVoter", "UpdateRaftVoter", "RemoveRaftVoter")
    assert all(accepted[api] > 5 for api in changes), accepted


def test_a_third_of_what_leaders_propose_changes_something() -> None:
    side = OurSide(KAFKA_4_3, cluster_id=CLUSTER_ID, port=9990, directory_id=bytes(range(16)))
    witness = Witness(side)
    proposed = changed = 0

    for number in range(150):
        for step in draw_sequence(RELEASE, CLUSTER_ID, 6, number).every_step:
            assert isinstance(step, Ask)
            records = witness.observe(step).records
            if step.api == "AlterPartition":
                proposed, changed = proposed + 1, changed + bool(records)

    assert changed > 0.3 * proposed > 30, (changed, proposed)
