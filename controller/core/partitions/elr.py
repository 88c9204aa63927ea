"""Eligible leader replicas (KIP-966), which exist below min ISR (rules 4.12, 4.25, 4.27)."""

from ..hash_order import ids_in_hash_order
from ..image.partition import Partition
from ..log.records import NO_LEADER
from .target import Change, Ids, Rules, Target


def populate_elr(partition: Partition, target: Target, rules: Rules, unclean: Ids) -> None:
    """Compute the ELR: below min ISR, members of ISR or ELR stay eligible (rule 4.25).

    Brokers in `unclean` do not. Kafka puts the ELR, then the ISR, into a HashSet and writes the ids
    in the order of that set.
    """
    if not rules.elr_enabled:
        return
    if len(target.isr) >= rules.min_isr:
        target.elr = ()
        return
    excluded = {*target.isr, *unclean}
    candidates = ids_in_hash_order((*target.elr, *partition.isr))
    target.elr = tuple([replica for replica in candidates if replica not in excluded])


def write_elr(partition: Partition, target: Target, rules: Rules, change: Change) -> None:
    """Write the ELR if it changed; an unclean election or a disabled ELR empties it."""
    unclean = change.isr is not None
    if unclean or not rules.elr_enabled:
        target.elr = ()
    if target.elr != partition.elr:
        change.eligible_leader_replicas = target.elr


def write_last_known_leader(partition: Partition, rules: Rules, change: Change) -> None:
    """Write the last known leader of a partition that has no leader now (rule 4.27).

    A nonempty ISR does not prevent this. A new leader clears the field.
    """
    if not rules.elr_enabled:
        return
    if change.leader == NO_LEADER != partition.leader and not partition.last_known_elr:
        change.last_known_elr = (partition.leader,)
    elif change.leader >= 0 and partition.last_known_elr:
        change.last_known_elr = ()
