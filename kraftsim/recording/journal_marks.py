"""The marks by which two journals are compared, row by row, without their rows."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from kraftsim.simulation.event_row import EventRow

MARK_CHARS = 8  # of one row: a different row has another mark, but for one in four billion


@dataclass(frozen=True, slots=True)
class JournalMarks:
    """One mark for each row from number `first` on, joined to one text, and the digest of all."""

    first: int
    marks: str
    digest: str

    @property
    def end(self) -> int:
        """The number of the row after the last one."""
        return self.first + len(self.marks) // MARK_CHARS

    def first_difference(self, other: "JournalMarks") -> int | None:
        """Returns the number of the first row that differs from the other journal's, or None."""
        for seq in range(max(self.first, other.first), max(self.end, other.end)):
            if self._mark(seq) != other._mark(seq):
                return seq
        return None

    def _mark(self, seq: int) -> str:
        begin = (seq - self.first) * MARK_CHARS
        return self.marks[begin : begin + MARK_CHARS]


def marks_of(rows: Sequence[EventRow]) -> JournalMarks:
    """Returns the marks of the rows of a journal."""
    texts = [_text(row) for row in rows]
    whole = hashlib.blake2b("\n".join(texts).encode(), digest_size=16).hexdigest()
    marks = (hashlib.blake2b(text.encode(), digest_size=MARK_CHARS // 2) for text in texts)
    first = rows[0].seq if rows else 0
    return JournalMarks(first, "".join(mark.hexdigest() for mark in marks), f"b2:{whole}")


def _text(row: EventRow) -> str:
    """Returns everything in a row that two runs of one seed have in common."""
    about = (row.broker_id, row.broker_epoch, row.leader_epoch, row.offset)
    why = (row.cause_seq, row.fault_id)
    return json.dumps(
        [row.seq, row.t_us, row.node, row.kind, *about, *why, row.detail],
        sort_keys=True,
        default=repr,
    )
