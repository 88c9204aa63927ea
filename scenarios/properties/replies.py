"""S16: a reply that reports success is sent after its records are committed, for every API.

Rules 0A.5, 9.4. What a reply implies is read from the request and the reply, and looked up in the
committed log; how a controller decides or defers is not looked at. Elections and changes of the
voters are looked up after the place at which the committed log ended when the request arrived,
because they may also have happened before. UpdateRaftVoter is not among the requests: its reply
does not wait for the commit (rule 10.53), as that of AddRaftVoter without `ack_when_committed`.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NamedTuple

from kraftsim.controller.core import rpc
from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.log import records as r
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.control_records import Voters
from kraftsim.controller.core.uuid import Uuid
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

from ..oracles.breach_words import words
from ..oracles.committed import OfTheCommittedLog
from ..oracles.property import Broken, Kinds, Property
from ..oracles.shadow import Fact, Key

Happened = tuple[object, ...]


class Named(NamedTuple):
    """Any topic of a name: a request that names it may be about one that was deleted since."""

    name: str


SET_CONFIG = 0  # operation of IncrementalAlterConfigs
KRAFT_VERSION = "kraft.version"  # its level is a control record
REMOVED = None  # the directory of a replica that is gone


def _of_register(record: r.RegisterBrokerRecord) -> Happened:
    return "registered", record.broker_id, record.broker_epoch


def _of_change(record: r.BrokerRegistrationChangeRecord) -> Happened:
    return ("unfenced" if record.fenced == r.UNFENCE else "", record.broker_id, record.broker_epoch)


RECORDED: dict[type, Callable[[Any], Happened]] = {
    r.RegisterBrokerRecord: _of_register,
    r.UnregisterBrokerRecord: lambda record: ("unregistered", record.broker_id),
    r.BrokerRegistrationChangeRecord: _of_change,
    r.UnfenceBrokerRecord: lambda record: ("unfenced", record.id, record.epoch),
    r.TopicRecord: lambda record: ("topic", record.topic_id),
    r.RemoveTopicRecord: lambda record: ("deleted", record.topic_id),
    r.ConfigRecord: lambda record: (
        *("config", record.resource_type, record.resource_name),
        *(record.name, record.value),
    ),
    r.FeatureLevelRecord: lambda record: ("feature", record.name, record.feature_level),
    r.RegisterControllerRecord: lambda record: (
        *("controller", record.controller_id),
        record.incarnation_id,
    ),
    r.ProducerIdsRecord: lambda record: (
        *("producer ids", record.next_producer_id),
        *(record.broker_id, record.broker_epoch),
    ),
    r.ClientQuotaRecord: lambda record: ("quota", _entity(record.entity), record.key, record.value),
    r.UserScramCredentialRecord: lambda record: ("scram", record.name, record.mechanism),
    r.AccessControlEntryRecord: lambda record: _entry(record, record.pattern_type),
}
"""What a record makes true, for records whose facts are looked up by replies."""


def _entity(parts: Any) -> Happened:
    """Returns an entity; of a type that is named twice, Kafka's map keeps the last name."""
    return tuple(sorted({part.entity_type: part.entity_name or "" for part in parts}.items()))


def _entry(of: Any, pattern_type: int) -> Happened:
    return (
        *("access", of.resource_type, of.resource_name, pattern_type),
        *(of.principal, of.host, of.operation, of.permission_type),
    )


def _may_be_elected(before: Fact, after: Fact) -> bool:
    """True for what a successful ElectLeaders writes.

    One that finds nobody to elect succeeds if its record only empties an ELR, or ends a
    reassignment of which all added replicas were in sync (rules 4.32 and 4.36).
    """
    others = ("eligible_leader_replicas", "adding_replicas")
    is_other = any(after[name] != before[name] for name in others)
    return bool(after["leader_epoch"] > before["leader_epoch"] or is_other)


