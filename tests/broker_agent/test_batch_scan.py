"""A leader looks at the records of a batch in columns, and finds what one look at each finds."""

from random import Random

import pytest

from kraftsim.broker_agent.log.batch import HEADER_BYTES, BadRecord, header_of, records_of
from kraftsim.broker_agent.log.compression import scan_of
from tests.batches import batch

Found = tuple[int, int, int] | None
BATCHES = 300


def one_by_one(data: bytes) -> Found:
    """The least and the largest timestamp, and the offset of the first record with the latter."""
    try:
        records = list(records_of(header_of(data), data[HEADER_BYTES:]))
    except BadRecord:
        return None
    times = [record.timestamp for record in records]
    return min(times), max(times), records[times.index(max(times))].delta


def in_columns(data: bytes) -> Found:
    """What a scan finds of a batch that lies between other bytes, as in a request."""
    around, start = b"before" + data + b"\x00\x02\x04behind", 6
    try:
        scan = scan_of(around, header_of(data), start, start + len(data))
    except BadRecord:
        return None
    return scan.oldest, scan.newest, scan.offset_of_newest


def drawn(random: Random) -> bytes:
    """A batch of records of a few sizes, most of them alike."""
    sizes = random.choice([[5], [100], [5, 5, 5, 5, 6], range(200), [None, 1]])
    count = random.choice([1, 2, 63, 65, 200])
    values = [
        None if size is None else bytes(size)
        for size in (random.choice(sizes) for _ in range(count))
    ]
    step = random.choice([0, 0, 1, 7, 100])
    times = tuple(place * step // 3 - random.choice([0, 0, 3]) for place in range(count))
    return batch(*values, key=random.choice([None, b"", b"k" * 70]), times=times)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.rule("B1.33")
def test_columns_say_what_the_records_say(seed: int) -> None:
    random = Random(seed)
    for _ in range(BATCHES // 8):
        data = drawn(random)

        assert in_columns(data) == one_by_one(data) is not None


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.rule("B1.33")
def test_columns_refuse_the_records_that_are_malformed(seed: int) -> None:
    random, refused = Random(seed), 0
    for _ in range(BATCHES // 8):
        data = bytearray(drawn(random))
        for _ in range(random.choice([1, 1, 2])):
            end = random.choice([HEADER_BYTES + 5, len(data)])
            data[random.randrange(HEADER_BYTES, end)] = random.randrange(256)
        found = one_by_one(bytes(data))
        refused += found is None

        assert in_columns(bytes(data)) == found

    assert refused > 5


def test_a_hole_among_the_offsets_is_seen() -> None:
    whole = batch(*[b"value"] * 100)
    hole = bytearray(whole)
    second = len(batch(b"value"))
    assert scan_of(whole, header_of(whole), 0, len(whole)).is_dense

    hole[second + 3] += 2

    assert not scan_of(bytes(hole), header_of(whole), 0, len(hole)).is_dense
