"""What happens to a cluster so that a planted bug shows, and which life shows which bug."""

from dataclasses import replace

from kraftsim.controller.core.rpc import (
    BrokerHeartbeatRequest,
    BrokerRegistrationRequest,
    UnregisterBrokerRequest,
    VoteRequest,
)
from kraftsim.controller.raft.protocol import Deadline
from kraftsim.controller.raft.roles import Leader
from kraftsim.controller.time.timeline import NEVER_MS
from kraftsim.simulation.message import Message
from kraftsim.simulation.network_rules import Block
from tests.scenarios import planted, planted_losses, planted_messages, planted_rules
from tests.scenarios.message_lives import (
    messages,
    messages_and_a_power_cut,
    messages_and_failovers,
    messages_and_retention,
    messages_below_min_isr,
    messages_beside_a_follower_that_returns,
    messages_beside_a_paused_follower,
    messages_of_a_leader_that_is_cut_off,
)
from tests.scenarios.request_worlds import begin
from tests.scenarios.watched import CLIENT, ask, describe, topic
from tests.worlds import create_topic, node, nodes, pass_time

SESSION_S = 9
BALANCED_S = 310  # after which the controller has given partitions back
HOUR_S = 3600  # after which a controller writes a snapshot


def active_id(world):
    return world.active.node.config.node_id


def follower_id(world):
    return next(controller for controller in world.controllers if controller != active_id(world))


def register(world, broker_id, **fields):
    """What the agent of broker 1 would say, but for `fields`."""
    agent = world.agents[1].agent
    request = replace(agent._registration(), broker_id=broker_id, **fields)
    assert isinstance(request, BrokerRegistrationRequest)
    world.send_request(CLIENT, request, lambda reply: None, active_id(world))


def heartbeat(world, broker_id, broker_epoch):
    request = BrokerHeartbeatRequest(
        broker_id=broker_id,
        broker_epoch=broker_epoch,
        current_metadata_offset=0,
        want_fence=False,
        want_shut_down=False,
    )
    world.send_request(CLIENT, request, lambda reply: None, active_id(world))


# What happens to a cluster with the bug


def nothing(world):
    pass_time(world, 5)


def a_kill(world):
    world.agents[1].kill()
    pass_time(world, 2 * SESSION_S + 3)


def a_kill_of_a_leader(world):
    create_topic(world, "led", (1, 2, 3))
    a_kill(world)


def a_leader_that_comes_back(world):
    a_kill_of_a_leader(world)
    pass_time(world, BALANCED_S)
    world.agents[1].start()
    pass_time(world, BALANCED_S)


def a_failover_after_a_leader_came_back(world):
    a_kill_of_a_leader(world)
    world.agents[1].start()
    pass_time(world, 10)
    a_failover(world)
    pass_time(world, BALANCED_S)


def a_failover(world):
    world.kill_controller(active_id(world))
    pass_time(world, 15)


def a_restart_at_once(world):
    world.agents[1].kill()
    world.agents[1].start()
    pass_time(world, 15)


def a_second_leader(world):
    follower = world.controllers[follower_id(world)]
    follower.node.quorum.role = Leader(0, NEVER_MS)
    follower.hosted.step(Deadline())


def an_isolated_voter(world):
    """From its leader only; the third one hears both."""
    leader, cut_off = node(active_id(world)), node(follower_id(world))
    pass_time(world, 3)
    world.network.cut |= {(leader, cut_off), (cut_off, leader)}
    pass_time(world, 15)


def a_voter_that_is_behind(world):
    """It alone is heard when it asks for votes, and lacks what was committed without it."""

    def stands(message):
        return message.sender in nodes(others) and not message.is_reply

    behind = world.controllers[follower_id(world)]
    leader = active_id(world)
    others = [
        controller for controller in world.controllers if controller != behind.node.config.node_id
    ]
    world.network.isolate(node(behind.node.config.node_id), nodes(others))
    create_topic(world, "missed", (1, 2, 3))
    world.kill_controller(leader)
    world.network.heal()
    world.network.add(
        Block(lambda message: isinstance(message.request, VoteRequest) and stands(message))
    )
    pass_time(world, 15)


def a_foreign_registration(world):
    register(world, 1, cluster_id="another", incarnation_id=b"f" * 16)
    pass_time(world, 1)


def a_refused_registration(world):
    register(world, 1, incarnation_id=b"r" * 16)
    pass_time(world, 1)


def a_stale_heartbeat(world):
    heartbeat(world, 1, 999)
    pass_time(world, 1)


