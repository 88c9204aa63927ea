"""Sequences for the explained differences: every match of a row explains one in a full run."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from kraftsim.controller.core.feature_levels import METADATA_VERSION
from tests.differential.generate import brokers, configs, partitions, reassignments, topics
from tests.differential.generate.big import (
    lose_a_directory_with_a_full_batch,
    unregister_with_a_full_batch,
)
from tests.differential.generate.draft import Draft
from tests.differential.generate.sequences import cleanup
from tests.differential.sequence import Ask, Sequence, Step
from tests.differential.settings import USUAL, Start
from tests.released.controller import NODE_ID
from tests.released.releases import RELEASES, Release

_FIRST_NUMBER = 1_000_000  # no drawn sequence shares the directories of an example
_SINCE_4_1 = ("4.1.1", "4.3.1", "4.4.0")


@dataclass(frozen=True, slots=True)
class Example:
    """`row` of docs/differences.toml; `releases` that differ from ours."""

    row: str
    steps: Callable[[Draft], list[Step]]
    releases: tuple[str, ...] = tuple(RELEASES)
    start: Start = USUAL


def draw_examples(release: Release, cluster_id: str) -> Iterator[Sequence]:
    for number, example in enumerate(_EXAMPLES, _FIRST_NUMBER):
        if release.version in example.releases:
            draft = Draft(Random(number), release, cluster_id, number)
            steps = tuple(example.steps(draft))
            yield Sequence(example.row, steps, tuple(cleanup(draft)), example.start)


def _one_broker_and_topic(draft: Draft) -> list[Ask]:
    draft.incarnations[1] = 0
    body = brokers.plain_registration(draft, 1) | {"previousBrokerEpoch": -1}
    register = Ask("BrokerRegistration", 4, body)
    return [register, brokers.serve(draft, 1), topics.create_plainly(draft, "t1", [[1]])]


def _impossible_recovery_state(draft: Draft) -> list[Step]:
    return [*_one_broker_and_topic(draft), partitions.alter_recovery_state(draft, "t1", 2)]


def _offline_directory_of_a_deleted_topic(draft: Draft) -> list[Step]:
    """The topic is deleted while its ISR is empty: the fenced broker is in the ELR."""
    register, serve, create = _one_broker_and_topic(draft)
    return [
        register,
        serve,
        create,
        Ask("BrokerHeartbeat", 1, serve.body | {"wantFence": True}),
        Ask("DeleteTopics", 5, {"topicNames": ["t1"], "timeoutMs": 10000}),
        Ask("BrokerHeartbeat", 1, serve.body | {"offlineLogDirs": [draft.directory(1)]}),
    ]


def _shutdown_beside_an_offline_directory(draft: Draft) -> list[Step]:
    """The same, and the broker wants to shut down."""
    *steps, loss = _offline_directory_of_a_deleted_topic(draft)
    return [*steps, Ask("BrokerHeartbeat", 1, loss.body | {"wantShutDown": True})]


def _refused_upgrade_of_kraft_version(draft: Draft) -> list[Step]:
    levels = {"kraft.version": 1, "transaction.version": 99}
    updates = [
        {"feature": name, "maxVersionLevel": level, "allowDowngrade": False}
        for name, level in levels.items()
    ]
    return [Ask("UpdateFeatures", 0, {"timeoutMs": 10000, "featureUpdates": updates})]


def _downgrade_that_no_broker_supports(draft: Draft) -> list[Step]:
    """Kafka names the first such broker in the order of a hash table, ours the lowest id."""
    newest = draft.release.profile.metadata_version
    only_newest = {"minSupportedVersion": newest, "maxSupportedVersion": newest}
    steps: list[Step] = []
    for broker_id in draft.ids:
        draft.incarnations[broker_id] = 0
        body = brokers.plain_registration(draft, broker_id) | {"previousBrokerEpoch": -1}
        for feature in body["features"]:
            if feature["name"] == METADATA_VERSION:
                feature |= only_newest
        steps.append(Ask("BrokerRegistration", 4, body))
    update = {"feature": METADATA_VERSION, "maxVersionLevel": newest - 1, "upgradeType": 2}
    body = {"timeoutMs": 10000, "featureUpdates": [update], "validateOnly": True}
    return [*steps, Ask("UpdateFeatures", 1, body)]


def _isr_member_without_a_replica(draft: Draft) -> list[Step]:
    """The AlterPartition names the partition twice: the second ISR has a removed replica."""
    steps: list[Step] = []
    for broker_id in (1, 3, 4):
        draft.incarnations[broker_id] = 0
        body = brokers.plain_registration(draft, broker_id) | {"previousBrokerEpoch": -1}
        steps += [Ask("BrokerRegistration", 4, body), brokers.serve(draft, broker_id)]
    create = topics.create_plainly(draft, "t1", [[3, 4]], {"min.insync.replicas": "2"})
    twice = partitions.alter_recovery_state(draft, "t1", 0)
    (topic,) = twice.body["topics"]
    (plain,) = topic["partitions"]
    isrs = ([[1], [4]], [[], [4]])
    topic["partitions"] = [plain | {"newIsr": {"$isr": ["t1", 0, *isr]}} for isr in isrs]
    return [
        *steps,
        create,
        reassignments.reassign(0, "t1", [1]),
        twice,
        reassignments.reassign(0, "t1", [3, 4]),
    ]


def _stale_elr(draft: Draft) -> list[Step]:
    """A change of min.insync.replicas clears the ELR, and then the topic is deleted."""
    steps: list[Step] = []
    for broker_id in (1, 2):
        draft.incarnations[broker_id] = 0
        body = brokers.plain_registration(draft, broker_id) | {"previousBrokerEpoch": -1}
        steps += [Ask("BrokerRegistration", 4, body), brokers.serve(draft, broker_id)]
    fence = brokers.serve(draft, 2).body | {"wantFence": True}
    operation = {"name": configs.MIN_ISR, "configOperation": 0, "value": "1"}
    resource = {"resourceType": 2, "resourceName": "t1", "configs": [operation]}
    return [
        *steps,
        topics.create_plainly(draft, "t1", [[1, 2]], {configs.MIN_ISR: "2"}),
        Ask("BrokerHeartbeat", 1, fence),
        Ask("IncrementalAlterConfigs", 1, {"resources": [resource], "validateOnly": False}),
    ]


def _texts_of_a_controller(draft: Draft) -> list[Step]:
    return [configs.describe_with_texts(str(NODE_ID))]


def _a_group_named_twice(draft: Draft) -> list[Step]:
    group = {"resourceType": 32, "resourceName": "a", "configs": []}
    return [Ask("AlterConfigs", 1, {"resources": [group, group], "validateOnly": False})]


def _unknown_types_named_twice(draft: Draft) -> list[Step]:
    """Another resource of the request is altered, although nobody is told."""
    configs_of_topic = [{"name": "retention.ms", "value": "1000"}]
    topic = {"resourceType": 2, "resourceName": "t1", "configs": configs_of_topic}
    unknown = {"resourceType": -1, "resourceName": "x", "configs": []}
    alter = Ask("AlterConfigs", 1, {"resources": [topic, unknown, unknown], "validateOnly": False})
    return [*_one_broker_and_topic(draft), alter]


def _elr_beside_another_spelling(draft: Draft) -> list[Step]:
    """ELR is enabled twice; both fail."""
    return [
        *_one_broker_and_topic(draft),
        _retention_of_a_broker("+1", "5"),
        _elr(0, 2),
        _elr(1, 1),
        _elr(1, 1),
    ]


def _elr_after_both_spellings(draft: Draft) -> list[Step]:
    """The configurations under the plain id are removed, and those under the other one stay."""
    return [
        *_one_broker_and_topic(draft),
        _retention_of_a_broker("+1", "5"),
        _retention_of_a_broker("1", "5"),
        _retention_of_a_broker("1", None),
        _elr(0, 2),
        _elr(1, 1),
    ]


def _retention_of_a_broker(name: str, value: str | None) -> Ask:
    """Sets a configuration of a broker, or removes it."""
    operation = {"name": "log.retention.ms", "configOperation": int(value is None), "value": value}
    resource = {"resourceType": 4, "resourceName": name, "configs": [operation]}
    return Ask("IncrementalAlterConfigs", 1, {"resources": [resource], "validateOnly": False})


def _elr(level: int, upgrade_type: int) -> Ask:
    feature = "eligible.leader.replicas.version"
    update = {"feature": feature, "maxVersionLevel": level, "upgradeType": upgrade_type}
    body = {"timeoutMs": 10000, "featureUpdates": [update], "validateOnly": False}
    return Ask("UpdateFeatures", 1, body)


_EXAMPLES = (
    Example("config-documentation", _texts_of_a_controller),
    Example("elr-wants-the-plain-ids-of-brokers", _elr_beside_another_spelling, _SINCE_4_1),
    Example("elr-wants-the-plain-ids-of-brokers", _elr_after_both_spellings, _SINCE_4_1),
    Example("unknown-types-named-twice", _unknown_types_named_twice),
    Example("groups-of-3-9-named-twice", _a_group_named_twice, ("3.9.1",)),
    Example("leader-without-a-replica", _isr_member_without_a_replica, _SINCE_4_1),
    Example("stale-elr", _stale_elr, _SINCE_4_1),
    Example("orders", _downgrade_that_no_broker_supports),
    Example("exactly-10000-records", unregister_with_a_full_batch),
    Example("exactly-10000-records", lose_a_directory_with_a_full_batch),
    Example("impossible-recovery-state", _impossible_recovery_state),
    Example(
        "offline-directory-of-a-deleted-topic",
        _offline_directory_of_a_deleted_topic,
        _SINCE_4_1,
    ),
    Example(
        "offline-directory-of-a-deleted-topic",
        _shutdown_beside_an_offline_directory,
        _SINCE_4_1,
    ),
    Example(
        "raising-kraft-version",
        _refused_upgrade_of_kraft_version,
        _SINCE_4_1,
        Start(has_dynamic_voters=False),
    ),
)
