"""The leader epoch cache: at which offset each leader's term began (rules B5.30-B5.35)."""

UNDEFINED = (-1, -1)


class LeaderEpochs:
    """Entries (epoch, start offset), which grow in both.

    `led` is the last epoch in which this replica became leader, and had an entry at once;
    `led_from` is where its log ended then.
    """

    __slots__ = ("entries", "led", "led_from")

    def __init__(self) -> None:
        self.entries: list[tuple[int, int]] = []
        self.led = -1
        self.led_from = 0

    @property
    def latest(self) -> int:
        """The epoch of the last entry; -1 if there is none."""
        return self.entries[-1][0] if self.entries else -1

    def begin_to_lead(self, epoch: int, end_offset: int) -> bool:
        """Notes that this replica leads in `epoch`; False if it has noted that before (B5.30)."""
        if self.led >= epoch:
            return False
        self.led, self.led_from = epoch, end_offset
        if self.latest < epoch:
            self.assign(epoch, end_offset)
        return True

    def assign(self, epoch: int, offset: int) -> None:
        """Notes that `epoch` has the records from `offset` on (B5.31)."""
        entries = self.entries
        if entries and epoch == entries[-1][0] and offset >= entries[-1][1]:
            return
        while entries and (entries[-1][0] >= epoch or entries[-1][1] >= offset):
            entries.pop()
        entries.append((epoch, offset))

    def cut_start(self, offset: int) -> None:
        """Notes that the log begins at `offset` (B5.33)."""
        past = [entry for entry in self.entries if entry[1] <= offset]
        if past:
            self.entries = [(past[-1][0], offset), *self.entries[len(past) :]]

    def cut_end(self, offset: int) -> None:
        """Notes that the log ends at `offset` (B5.32)."""
        self.entries = [entry for entry in self.entries if entry[1] < offset]

    def end_of(self, epoch: int, log_end: int) -> tuple[int, int]:
        """Returns the largest epoch that is not above `epoch`, and its end (B5.34)."""
        if epoch == -1 or not self.entries:
            return UNDEFINED
        if epoch == self.entries[-1][0]:
            return epoch, log_end
        above = [entry for entry in self.entries if entry[0] > epoch]
        if not above:
            return UNDEFINED
        at_most = self.entries[: len(self.entries) - len(above)]
        return (at_most[-1][0] if at_most else epoch), above[0][1]

    def parting(self, epoch: int, leader_end: int, log_end: int) -> int:
        """Returns where a follower cuts its log, whose end is `log_end` (B5.11).

        `epoch` is the largest epoch of its leader that is not above its own last one, and
        `leader_end` is where that ends at the leader.
        """
        own_epoch, own_end = self.end_of(epoch, log_end)
        if own_epoch == epoch:
            return min(own_end, leader_end, log_end)
        return min(leader_end if own_epoch < 0 else own_end, log_end)

    def epoch_at(self, offset: int) -> int:
        """Returns the epoch of the first entry if it began at or below `offset`, else -1 (B7.5)."""
        return self.entries[0][0] if self.entries and self.entries[0][1] <= offset else -1
