"""The metadata log in memory."""

import pytest

from kraftsim.controller.core.errors import Impossible
from kraftsim.controller.raft.log import MetadataLog
from tests.raft.followers import batch


def log_of(*batches):
    """A log of (epoch, count) batches."""
    log = MetadataLog()
    for epoch, count in batches:
        log.append(batch(log.end_offset, epoch, count))
    return log


def test_an_empty_log_begins_at_0():
    log = MetadataLog()

    assert (0, 0, ()) == (log.end_offset, log.last_epoch, log.read(0))
    assert (0, 0) == log.end_offset_for_epoch(5)


@pytest.mark.rule("9.43")
def test_offsets_are_dense():
    log = log_of((1, 3), (1, 2))

    assert 5 == log.end_offset
    with pytest.raises(Impossible, match="6, not 5"):
        log.append(batch(6, 1, 1))
    with pytest.raises(Impossible, match="4, not 5"):
        log.append(batch(4, 1, 1))


@pytest.mark.rule("9.33")
def test_epochs_never_decrease():
    log = log_of((1, 1), (3, 1))

    with pytest.raises(Impossible, match="epoch 2 after 3"):
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


@pytest.mark.rule("10.34", "10.45")
def test_the_epoch_of_a_snapshot_goes_on_behind_it():
    log = log_of()
    log.restart(10, 3)
    assert (3, 10) == log.end_offset_for_epoch(3) == log.end_offset_for_epoch(9)

    log.append(batch(10, 3, 5))
    assert (3, 15) == log.end_offset_for_epoch(3) == log.end_offset_for_epoch(2)

    log.append(batch(15, 5, 1))
    assert [(3, 15), (3, 15), (5, 16)] == [log.end_offset_for_epoch(epoch) for epoch in (3, 4, 5)]


@pytest.mark.rule("9.41", "10.34")
@pytest.mark.parametrize(
    ("end_offset", "expected", "last_epoch", "ends"),
    [
        (7, 7, 4, {4: 7, 3: 6, 1: 4}),
        (6, 6, 3, {4: 6, 3: 6, 1: 4}),
        (5, 4, 1, {4: 4, 3: 4, 1: 4}),
        (4, 4, 1, {4: 4, 3: 4, 1: 4}),
        (2, 0, 0, {4: 0, 1: 0}),
        (0, 0, 0, {4: 0, 1: 0}),
    ],
)
def test_truncation_takes_whole_batches(end_offset, expected, last_epoch, ends):
    log = log_of((1, 3), (1, 1), (3, 2), (4, 1))
    log.truncate(end_offset)

    assert (expected, last_epoch) == (log.end_offset, log.last_epoch)
    assert ends == {end: log.end_offset_for_epoch(end)[1] for end in ends}


@pytest.mark.rule("10.34")
def test_another_epoch_follows_a_truncation():
    log = log_of((1, 3), (3, 2))
    log.truncate(3)
    log.append(batch(3, 2, 4))

    assert [(1, 3), (2, 7), (2, 7)] == [log.end_offset_for_epoch(epoch) for epoch in (1, 2, 3)]


@pytest.mark.rule("10.47")
@pytest.mark.parametrize(
    ("offset", "epoch", "bases", "ends"),
    [
        (4, 1, [4, 6], {1: 4, 3: 6, 4: 7}),
        (6, 3, [6], {3: 6, 4: 7}),
        (7, 4, [], {4: 7}),
        (3, 1, [3, 4, 6], {1: 4, 3: 6, 4: 7}),
    ],
)
def test_a_log_begins_behind_its_snapshot(offset, epoch, bases, ends):
    log = log_of((1, 3), (1, 1), (3, 2), (4, 1))
    log.begin_at(offset, epoch)

    assert (offset, 7, 4) == (log.start_offset, log.end_offset, log.last_epoch)
    assert bases == [read.base_offset for read in log.read(offset)]
    assert ends == {end: log.end_offset_for_epoch(end)[1] for end in ends}


@pytest.mark.rule("10.45")
def test_a_snapshot_that_comes_from_elsewhere_replaces_everything():
    log = log_of((1, 3), (3, 2))
    log.restart(20, 5)

    assert (20, 20, 5, ()) == (log.start_offset, log.end_offset, log.last_epoch, log.read(20))
