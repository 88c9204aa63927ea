"""Topics that are created, grow and are deleted (rules 4.18, 4.39 to 4.62)."""

from base64 import urlsafe_b64encode
from collections import Counter

from kraftsim.controller.core.rpc import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfigEntry,
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
    CreateTopicsRequest,
    DeleteTopicsRequest,
    DeleteTopicState,
)
from kraftsim.controller.core.uuid import Uuid

from ..oracles.breach_words import differing, words
from ..oracles.shadow import Fact, Key
from .ask import Ask, Done, Draw, refused
from .brokers import STRANGER
from .partition import Changes, Ids
from .view import View

UNKNOWN_TOPIC_OR_PARTITION, INVALID_TOPIC_EXCEPTION, TOPIC_ALREADY_EXISTS = 3, 17, 36
INVALID_PARTITIONS, INVALID_REPLICATION_FACTOR, INVALID_REPLICA_ASSIGNMENT = 37, 38, 39
INVALID_CONFIG, INVALID_REQUEST, UNKNOWN_TOPIC_ID = 40, 42, 100
NEW = "asked-for"
NEW_NAMES = (NEW, "n.1", "n_1")  # the swarm creates and deletes topics with the last two names
TOPIC = 2  # the type of a topic's configurations
NAME_LENGTH_MAX = 249
# Kafka checks names in the order of a HashMap, in which "unknown" is behind the others (4.54).
UNKNOWN_CONFIGS = tuple(
    (words, tuple(CreatableTopicConfigEntry(name=name, value="1000") for name in names))
    for words, names in (
        ("a configuration that does not exist", ("x",)),
        (
            "a configuration that does not exist beside others",
            ("retention.ms", "segment.ms", "unknown"),
        ),
    )
)
UNKNOWN_ID: Uuid = bytes(15) + b"\x63"


def _create(*topics: CreatableTopic, validate_only: bool = False) -> CreateTopicsRequest:
    return CreateTopicsRequest(topics=topics, validate_only=validate_only)


def _usable(view: View) -> list[Fact] | None:
    """Returns the brokers on which replicas may be placed (rules 4.40, 4.41).

    None while a broker shuts down: a controller that became active since then does not know it,
    and places replicas on it.
    """
    if any(broker["in_controlled_shutdown"] for broker in view.brokers):
        return None
    return view.brokers_that(lambda broker: not _is_cordoned(broker))


def _is_cordoned(broker: Fact) -> bool:
    cordoned = broker["cordoned_log_dirs"] or ()
    return bool(broker["log_dirs"]) and {*broker["log_dirs"]} <= {*cordoned}


def _new_partition(view: View, replicas: Ids) -> Fact:
    """Returns the facts of a new partition (rules 4.18, 4.39, 4.50)."""
    isr = tuple(filter(view.is_active, replicas))
    directories = tuple(map(view.new_directory, replicas)) if view.has_directories else ()
    return {
        "replicas": replicas,
        "isr": isr,
        "leader": isr[0],
        "leader_epoch": 0,
        "partition_epoch": 0,
        "leader_recovery_state": 0,
        "adding_replicas": (),
        "removing_replicas": (),
        "eligible_leader_replicas": (),
        "last_known_elr": (),
        "directories": directories,
    }


