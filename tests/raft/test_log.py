"""The metadata log in memory."""

import pytest

from kraftsim.controller.core.batch import Batch
from kraftsim.controller.core.records import NoOpRecord
from kraftsim.controller.raft.log import MetadataLog


def log_of(*batches):
    """A log of (epoch, count) batches."""
    log = MetadataLog()
    for epoch, count in batches:
        log.append(batch(log.end_offset, epoch, count))
    return log


def batch(offset, epoch, count):
    return Batch(
        base_offset=offset,
        epoch=epoch,
        timestamp_ms=0,
        records=(NoOpRecord(),) * count,
        versions=(0,) * count,
    )


def test_an_empty_log_begins_at_0():
    log = MetadataLog()

    assert (0, 0, ()) == (log.end_offset, log.last_epoch, log.read(0))
    assert (0, 0) == log.end_offset_for_epoch(5)


@pytest.mark.rule("9.43")
def test_offsets_are_dense():
    log = log_of((1, 3), (1, 2))

    assert 5 == log.end_offset
    with pytest.raises(AssertionError, match="6, not 5"):
        log.append(batch(6, 1, 1))
    with pytest.raises(AssertionError, match="4, not 5"):
        log.append(batch(4, 1, 1))


@pytest.mark.rule("9.33")
def test_epochs_never_decrease():
    log = log_of((1, 1), (3, 1))

    with pytest.raises(AssertionError, match="epoch 2 after 3"):
        log.append(batch(2, 2, 1))


@pytest.mark.parametrize(
    ("offset", "bases"), [(0, [0, 3, 4]), (2, [0, 3, 4]), (3, [3, 4]), (5, [4]), (6, []), (9, [])]
)
def test_reading_gives_whole_batches_from_the_one_that_holds_the_offset(offset, bases):
    log = log_of((1, 3), (1, 1), (2, 2))

    assert bases == [b.base_offset for b in log.read(offset)]


def test_reading_has_a_bound():
    assert [1, 2] == [b.base_offset for b in log_of(*[(1, 1)] * 5).read(1, 2)]


@pytest.mark.rule("10.34")
@pytest.mark.parametrize(
    ("epoch", "expected"),
    [(0, (0, 0)), (1, (1, 4)), (2, (1, 4)), (3, (3, 6)), (4, (4, 7)), (9, (4, 7))],
)
def test_where_an_epoch_ends_is_where_the_next_begins(epoch, expected):
    log = log_of((1, 3), (1, 1), (3, 2), (4, 1))

    assert expected == log.end_offset_for_epoch(epoch)
