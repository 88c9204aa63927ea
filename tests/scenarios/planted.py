"""Bugs, one for each property: where the code is broken, by an entry of a table or by a function
that is put in another's place. `patch` is pytest's monkeypatch."""

from dataclasses import replace
from itertools import count

from kraftsim.broker_agent.agent import Agent
from kraftsim.controller.core.brokers import fencing, heartbeats, registration, unregistration
from kraftsim.controller.core.cluster import describe_cluster
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.handlers import HANDLERS
from kraftsim.controller.core.image import replay
from kraftsim.controller.core.image.broker import registration_of
from kraftsim.controller.core.leases import Leases, Liveness
from kraftsim.controller.core.log import records as r
from kraftsim.controller.core.partitions import broker_changes
from kraftsim.controller.core.rpc import (
    BrokerHeartbeatRequest,
    BrokerRegistrationRequest,
    CreateTopicsRequest,
    UnregisterBrokerRequest,
    UnregisterBrokerResponse,
)
from kraftsim.controller.core.state import Decision
from kraftsim.controller.node import deferred
from kraftsim.controller.raft import describe_quorum, elections, following, leading
from kraftsim.controller.raft.protocol import ElectionState
from kraftsim.controller.raft.quorum import Quorum


def rewritten(patch, request, kind, change):
    """The handler of `request` says something else wherever it would write a record of `kind`."""
    handler = HANDLERS[request]

    def buggy(state, asked, now_ms):
        decision = handler(state, asked, now_ms)
        records = tuple(
            change(record) if isinstance(record, kind) else record for record in decision.records
        )
        return decision._replace(records=tuple(record for record in records if record is not None))

    patch.setitem(HANDLERS, request, buggy)


def meddling(patch, request, meddle):
    """The handler of `request` touches what is soft before it looks whether it should."""
    handler = HANDLERS[request]

    def buggy(state, asked, now_ms):
        meddle(state, asked, now_ms)
        return handler(state, asked, now_ms)

    patch.setitem(HANDLERS, request, buggy)


def next_state(patch, change):
    decides = heartbeats._next_state

    def buggy(state, broker, liveness, current, request):
        return change(decides(state, broker, liveness, current, request), current)

    patch.setattr(heartbeats, "_next_state", buggy)


# The quorum


def two_votes(patch):
    """Every write of the vote forgets whom it was given to, and names somebody else."""
    numbers = count(7000)

    def note(quorum, turn):
        voted = quorum.voted and quorum.voted._replace(node_id=next(numbers))
        quorum.durable = turn.election = ElectionState(quorum.epoch, quorum.leader_id, voted)

    patch.setattr(Quorum, "_note_election", note)


def epoch_not_on_disk(patch):
    patch.setattr(Quorum, "_note_election", lambda quorum, turn: None)


def follower_changes_batches(patch, **changes):
    accept = Quorum.accept

    def buggy(quorum, batch, turn):
        changed = {name: change(getattr(batch, name)) for name, change in changes.items()}
        accept(quorum, batch if quorum.is_leader else replace(batch, **changed), turn)

    patch.setattr(Quorum, "accept", buggy)


def follower_changes_stamps(patch):
    follower_changes_batches(patch, timestamp_ms=lambda stamp_ms: stamp_ms + 1)


def follower_changes_epochs(patch):
    follower_changes_batches(patch, epoch=lambda epoch: 0)


def commits_alone(patch):
    patch.setattr(leading, "_end_offset", lambda quorum, role, node_id: quorum.persisted_offset)


def votes_for_short_logs(patch):
    grants = elections._grants

    def blind(quorum, request, candidate):
        log, quorum.log = quorum.log, type(quorum.log)()
        granted = grants(quorum, request, candidate)
        quorum.log = log
        return granted

    patch.setattr(elections, "_grants", blind)


def grants_nobody(patch):
    patch.setattr(elections, "_grants", lambda quorum, request, candidate: False)


def grants_anybody(patch):
    patch.setattr(elections, "_grants", lambda quorum, request, candidate: True)


def followers_never_commit(patch):
    patch.setattr(following, "advance", lambda quorum: None)


# The fold


def unfences_are_not_replayed(patch):
    applier = replay.APPLIERS[r.BrokerRegistrationChangeRecord]

    def buggy(image, record, *where):
        applier(image, replace(record, fenced=0), *where)

    patch.setitem(replay.APPLIERS, r.BrokerRegistrationChangeRecord, buggy)


def registrations_forget_what_was(patch):
    """Neither the start time of the incarnation nor who owns a directory."""

    def buggy(image, record, offset, timestamp_ms):
        image.own_brokers()[record.broker_id] = registration_of(record, None, offset, timestamp_ms)

    patch.setitem(replay.APPLIERS, r.RegisterBrokerRecord, buggy)


# Registration


def begins_unfenced(patch):
    rewritten(
        patch,
        BrokerRegistrationRequest,
        r.RegisterBrokerRecord,
        lambda record: replace(record, fenced=False),
    )


def changes_another_incarnation(patch):
    patch.setattr(replay, "_current", lambda image, broker_id, epoch: image.brokers[broker_id])
    rewritten(
        patch,
        BrokerHeartbeatRequest,
        r.BrokerRegistrationChangeRecord,
        lambda record: replace(record, broker_epoch=record.broker_epoch - 1),
    )


