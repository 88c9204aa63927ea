"""Draws faults and requests without an end, for a cluster that runs beside a test."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from . import administrator
from .faults import FAULTS
from .lot import Lot, Words, log_uniform_ms
from .steps import PART_OF_FAULTS, USUAL_PACE_MS, Budget, drawn_fault, nodes_of, step_of

LEFT_OUT = frozenset(("rpc.forge", "proc.move", "quorum.add", "quorum.remove", "broker.add"))
"""Verbs that need the addresses of a scenario."""
VERBS = tuple(
    sorted(({word for word, _, _ in FAULTS.values()} | administrator.VERBS.keys()) - LEFT_OUT)
)
LASTING = {
    *(word for word in administrator.VERBS if word != "quorum.transfer"),
    *("client.hostile", "disk.full", "proc.amnesia", "proc.clone"),
}
"""Verbs whose effects outlast their end: settings, topics, brokers, empty disks, dead processes."""
STAYS_DOWN = "disk.full"  # the process ends, and nobody starts it
NEVER_MS = 1 << 61
USUAL = tuple(word for word in VERBS if word not in LASTING)
OF_ALL: Mapping[str, tuple[str, ...]] = {
    "shaped net.partition": ("controllers",),
    "net.swizzle": ("brokers", "controllers"),
}
"""Kinds of faults that strike every node of these pools at once."""


def kinds_of(lot: Lot, verbs: Collection[str], budget: Budget) -> list[str]:
    """Returns the kinds of faults and of requests with these verbs.

    A kind of fault for which the budget never has a node is left out.
    """
    room = {"controllers": budget.controllers, "brokers": budget.brokers}
    sizes = {"controllers": len(lot.controllers), "brokers": len(lot.brokers)}
    room["voters"] = min(budget.controllers, lot.votes_to_lose)
    room["nodes"] = max(budget.controllers, budget.brokers)
    faults = (
        kind
        for kind, (word, pool, _) in FAULTS.items()
        if word in verbs
        and room[pool]
        and all(room[other] >= sizes[other] for other in OF_ALL.get(kind, ()))
    )
    return [*faults, *(word for word in administrator.VERBS if word in verbs)]


def drawn_chaos(
    lot: Lot, kinds: Sequence[str], budget: Budget
) -> Iterator[tuple[int, Words | None]]:
    """Yields times without an end, each with a step of these kinds, or None if no node is free.

    The times are milliseconds since the begin of the chaos. As in a run of the swarm, only a part
    of the kinds occurs.
    """
    stream = lot.stream
    some = [kind for kind in kinds if lot.chance(PART_OF_FAULTS)] or kinds
    every_ms, at_ms = log_uniform_ms(stream, *USUAL_PACE_MS), 0
    while True:
        at_ms += 1 + int(stream.expovariate(1 / every_ms))
        kind = lot.one_of(some)
        if kind in administrator.VERBS:
            yield at_ms, step_of(at_ms, kind, administrator.VERBS[kind](lot))
            continue
        budget.struck = [strike for strike in budget.struck if strike[2] > at_ms]
        step = next(iter(drawn_fault(lot, kind, at_ms, budget)), None)
        if step is not None and STAYS_DOWN in step:
            budget.struck += ((node, at_ms, NEVER_MS) for node in nodes_of(step))
        yield at_ms, step
