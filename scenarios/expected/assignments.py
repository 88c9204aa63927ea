"""Requests about partitions: their ISRs, replicas, leaders and directories (section 4)."""

from dataclasses import replace

from kraftsim.controller.core import rpc
from kraftsim.controller.core.log.records import NO_LEADER, RECOVERED, RECOVERING
from kraftsim.controller.core.rpc.partitions import PREFERRED_ELECTION, UNCLEAN_ELECTION

from ..oracles.breach_words import words
from ..oracles.shadow import Fact, Key, Shadow
from .ask import Ask, Done, Draw, refused
from .brokers import STALE_BROKER_EPOCH, STRANGER
from .partition import ONLINE, PREFERRED, UNCLEAN, Changes, Ids, Wish, after, left_by
from .topics import INVALID_REPLICA_ASSIGNMENT, NEW, UNKNOWN_ID, UNKNOWN_TOPIC_ID
from .topics import UNKNOWN_TOPIC_OR_PARTITION as UNKNOWN_PARTITION
from .view import LOST, View

NOT_LEADER_OR_FOLLOWER, INVALID_REQUEST, NEW_LEADER_ELECTED = 6, 42, 108
PREFERRED_LEADER_NOT_AVAILABLE, ELIGIBLE_LEADERS_NOT_AVAILABLE, ELECTION_NOT_NEEDED = 80, 83, 84
NO_REASSIGNMENT_IN_PROGRESS, INVALID_REPLICATION_FACTOR = 85, 38


def _one(view: View, turn: int, *, led: bool) -> tuple[Key, Fact] | None:
    """Returns a partition, with a registered leader if `led`."""
    found = view.partitions
    if led:
        found = [(key, fact) for key, fact in found if view.is_active(fact["leader"])]
    return found[turn % len(found)] if found else None


def _news(view: View, key: Key, wish: Wish) -> Changes:
    new = after(view, key, wish)
    return {} if new is view.shadow.facts[key] else {key: new}


# AlterPartition (rules 4.34 to 4.36)


def proposed(
    shadow: Shadow, fact: Fact, number: int, isr: Ids, recovery: int = RECOVERED
) -> rpc.AlterPartitionData:
    """Returns a proposal for the present state of a partition, with the present epochs."""
    members = tuple(
        rpc.AlterPartitionBrokerState(
            broker_id=member, broker_epoch=(shadow.broker(member) or {}).get("broker_epoch", -1)
        )
        for member in isr
    )
    return rpc.AlterPartitionData(
        partition_index=number,
        leader_epoch=fact["leader_epoch"],
        new_isr=isr,
        new_isr_with_epochs=members,
        leader_recovery_state=recovery,
        partition_epoch=fact["partition_epoch"],
    )


def _proposal(
    view: View, key: Key, isr: Ids, recovery: int = RECOVERED
) -> rpc.AlterPartitionRequest:
    fact = view.shadow.facts[key]
    data = proposed(view.shadow, fact, int(str(key[2])), isr, recovery)
    return rpc.AlterPartitionRequest(
        broker_id=fact["leader"],
        broker_epoch=(view.shadow.broker(fact["leader"]) or {}).get("broker_epoch", -1),
        topics=(rpc.AlterPartitionTopic(topic_id=_id(key), partitions=(data,)),),
    )


def _id(key: Key) -> bytes:
    topic_id = key[1]
    return topic_id if isinstance(topic_id, bytes) else b""


