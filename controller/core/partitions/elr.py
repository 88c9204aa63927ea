"""Eligible leader replicas (KIP-966): who stays eligible below min ISR (rules 4.12, 4.25, 4.27)."""

from ..image.partition import Partition
from ..log.records import NO_LEADER
from .target import Change, Ids, Rules, Target


def populate_elr(partition: Partition, target: Target, rules: Rules, unclean: Ids) -> None:
    """Rule 4.25: below min ISR, whoever was in ISR or ELR stays eligible, but for the unclean."""
    if not rules.elr_enabled:
        return
    if len(target.isr) >= rules.min_isr:
        target.elr = ()
        return
    candidates = {*target.elr, *partition.isr} - {*target.isr} - {*unclean}
    target.elr = tuple(sorted(candidates))


def write_elr(partition: Partition, target: Target, rules: Rules, change: Change) -> None:
    unclean = change.isr is not None
    if unclean or not rules.elr_enabled:
        target.elr = ()
    if target.elr != partition.elr:
        change.eligible_leader_replicas = target.elr


def write_last_known_leader(partition: Partition, rules: Rules, change: Change) -> None:
    """Who led when there is no leader any more, even where the ISR is not empty; cleared once
    there is one (4.27)."""
    if not rules.elr_enabled:
        return
    if change.leader == NO_LEADER != partition.leader and not partition.last_known_elr:
        change.last_known_elr = (partition.leader,)
    elif change.leader >= 0 and partition.last_known_elr:
        change.last_known_elr = ()
