"""Bugs by which stored messages would be lost: elections, ISRs, and eligible leader replicas."""

from typing import Any

from kraftsim.broker_agent.hosted_agent import HostedAgent
from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.brokers import registration
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.partitions import alter_partition, broker_changes, election
from kraftsim.controller.core.state import State

from .mutant import Swaps, mutant


@mutant(
    "M95",
    "A forbidden unclean election falls back to any live replica",
    defect="textbook: unclean.leader.election.enable=false not read",
    scenario="forbidden-unclean-election",
    broken="leaders-were-eligible",
)
def always_allows_unclean(swaps: Swaps) -> None:
    """Allows unclean elections for every topic."""
    swaps.attribute(broker_changes, "allows_unclean", lambda state, topic: True)


@mutant(
    "M96",
    "A broker stays in the ELR over an unclean restart",
    defect="KIP-966: an unclean shutdown that only leaves the ISR",
    scenario="forbidden-unclean-election",
    broken="unclean-restart-leaves-elr",
)
def unclean_stays_in_elr(swaps: Swaps) -> None:
    """Handles every registration as that of a broker with a clean shutdown."""

    def cleanup(state: State, stored: Any, request: Any) -> Any:
        return broker_changes.without_broker(state, request.broker_id)

    swaps.attribute(registration, "_cleanup", cleanup)


@mutant(
    "M97",
    "A leader is elected from outside of ISR and ELR, as if it had been in them",
    defect="textbook: the first live replica leads",
    scenario="forbidden-unclean-election",
    broken="leaders-were-eligible",
)
def any_replica_is_eligible(swaps: Swaps) -> None:
    """Elects the first acceptable replica, and declares a clean election."""
    elects = election.winner

    def winner(partition: Any, target: Any, rules: Any, acceptable: Any) -> tuple[int, bool]:
        for replica in (partition.leader, *target.replicas):
            if acceptable(replica):
                if replica not in target.isr:
                    target.isr = (*target.isr, replica)
                return replica, False
        return elects(partition, target, rules, acceptable)

    swaps.attribute(election, "winner", winner)


@mutant(
    "M98",
    "AlterPartition does not compare the partition epoch",
    defect="textbook: compare-and-set without compare (KIP-497)",
    scenario="broker-crash-fenced",
    broken="rude-requests-are-refused",
)
def ignores_partition_epoch(swaps: Swaps) -> None:
    """Accepts a proposal with any partition epoch."""
    _forgives(swaps, ErrorCode.INVALID_UPDATE_VERSION)


@mutant(
    "M99",
    "AlterPartition does not compare the epochs of ISR members",
    defect="KAFKA-14133, KIP-903: a restarted broker enters the ISR",
    scenario="broker-crash-fenced",
    broken="rude-requests-are-refused",
)
def ignores_member_epochs(swaps: Swaps) -> None:
    """Accepts every active member, whatever its epoch."""

    def buggy(state: State, data: Any) -> bool:
        return all(
            state.image.is_active(member.broker_id) for member in alter_partition._proposed(data)
        )

    swaps.attribute(alter_partition, "_all_eligible", buggy)


@mutant(
    "M100",
    "A leader of an earlier epoch changes the ISR",
    defect="textbook: a zombie leader is not fenced",
    scenario="broker-crash-fenced",
    broken="rude-requests-are-refused",
)
def ignores_leader_epoch(swaps: Swaps) -> None:
    """Accepts a proposal with an older leader epoch."""
    _forgives(swaps, ErrorCode.FENCED_LEADER_EPOCH)


@mutant(
    "M101",
    "Members stay in the ELR although the ISR has min ISR members",
    defect="KIP-966: the ELR is not emptied at min ISR",
    scenario="forbidden-unclean-election",
    broken="members-have-caught-up",
)
def keeps_full_elr(swaps: Swaps) -> None:
    """Keeps an ELR as if min ISR were the number of replicas."""
    swaps.attribute(broker_changes, "effective_min_isr", lambda state, topic, replicas: replicas)


@mutant(
    "M102",
    "A killed broker reports a clean shutdown",
    defect="textbook: the clean shutdown file is written at start",
    scenario="forbidden-unclean-election",
    broken="acknowledged-survives",
)
def crashes_look_clean(swaps: Swaps) -> None:
    """Lets a killed process leave the file of a clean shutdown, with its broker epoch."""
    kill = HostedAgent.kill

    def buggy(hosted: HostedAgent) -> None:
        was_in_service = hosted.agent.state is ProcessState.RUNNING
        kill(hosted)
        if was_in_service:
            hosted._clean_epoch = hosted.agent.broker_epoch

    swaps.attribute(HostedAgent, "kill", buggy)


def _forgives(swaps: Swaps, forgiven: ErrorCode) -> None:
    """Treats an AlterPartition whose first error is `forgiven` as if it had none."""
    checks = alter_partition._error

    def buggy(state: State, broker_id: int, partition: Any, data: Any) -> ErrorCode:
        error = checks(state, broker_id, partition, data)
        return ErrorCode.NONE if error is forgiven else error

    swaps.attribute(alter_partition, "_error", buggy)
