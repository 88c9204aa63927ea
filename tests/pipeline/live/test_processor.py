"""The fold as Spark drives it, without Java: what is kept between two batches is enough."""

import json

from pyspark.sql import Row
from pyspark.sql.streaming.tws_tester import TwsTester

from kraftsim.pipeline.live.processor import BrokerStates

CHANGE = "BROKER_REGISTRATION_CHANGE_RECORD"


def row(offset: int, ts_ms: int, kind: str, **data: object) -> Row:
    return Row(
        broker_id=2,
        offset=offset,
        ts_ms=ts_ms,
        record_type=kind,
        broker_epoch=14,
        payload=json.dumps(data),
    )


LIFE = [
    row(14, 1000, "REGISTER_BROKER_RECORD", fenced=True, inControlledShutdown=False),
    row(18, 3000, CHANGE, fenced=-1),
    row(42, 12_000, CHANGE, fenced=1),
    row(50, 15_000, "UNREGISTER_BROKER_RECORD"),
]


def test_a_life_in_one_batch_or_in_a_batch_a_record_is_told_alike() -> None:
    whole = TwsTester(BrokerStates()).test(2, LIFE)

    tester = TwsTester(BrokerStates())
    assert whole == [change for event in LIFE for change in tester.test(2, [event])]
    assert ["fenced", "unfenced", "fenced", "unregistered"] == [change.state for change in whole]
    assert (9000, "fenced", 2) == (whole[2].lease_ms, whole[2].lease_end, whole[2].broker_id)


def test_records_of_a_batch_are_read_in_the_order_of_the_log() -> None:
    tester = TwsTester(BrokerStates())

    assert [14, 18, 42] == [change.offset for change in tester.test(2, LIFE[2::-1])]


def test_brokers_do_not_share_what_is_kept() -> None:
    tester = TwsTester(BrokerStates())
    tester.test(2, LIFE[:2])

    (first,) = tester.test(3, LIFE[:1])
    assert (None, 3) == (first.state_before, first.broker_id)
    (fenced,) = tester.test(2, LIFE[2:3])
    assert "unfenced" == fenced.state_before


def test_of_an_unregistered_broker_nothing_is_kept() -> None:
    tester = TwsTester(BrokerStates())
    tester.test(2, LIFE[:2])
    assert tester.peekValueState("standing", 2) is not None

    tester.test(2, LIFE[3:])
    assert tester.peekValueState("standing", 2) is None
