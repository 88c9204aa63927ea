"""Bugs that lose stored messages, or what is decided from; `patch` is pytest's monkeypatch."""

from dataclasses import replace

from kraftsim.broker_agent.agent import Agent
from kraftsim.controller.core.brokers import registration
from kraftsim.controller.core.image import image_records, replay
from kraftsim.controller.core.log import records as r
from kraftsim.controller.core.partitions import alter_partition, broker_changes, election
from kraftsim.controller.raft import leading
from kraftsim.controller.raft.quorum import Quorum
from kraftsim.controller.time.timeline import NEVER_MS

# Stored messages


def any_replica_is_eligible(patch):
    elects = election.winner

    def winner(partition, target, rules, acceptable):
        for replica in target.replicas:
            if acceptable(replica):
                return replica, False
        return elects(partition, target, rules, acceptable)

    patch.setattr(election, "winner", winner)


def every_unclean_election_is_allowed(patch):
    patch.setattr(broker_changes, "allows_unclean", lambda state, topic: True)


def the_elr_is_never_emptied(patch):
    patch.setattr(broker_changes, "effective_min_isr", lambda state, topic, replicas: replicas)


def every_shutdown_is_clean(patch):
    patch.setattr(
        registration,
        "_cleanup",
        lambda state, stored, asked: broker_changes.without_broker(state, asked.broker_id),
    )


def any_member_is_eligible(patch):
    patch.setattr(alter_partition, "_all_eligible", lambda state, data: True)


# What controllers go by


def decides_from_old_isrs(patch):
    apply = replay.apply

    def buggy(image, record, **where):
        if not isinstance(record, r.PartitionChangeRecord):
            apply(image, record, **where)

    patch.setattr(replay, "apply", buggy)


def snapshots_without_brokers(patch):
    """Every broker is fenced in a snapshot."""
    written = image_records._registration
    patch.setattr(
        image_records,
        "_registration",
        lambda broker: written(replace(broker, fenced=True)),
    )


def leads_without_a_majority(patch):
    patch.setattr(leading, "_check_quorum_ms", lambda quorum, turn: NEVER_MS)


def names_the_shortest_log(patch):
    become = Quorum.become_resigned
    patch.setattr(
        Quorum, "become_resigned", lambda quorum, turn, keys: become(quorum, turn, keys[::-1])
    )


def reads_ahead(patch):
    patch.setattr(
        Agent, "metadata_offset", property(lambda agent: agent._fetch.applied_offset + 50)
    )
