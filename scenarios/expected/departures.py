"""Unregistrations and decommissions of brokers (section 3 of the rules)."""

from collections.abc import Iterable, Iterator

from kraftsim.controller.core.log.records import NO_LEADER
from kraftsim.controller.core.rpc import DecommissionBrokerRequest, UnregisterBrokerRequest

from ..oracles.breach_words import words
from ..oracles.shadow import Fact, Key
from .ask import Ask, Done, Draw, refused
from .brokers import BROKER_ID_NOT_REGISTERED, STRANGER
from .partition import Changes, left_by
from .view import View

BROKER_NOT_AVAILABLE, BROKER_REQUIRED_FOR_PARTITIONS = 8, 10001
NAMED = (  # lists of a partition in which a broker may be; its leader is checked apart
    *("replicas", "isr", "eligible_leader_replicas", "last_known_elr"),
    *("adding_replicas", "removing_replicas"),
)


def _unregister(view: View, turn: int) -> Ask | None:
    known = view.brokers
    if not known or turn % 4 == 0:
        request = UnregisterBrokerRequest(broker_id=STRANGER)
        what = "to unregister a broker that is not registered"
        return refused(what, request, BROKER_ID_NOT_REGISTERED)
    broker_id = known[turn % len(known)]["broker_id"]
    keys = view.mentions.of("isr", broker_id)
    eligible = view.mentions.of("eligible_leader_replicas", broker_id)
    if keys & eligible:
        return None  # Kafka changes such a partition twice, from one state
    changes: Changes = {("Broker", broker_id): None, **left_by(view, broker_id, keys | eligible)}
    request = UnregisterBrokerRequest(broker_id=broker_id)
    return Ask("to unregister a broker", request, changes=changes)


def _decommission(view: View, turn: int) -> Ask | None:
    known = view.brokers
    if not known or turn % 4 == 0:
        request = DecommissionBrokerRequest(broker_id=STRANGER)
        what = "to decommission a broker that is not registered"
        return refused(what, request, BROKER_NOT_AVAILABLE)
    broker_id, force = known[turn % len(known)]["broker_id"], bool(turn % 2)
    needed = [key for key, fact in view.partitions if _needs(view, fact, broker_id)]
    request = DecommissionBrokerRequest(broker_id=broker_id, force=force)
    others = [broker["broker_id"] for broker in known if broker["broker_id"] != broker_id]
    what = "to decommission a broker"
    if needed and not (force and any(map(view.is_active, others))):
        return refused(what, request, BROKER_REQUIRED_FOR_PARTITIONS)
    size, leaving = view.settings.decommission_slice_records, _leaving(view, broker_id)

    def slice_flaw(first: Done, following: Done) -> str | None:
        if {*first.changes} != {*leaving[: size - 1]} or len(leaving) < size:
            slice_ = words([*first.changes])
            return f"a slice changes {slice_}, expected {size - 1} of {words(leaving)}"
        if following != first:
            return (
                f"the next slice of the same state is {words(following)}, expected {words(first)}"
            )
        return next(_left_behind(view, broker_id, first, leaving[: size - 1]), None)

    def flaw(done: Done) -> str | None:
        if len(leaving) >= size:
            return f"it is decided at once, expected slices of {size} records"
        if done.changes.get(("Broker", broker_id), broker_id) is not None:
            return f"broker {broker_id} is still registered"
        return next(_left_behind(view, broker_id, done, view.shadow.of("Partition")), None)

    return Ask(what, request, changes=None, flaw=flaw, slice_flaw=slice_flaw)


def _leaving(view: View, broker_id: int) -> list[Key]:
    """Returns the partitions that name a broker, in the order in which it leaves them (3.12)."""
    of = view.mentions.of
    led_last = {
        key for key in view.leaderless() if broker_id in view.shadow.facts[key]["last_known_elr"]
    }
    return sorted(
        {*of("replicas", broker_id), *of("eligible_leader_replicas", broker_id), *led_last}
    )


def _needs(view: View, fact: Fact, broker_id: int) -> bool:
    """Returns True if only this broker holds the data of a partition (rules 3.12, 4.13)."""
    if broker_id not in fact["replicas"]:
        return False
    members = {*fact["isr"]}
    if view.has_elr or not members:  # without ELR its members are never elected
        members |= {*fact["eligible_leader_replicas"]}
    holders = members & {*fact["replicas"]}
    return (holders or {*fact["last_known_elr"]}) <= {broker_id} or len(fact["replicas"]) == 1


def _not_there(fact: Fact) -> set[int]:
    """Returns the replicas to add or to remove that the partition does not have.

    A request that names a partition twice may leave such replicas, as in Kafka.
    """
    return {*fact["adding_replicas"], *fact["removing_replicas"]} - {*fact["replicas"]}


def _left_behind(view: View, broker_id: int, done: Done, keys: Iterable[Key]) -> Iterator[str]:
    """Yields the errors of a decommission in the partitions `keys`."""
    for key in keys:
        old = view.shadow.facts[key]
        new = done.changes.get(key, old)
        ids = () if new is None else (new["leader"], *(id_ for name in NAMED for id_ in new[name]))
        if broker_id in ids and broker_id not in _not_there(old):
            yield f"{words(key)} still names broker {broker_id}: {words(new)}"
        if new is not None and not new["replicas"]:
            yield f"{words(key)} has no replica left"
        if new is not None and not _not_there(new) <= _not_there(old):
            yield f"{words(key)} adds or removes what it does not have: {words(new)}"
        leaders = (broker_id, NO_LEADER, *old["removing_replicas"])
        is_led = old["leader"] not in leaders and old["isr"]
        if is_led and new is not None and new["leader"] != old["leader"]:
            yield f"{words(key)} loses its leader {old['leader']}: {words(new)}"


DRAWS: tuple[Draw, ...] = (_unregister, _decommission)
