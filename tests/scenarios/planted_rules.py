"""Bugs against the rules of single requests: a wrong reply, a wrong question, a check that is left
out. `patch` is pytest's monkeypatch."""

from dataclasses import replace

from kraftsim.broker_agent.agent import Agent
from kraftsim.controller.core.brokers import producer_ids
from kraftsim.controller.core.image.partition_index import KeySets, PartitionIndex
from kraftsim.controller.core.partitions import periodic, reassignment
from kraftsim.controller.node.periodic_tasks import PeriodicTasks
from kraftsim.controller.raft import following, messages, snapshots
from kraftsim.controller.raft.voters import VoterSet


def reassigns_to_anybody(patch):
    patch.setattr(reassignment, "check_manual_replicas", lambda state, ids, count=None: None)


def gives_ids_to_another_broker(patch):
    """The record of a block of producer ids names the next broker as its owner."""
    written = producer_ids.ProducerIdsRecord

    def buggy(broker_id, **fields):
        return written(broker_id=broker_id + 1, **fields)

    patch.setattr(producer_ids, "ProducerIdsRecord", buggy)


def names_the_next_epoch(patch):
    results = messages._epoch_results

    def buggy(quorum, error):
        (topic,) = results(quorum, error)
        (partition,) = topic.partitions
        wrong = replace(partition, leader_epoch=partition.leader_epoch - 1)
        return (replace(topic, partitions=(wrong,)),)

    patch.setattr(messages, "_epoch_results", buggy)


def fetches_as_if_nothing_were_committed(patch):
    fetch = messages.fetch_request

    def buggy(quorum, max_wait_ms):
        request = fetch(quorum, max_wait_ms)
        (topic,) = request.topics
        (partition,) = topic.partitions
        wrong = replace(topic, partitions=(replace(partition, high_watermark=0),))
        return replace(request, topics=(wrong,))

    patch.setattr(following.messages, "fetch_request", buggy)


def registers_without_its_rack(patch):
    register = Agent._registration

    def buggy(agent):
        return replace(register(agent), rack="nowhere")

    patch.setattr(Agent, "_registration", buggy)


def adds_a_voter_elsewhere(patch):
    """A new voter gets an address that nobody named."""
    with_voter = VoterSet.with_voter

    def buggy(voters, voter):
        (place,) = voter.endpoints
        return with_voter(voters, replace(voter, endpoints=(replace(place, port=1),)))

    patch.setattr(VoterSet, "with_voter", buggy)


def downloads_any_snapshot(patch):
    def buggy(quorum, snapshot_id):
        quorum.begin_download(snapshot_id)
        return True

    patch.setattr(snapshots, "begin", buggy)


def removes_any_voter(patch):
    """A leader removes a voter although it is asked for another directory."""
    patch.setattr(VoterSet, "includes", lambda voters, key: True)


def forgets_no_leader(patch):
    """A partition stays in the index of its former leader."""
    patch.setattr(KeySets, "discard", lambda sets, broker_id, key: None)


def _without_updates_of(sets):
    """A bug that leaves these sets of the index as they are when a partition changes."""

    def plant(patch):
        replace_partition = PartitionIndex._replace

        def buggy(index, key, old, new):
            kept = getattr(index, sets).copy()
            replace_partition(index, key, old, new)
            setattr(index, sets, kept)

        patch.setattr(PartitionIndex, "_replace", buggy)

    return plant


STALE_SETS = {
    sets: _without_updates_of(sets)
    for sets in ("_hosted", "_in_isr", "_in_elr", "_led", "_imbalanced", "_reassigning")
}


def never_elects_by_itself(patch):
    patch.setattr(periodic, "_elections", lambda state, keys, election: ())


def balances_at_once(patch):
    """The first run does not wait for its interval."""
    begin = PeriodicTasks.__init__

    def buggy(tasks, settings, now_ms):
        begin(tasks, settings, now_ms)
        tasks._due_ms = dict.fromkeys(tasks._due_ms, min(now_ms, tasks.deadline_ms))

    patch.setattr(PeriodicTasks, "__init__", buggy)