def _misplaced(view: View, found: list[Fact], placed: list[Fact], factor: int) -> str | None:
    """Returns what is wrong with replicas that were placed on usable brokers (4.40 to 4.49)."""
    usable = {broker["broker_id"]: broker for broker in found}
    racks = len({broker["rack"] for broker in usable.values()})
    for fact in placed:
        replicas = fact["replicas"]
        if len({*replicas}) != factor or len(replicas) != factor or {*replicas} - {*usable}:
            return f"expected {factor} different usable brokers, got the replicas {words(replicas)}"
        if usable[replicas[0]]["fenced"]:
            return f"the first of {words(replicas)} is fenced"
        used = len({usable[replica]["rack"] for replica in replicas})
        if used < min(racks, factor):
            return f"{words(replicas)} are in {words(used)} of {words(racks)} racks"
        if fact != (expected := _new_partition(view, replicas)):
            return f"a new partition has {words(fact)}, expected {words(expected)}"
    first = Counter(fact["replicas"][0] for fact in placed)
    live = [broker for broker in usable.values() if not broker["fenced"]]
    if racks == 1 and max(first.values()) > -(-len(placed) // len(live)):
        return f"first replicas are not spread over {len(live)} brokers: {words(first)}"
    return None


def _create_placed(view: View, turn: int) -> Ask | None:
    usable, name = _usable(view), NEW_NAMES[turn % len(NEW_NAMES)]
    taken = {_without_dots(topic["name"]) for _, topic in view.topics}
    if usable is None or _without_dots(name) in taken:
        return None
    count, factor = 1 + turn % 4, 1 + turn % 3
    validates = turn % 5 == 4
    topic = CreatableTopic(name=name, num_partitions=count, replication_factor=factor)
    request = _create(topic, validate_only=validates)
    if factor > len(usable) or all(broker["fenced"] for broker in usable):
        return refused("a topic with too many replicas", request, INVALID_REPLICATION_FACTOR)

    def flaw(done: Done) -> str | None:
        (result,) = done.reply.topics  # type: ignore[attr-defined]  # a CreateTopicsResponse
        told = (result.name, result.num_partitions, result.replication_factor)
        if told != (name, count, factor):
            return f"the reply tells of {words(told)}, expected {words((name, count, factor))}"
        if validates:
            return (
                f"it is only validated, and writes {words(done.changes)}" if done.changes else None
            )
        topic = done.changes.get(("Topic", result.topic_id))
        if topic != {"name": name, "partitions": {*range(count)}}:
            return f"the topic is {words(topic)}"
        if not _is_random(result.topic_id):
            return f"the topic has the id {words(result.topic_id)}, which is no random one"
        placed = [fact for key, fact in done.changes.items() if key[0] == "Partition" and fact]
        if len(placed) != count or len(done.changes) != count + 1:
            return f"it changes {words(done.changes)}"
        return _misplaced(view, usable, placed, factor)

    return Ask("a topic whose replicas are placed", request, changes=None, flaw=flaw)


def _is_random(topic_id: bytes) -> bool:
    """Returns True for an id of version 4 whose text has no leading '-' (rule 6.1)."""
    version, variant = topic_id[6] >> 4, topic_id[8] >> 6
    text = urlsafe_b64encode(topic_id)
    return (version, variant) == (4, 2) and not text.startswith(b"-")


def _create_assigned(view: View, turn: int) -> Ask | None:
    """A request that names the replicas itself (rule 4.55)."""
    live = view.brokers_that(lambda broker: view.is_active(broker["broker_id"]))
    if not live or any(map(_is_cordoned, view.brokers)):
        return None
    first, last = live[turn % len(live)]["broker_id"], view.brokers[-1]["broker_id"]
    lists = [(first,), (first,)] if first == last else [(first, last), (last, first)]
    assignments = [
        CreatableReplicaAssignment(partition_index=index, broker_ids=ids)
        for index, ids in enumerate(lists)
    ]
    config = CreatableTopicConfigEntry(name="retention.ms", value="1000")
    topic = CreatableTopic(name=NEW, assignments=tuple(assignments), configs=(config,))

    def flaw(done: Done) -> str | None:
        topic_id = done.reply.topics[0].topic_id  # type: ignore[attr-defined]  # as above
        expected: Changes = {("Topic", topic_id): {"name": NEW, "partitions": {0, 1}}}
        expected["Config", TOPIC, NEW] = {"retention.ms": "1000"}
        expected |= {
            ("Partition", topic_id, index): _new_partition(view, ids)
            for index, ids in enumerate(lists)
        }
        return (
            None
            if done.changes == expected
            else f"it writes {words(done.changes)}, not {words(expected)}"
        )

    return Ask("a topic whose replicas are named", _create(topic), changes=None, flaw=flaw)


def _create_assigned_wrongly(view: View, turn: int) -> Ask | None:
    live = view.brokers_that(lambda broker: view.is_active(broker["broker_id"]))
    if not live:
        return None
    one = (live[0]["broker_id"],)
    wrong: tuple[tuple[str, list[tuple[int, Ids]]], ...] = (
        ("a broker that is not registered", [(0, (STRANGER,))]),
        ("a broker twice", [(0, one + one)]),
        ("no broker", [(0, ())]),
        ("lists of several lengths", [(0, one), (1, (*one, STRANGER))]),
        ("a partition twice", [(0, one), (0, one)]),
        ("a gap between partitions", [(0, one), (2, one)]),
        ("a first partition other than 0", [(1, one)]),
    )
    words, lists = wrong[turn % len(wrong)]
    assignments = tuple(
        CreatableReplicaAssignment(partition_index=index, broker_ids=ids) for index, ids in lists
    )
    topic = CreatableTopic(name=NEW, assignments=assignments)
    return refused(f"a topic with {words}", _create(topic), INVALID_REPLICA_ASSIGNMENT)


def _create_wrongly(view: View, turn: int) -> Ask | None:
    more = len(view.brokers) + 1
    wrong = [
        ("an empty name", CreatableTopic(name=""), INVALID_TOPIC_EXCEPTION),
        ("a dot as its name", CreatableTopic(name="."), INVALID_TOPIC_EXCEPTION),
        ("a slash in its name", CreatableTopic(name="a/b"), INVALID_TOPIC_EXCEPTION),
        (
            "a name that is too long",
            CreatableTopic(name="a" * (NAME_LENGTH_MAX + 1)),
            INVALID_TOPIC_EXCEPTION,
        ),
        ("no partition", CreatableTopic(name=NEW, num_partitions=0), INVALID_PARTITIONS),
        ("-2 partitions", CreatableTopic(name=NEW, num_partitions=-2), INVALID_PARTITIONS),
        ("no replica", CreatableTopic(name=NEW, replication_factor=0), INVALID_REPLICATION_FACTOR),
        (
            "one replica more than brokers",
            CreatableTopic(name=NEW, num_partitions=1, replication_factor=more),
            INVALID_REPLICATION_FACTOR,
        ),
        *(
            (words, CreatableTopic(name=NEW, configs=configs), INVALID_CONFIG)
            for words, configs in UNKNOWN_CONFIGS
        ),
    ]
    known = [str(topic["name"]) for _, topic in view.topics]
    if known:
        name = known[turn % len(known)]
        wrong.append(("the name of another", CreatableTopic(name=name), TOPIC_ALREADY_EXISTS))
        if (other := _without_dots(name)) != name:
            wrong.append(("a colliding name", CreatableTopic(name=other), INVALID_TOPIC_EXCEPTION))
    words, topic, code = wrong[turn % len(wrong)]
    return refused(f"a topic with {words}", _create(topic), code)


def _without_dots(name: str) -> str:
    """Returns the name of a topic in metrics, where a dot is an underscore (rule 4.52)."""
    return name.replace(".", "_")


def _create_twice(view: View, turn: int) -> Ask | None:
    topic = CreatableTopic(name=NEW, num_partitions=1, replication_factor=1)
    return refused("a topic that is named twice", _create(topic, topic), INVALID_REQUEST)


def _grow(view: View, turn: int) -> Ask | None:
    """More partitions of a topic (rule 4.59)."""
    live = view.brokers_that(lambda broker: view.is_active(broker["broker_id"]))
    if not view.topics or not live:
        return None
    topic_id, topic = view.topics[turn % len(view.topics)]
    present = len(topic["partitions"])
    factor = len(view.shadow.facts["Partition", topic_id, 0]["replicas"])
    named = turn % 2 == 1 and factor <= len(live)
    ids: Ids = tuple(broker["broker_id"] for broker in live[:factor])
    grown = CreatePartitionsTopic(
        name=topic["name"],
        count=present + 1,
        assignments=(CreatePartitionsAssignment(broker_ids=ids),) if named else None,
    )
    request = CreatePartitionsRequest(topics=(grown,))
    usable = _usable(view)
    if usable is None or any(map(_is_cordoned, live)):
        return None
    if not named and factor > len(usable):
        return refused("more partitions than fit", request, INVALID_REPLICATION_FACTOR)
    key: Key = "Partition", topic_id, present

    def flaw(done: Done) -> str | None:
        new = done.changes.get(key)
        if new is None or {*done.changes} != {key}:
            return f"it changes {words(done.changes)}"
        if named:
            expected = _new_partition(view, ids)
            if new == expected:
                return None
            found, wanted = differing(new, expected)
            return f"{words(key)} has {found}, expected {wanted}"
        return _misplaced(view, usable, [new], factor)

    return Ask("one more partition", request, changes=None, flaw=flaw)


def _grow_wrongly(view: View, turn: int) -> Ask | None:
    if not view.topics:
        return None
    _, topic = view.topics[turn % len(view.topics)]
    name, present = str(topic["name"]), len(topic["partitions"])
    nobody = CreatePartitionsAssignment(broker_ids=(STRANGER,))
    wrong = (
        ("of an unknown topic", NEW, present + 1, None, UNKNOWN_TOPIC_OR_PARTITION),
        ("than it has already", name, present, None, INVALID_PARTITIONS),
        ("than one less", name, present - 1, None, INVALID_PARTITIONS),
        ("on nobody", name, present + 1, (nobody,), INVALID_REPLICA_ASSIGNMENT),
        ("than lists", name, present + 2, (nobody,), INVALID_REPLICA_ASSIGNMENT),
    )
    words, asked, count, assignments, code = wrong[turn % len(wrong)]
    grown = CreatePartitionsTopic(name=asked, count=count, assignments=assignments)
    return refused(f"more partitions {words}", CreatePartitionsRequest(topics=(grown,)), code)


def _delete(view: View, turn: int) -> Ask | None:
    if not view.topics or not view.settings.delete_topic_enable:
        return None
    topic_id, topic = view.topics[turn % len(view.topics)]
    state = DeleteTopicState(name=topic["name"])
    if turn % 2:
        state = DeleteTopicState(topic_id=topic_id)
    changes: Changes = {("Topic", topic_id): None}
    changes |= {("Partition", topic_id, number): None for number in topic["partitions"]}
    config: Key = "Config", TOPIC, topic["name"]
    if config in view.shadow.facts:
        changes[config] = None
    return Ask("to delete a topic", DeleteTopicsRequest(topics=(state,)), changes=changes)


def _delete_wrongly(view: View, turn: int) -> Ask | None:
    if not view.topics or not view.settings.delete_topic_enable:
        return None
    topic_id, topic = view.topics[turn % len(view.topics)]
    name = DeleteTopicState(name=topic["name"])
    wrong = (
        ("an unknown topic", (DeleteTopicState(name=NEW),), UNKNOWN_TOPIC_OR_PARTITION),
        ("an unknown id", (DeleteTopicState(topic_id=UNKNOWN_ID),), UNKNOWN_TOPIC_ID),
        ("nothing", (DeleteTopicState(),), INVALID_REQUEST),
        (
            "a name and an id",
            (DeleteTopicState(name=topic["name"], topic_id=topic_id),),
            INVALID_REQUEST,
        ),
        ("a topic twice", (name, name), INVALID_REQUEST),
        ("a topic by name and id", (name, DeleteTopicState(topic_id=topic_id)), INVALID_REQUEST),
    )
    words, states, code = wrong[turn % len(wrong)]
    return refused(f"to delete {words}", DeleteTopicsRequest(topics=states), code)


DRAWS: tuple[Draw, ...] = (
    _create_placed,
    _create_assigned,
    _create_assigned_wrongly,
    _create_wrongly,
    _create_twice,
    _grow,
    _grow_wrongly,
    _delete,
    _delete_wrongly,
)
