"""The same properties, told without care for cost: everything that was ever seen is kept, and after
every event each rule is read from scratch over all of it.

What is committed is folded by the core's own image here, and by the shadow there; contacts are a
list that is searched here, and one number a broker there.
"""

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

from kraftsim.controller.core.image import replay
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.image.loader import Loader
from kraftsim.controller.core.log import records as r
from kraftsim.controller.core.node_id import controller_node
from kraftsim.controller.core.rpc import BrokerHeartbeatRequest, VoteRequest
from kraftsim.scenarios.oracles.tenure import fenced_by, unfenced_by


class Seen(NamedTuple):
    """One step of one controller, with all that matters of it."""

    node_id: int
    life: int
    epoch: int
    leads: bool
    leader_id: int
    disk: object
    watermark: int
    end_offset: int
    wrote: tuple
    cut_at: int | None
    holders: int


class Heard(NamedTuple):
    at_ms: int
    node_id: int
    request: BrokerHeartbeatRequest


@dataclass
class Wrote:
    """A record that an active controller appended; `before` is what it knew of the broker, `began`
    when its tenure began."""

    at_ms: int
    node_id: int
    began_ms: int
    record: object
    before: object


class Naive:
    """`broken` are the numbers of the rules that do not hold by now."""

    def __init__(self, world):
        self.world = world
        self.seen, self.heard, self.wrote = [], [], []
        self.asked = set()  # (voter, epoch, candidate)
        self.lives, self.nodes = Counter(), {}
        self.entries = []  # (who wrote it, whom it takes for the leader, (offset, epoch), batch)
        self.claims = {}  # node_id -> (epoch, at_ms)
        self.images = {}  # node_id -> the active image before this step
        self.broken = set()
        self.folded_to = -1
        world.step_listeners.append(self.step)
        world.network.arrived.append(self.arrive)

    def arrive(self, message):
        process = self.world.controller_of(message.receiver)
        if isinstance(message.request, VoteRequest):
            votes = (vote for topic in message.request.topics for vote in topic.partitions)
            self.asked |= {
                (message.receiver.number, vote.replica_epoch, vote.replica_id)
                for vote in votes
                if not vote.pre_vote
            }
        if (
            isinstance(message.request, BrokerHeartbeatRequest)
            and not message.is_reply
            and process.state == "RUNNING"
        ):
            now_ms = self.world.clock_ms(message.receiver)
            self.heard.append(Heard(now_ms, message.receiver.number, message.request))

    def step(self, node, turn):
        node_id = node.config.node_id
        if self.nodes.get(node_id) is not node:
            self.nodes[node_id] = node
            self.lives[node_id] += 1
        self.note(node, turn)
        self.broken |= {number for number, holds in RULES.items() if not holds(self)}
        end_offset = self.world.committed_log.end_offset
        if end_offset != self.folded_to:
            self.folded_to = end_offset
            self.broken |= broken_in(self.world.committed_log)

    def note(self, node, turn):
        quorum, node_id = node.quorum, node.config.node_id
        self.seen.append(
            Seen(
                node_id,
                self.lives[node_id],
                quorum.epoch,
                quorum.is_leader,
                quorum.leader_id,
                quorum.durable,
                quorum.high_watermark,
                quorum.log.end_offset,
                tuple((write.base_offset, write.epoch) for write in turn.persist),
                turn.truncate_to,
                self.holders(quorum),
            )
        )
        self.note_writing(node, turn)

    def holders(self, quorum):
        """How many voters have what lies below this high watermark."""
        offset = quorum.high_watermark - 1
        mine = entry_at(quorum.log, offset)
        return sum(
            entry_at(self.world.controllers[node_id].node.log, offset) in (mine, "snapshot")
            for node_id in quorum.voters.ids
        )

    def note_writing(self, node, turn):
        node_id = node.config.node_id
        now_ms = self.world.clock_ms(controller_node(node_id))
        if not node.is_active:
            self.claims.pop(node_id, None)
            return
        claim = self.claims.get(node_id)
        if claim is None or claim[0] != node.epoch:
            self.claims[node_id] = node.epoch, now_ms
        else:
            image = self.images[node_id]
            for batch in turn.persist:
                for record in () if batch.is_control else batch.records:
                    broker_id = getattr(record, "broker_id", getattr(record, "id", None))
                    before = image.brokers.get(broker_id)
                    self.wrote.append(Wrote(now_ms, node_id, claim[1], record, before))
        self.images[node_id] = node.latest.copy()