class AnswerAfterCommit(OfTheCommittedLog):
    """Looks up what a successful reply implies in the committed log.

    `_epochs` has the highest partition epoch of each partition, `_replicas` all of its replicas so
    far with their directories (REMOVED: the record that assigns a directory may end a reassignment
    and remove the replica, rule 4.36), `_topic_ids` all topics of a name so far, the deleted ones
    too, `_elected` the end of the log after the last election of each partition, `_voters` all sets
    of voters with the end of the log after each, and `_since` the end of the log when a request of
    SINCE arrived, by the identity of the request.
    """

    number = "S16"
    name = "answer-after-commit"
    claim = "A response that reports success is sent after its records are committed."
    kinds: ClassVar[Kinds] = (
        rpc.BrokerRegistrationRequest,
        rpc.BrokerHeartbeatRequest,
        rpc.UnregisterBrokerRequest,
        rpc.DecommissionBrokerRequest,
        rpc.CreateTopicsRequest,
        rpc.DeleteTopicsRequest,
        rpc.AlterPartitionRequest,
        rpc.CreatePartitionsRequest,
        rpc.AlterPartitionReassignmentsRequest,
        rpc.IncrementalAlterConfigsRequest,
        rpc.AlterConfigsRequest,
        rpc.UpdateFeaturesRequest,
        rpc.AllocateProducerIdsRequest,
        rpc.ControllerRegistrationRequest,
        rpc.AlterClientQuotasRequest,
        rpc.AlterUserScramCredentialsRequest,
        rpc.CreateAclsRequest,
        rpc.AssignReplicasToDirsRequest,
        rpc.ElectLeadersRequest,
        rpc.AddRaftVoterRequest,
        rpc.RemoveRaftVoterRequest,
    )

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._happened: set[Happened] = set()
        self._epochs: dict[Key, int] = {}
        self._replicas: dict[Key, set[object]] = {}
        self._topic_ids: dict[str, list[Uuid]] = defaultdict(list)
        self._elected: dict[Key, int] = {}
        self._voters: list[tuple[int, frozenset[tuple[int, bytes]]]] = []
        self._since: dict[int, tuple[object, int]] = {}

    def read(self, record: Any, offset: int) -> None:
        if isinstance(record, r.TopicRecord):
            self._topic_ids[record.name].append(record.topic_id)
        rule = RECORDED.get(type(record))
        if rule is not None:
            self._happened.add(rule(record))

    def partition_changed(self, key: Key, before: Fact | None, after: Fact) -> None:
        self._epochs[key] = after["partition_epoch"]
        if before is not None and _may_be_elected(before, after):
            self._elected[key] = self.shadow.end_offset
        known = self._replicas.setdefault(key, set())
        known.update(after["replicas"])
        known.update(zip(after["replicas"], after["directories"], strict=False))
        for replica in {*(() if before is None else before["replicas"])} - {*after["replicas"]}:
            known.add((replica, REMOVED))

    def done(self, batch: Batch, touched: set[Key]) -> None:
        for record in batch.records if batch.is_control else ():
            if isinstance(record, Voters):
                keys = ((voter.voter_id, voter.voter_directory_id) for voter in record.voters)
                self._voters.append((self.shadow.end_offset, frozenset(keys)))

    def arrived(self, message: Message) -> None:
        if isinstance(message.request, SINCE):
            asked = message.request, self.shadow.end_offset
            self._since.setdefault(id(message.request), asked)

    def replied(self, message: Message) -> None:
        if isinstance(message.reply, ApiError | None):
            return
        implied = IMPLIED.get(type(message.request))
        if implied is None:
            return
        for fact in implied(self, message.request, message.reply):
            self.exercised += 1
            if not self._holds(fact):
                raise Broken(
                    f"{message.receiver} gets a success for {words(fact)}, which is not committed"
                )

    def since(self, request: object) -> int:
        """Returns the end of the committed log when the request arrived, and forgets it.

        Returns -1 for a repeated reply, whose request is forgotten.
        """
        _, end_offset = self._since.pop(id(request), (None, -1))
        return end_offset

    def _holds(self, fact: Happened) -> bool:
        match fact:
            case (str(kind), Named(name), number, what):
                ids = self._topic_ids.get(name, ())
                return any(self._holds((kind, topic_id, number, what)) for topic_id in ids)
            case ("partition", topic_id, int(number), int(epoch)):
                return self._epochs.get(("Partition", topic_id, number), -1) >= epoch
            case ("replica", topic_id, int(number), replica):
                return replica in self._replicas.get(("Partition", topic_id, number), ())
            case ("place", topic_id, int(number), int(broker_id), directory):
                known = self._replicas.get(("Partition", topic_id, number), set())
                return bool({(broker_id, directory), (broker_id, REMOVED)} & known)
            case ("elected", topic_id, int(number), int(since)):
                return self._elected.get(("Partition", topic_id, number), -1) > since
            case ("voter" | "no voter" as word, int(since), int(voter_id), bytes(directory_id)):
                sets = (voters for end, voters in self._voters if end > since)
                key = voter_id, directory_id
                return any((key in voters) is (word == "voter") for voters in sets)
        return fact in self._happened