def an_answer_without_a_majority(world):
    world.network.isolate(node(active_id(world)), nodes(world.controllers))
    ask(world, topic("unsafe"))
    pass_time(world, 1)


def a_borrowed_directory(world):
    register(world, 9, incarnation_id=b"b" * 16)
    pass_time(world, 1)


def the_same_incarnation_again(world):
    pass_time(world, 5)
    register(world, 1)
    pass_time(world, 1)


def a_topic_on_a_fenced_broker(world):
    a_kill(world)
    create_topic(world, "fenced", (1, 2))


def a_topic(world):
    create_topic(world, "new", (1, 2))


def a_long_shutdown(world):
    """Broker 2 lags, so that broker 1 has to wait for it."""
    create_topic(world, "led", (1, 2, 3))
    world.agents[2].pause()
    pass_time(world, 3)
    world.agents[1].stop()
    pass_time(world, 8)


def an_unregistration_of_a_leader(world):
    create_topic(world, "led", (1, 2, 3))
    unregister(world)


def unregister(world):
    ask(world, UnregisterBrokerRequest(broker_id=1))
    pass_time(world, 2 * SESSION_S + 3)


def a_stop(world):
    create_topic(world, "led", (1, 2, 3))
    world.agents[1].stop()
    pass_time(world, 2 * SESSION_S + 3)


def a_description(world):
    describe(world, active_id(world))
    pass_time(world, 1)


def a_long_wait(world):
    pass_time(world, 4 * SESSION_S)


def a_lost_leader(world):
    """Broker 2 misses records, and broker 1, which has them, dies."""
    create_topic(world, "led", (1, 2))
    world.agents[2].pause()
    pass_time(world, SESSION_S + 3)
    world.agents[1].kill()
    pass_time(world, SESSION_S + 3)
    world.agents[2].resume()
    pass_time(world, 5)


def a_stale_replica_alone(world):
    """Broker 1, which has the records, comes back."""
    a_lost_leader(world)
    world.agents[1].start()
    pass_time(world, 5)


def an_isolated_leader(world):
    pass_time(world, 1)
    leader = node(active_id(world))
    world.network.isolate(leader, nodes(world.controllers))
    pass_time(world, 6)


def a_stop_beside_a_voter_that_is_behind(world):
    world.pause_controller(follower_id(world))
    pass_time(world, 1)
    create_topic(world, "missed", (1, 2))
    pass_time(world, 1)
    world.controllers[active_id(world)].stop()
    pass_time(world, 1)


def many_topics(world):
    """As many commits as there are kinds of requests to ask (S41)."""
    for number in range(60):
        create_topic(world, f"asked-{number}", (1, 2))


def a_snapshot(world):
    pass_time(world, HOUR_S + 60)


def an_echo(world):
    """Somebody answers every message at once with another."""
    message = Message(CLIENT, node(1), UnregisterBrokerRequest(broker_id=1))
    world.network.delay_us = None
    left = iter(range(3000))

    def again():
        if next(left, None) is not None:
            world.network.carry(message, again)

    again()
    pass_time(world, 1)


def a_voter_that_leaves_and_returns(world):
    voter = follower_id(world)
    for verb in ("quorum.remove", "quorum.add"):
        begin(world, verb, {"on": voter})
        pass_time(world, 5)


def forged_replies(world):
    begin(world, "rpc.forge", {"api": "Fetch", "p": 0.5})
    pass_time(world, 5)