def entry_at(log, offset):
    if offset < log.start_offset:
        return "snapshot"
    if offset >= log.end_offset:
        return None
    batch = log.read(offset, 1)[0]
    return batch.base_offset, batch.epoch


# The quorum


def one_leader_an_epoch(all_of):
    led = {(node.epoch, node.node_id) for node in all_of.seen if node.leads}
    return len(led) == len({epoch for epoch, _ in led})


def epochs_grow(all_of):
    known = Counter()
    for node in all_of.seen:
        if node.epoch < known[node.node_id] or node.disk.epoch != node.epoch:
            return False
        known[node.node_id] = node.epoch
    return True


def votes_are_one(all_of):
    given = {
        (node.node_id, node.disk.epoch, node.disk.voted) for node in all_of.seen if node.disk.voted
    }
    asked = all(
        voter == voted.node_id or (voter, epoch, voted.node_id) in all_of.asked
        for voter, epoch, voted in given
    )
    return asked and len(given) == len({(node_id, epoch) for node_id, epoch, _ in given})


def logs_match(all_of):
    """Of the same entry, everything before it that both logs have."""
    logs = [process.node.log for process in all_of.world.controllers.values()]
    for mine, theirs in combinations(logs, 2):
        shared = {(batch.base_offset, batch.epoch): batch for batch in theirs.batches}
        places = [place for place, batch in enumerate(mine.batches) if is_in(batch, shared)]
        last = max(places, default=-1)
        first = max(mine.start_offset, theirs.start_offset)
        for batch in mine.batches[: last + 1]:
            twin = shared.get((batch.base_offset, batch.epoch))
            if batch.base_offset >= first and twin != batch:
                return False
    return True


def is_in(batch, shared):
    return (batch.base_offset, batch.epoch) in shared


def watermarks_grow(all_of):
    known, highest = Counter(), 0
    majority = len(all_of.world.controllers) // 2 + 1
    for node in all_of.seen:
        life = node.node_id, node.life
        if node.watermark < known[life] or node.watermark > node.end_offset:
            return False
        if node.watermark > highest:
            if node.leader_id != node.node_id or node.holders < majority:
                return False
            highest = node.watermark
        known[life] = node.watermark
    return True


def leaders_are_complete(all_of):
    committed = all_of.world.committed_log
    newest = max((node.epoch for node in all_of.seen), default=0)
    for process in all_of.world.controllers.values():
        quorum = process.node.quorum
        if not (process.is_alive and quorum.is_leader and quorum.epoch == newest):
            continue
        for batch in committed.batches:
            if batch.base_offset >= quorum.log.start_offset:
                here = batch.base_offset, batch.epoch
                if entry_at(quorum.log, batch.base_offset) != here:
                    return False
    return True


def writers_lead(all_of):
    written = set()
    before = {}
    for node in all_of.seen:
        led = node.epoch if node.leader_id == node.node_id else None
        if led is not None and node.cut_at is not None and before.get(node.node_id) == led:
            return False
        before[node.node_id] = led
        for here in node.wrote:
            if here not in written and here[1] != led:
                return False
            written.add(here)
    return True


# Leases


def last_contact(all_of, wrote):
    """The last heartbeat of this incarnation that this controller has heard, or its claim."""
    times = [
        message.at_ms
        for message in all_of.heard
        if message.node_id == wrote.node_id
        and message.request.broker_id == wrote.before.broker_id
        and message.request.broker_epoch == wrote.before.broker_epoch
        and wrote.began_ms <= message.at_ms <= wrote.at_ms
    ]
    return max(times, default=wrote.began_ms)


def said_now(all_of, wrote):
    return [
        message.request
        for message in all_of.heard
        if message.node_id == wrote.node_id
        and message.at_ms == wrote.at_ms
        and message.request.broker_id == wrote.before.broker_id
        and message.request.broker_epoch == wrote.before.broker_epoch
    ]