def _alter(view: View, turn: int) -> Ask | None:
    """The leader proposes an ISR: all active replicas, or itself alone, or one member less."""
    subject = _one(view, turn, led=True)
    if subject is None:
        return None
    key, old = subject
    alive = tuple(replica for replica in old["replicas"] if view.is_active(replica))
    proposals = (alive, (old["leader"],), tuple(alive[1:]), tuple(reversed(alive)))
    isr = proposals[turn // 2 % len(proposals)]
    if old["leader"] not in isr:
        isr = (*isr, old["leader"])
    if not {*isr} <= {*old["replicas"]}:
        return None  # the leader is no replica: it stays until its reassignment is complete
    new = after(view, key, Wish(isr=isr, recovery=RECOVERED))
    changes: Changes = {} if new is old else {key: new}

    def flaw(done: Done) -> str | None:
        (topic,) = done.reply.topics  # type: ignore[attr-defined]  # an AlterPartitionResponse
        (result,) = topic.partitions
        got = (result.leader_id, result.leader_epoch, result.isr, result.partition_epoch)
        told = (new["leader"], new["leader_epoch"], new["isr"], new["partition_epoch"])
        return None if got == told else f"the reply has {words(got)}, expected {words(told)}"

    request = _proposal(view, key, isr)
    what = "a proposed ISR"
    if new["leader"] == old["leader"] or new["leader_epoch"] == old["leader_epoch"]:
        return Ask(what, request, changes=changes, flaw=flaw)
    # A reassignment ends without its leader: the change is written (rule 4.36).
    return Ask(what, request, frozenset({NEW_LEADER_ELECTED}), changes)


def _alter_wrongly(view: View, turn: int) -> Ask | None:
    subject = _one(view, turn, led=True)
    if subject is None:
        return None
    key, old = subject
    isr: Ids = (old["leader"],)
    topic, partition = (UNKNOWN_ID, key[2]), (_id(key), 10_000)
    wrong = [
        ("of an unknown topic", topic, isr, RECOVERED, UNKNOWN_TOPIC_ID),
        ("of an unknown partition", partition, isr, RECOVERED, UNKNOWN_PARTITION),
        ("with a member twice", key[1:], isr + isr, RECOVERED, INVALID_REQUEST),
        ("without a member", key[1:], (), RECOVERED, INVALID_REQUEST),
        ("of another recovery state", key[1:], isr, 7, INVALID_REQUEST),
    ]
    if old["leader_recovery_state"] == RECOVERED and old["leader"] in old["replicas"]:
        wrong.append(("that begins a recovery", key[1:], isr, RECOVERING, INVALID_REQUEST))
    words, (topic_id, number), isr, recovery, code = wrong[turn % len(wrong)]
    asked = _proposal(view, key, isr, recovery)
    (data,) = asked.topics[0].partitions
    moved = replace(data, partition_index=int(str(number)))
    renamed = rpc.AlterPartitionTopic(topic_id=_id((0, topic_id)), partitions=(moved,))
    request = rpc.AlterPartitionRequest(
        broker_id=asked.broker_id, broker_epoch=asked.broker_epoch, topics=(renamed,)
    )
    return refused(f"a proposed ISR {words}", request, code)


# Reassignments (KIP-455)


def _reassignment(
    view: View, topic: str, number: object, replicas: Ids | None, *, keeps_factor: bool = False
) -> rpc.AlterPartitionReassignmentsRequest:
    wanted = rpc.ReassignablePartition(partition_index=int(str(number)), replicas=replicas)
    return rpc.AlterPartitionReassignmentsRequest(
        allow_replication_factor_change=not keeps_factor,
        topics=(rpc.ReassignableTopic(name=topic, partitions=(wanted,)),),
    )


def _reassign(view: View, turn: int) -> Ask | None:
    subject, known = _one(view, turn, led=False), [b["broker_id"] for b in view.brokers]
    if subject is None or not known:
        return None
    key, old = subject
    if any(_is_cordoned(view, broker_id) for broker_id in known):
        return None  # 4.4 refuses them (rule 4.55)
    length = 1 + turn % min(3, len(known))
    wanted = tuple((known * 2)[turn % len(known) :][:length])
    removing = tuple(sorted({*old["replicas"]} - {*wanted})) or old["removing_replicas"]
    adding = tuple(sorted({*wanted} - {*old["replicas"]})) or old["adding_replicas"]
    left = tuple(sorted({*old["replicas"]} - {*wanted}))
    changes = _news(
        view, key, Wish(replicas=wanted + left, removing=removing, adding=adding, election=ONLINE)
    )
    request = _reassignment(view, view.topic_of(key), key[2], wanted)
    return Ask("a reassignment", request, changes=changes)


def _is_cordoned(view: View, broker_id: int) -> bool:
    return bool((view.shadow.broker(broker_id) or {}).get("cordoned_log_dirs"))


def _cancel(view: View, turn: int) -> Ask | None:
    subject = _one(view, turn, led=False)
    if subject is None:
        return None
    key, old = subject
    topic, adding = view.topic_of(key), old["adding_replicas"]
    request = _reassignment(view, topic, key[2], None)
    what = "to cancel a reassignment"
    if not adding and not old["removing_replicas"]:
        return refused(what, request, NO_REASSIGNMENT_IN_PROGRESS)
    replicas = tuple(replica for replica in old["replicas"] if replica not in adding)
    isr = tuple(member for member in old["isr"] if member not in adding)
    may_lose = view.allows_unclean(topic)
    if not isr and (not may_lose or not replicas):
        return refused(what, request, INVALID_REPLICA_ASSIGNMENT)
    wish = Wish(
        isr=isr or replicas[:1],
        replicas=replicas,
        removing=(),
        adding=(),
        election=UNCLEAN if may_lose else ONLINE,
    )
    return Ask(what, request, changes=_news(view, key, wish))


def _reassign_wrongly(view: View, turn: int) -> Ask | None:
    subject = _one(view, turn, led=False)
    if subject is None or not view.brokers:
        return None
    key, old = subject
    topic, number, known = view.topic_of(key), key[2], view.brokers[0]["broker_id"]
    unknown, bad = UNKNOWN_PARTITION, INVALID_REPLICA_ASSIGNMENT
    wrong = [
        ("of an unknown topic", _reassignment(view, NEW, 0, (known,)), unknown),
        ("of an unknown partition", _reassignment(view, topic, 10_000, (known,)), unknown),
        ("to nobody", _reassignment(view, topic, number, ()), bad),
        ("to a stranger", _reassignment(view, topic, number, (STRANGER,)), bad),
        ("to a broker twice", _reassignment(view, topic, number, (known, known)), bad),
    ]
    if len(old["replicas"]) > 1 and not old["adding_replicas"] and not old["removing_replicas"]:
        kept = _reassignment(view, topic, number, (known,), keeps_factor=True)
        wrong.append(("that changes the number of replicas", kept, INVALID_REPLICATION_FACTOR))
    words, request, code = wrong[turn % len(wrong)]
    return refused(f"a reassignment {words}", request, code)


# Elections (rules 4.8 to 4.11)


def _elect(view: View, turn: int) -> Ask | None:
    subject = _one(view, turn, led=False)
    if subject is None:
        return None
    key, old = subject
    is_unclean = bool(turn % 2)
    kind, election = PREFERRED_ELECTION, PREFERRED
    missing, is_needed = PREFERRED_LEADER_NOT_AVAILABLE, old["leader"] not in old["replicas"][:1]
    if is_unclean:
        kind, election = UNCLEAN_ELECTION, UNCLEAN
        missing, is_needed = ELIGIBLE_LEADERS_NOT_AVAILABLE, old["leader"] == NO_LEADER
    named = rpc.ElectedTopicPartitions(topic=view.topic_of(key), partitions=(int(str(key[2])),))
    request = rpc.ElectLeadersRequest(election_type=kind, topic_partitions=(named,))
    what = f"an election ({election})"
    if not is_needed:
        return refused(what, request, ELECTION_NOT_NEEDED)
    changes = _news(view, key, Wish(election=election))
    return Ask(what, request, changes=changes) if changes else refused(what, request, missing)


def _elect_unknown(view: View, turn: int) -> Ask | None:
    topic, number = NEW, 0
    if view.topics and turn % 2:
        topic, number = str(view.topics[0][1]["name"]), 10_000
    named = rpc.ElectedTopicPartitions(topic=topic, partitions=(number,))
    request = rpc.ElectLeadersRequest(election_type=turn // 2 % 2, topic_partitions=(named,))
    return refused("an election of an unknown partition", request, UNKNOWN_PARTITION)


# Directories (KIP-858, rule 4.38)


def _assign(view: View, turn: int) -> Ask | None:
    subject = _one(view, turn, led=False)
    if subject is None or not view.has_directories:
        return None
    key, old = subject
    broker = view.shadow.broker(old["replicas"][turn % len(old["replicas"])])
    if broker is None or not broker["log_dirs"]:
        return None
    broker_id, is_lost = broker["broker_id"], turn % 3 == 2
    directory = LOST if is_lost else broker["log_dirs"][0]
    request = _assignment(broker, broker["broker_epoch"], key, directory)
    what = "a directory of a replica"
    if turn % 5 == 4:
        stale = _assignment(broker, broker["broker_epoch"] - 1, key, directory)
        return refused(f"{what}, by an earlier incarnation", stale, STALE_BROKER_EPOCH)
    wish = Wish(
        election=ONLINE,
        directories={broker_id: directory},
        keeps_elr=view.profile.assignment_keeps_elr,
    )
    changes = _news(view, key, wish)
    if is_lost and (changes or left_by(view, broker_id, [key])):
        return None  # Kafka changes such a partition twice, from one state
    return Ask(what, request, changes=changes)


def _assign_wrongly(view: View, turn: int) -> Ask | None:
    subject = _one(view, turn, led=False)
    if subject is None or not view.has_directories:
        return None
    key, old = subject
    broker = next(iter(view.brokers_that(lambda b: bool(b["log_dirs"]))), None)
    if broker is None:
        return None
    wrong: list[tuple[str, Key, int]] = [
        ("an unknown topic", ("Partition", UNKNOWN_ID, 0), UNKNOWN_TOPIC_ID),
        ("an unknown partition", ("Partition", key[1], 10_000), UNKNOWN_PARTITION),
    ]
    if broker["broker_id"] not in old["replicas"]:
        wrong.append(("another broker's replica", key, NOT_LEADER_OR_FOLLOWER))
    words, asked, code = wrong[turn % len(wrong)]
    directory = broker["log_dirs"][0]
    request = _assignment(broker, broker["broker_epoch"], asked, directory)
    return refused(f"a directory of {words}", request, code)


def _assignment(
    broker: Fact, epoch: int, key: Key, directory: bytes
) -> rpc.AssignReplicasToDirsRequest:
    partition = rpc.AssignedPartition(partition_index=int(str(key[2])))
    topic = rpc.AssignedTopic(topic_id=_id(key), partitions=(partition,))
    return rpc.AssignReplicasToDirsRequest(
        broker_id=broker["broker_id"],
        broker_epoch=epoch,
        directories=(rpc.AssignedDirectory(id=directory, topics=(topic,)),),
    )


DRAWS: tuple[Draw, ...] = (
    _alter,
    _alter_wrongly,
    _reassign,
    _cancel,
    _reassign_wrongly,
    _elect,
    _elect_unknown,
    _assign,
    _assign_wrongly,
)