CLASSES: tuple[type[Property], ...] = (AnswerAfterCommit,)

Facts = Iterator[Happened]


def _registered(_: AnswerAfterCommit, request: Any, reply: Any) -> Facts:
    if not reply.error_code:
        yield "registered", request.broker_id, reply.broker_epoch


def _unfenced(_: AnswerAfterCommit, request: Any, reply: Any) -> Facts:
    if not (reply.error_code or reply.is_fenced):
        yield "unfenced", request.broker_id, request.broker_epoch


def _unregistered(_: AnswerAfterCommit, request: Any, reply: Any) -> Facts:
    if not reply.error_code:
        yield "unregistered", request.broker_id


def _created(_: AnswerAfterCommit, request: Any, reply: Any) -> Facts:
    if not request.validate_only:
        yield from (("topic", topic.topic_id) for topic in reply.topics if not topic.error_code)


def _deleted(_: AnswerAfterCommit, request: Any, reply: Any) -> Facts:
    yield from (("deleted", topic.topic_id) for topic in reply.responses if not topic.error_code)


def _altered(_: AnswerAfterCommit, request: Any, reply: Any) -> Facts:
    for topic in reply.topics:
        for partition in topic.partitions:
            if not partition.error_code:
                epoch = partition.partition_epoch
                yield "partition", topic.topic_id, partition.partition_index, epoch


def _grown(_: AnswerAfterCommit, request: Any, reply: Any) -> Facts:
    failed = {topic.name for topic in reply.results if topic.error_code}
    for topic in () if request.validate_only else request.topics:
        if topic.name not in failed:
            yield "partition", Named(topic.name), topic.count - 1, 0


def _reassigned(_: AnswerAfterCommit, request: Any, reply: Any) -> Facts:
    failed = {
        (topic.name, partition.partition_index)
        for topic in reply.responses
        for partition in topic.partitions
        if partition.error_code or reply.error_code
    }
    for topic in () if reply.error_code else request.topics:
        for partition in topic.partitions:
            number = partition.partition_index
            if (topic.name, number) not in failed:
                for replica in partition.replicas or ():
                    yield "replica", Named(topic.name), number, replica


def _set_configs(_: AnswerAfterCommit, request: Any, reply: Any) -> Facts:
    failed = {(at.resource_type, at.resource_name) for at in reply.responses if at.error_code}
    for resource in () if request.validate_only else request.resources:
        of = resource.resource_type, resource.resource_name
        last = {config.name: config for config in resource.configs}
        for config in () if of in failed else last.values():
            is_set = getattr(config, "config_operation", SET_CONFIG) == SET_CONFIG
            if is_set and config.value is not None:
                yield "config", *of, config.name, config.value


def _levels(_: AnswerAfterCommit, request: Any, reply: Any) -> Facts:
    if (
        reply.error_code
        or request.validate_only
        or any(result.error_code for result in reply.results)
    ):
        return
    last = {update.feature: update.max_version_level for update in request.feature_updates}
    for feature, level in last.items():
        if level and feature != KRAFT_VERSION:
            yield "feature", feature, level


