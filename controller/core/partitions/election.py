"""Leader election of a partition: preferred, online and unclean (rules 4.8 to 4.11, 4.28)."""

from collections.abc import Callable

from .. import feature_levels
from ..image.partition import Partition
from ..log.records import NO_LEADER, RECOVERING
from .target import Change, Election, Rules, Target


def elect(
    partition: Partition,
    target: Target,
    rules: Rules,
    acceptable: Callable[[int], bool],
    change: Change,
) -> None:
    """Elect a leader; write it into `change` if it is not the present leader (rule 4.11)."""
    leader, unclean = winner(partition, target, rules, acceptable)
    if leader == partition.leader:
        return
    change.leader = leader
    if leader in target.elr:
        target.isr = (leader,)
        target.elr = tuple(r for r in target.elr if r != leader)
    if unclean:
        change.isr = (leader,)
        if (
            partition.leader_recovery_state != RECOVERING
            and rules.metadata_version >= feature_levels.LEADER_RECOVERY_FROM
        ):
            change.leader_recovery_state = RECOVERING


def winner(
    partition: Partition, target: Target, rules: Rules, acceptable: Callable[[int], bool]
) -> tuple[int, bool]:
    """Returns the leader to elect, and whether its election is unclean.

    Replicas are tried in the order of rules 4.9 and 4.10.
    """

    order = (partition.leader, *target.replicas)
    if rules.election is Election.PREFERRED and target.replicas:
        order = (target.replicas[0], *order)
    eligible = target.isr or target.elr  # rule 4.8
    for replica in order:
        if replica in eligible and acceptable(replica):
            return replica, False
    if _may_elect_last_known(partition, target, rules, acceptable):
        return partition.last_known_elr[0], True
    if rules.election is Election.UNCLEAN:
        for replica in target.replicas:
            if acceptable(replica):
                return replica, True
    return NO_LEADER, False


def _may_elect_last_known(
    partition: Partition, target: Target, rules: Rules, acceptable: Callable[[int], bool]
) -> bool:
    """True if the last known leader may be elected (rule 4.28).

    It must be live, which Kafka does not check (KAFKA-19522).
    """
    return (
        rules.elr_enabled
        and not target.isr
        and not target.elr
        and len(partition.last_known_elr) == 1
        and acceptable(partition.last_known_elr[0])
    )