def nobody_is_fenced_early(all_of):
    session_ms = all_of.world.topology.settings.broker_session_timeout_ms
    for wrote in all_of.wrote:
        if fenced_by(wrote.record) is None or wrote.before is None:
            continue
        if any(entry.want_fence or entry.want_shut_down for entry in said_now(all_of, wrote)):
            continue
        if wrote.at_ms - last_contact(all_of, wrote) < session_ms:
            return False
    return True


def unfences_are_wished(all_of):
    return all(
        any(
            entry.current_metadata_offset >= wrote.before.register_offset
            and not (entry.want_fence or entry.want_shut_down)
            for entry in said_now(all_of, wrote)
        )
        for wrote in all_of.wrote
        if unfenced_by(wrote.record) is not None and wrote.before is not None
    )


RULES = {
    "S1": one_leader_an_epoch,
    "S2": epochs_grow,
    "S3": votes_are_one,
    "S4": logs_match,
    "S6": watermarks_grow,
    "S7": leaders_are_complete,
    "S8": writers_lead,
    "S18": nobody_is_fenced_early,
    "S21": unfences_are_wished,
}


# The committed log


def broken_in(log):
    """Every rule of the committed log, from its first batch on."""
    broken, loader, highest = set(), Loader(), -1
    for batch in log.batches:
        if batch.is_control:
            loader.load(batch)
            continue
        for offset, record in enumerate(batch.records, batch.base_offset):
            image = loader.image
            broken |= broken_by(image, record, offset, highest)
            if isinstance(record, r.RegisterBrokerRecord):
                highest = max(highest, record.broker_epoch)
            replay.apply(
                image, record, offset=offset, epoch=batch.epoch, timestamp_ms=batch.timestamp_ms
            )
        broken |= broken_after(loader.image, batch)
    return broken


def broken_by(image: Image, record, offset, highest):
    broken = set()
    match record:
        case r.RegisterBrokerRecord():
            known = image.brokers.get(record.broker_id)
            if known is not None and known.incarnation_id == record.incarnation_id:
                names = ("broker_epoch", "fenced", "in_controlled_shutdown")
                if any(getattr(known, name) != getattr(record, name) for name in names):
                    broken.add("S10")
            elif not highest < record.broker_epoch <= offset or not record.fenced:
                broken.add("S10")
        case r.BrokerRegistrationChangeRecord() | r.UnregisterBrokerRecord():
            known = image.brokers.get(record.broker_id)
            if known is None or known.broker_epoch != record.broker_epoch:
                broken.add("S11")
        case r.PartitionRecord():
            if any(replica not in image.brokers for replica in record.replicas):
                broken.add("S27")
    return broken


def broken_after(image: Image, batch):
    broken = set()
    for topic in image.topics.values():
        for partition in topic.partitions.values():
            broken |= broken_at(image, partition)
    for record in batch.records:
        if isinstance(record, r.UnregisterBrokerRecord):
            broken |= left_behind(image, record.broker_id, batch)
        leader = getattr(record, "leader", -1)
        if leader >= 0 and (leader not in image.brokers or image.brokers[leader].fenced):
            broken.add("S20")
    return broken


def broken_at(image: Image, partition):
    leader, isr = partition.leader, partition.isr
    leads = leader in isr or (not isr and leader in partition.elr)
    if leader != -1 and (not leads or leader not in image.brokers or image.brokers[leader].fenced):
        return {"S25"}
    alone = len(isr) == 1 and leader in (-1, *isr)
    if not alone and not all(image.is_active(broker_id) for broker_id in isr):
        return {"S25"}
    return set()


def left_behind(image: Image, broker_id, batch):
    decommissions = any(getattr(record, "replicas", None) is not None for record in batch.records)
    for topic in image.topics.values():
        for value in topic.partitions.values():
            named = {value.leader, *value.isr}
            named |= {*value.elr, *value.replicas} if decommissions else set()
            alone = value.leader == -1 and value.isr == (broker_id,)
            if broker_id in named and (decommissions or not alone):
                return {"S26"}
    return set()


COVERED = {*RULES, "S10", "S11", "S20", "S25", "S26", "S27"}