def _producer_ids(_: AnswerAfterCommit, request: Any, reply: Any) -> Facts:
    if not reply.error_code:
        end = reply.producer_id_start + reply.producer_id_len
        yield "producer ids", end, request.broker_id, request.broker_epoch


def _controller(_: AnswerAfterCommit, request: Any, reply: Any) -> Facts:
    if not reply.error_code:
        yield "controller", request.controller_id, request.incarnation_id


def _quotas(_: AnswerAfterCommit, request: Any, reply: Any) -> Facts:
    failed = {_entity(entry.entity) for entry in reply.entries if entry.error_code}
    for entry in () if request.validate_only else request.entries:
        entity = _entity(entry.entity)
        for op in entry.ops:
            if entity not in failed and not op.remove:
                yield "quota", entity, op.key, op.value


def _credentials(_: AnswerAfterCommit, request: Any, reply: Any) -> Facts:
    failed = {result.user for result in reply.results if result.error_code}
    for upsertion in request.upsertions:
        if upsertion.name not in failed:
            yield "scram", upsertion.name, upsertion.mechanism


def _entries(_: AnswerAfterCommit, request: Any, reply: Any) -> Facts:
    for creation, result in zip(request.creations, reply.results, strict=True):
        if not result.error_code:
            yield _entry(creation, creation.resource_pattern_type)


def _directories(_: AnswerAfterCommit, request: Any, reply: Any) -> Facts:
    for directory in () if reply.error_code else reply.directories:
        for topic in directory.topics:
            for partition in topic.partitions:
                if not partition.error_code:
                    place = request.broker_id, directory.id
                    yield "place", topic.topic_id, partition.partition_index, *place


def _elections(of: AnswerAfterCommit, request: Any, reply: Any) -> Facts:
    since = of.since(request)
    for topic in reply.replica_election_results:
        for partition in topic.partition_result:
            if not partition.error_code:
                yield "elected", Named(topic.topic), partition.partition_id, since


def _added(of: AnswerAfterCommit, request: Any, reply: Any) -> Facts:
    since = of.since(request)
    if not reply.error_code and request.ack_when_committed:
        yield "voter", since, request.voter_id, request.voter_directory_id


def _removed(of: AnswerAfterCommit, request: Any, reply: Any) -> Facts:
    since = of.since(request)
    if not reply.error_code:
        yield "no voter", since, request.voter_id, request.voter_directory_id


SINCE = (rpc.ElectLeadersRequest, rpc.AddRaftVoterRequest, rpc.RemoveRaftVoterRequest)
IMPLIED: dict[type, Callable[[AnswerAfterCommit, Any, Any], Facts]] = {
    rpc.BrokerRegistrationRequest: _registered,
    rpc.BrokerHeartbeatRequest: _unfenced,
    rpc.UnregisterBrokerRequest: _unregistered,
    rpc.DecommissionBrokerRequest: _unregistered,
    rpc.CreateTopicsRequest: _created,
    rpc.DeleteTopicsRequest: _deleted,
    rpc.AlterPartitionRequest: _altered,
    rpc.CreatePartitionsRequest: _grown,
    rpc.AlterPartitionReassignmentsRequest: _reassigned,
    rpc.IncrementalAlterConfigsRequest: _set_configs,
    rpc.AlterConfigsRequest: _set_configs,
    rpc.UpdateFeaturesRequest: _levels,
    rpc.AllocateProducerIdsRequest: _producer_ids,
    rpc.ControllerRegistrationRequest: _controller,
    rpc.AlterClientQuotasRequest: _quotas,
    rpc.AlterUserScramCredentialsRequest: _credentials,
    rpc.CreateAclsRequest: _entries,
    rpc.AssignReplicasToDirsRequest: _directories,
    rpc.ElectLeadersRequest: _elections,
    rpc.AddRaftVoterRequest: _added,
    rpc.RemoveRaftVoterRequest: _removed,
}
"""What a reply implies, by the kind of request."""
