"""A recording: how a cluster was started, its inputs, and the marks of its journal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .journal_marks import JournalMarks
from .recorder import Input


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """Everything that a replay needs.

    `options` are those of `Cluster`, with the cluster id. `ports` are the ports of the listeners,
    by name. `gaps` are the reasons why a replay may differ. `end_us` is the world's time at which
    the recording ends, and `events` are the marks of the journal until then.
    """

    version: str
    options: Mapping[str, object]
    ports: Mapping[str, int]
    gaps: Sequence[str]
    inputs: Sequence[Input]
    end_us: int
    events: JournalMarks
