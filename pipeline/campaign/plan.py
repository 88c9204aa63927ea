"""The plan of a campaign: all its runs, divided into shards; written once, before the first run.

A shard is the unit that one task runs and commits. It takes some seconds, so that the fixed cost of
a task is small and an interruption loses little. Its runs are slices of items, in plan order.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .. import tables
from .items import Item

FORMAT = "kraftsim/campaign/1"
SHARD_S = 8.0  # seconds; long against the fixed cost of a task, short enough to lose
LONG_SHARD_S = 60.0  # in long campaigns, because metadata is half of a small Parquet file
SHARDS_OF_LONG = 50  # shards are longer than SHARD_S only if there are at least this many
SHARDS_MAX = 2000  # with more files, opening them would cost more than reading them
RUNS_MAX = 10_000_000
EVENTS = ("all", "failures", "none")


class PlanError(ValueError):
    """A plan is missing, invalid or changed; the message names the remedy."""


@dataclass(frozen=True, slots=True)
class Slice:
    """The seeds from `first` to before `end` of the item with index `item`."""

    item: int
    first: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The plan of a campaign.

    `code` is the digest of kraftsim's modules. `events` is "all", "failures" or "none": the runs
    whose transitions, heartbeats and records are kept; "failures" are runs without the expected
    verdict.
    """

    code: str
    events: str
    items: tuple[Item, ...]
    shards: tuple[tuple[Slice, ...], ...]

    @property
    def has_nodes(self) -> bool:
        """True if nodes of a scenario run a user's code."""
        return any(item.document.get("nodes") for item in self.items)

    @property
    def runs(self) -> int:
        """The number of runs."""
        return sum(slice_.end - slice_.first for shard in self.shards for slice_ in shard)

    @property
    def digest(self) -> str:
        """Digest of the plan; every commit contains it, which rejects commits of another plan."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()[:16]

    def to_json(self) -> str:
        """Returns the plan as the text of `plan.json`."""
        document = {
            "format": FORMAT,
            "tables": tables.VERSION,
            "code": self.code,
            "events": self.events,
            "runs": self.runs,
            "items": [item.to_document() for item in self.items],
            "shards": [
                [[slice_.item, slice_.first, slice_.end] for slice_ in shard]
                for shard in self.shards
            ],
        }
        return json.dumps(document, indent=1)

    @staticmethod
    def from_json(text: str) -> "Plan":
        """Parses `plan.json`; PlanError if it is not a plan of this format."""
        try:
            document = json.loads(text)
            if document["format"] != FORMAT or document["tables"] != tables.VERSION:
                version = f"{document['format']}, tables {document['tables']}"
                raise PlanError(
                    f"expected {FORMAT}, tables {tables.VERSION}, got {version}; "
                    "run the campaign again, or read it with the kraftsim that ran it"
                )
            return Plan(
                code=document["code"],
                events=document["events"],
                items=tuple(Item.of(item) for item in document["items"]),
                shards=tuple(tuple(Slice(*item) for item in shard) for shard in document["shards"]),
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
    """Divides the seeds into shards of about equal cost, in the order of items.

    `seeds` and `cost_s`, the seconds of one run, are by item. A shard takes about `shard_s`
    seconds; by default this depends on the length of the campaign.
    """
    total_s = sum(len(seeds[number]) * cost_s[number] for number in range(len(items)))
    shard_s = shard_s or min(max(SHARD_S, total_s / SHARDS_OF_LONG), LONG_SHARD_S)
    shard_s = max(shard_s, total_s / SHARDS_MAX)
    shards: list[tuple[Slice, ...]] = []
    shard: list[Slice] = []
    remaining_s = shard_s
    for slice_, spent_s in _pieces(len(items), seeds, cost_s, shard_s):
        if shard and spent_s > remaining_s:
            shards.append(tuple(shard))
            shard, remaining_s = [], shard_s
        shard.append(slice_)
        remaining_s -= spent_s
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


def seeds_of(slice_: Slice) -> Iterable[int]:
    """Returns the seeds of a slice."""
    return range(slice_.first, slice_.end)
