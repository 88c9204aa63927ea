"""Names of nodes and partitions in sentences: `brokers 2, 5 and controller 3001`, `0-7, 9`."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from kraftsim.controller.core.node_id import NodeId

RUN_MIN = 4  # consecutive numbers that become a range


def nodes_text(nodes: Sequence[NodeId]) -> str:
    """Returns the names of the nodes, grouped by kind; `no node` if there is none."""
    kinds = groupby(sorted(nodes, key=lambda node: node.kind), key=lambda node: node.kind)
    groups = ((kind, [node.number for node in group]) for kind, group in kinds)
    texts = [
        f"{kind.name.lower()}{'' if len(numbers) == 1 else 's'} {numbers_text(numbers)}"
        for kind, numbers in groups
    ]
    return " and ".join(texts) or "no node"


def numbers_text(numbers: Iterable[int]) -> str:
    """Returns the numbers in their order; four or more in succession become a range: `0-7`."""
    return ", ".join(
        f"{run[0]}-{run[-1]}" if len(run) >= RUN_MIN else ", ".join(map(str, run))
        for run in _runs(numbers)
    )


def _runs(numbers: Iterable[int]) -> Iterator[list[int]]:
    run: list[int] = []
    for number in numbers:
        if run and number != run[-1] + 1:
            yield run
            run = []
        run.append(number)
    if run:
        yield run
