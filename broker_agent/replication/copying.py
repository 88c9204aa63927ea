"""What a follower does with the log of its leader: it cuts its own where they differ, and copies.

A replica that moves to another directory is copied in the same way (B7.51).

A real follower learns by Fetch where the logs part (rules B5.10-B5.15), in as many rounds as it
takes. Here both logs are at hand.
"""

from ..log.epochs import UNDEFINED
from ..log.log import Instant, Log
from ..log.recovery import truncate
from ..log.settings import LogSettings
from .followers import Truncated

FETCH_BYTES = ("replica.fetch.max.bytes", 1_048_576)
"""The most bytes of a partition in a reply to a follower, and their default."""


def cut_where_logs_part(leader: Log, follower: Log, now_ms: int) -> Truncated | None:
    """Cuts the follower's log where its history is not its leader's; returns what it lost."""
    before, committed = follower.end_offset, follower.high_watermark
    for _ in range(len(follower.epochs.entries) + 1):  # each round removes an epoch
        target = _parting(leader, follower)
        if target is None:
            break
        if target < follower.start_offset:  # below all that it has
            follower.begin_anew(target, now_ms)
        else:
            truncate(follower, target)
    after = follower.end_offset
    return None if after == before else Truncated(after, before, max(after, committed))


def _parting(leader: Log, follower: Log) -> int | None:
    """Returns the offset at which a round cuts the follower's log, None if nothing is to be cut."""
    end, latest = follower.end_offset, follower.epochs.latest
    if latest < 0:  # without an epoch nothing above the high watermark can be compared (B5.5)
        return follower.high_watermark if end > follower.high_watermark else None
    epoch, leader_end = leader.epochs.end_of(latest, leader.end_offset)
    if (epoch, leader_end) == UNDEFINED:  # out of range (B5.15)
        return leader.end_offset if leader.end_offset < end else None
    if epoch == latest and leader_end >= end:
        return None
    return follower.epochs.parting(epoch, leader_end, end)


def copy_rest(
    leader: Log, follower: Log, at: Instant, settings: LogSettings, until: int | None = None
) -> bool:
    """Appends what the follower lacks; False if that cannot be, as of a damaged batch.

    `until` is the end of what a delayed reply has (None: everything). A follower that ends before
    its leader's log begins starts anew there (B5.15).
    """
    if follower.end_offset < leader.start_offset:
        first = leader.base_offsets[0] if leader.batches else leader.start_offset
        follower.begin_anew(min(first, leader.start_offset), at.now_ms)  # B5.16
    index = leader.index_of(follower.end_offset)
    for place in range(index, len(leader.batches)):
        if until is not None and leader.base_offsets[place] >= until:
            break
        if leader.base_offsets[place] in leader.damaged:
            return False
        leader.copy_to((follower,), leader.batches[place], at, settings)
    return follower.end_offset == leader.end_offset or until is not None


def start_of(leader: Log, follower: Log) -> int:
    """Returns where a copy begins: at the follower's end, or where its log is cut first."""
    target = _parting(leader, follower)
    return follower.end_offset if target is None else target


def part_of(leader: Log, offset: int, bytes_max: int) -> tuple[int, int]:
    """Returns the end and the size of what one reply has from an offset: a batch, or several.

    A batch that exceeds `bytes_max` comes alone (B4.31).
    """
    size = 0
    for place in range(leader.index_of(offset), len(leader.batches)):
        batch = leader.batches[place]
        if size and size + len(batch) > bytes_max:
            return leader.base_offsets[place], size
        size += len(batch)
    return leader.end_offset, size


def follow_marks(
    leader: Log, follower: Log, now_ms: int, high_watermark: int | None = None
) -> None:
    """Takes the high watermark and the log start from the leader (B5.20, B5.22).

    `high_watermark` is what a delayed reply says of it (None: what it is now).
    """
    told = leader.high_watermark if high_watermark is None else high_watermark
    follower.high_watermark = min(told, follower.end_offset)
    if leader.start_offset > follower.start_offset:
        follower.delete_before(min(leader.start_offset, follower.end_offset), now_ms)


def begin_future(current: Log, now_ms: int) -> Log:
    """Returns the log of a future replica, which begins at the log start (B7.51)."""
    future = Log(now_ms)
    if current.start_offset:
        future.begin_anew(current.start_offset, now_ms)
    return future


def take_place(current: Log, future: Log) -> None:
    """Gives the log of a future replica what no batch tells, as it takes the current one's place.

    The leader epochs and the producers of a moved log are those of its batches.
    """
    future.high_watermark = current.high_watermark
    future.cleaned_offset, future.horizons = current.cleaned_offset, current.horizons
    future.looked_ms = current.looked_ms
    future.epochs.led, future.epochs.led_from = current.epochs.led, current.epochs.led_from