STARTING = {  # those that fall before the brokers of such a cluster are unfenced
    *("S2", "S3", "S4", "S5", "S6", "S8", "S9", "S10", "S11", "S21", "L3", "L7", "L8", "L9"),
    *("L12", "S43", "S44"),
}
PLANTED = {
    "S1": (None, a_second_leader),
    "S2": (planted.epoch_not_on_disk, nothing),
    "S3": (planted.two_votes, nothing),
    "S4": (planted.follower_changes_stamps, nothing),
    "S5": (planted.follower_changes_stamps, nothing),
    "S6": (planted.commits_alone, nothing),
    "S7": (planted.votes_for_short_logs, a_voter_that_is_behind),
    "S8": (planted.follower_changes_epochs, nothing),
    "S9": (planted.unfences_are_not_replayed, nothing),
    "S10": (planted.begins_unfenced, nothing),
    "S11": (planted.changes_another_incarnation, nothing),
    "S12": (planted.no_session_is_valid, a_restart_at_once),
    "S13": (planted.registering_is_a_contact_at_once, a_foreign_registration),
    "S14": (planted.registering_is_a_contact_at_once, a_refused_registration),
    "S15": (planted.any_heartbeat_is_a_contact, a_stale_heartbeat),
    "S16": (planted.answers_at_once, an_answer_without_a_majority),
    "S17": (planted.directories_are_anybodys, a_borrowed_directory),
    "S18": (planted.sessions_are_half_as_long, a_kill),
    "S19": (planted.nothing_expires, a_kill),
    "S20": (planted.counts_on_everybody, a_topic_on_a_fenced_broker),
    "S21": (planted.unfences_at_once, nothing),
    "S22": (planted.forgets_whom_it_takes_over, a_failover),
    "S23": (None, unregister),
    "S24": (planted.moves_the_shutdown_offset, a_long_shutdown),
    "S25": (planted.fences_keep_leaderships, a_kill_of_a_leader),
    "S26": (planted.unregistering_keeps_references, an_unregistration_of_a_leader),
    "S27": (planted.places_on_strangers, a_topic),
    "S28": (planted.hides_a_controller, a_description),
    "S29": (planted.sees_the_future, a_description),
    "S30": (planted.registrations_forget_what_was, the_same_incarnation_again),
    "S31": (planted_losses.any_replica_is_eligible, a_stale_replica_alone),
    "S32": (planted_losses.the_elr_is_never_emptied, a_stale_replica_alone),
    "S33": (planted_losses.any_replica_is_eligible, a_stale_replica_alone),
    "S34": (planted_losses.every_shutdown_is_clean, a_stale_replica_alone),
    "S35": (planted_losses.decides_from_old_isrs, a_kill_of_a_leader),
    "S36": (planted_losses.snapshots_without_brokers, a_snapshot),
    "S37": (planted_losses.leads_without_a_majority, an_isolated_leader),
    "S38": (planted_losses.names_the_shortest_log, a_stop_beside_a_voter_that_is_behind),
    "S39": (planted_losses.reads_ahead, nothing),
    "S40": (planted_losses.any_member_is_eligible, a_kill_of_a_leader),
    "S41": (planted_rules.reassigns_to_anybody, many_topics),
    "S42": (planted_rules.names_the_next_epoch, a_failover),
    "S43": (planted_rules.fetches_as_if_nothing_were_committed, nothing),
    "S44": (planted_rules.registers_without_its_rack, nothing),
    "S45": (planted_rules.adds_a_voter_elsewhere, a_voter_that_leaves_and_returns),
    "S46": (planted_rules.downloads_any_snapshot, forged_replies),
    "S47": (planted_rules.forgets_no_leader, a_kill_of_a_leader),
    "S48": (planted_rules.never_elects_by_itself, a_leader_that_comes_back),
    "S49": (planted_rules.balances_at_once, a_failover_after_a_leader_came_back),
    "S50": (planted_messages.gives_an_offset_twice, messages),
    "S51": (planted_messages.sets_timestamps, messages),
    "S52": (planted_messages.followers_forget_producers, messages_and_failovers),
    "S53": (planted_messages.retains_for_milliseconds, messages_and_retention),
    "S54": (planted_messages.copies_nothing, messages_and_failovers),
    "S55": (planted_messages.copies_nothing, messages_and_failovers),
    "S56": (planted_messages.waits_for_nobody, messages_beside_a_paused_follower),
    "S57": (planted_messages.mark_falls, messages_beside_a_follower_that_returns),
    "S58": (planted_messages.commits_below_min_isr, messages_below_min_isr),
    "S59": (planted_messages.claims_lost_tail, messages_and_a_power_cut),
    "S60": (planted_messages.loses_in_silence, messages_of_a_leader_that_is_cut_off),
    "L1": (planted.grants_nobody, a_failover),
    "L2": (planted.grants_anybody, an_isolated_voter),
    "L3": (planted.never_unfences, a_long_wait),
    "L4": (planted.nothing_expires, a_kill),
    "L5": (planted.never_lets_go, a_stop),
    "L6": (None, unregister),
    "L7": (planted.heartbeats_without_pause, a_long_wait),
    "L8": (planted.followers_never_commit, a_long_wait),
    "L9": (planted.never_answers, a_long_wait),
    "L10": (None, an_echo),
    "L11": (planted.says_that_it_left, unregister),
    "L12": (planted.refuses_every_registration, a_long_wait),
    "L13": (planted.answers_one_record_late, a_topic),
}
