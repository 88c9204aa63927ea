"""The plan of a campaign: every run there will be, in shards; written once, before the first.

A shard is what one task runs and commits: some seconds of work, so that its fixed cost does not
count, and little is lost when it is. Its runs are slices of items, in the order of the plan.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .. import tables
from .items import Item

FORMAT = "kraftsim/campaign/1"
SHARD_S = 8.0  # long enough that a task's own cost does not count, short enough to lose
LONG_SHARD_S = 60.0  # of long campaigns: what files say of themselves is half of small ones
SHARDS_OF_LONG = 50  # or more, before any is longer than SHARD_S
SHARDS_MAX = 2000  # of more, opening the files would cost more than reading them
RUNS_MAX = 10_000_000
EVENTS = ("all", "failures", "none")


class PlanError(ValueError):
    """A plan that is not what it was, or cannot be read; the text says what to do."""


@dataclass(frozen=True, slots=True)
class Slice:
    """Seeds from `first` on, before `end`, of the item of that number."""

    item: int
    first: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """`code` is the sum of the modules that run; `events` whose transitions, heartbeats and records
    are kept: those of all runs, of `failures` (whatever does not pass), of none."""

    code: str
    events: str
    items: tuple[Item, ...]
    shards: tuple[tuple[Slice, ...], ...]

    @property
    def runs(self) -> int:
        return sum(one.end - one.first for shard in self.shards for one in shard)

    @property
    def digest(self) -> str:
        """What every commit names, so that no other plan's shards come among them."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()[:16]

    def to_json(self) -> str:
        document = {
            "format": FORMAT,
            "tables": tables.VERSION,
            "code": self.code,
            "events": self.events,
            "runs": self.runs,
            "items": [one.to_document() for one in self.items],
            "shards": [[[one.item, one.first, one.end] for one in shard] for shard in self.shards],
        }
        return json.dumps(document, indent=1)

    @staticmethod
    def from_json(text: str) -> "Plan":
        """PlanError for anything but a plan of this format."""
        try:
            document = json.loads(text)
            if document["format"] != FORMAT or document["tables"] > tables.VERSION:
                what = f"{document['format']}, tables {document['tables']}"
                raise PlanError(f"expected {FORMAT}, tables {tables.VERSION} or older, got {what}")
            return Plan(
                code=document["code"],
                events=document["events"],
                items=tuple(Item.of(one) for one in document["items"]),
                shards=tuple(tuple(Slice(*one) for one in shard) for shard in document["shards"]),
            )
        except PlanError:
            raise
        except (ValueError, KeyError, TypeError) as error:
            raise PlanError(
                f"expected the plan of a campaign, got something else: {error}"
            ) from None


def shards_of(
    items: Sequence[Item],
    seeds: Mapping[int, range],
    cost_s: Mapping[int, float],
    shard_s: float | None = None,
) -> tuple[tuple[Slice, ...], ...]:
    """`seeds` and what a run costs, by item. Shards cost about the same, in the order of items:
    `shard_s`, or what is good for so long a campaign."""
    total_s = sum(len(seeds[number]) * cost_s[number] for number in range(len(items)))
    shard_s = shard_s or min(max(SHARD_S, total_s / SHARDS_OF_LONG), LONG_SHARD_S)
    shard_s = max(shard_s, total_s / SHARDS_MAX)
    shards: list[tuple[Slice, ...]] = []
    shard: list[Slice] = []
    left_s = shard_s
    for one, spent_s in _pieces(len(items), seeds, cost_s, shard_s):
        if shard and spent_s > left_s:
            shards.append(tuple(shard))
            shard, left_s = [], shard_s
        shard.append(one)
        left_s -= spent_s
    return (*shards, tuple(shard)) if shard else tuple(shards)


def _pieces(
    items: int, seeds: Mapping[int, range], cost_s: Mapping[int, float], shard_s: float
) -> Iterator[tuple[Slice, float]]:
    for number in range(items):
        of = seeds[number]
        length = max(1, int(shard_s / cost_s[number]))
        for first in range(of.start, of.stop, length):
            end = min(first + length, of.stop)
            yield Slice(number, first, end), (end - first) * cost_s[number]


def seeds_of(one: Slice) -> Iterable[int]:
    return range(one.first, one.end)
