"""Says how partitions changed: `orders-3: leader 2 -> 1, ISR 1,2,3 -> 1,3`.

Changes of several partitions at one instant become one text:
`orders: 4 partitions: leader 2 -> 1 (0, 3), ISR loses 2 (0, 1, 3, 5)`.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kraftsim.controller.core.log.records import NO_LEADER

from .names import numbers_text
from .partition_changes import PartitionChange

TEXT_MAX = 98  # characters, so that a line with its times has about 120
CUT_MAX = 80  # characters of a text that goes on with the number of changes it leaves out
LEADER = "leader "
# characters of the partitions of one change, and where room is short; more are counted
NAMES_MAX, NAMES_SHORT = 40, 12

Brokers = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PartitionsText:
    """A text about changes of partitions; `left_out` counts the changes that it does not name."""

    text: str
    left_out: int = 0


def change_words(change: PartitionChange) -> str:
    """Returns how one partition changed."""
    sets = (f"{name} {_from_to(before, after)}" for name, before, after in _sets(change))
    return f"{change.name}: {', '.join([*_leader(change), *sets]) or _same(change)}"


def partitions_text(changes: Sequence[PartitionChange]) -> PartitionsText:
    """Returns how the partitions changed at one instant.

    Several changes of one partition become one change. If the text would be too long, it counts.
    """
    merged = _merged(changes)
    if len(merged) == 1:
        return PartitionsText(change_words(merged[0]))
    topics = {change.topic for change in merged}
    is_one_topic = len(topics) == 1
    head = f"{merged[0].topic}: {len(merged)} partitions"
    if not is_one_topic:
        head = f"{len(merged)} partitions of {len(topics)} topics"
    by_words = _by_words(merged)
    for names_max in (NAMES_MAX, NAMES_SHORT):
        clauses = {
            f"{what} ({_named(affected, len(merged), is_one_topic, names_max)})": len(affected)
            for what, affected in by_words.items()
        }
        whole = f"{head}: {_joined(clauses)}"
        if len(whole) <= TEXT_MAX:
            return PartitionsText(whole)
    return _cut(", ".join([head, *_counts(merged)]), clauses)


def _cut(head: str, clauses: Mapping[str, int]) -> PartitionsText:
    """Returns the clauses that have room after `head`."""
    named: list[str] = []
    for clause in clauses:
        if len(head) + len(_joined([*named, clause])) <= CUT_MAX:
            named.append(clause)
    left_out = sum(count for clause, count in clauses.items() if clause not in named)
    return PartitionsText(f"{head}: {_joined([*named, f'... and {left_out} more'])}", left_out)


def _joined(clauses: Iterable[str]) -> str:
    """Joins clauses; of several about leaders in succession only the first has the word."""
    texts: list[str] = []
    before = ""
    for clause in clauses:
        texts.append(clause.removeprefix(LEADER) if before.startswith(LEADER) else clause)
        before = clause
    return ", ".join(texts)


def _merged(changes: Sequence[PartitionChange]) -> list[PartitionChange]:
    found: dict[str, PartitionChange] = {}
    for change in changes:
        before = found.get(change.name, change).before
        found[change.name] = replace(change, before=before)
    return list(found.values())


def _counts(changes: Sequence[PartitionChange]) -> Iterator[str]:
    """Yields how many partitions have a new leader, and how many have lost theirs."""
    moved = [change for change in changes if _leader(change)]
    leaderless = sum(change.after.leader == NO_LEADER for change in moved)
    if len(moved) > leaderless:
        yield f"{len(moved) - leaderless} new leaders"
    if leaderless:
        yield f"{leaderless} without a leader"


def _by_words(changes: Sequence[PartitionChange]) -> dict[str, list[PartitionChange]]:
    """Returns the changes by what they do: lost leaders, new leaders, changed sets."""
    found: defaultdict[tuple[int, str], list[PartitionChange]] = defaultdict(list)
    for change in changes:
        leader = _leader(change)
        sets = [f"{name} {_difference(before, after)}" for name, before, after in _sets(change)]
        for words in leader:
            found[int(change.after.leader != NO_LEADER), words].append(change)
        for words in sets or ([] if leader else [_same(change)]):
            found[2, words].append(change)
    return {words: found[rank, words] for rank, words in sorted(found, key=lambda key: key[0])}


def _named(
    affected: Sequence[PartitionChange], count: int, is_one_topic: bool, names_max: int
) -> str:
    """Returns the partitions, or how many of `count` they are if their names take more room."""
    text = ", ".join(change.name for change in affected)
    if is_one_topic:
        text = numbers_text(sorted(change.partition for change in affected))
    if len(text) <= names_max:
        return text
    return "all" if len(affected) == count else f"{len(affected)} partitions"


def _leader(change: PartitionChange) -> list[str]:
    before, after = change.before.leader, change.after.leader
    if before == after or after is None:
        return []
    if after == NO_LEADER:
        return ["no leader" if before is None else f"no leader (was {before})"]
    known = {None: "leader", NO_LEADER: "leader none ->"}
    return [f"{known.get(before, f'leader {before} ->')} {after}"]


def _sets(change: PartitionChange) -> Iterator[tuple[str, Brokers | None, Brokers]]:
    """Yields each set that the change affects: its name, before (None if unknown) and after."""
    before, after = change.before, change.after
    for name, old, new in (
        ("ISR", before.isr, after.isr),
        ("ELR", before.elr, after.elr),
        ("replicas", before.replicas, after.replicas),
    ):
        if new is not None and (old is None or set(old) != set(new)):
            yield name, old, new


def _same(change: PartitionChange) -> str:
    """Returns the words about a change that leaves the leader and all sets as they were."""
    is_elected = change.before.leader_epoch != change.after.leader_epoch
    return f"leader {change.after.leader} in a new epoch" if is_elected else "same leader and ISR"


def _from_to(before: Brokers | None, after: Brokers) -> str:
    return _ids(after) if before is None else f"{_ids(before)} -> {_ids(after)}"


def _difference(before: Brokers | None, after: Brokers) -> str:
    if before is None:
        return _ids(after)
    lost = [broker for broker in before if broker not in after]
    gained = [broker for broker in after if broker not in before]
    parts = (("loses", lost), ("gains", gained))
    return " and ".join(f"{verb} {_ids(brokers)}" for verb, brokers in parts if brokers)


def _ids(brokers: Sequence[int]) -> str:
    return ",".join(map(str, brokers)) or "none"
