"""The verbs of faults that are drawn: the pool of nodes that each strikes, and its words."""

from collections.abc import Callable, Mapping

from . import links, nodes
from .lot import Lot, Words

FaultDraw = Callable[[Lot, int], Words]
SHORTEST_MS, LONGEST_MS = 100, 60_000


def _on(draw: nodes.Draw) -> FaultDraw:
    return lambda lot, node: {"on": node} | draw(lot)


def _on_way(draw: links.Draw) -> FaultDraw:
    def words(lot: Lot, node: int) -> Words:
        return links.way(lot, node) | draw(lot) | {"for": lot.time(SHORTEST_MS, LONGEST_MS)}

    return words


def _of_requests(draw: links.Draw) -> FaultDraw:
    return lambda lot, node: links.request(lot, node) | draw(lot)


def _shaped(lot: Lot, node: int) -> Words:
    shape = lot.one_of(("bridge", "ring", "majorities-ring"))
    return {"shape": shape, "of": "controllers", "for": lot.time(1_000, 30_000)}


def _cut_off(lot: Lot, node: int) -> Words:
    """Returns a cut between a controller and the others; brokers still reach all of them."""
    others = [controller for controller in lot.controllers if controller != node]
    return {"between": [node, others or list(lot.brokers)], "for": lot.time(2_000, 30_000)}


def _swizzled(lot: Lot, node: int) -> Words:
    return {"of": lot.one_of(("controllers", "brokers")), "for": lot.time(1_000, 30_000)}


def _hostile(lot: Lot, node: int) -> Words:
    to = lot.one_of(("active", node))
    return {"to": to, "count": lot.stream.randint(1, 50), "every": lot.time(1, 200)}


def _forged(lot: Lot, node: int) -> Words:
    words: Words = {"api": ["Fetch", "FetchSnapshot"], "p": lot.one_of((0.2, 0.6))}
    return words | {"count": lot.stream.randint(5, 50), "for": lot.time(2_000, 60_000)}


# Unique name of a kind of fault: its verb, the pool of nodes it strikes, and its words.
FAULTS: Mapping[str, tuple[str, str, FaultDraw]] = {
    **{word: (word, "nodes", _on(draw)) for word, draw in nodes.ANY_NODE.items()},
    **{
        f"{word} of a controller": (word, "controllers", _on(draw))
        for word, draw in nodes.CONTROLLERS.items()
    },
    **{f"{word} of a voter": (word, "voters", _on(draw)) for word, draw in nodes.VOTERS.items()},
    **{f"{word} of a broker": (word, "brokers", _on(draw)) for word, draw in nodes.BROKERS.items()},
    **{word: (word, "nodes", _on_way(draw)) for word, draw in links.WAYS.items()},
    **{word: (word, "brokers", _of_requests(draw)) for word, draw in links.REQUESTS.items()},
    "shaped net.partition": ("net.partition", "controllers", _shaped),
    "net.partition of a controller": ("net.partition", "controllers", _cut_off),
    "net.swizzle": ("net.swizzle", "nodes", _swizzled),
    "client.hostile": ("client.hostile", "controllers", _hostile),
    "rpc.forge": ("rpc.forge", "controllers", _forged),
}
# Faults of no single node, and the part of the runs that have each.
VISITS: Mapping[str, float] = {"client.hostile": 0.4, "rpc.forge": 0.6}
