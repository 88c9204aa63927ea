"""Draws faults of links and of single requests."""

from collections.abc import Callable, Mapping

from .lot import Lot, Words

Draw = Callable[[Lot], Words]

MESSAGES = (
    "BrokerRegistration", "BrokerHeartbeat", "AlterPartition", "Fetch", "Vote",
    "BeginQuorumEpoch", "EndQuorumEpoch", "FetchSnapshot",
)  # fmt: skip
ERRORS = (
    "NOT_CONTROLLER", "REQUEST_TIMED_OUT", "UNKNOWN_SERVER_ERROR", "STALE_BROKER_EPOCH",
    "INVALID_REQUEST",
)  # fmt: skip


def way(lot: Lot, node: int) -> Words:
    """Returns the words that select messages of a node: both directions, one, or one link."""
    shape = lot.one_of(("on", "from", "to", "between"))
    words: Words = {"between": [node, _peer(lot, node)]} if shape == "between" else {shape: node}
    if lot.chance(0.4):
        words |= {"message": lot.one_of(MESSAGES)} | ({"replies": True} if lot.chance(0.3) else {})
    return words


def _peer(lot: Lot, node: int) -> int:
    others = [controller for controller in lot.controllers if controller != node]
    return lot.one_of(others or list(lot.brokers))


def _loss(lot: Lot) -> Words:
    return {"p": lot.one_of((0.05, 0.3, 0.7)), "burst": lot.one_of((1, 3, 10))}


def _flap(lot: Lot) -> Words:
    down = lot.stream.randint(50, 3_000)
    return {"down": f"{down}ms", "period": f"{down + lot.stream.randint(50, 5_000)}ms"}


def _surgery(lot: Lot) -> Words:
    copies = lot.one_of((0, 1, 2))
    number = {"nth": lot.stream.randint(1, 20), "count": lot.stream.randint(1, 5)}
    return number | {"copies": copies, "by": lot.time(1, 15_000) if copies else "0s"}


def _error(lot: Lot) -> Words:
    """Returns an error; after a request had its effect, only one that leaves that open (9.30)."""
    if lot.chance(0.5):
        return {"code": "NOT_CONTROLLER", "apply": "after"}
    return {"code": lot.one_of(ERRORS)}


# Each verb selects messages by `way`; here are its other words.
WAYS: Mapping[str, Draw] = {
    "net.partition": lambda lot: {},
    "net.hold": lambda lot: {},
    "net.loss": _loss,
    "net.delay": lambda lot: lot.range(5, 5_000),
    "net.duplicate": lambda lot: {"p": lot.one_of((0.1, 0.5)), "lag": lot.time(1, 10_000)},
    "net.flap": _flap,
    "net.surgery": _surgery,
}
# Without rpc.forget and quorum.forget: no message and no record says that they renew every lease,
# so the properties of leases would report broken what is not.
# Each verb selects requests by their API and broker; here are its other words.
REQUESTS: Mapping[str, Draw] = {
    "rpc.close": lambda lot: {"apply": lot.one_of(("before", "after"))},
    "rpc.corrupt": lambda lot: {},
    "rpc.delay": lambda lot: {"by": lot.time(10, 15_000), "direction": _direction(lot)},
    "rpc.drop": lambda lot: {"direction": _direction(lot)},
    "rpc.duplicate": lambda lot: {},
    "rpc.error": _error,
    "rpc.hold": lambda lot: {"direction": _direction(lot)},
    "rpc.reorder": lambda lot: {"window": lot.stream.randint(2, 6), "direction": _direction(lot)},
    "rpc.throttle": lambda lot: {"by": lot.time(10, 5_000)},
    "rpc.transfer": lambda lot: {"apply": lot.one_of(("before", "after"))},
    "rpc.truncate": lambda lot: {},
}


def _direction(lot: Lot) -> str:
    return lot.one_of(("request", "reply"))


def request(lot: Lot, broker: int) -> Words:
    """Returns the words that select requests, often those of one broker, and how many of them."""
    words: Words = {"api": lot.one_of(MESSAGES), "count": lot.stream.randint(1, 8)}
    if lot.chance(0.5):
        words["broker"] = broker
    if lot.chance(0.3):
        words["after"] = lot.stream.randint(1, 10)
    return words | {"for": lot.time(1_000, 30_000)}
