"""What a change makes of a partition, by the steps of rule 4.7 (KIP-966, KIP-455).

An ELR is compared as a set: Kafka writes it in the order of a hash set (rule 4.25).
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from kraftsim.controller.core.log.records import NO_LEADER, RECOVERING
from kraftsim.controller.core.uuid import Uuid

from ..oracles.shadow import Fact, Key
from .view import MIGRATING, SHRINKS_KEEP_EPOCHS_FROM, View

Ids = tuple[int, ...]
Changes = dict[Key, Fact | None]
PREFERRED, ONLINE, UNCLEAN = "preferred", "online", "unclean"
RECOVERY_FROM = 3  # metadata.version 3.2-IV0


class Wish(NamedTuple):
    """What a change asks of a partition; None leaves a value as it is.

    `may_lead` are the brokers that may be elected, apart from their directories; None: the active
    ones. `unclean` brokers may have lost data. An `election` of None is the one that the topic
    allows.
    """

    isr: Ids | None = None
    may_lead: Callable[[int], bool] | None = None
    unclean: Ids = ()
    replicas: Ids | None = None
    removing: Ids | None = None
    adding: Ids | None = None
    election: str | None = None
    directories: Mapping[int, Uuid] = {}
    recovery: int | None = None
    keeps_elr: bool = True


def after(view: View, key: Key, wish: Wish) -> Fact:
    """Returns the facts of the partition `key` after a change; the same facts if none is needed."""
    old = view.shadow.facts[key]
    new = {**old}
    has_elr = view.has_elr and wish.keeps_elr
    isr = old["isr"] if wish.isr is None else wish.isr
    for name, wished in (
        ("replicas", wish.replicas),
        ("removing_replicas", wish.removing),
        ("adding_replicas", wish.adding),
    ):
        new[name] = old[name] if wished is None else wished
    isr = _completed(view, new, isr)
    elr = old["eligible_leader_replicas"]
    if has_elr:
        outside = {*elr, *old["isr"]} - {*isr} - {*wish.unclean}
        elr = () if len(isr) >= view.min_isr(key[1]) else tuple(sorted(outside))
    leader, is_unclean = _elected(view, key, wish, new["replicas"], isr, elr, has_elr)
    is_elected = leader != old["leader"]
    if is_elected and leader in elr:
        isr, elr = (leader,), tuple(member for member in elr if member != leader)
    if is_elected and is_unclean:
        isr = (leader,)
        if view.level >= RECOVERY_FROM:
            new["leader_recovery_state"] = RECOVERING
    if not has_elr or (is_elected and is_unclean):
        elr = ()
    if isr or has_elr:
        new["isr"] = isr
    new["eligible_leader_replicas"] = elr
    new["leader"] = leader
    is_bumped = is_elected or _loses_replicas(view, old, new)
    new["leader_epoch"] = old["leader_epoch"] + is_bumped
    new["last_known_elr"] = _last_known(old, leader, has_elr, is_bumped)
    if wish.recovery not in (None, old["leader_recovery_state"]):
        new["leader_recovery_state"] = wish.recovery
    new["directories"] = _directories(view, old, new["replicas"], wish.directories)
    if _as_sets(new) == _as_sets(old):
        return old
    return {**new, "partition_epoch": old["partition_epoch"] + 1}


def _completed(view: View, new: Fact, isr: Ids) -> Ids:
    """Ends a reassignment whose awaited replicas are in sync; returns the ISR (rule 4.36)."""
    removing, adding = new["removing_replicas"], new["adding_replicas"]
    if not removing and not adding:
        return isr
    staying = tuple(replica for replica in new["replicas"] if replica not in removing)
    in_sync = tuple(member for member in isr if member not in removing)
    if view.profile.reassignment_awaits_every_replica:
        awaited = {*staying}
    else:
        awaited = {*adding} | ({*staying} if len(removing) > len(adding) else set())
    if not staying or not in_sync or not awaited <= {*in_sync}:
        return isr
    new.update(replicas=staying, removing_replicas=(), adding_replicas=())
    return in_sync


def _elected(
    view: View, key: Key, wish: Wish, replicas: Ids, isr: Ids, elr: Ids, has_elr: bool
) -> tuple[int, bool]:
    """Returns the leader, and whether its election is unclean (rules 4.8 to 4.11, 4.28)."""
    old = view.shadow.facts[key]
    may_lead = wish.may_lead or view.is_active
    election = wish.election
    if election is None:
        election = UNCLEAN if view.allows_unclean(view.topic_of(key)) else ONLINE

    def fits(replica: int) -> bool:
        return may_lead(replica) and view.is_online(old, replica)

    candidates = [old["leader"], *replicas]
    if election == PREFERRED:
        candidates = [*replicas[:1], *candidates]
    eligible = isr or elr
    for replica in candidates:
        if replica in eligible and fits(replica):
            return replica, False
    last_known = old["last_known_elr"]
    if has_elr and not eligible and len(last_known) == 1 and fits(last_known[0]):
        return last_known[0], True
    if election == UNCLEAN:
        for replica in replicas:
            if fits(replica):
                return replica, True
    return NO_LEADER, False


def _loses_replicas(view: View, old: Fact, new: Fact) -> bool:
    """Returns True if the leader epoch rises although the leader stays (rules 4.14, 4.17)."""
    if {*old["replicas"]} - {*new["replicas"]}:
        return True
    return view.level < SHRINKS_KEEP_EPOCHS_FROM and bool({*old["isr"]} - {*new["isr"]})


def _last_known(old: Fact, leader: int, has_elr: bool, is_bumped: bool) -> Ids:
    """Returns the last known leader, which is kept while there is no leader (rule 4.27)."""
    known: Ids = old["last_known_elr"]
    if not has_elr or not is_bumped:
        return known
    if leader != NO_LEADER:
        return ()
    return known or ((old["leader"],) if old["leader"] != NO_LEADER else ())


def _directories(
    view: View, old: Fact, replicas: Ids, assigned: Mapping[int, Uuid]
) -> tuple[Uuid, ...]:
    """Returns the directories of the replicas (rules 4.38, 4.39)."""
    known: tuple[Uuid, ...] = old["directories"]
    if not view.has_directories or (replicas == old["replicas"] and not assigned):
        return known
    before = known or (MIGRATING,) * len(old["replicas"])
    places = {**dict(zip(old["replicas"], before, strict=False)), **assigned}
    directories = tuple(places.get(r) or view.new_directory(r) for r in replicas)
    return known if directories == before else directories


def _as_sets(fact: Fact) -> Fact:
    return {**fact, "eligible_leader_replicas": {*fact["eligible_leader_replicas"]}}


def changed(view: View, keys: Iterable[Key], wish_for: Callable[[Fact], Wish]) -> Changes:
    """Returns the new facts of those of the partitions `keys` that change."""
    changes: Changes = {}
    for key in keys:
        old = view.shadow.facts[key]
        new = after(view, key, wish_for(old))
        if new is not old:
            changes[key] = new
    return changes


def left_by(view: View, broker_id: int, keys: Iterable[Key], *, unclean: bool = False) -> Changes:
    """Returns what becomes of partitions whose ISR and leadership a broker leaves."""
    return changed(
        view,
        keys,
        lambda fact: Wish(
            isr=tuple(member for member in fact["isr"] if member != broker_id),
            may_lead=lambda replica: replica != broker_id and view.is_active(replica),
            unclean=(broker_id,) if unclean else (),
        ),
    )