def no_session_is_valid(patch):
    patch.setattr(Leases, "has_valid_session", lambda *_: False)


def registering_is_a_contact_at_once(patch):
    meddling(
        patch,
        BrokerRegistrationRequest,
        lambda state, asked, now_ms: state.leases.note_contact(
            asked.broker_id, state.image.brokers[asked.broker_id].broker_epoch, now_ms
        ),
    )


def any_heartbeat_is_a_contact(patch):
    meddling(
        patch,
        BrokerHeartbeatRequest,
        lambda state, asked, now_ms: state.leases.note_contact(
            asked.broker_id, asked.broker_epoch, now_ms
        ),
    )


def answers_at_once(patch):
    patch.setattr(deferred.DeferredReplies, "add", lambda _, offset, token, reply: token(reply))


def directories_are_anybodys(patch):
    patch.setattr(registration, "_check_directories", lambda state, request: None)
    registrations_forget_what_was(patch)


def refuses_every_registration(patch):
    def buggy(state, asked, now_ms):
        raise ApiError(ErrorCode.DUPLICATE_BROKER_REGISTRATION, "somebody is there, always")

    patch.setitem(HANDLERS, BrokerRegistrationRequest, buggy)


# Leases


def sessions_are_half_as_long(patch):
    whole = Leases.first_expired

    def first_expired(leases, now_ms):
        return whole(leases, now_ms + leases._timeout_ms // 2)

    patch.setattr(Leases, "first_expired", first_expired)


def nothing_expires(patch):
    patch.setattr(fencing, "expire_one", lambda state, now_ms: None)


def unfences_at_once(patch):
    next_state(patch, lambda state, now: heartbeats.UNFENCED if now is heartbeats.FENCED else state)


def never_unfences(patch):
    next_state(patch, lambda state, now: heartbeats.FENCED if now is heartbeats.FENCED else state)


def never_lets_go(patch):
    over, leaving = heartbeats.SHUTDOWN_NOW, heartbeats.CONTROLLED_SHUTDOWN
    next_state(patch, lambda state, now: leaving if state is over else state)


def forgets_whom_it_takes_over(patch):
    """KAFKA-18138: leases begin with the first heartbeat."""

    def started(leases, registered, now_ms):
        leases.liveness.update({broker.broker_id: Liveness(broker.fenced) for broker in registered})

    patch.setattr(Leases, "started", started)


def moves_the_shutdown_offset(patch):
    """KAFKA-14292."""

    def shutting_down_from(leases, broker_id, offset):
        leases.liveness[broker_id].controlled_shutdown_offset = offset

    patch.setattr(Leases, "shutting_down_from", shutting_down_from)


def begins_shutdowns_elsewhere(patch, too_far):
    """Stores another offset for the begin of a controlled shutdown."""
    stored = Leases.shutting_down_from
    patch.setattr(
        Leases,
        "shutting_down_from",
        lambda leases, broker_id, offset: stored(leases, broker_id, offset + too_far),
    )


# Partitions


def fences_keep_leaderships(patch):
    patch.setattr(broker_changes, "without_broker", lambda state, broker_id: [])


def unregistering_keeps_references(patch):
    patch.setattr(unregistration, "_leave_partitions", lambda state, broker_id: [])


def counts_on_everybody(patch):
    """A new partition's replicas are all in sync, fenced or not."""
    rewritten(
        patch,
        CreateTopicsRequest,
        r.PartitionRecord,
        lambda record: replace(record, isr=record.replicas, leader=record.replicas[0]),
    )


def places_on_strangers(patch):
    rewritten(
        patch,
        CreateTopicsRequest,
        r.PartitionRecord,
        lambda record: replace(record, replicas=(*record.replicas, 99)),
    )


def says_that_it_left(patch):
    done = Decision(reply=UnregisterBrokerResponse())
    patch.setitem(HANDLERS, UnregisterBrokerRequest, lambda *_: done)


# What is told


def hides_a_controller(patch):
    describe = describe_cluster.describe_controllers

    def buggy(*image, **how):
        reply = describe(*image, **how)
        return replace(reply, brokers=reply.brokers[1:])

    patch.setattr(describe_cluster, "describe_controllers", buggy)


def sees_the_future(patch):
    state = describe_quorum._state

    def buggy(key, progress):
        told = state(key, progress)
        return replace(told, last_fetch_timestamp=told.last_fetch_timestamp + 60_000)

    patch.setattr(describe_quorum, "_state", buggy)


def never_answers(patch):
    patch.setattr(deferred.DeferredReplies, "released", lambda *_: ())


def answers_one_record_late(patch):
    released = deferred.DeferredReplies.released
    patch.setattr(deferred.DeferredReplies, "released", lambda kept, end: released(kept, end - 1))


def heartbeats_without_pause(patch):
    succeeded = Agent._succeeded

    def buggy(agent, now_ms):
        succeeded(agent, now_ms)
        agent._lease.schedule(now_ms + 10)

    patch.setattr(Agent, "_succeeded", buggy)
