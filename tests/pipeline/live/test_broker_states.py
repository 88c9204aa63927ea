"""What a log says of a broker: states, leases, time; and that Kafka's own logs fold to the same."""

import json

import pytest

from kraftsim.controller.core.image.loader import replay
from kraftsim.controller.wire.records.record_batch import decode_batches
from kraftsim.pipeline.live.broker_states import (
    ABOUT_BROKERS,
    REGISTRATION,
    UNREGISTRATION,
    BrokerRecord,
    Change,
    Standing,
    fold,
)
from kraftsim.pipeline.live.file_log import FileLog
from tests.golden.recordings import RELEASES
from tests.pipeline.live.conftest import kafka_log, on_disk

CHANGE = "BROKER_REGISTRATION_CHANGE_RECORD"
REGISTERED = {"fenced": True, "inControlledShutdown": False}
FENCE, UNFENCE, SHUT_DOWN = {"fenced": 1}, {"fenced": -1}, {"inControlledShutdown": 1}


class Broker:
    """A broker whose records are read one by one, each so many seconds after the last."""

    def __init__(self, epoch: int = 5) -> None:
        self.standing: Standing | None = None
        self.epoch = epoch
        self.now_ms = self.offset = 0

    def after(self, seconds: float, kind: str, data: dict[str, object]) -> Change | None:
        self.now_ms += int(seconds * 1000)
        self.offset += 1
        record = BrokerRecord(self.offset, self.now_ms, kind, self.epoch, data)
        self.standing, change = fold(self.standing, record)
        return change

    def registers(self) -> Change | None:
        return self.after(0, REGISTRATION, REGISTERED)


def unfenced_broker() -> Broker:
    broker = Broker()
    broker.registers()
    broker.after(1, CHANGE, UNFENCE)
    return broker


def changed(change: Change | None) -> Change:
    assert change is not None
    return change


@pytest.mark.rule("2.24")
def test_a_registered_broker_is_fenced_until_a_record_unfences_it() -> None:
    broker = Broker()

    registered, unfenced = changed(broker.registers()), changed(broker.after(2, CHANGE, UNFENCE))
    assert (None, "fenced") == (registered.state_before, registered.state)
    assert ("fenced", "unfenced") == (unfenced.state_before, unfenced.state)
    assert (0, 2000) == (unfenced.unfenced_ms, unfenced.known_ms)


@pytest.mark.rule("2.12", "2.21")
def test_a_broker_that_is_fenced_in_service_has_lost_its_lease() -> None:
    fenced = changed(unfenced_broker().after(9, CHANGE, FENCE))

    assert ("fenced", 9000) == (fenced.lease_end, fenced.lease_ms)
    assert (9000, 10_000) == (fenced.unfenced_ms, fenced.known_ms)


@pytest.mark.rule("2.25")
def test_a_broker_that_was_shut_down_has_given_its_lease_back() -> None:
    broker = unfenced_broker()

    leaving, gone = changed(broker.after(4, CHANGE, SHUT_DOWN)), broker.after(2, CHANGE, FENCE)
    assert ("in_controlled_shutdown", None) == (leaving.state, leaving.lease_end)
    assert ("released", 6000) == (changed(gone).lease_end, changed(gone).lease_ms)
    assert 4000 == changed(gone).unfenced_ms, "in controlled shutdown it is not in service"


@pytest.mark.rule("2.25")
def test_controlled_shutdown_of_a_fenced_broker_is_remembered() -> None:
    broker = Broker()
    broker.registers()

    assert broker.after(1, CHANGE, SHUT_DOWN) is None
    assert "in_controlled_shutdown" == changed(broker.after(1, CHANGE, UNFENCE)).state


def test_another_process_takes_the_lease_of_the_one_before() -> None:
    broker = unfenced_broker()
    broker.epoch = 77

    again = changed(broker.after(3, REGISTRATION, REGISTERED))
    assert ("replaced", 3000, 77) == (again.lease_end, again.lease_ms, again.broker_epoch)


def test_a_fenced_broker_that_registers_anew_has_a_new_epoch_in_the_same_state() -> None:
    broker = Broker()
    broker.registers()
    broker.epoch = 77

    again = changed(broker.registers())
    assert ("fenced", "fenced", 77) == (again.state_before, again.state, again.broker_epoch)


def test_an_unregistered_broker_is_forgotten() -> None:
    broker = unfenced_broker()

    removed = changed(broker.after(2, UNREGISTRATION, {}))
    assert ("unregistered", "removed", 3000) == (removed.state, removed.lease_end, removed.known_ms)
    assert broker.standing is None


def test_the_records_of_old_releases_fence_and_unfence_too() -> None:
    broker = Broker()
    broker.registers()

    assert "unfenced" == changed(broker.after(1, "UNFENCE_BROKER_RECORD", {})).state
    assert "fenced" == changed(broker.after(1, "FENCE_BROKER_RECORD", {})).state


def test_what_changes_neither_state_nor_epoch_is_no_change() -> None:
    broker = unfenced_broker()

    assert broker.after(1, CHANGE, {"logDirs": ["x"]}) is None
    assert broker.after(1, CHANGE, UNFENCE) is None
    assert 8000 == changed(broker.after(6, CHANGE, FENCE)).lease_ms, "and the lease goes on"


def test_a_log_that_begins_in_the_middle_says_nothing_before_it_knows() -> None:
    broker = Broker()

    assert broker.after(1, CHANGE, {"logDirs": ["x"]}) is None
    assert "unfenced" == changed(broker.after(1, CHANGE, UNFENCE)).state


def test_time_stands_still_where_another_controllers_clock_is_behind() -> None:
    broker = unfenced_broker()

    fenced = changed(broker.after(-0.5, CHANGE, FENCE))
    assert (0, 1000) == (fenced.lease_ms, fenced.known_ms)


@pytest.mark.parametrize("release", RELEASES)
def test_the_brokers_of_kafkas_own_log_stand_as_our_image_has_them(release: str, tmp_path) -> None:
    """Two folds that know nothing of each other: this one reads JSON, the image reads records."""
    log = kafka_log(release)
    on_disk(tmp_path, log.data)
    image = replay(decode_batches(log.data))

    standings = folded(FileLog(str(tmp_path)))

    assert {
        broker.broker_id: (broker.broker_epoch, broker.fenced, broker.in_controlled_shutdown)
        for broker in image.brokers.values()
    } == {
        broker_id: (value.broker_epoch, value.fenced, value.in_controlled_shutdown)
        for broker_id, value in standings.items()
    }


def folded(log: FileLog) -> dict[int, Standing]:
    extent = log.extent()
    standings: dict[int, Standing] = {}
    for part in log.ranges(extent.start_offset, extent.end):
        for offset, ts_us, _, kind, _, broker_id, epoch, _, payload in log.rows(part):
            if kind in ABOUT_BROKERS:
                assert None not in (broker_id, epoch, ts_us)
                record = BrokerRecord(offset, ts_us // 1000, kind, epoch, json.loads(payload))
                standing, _ = fold(standings.pop(broker_id, None), record)
                if standing is not None:
                    standings[broker_id] = standing
    return standings
