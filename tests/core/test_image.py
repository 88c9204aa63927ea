"""The fold of records into an image, and that a copy goes its own way."""

import pytest

from kraftsim.controller.core.errors import Impossible
from kraftsim.controller.core.image import replay
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.image.replay import APPLIERS
from kraftsim.controller.core.log import records as r
from kraftsim.controller.core.log.control_records import KRaftVersion
from kraftsim.controller.core.log.records import PartitionRecord, TopicRecord
from tests.builders import ControllerUnderTest, directory_of, uuid_of

T = uuid_of("t")


def register(broker_id, epoch, *, incarnation="a", dirs=None, **fields):
    return r.RegisterBrokerRecord(
        broker_id=broker_id,
        incarnation_id=uuid_of(incarnation),
        broker_epoch=epoch,
        end_points=(),
        features=(),
        log_dirs=(directory_of(broker_id),) if dirs is None else dirs,
        **fields,
    )


def image_of(*records):
    image = Image()
    for offset, record in enumerate(records):
        replay.apply(image, record, offset=offset, epoch=1, timestamp_ms=1000 + offset)
    return image


@pytest.mark.rule("1.42", "9.5")
def test_a_registration_replaces_the_one_before_and_its_directories():
    image = image_of(register(1, 0), register(1, 1, incarnation="b", dirs=(uuid_of("d"),)))

    assert [1] == list(image.brokers)
    assert (1, 1) == (image.brokers[1].broker_epoch, image.brokers[1].register_offset)
    assert {uuid_of("d"): 1} == image.directories


@pytest.mark.rule("1.42")
def test_a_directory_of_another_broker_is_impossible():
    with pytest.raises(Impossible, match="belongs to 1"):
        image_of(register(1, 0), register(2, 1, dirs=(directory_of(1),)))


@pytest.mark.rule("2.24", "3.8", "9.6")
@pytest.mark.parametrize(
    "record",
    [
        r.BrokerRegistrationChangeRecord(broker_id=1, broker_epoch=7, fenced=r.UNFENCE),
        r.FenceBrokerRecord(id=1, epoch=7),
        r.UnfenceBrokerRecord(id=1, epoch=7),
        r.UnregisterBrokerRecord(broker_id=1, broker_epoch=7),
        r.UnregisterBrokerRecord(broker_id=2, broker_epoch=0),
    ],
    ids=lambda record: type(record).__name__,
)
def test_a_change_of_another_epoch_or_of_nobody_is_impossible(record):
    with pytest.raises(Impossible):
        image_of(register(1, 0), record)


@pytest.mark.rule("2.24", "2.25")
def test_a_change_says_only_what_it_says():
    change = {"broker_id": 1, "broker_epoch": 0}
    image = image_of(
        register(1, 0, dirs=(directory_of(1), directory_of(1, 1))),
        r.BrokerRegistrationChangeRecord(**change, fenced=r.UNFENCE),
        r.BrokerRegistrationChangeRecord(**change, in_controlled_shutdown=1),
        r.BrokerRegistrationChangeRecord(**change, log_dirs=(directory_of(1),)),
        r.BrokerRegistrationChangeRecord(**change, cordoned_log_dirs=()),
    )

    broker = image.brokers[1]
    assert (False, True, (directory_of(1),), ()) == (
        broker.fenced,
        broker.in_controlled_shutdown,
        broker.log_dirs,
        broker.cordoned_log_dirs,
    )
    assert {directory_of(1): 1} == image.directories


@pytest.mark.rule("8.12", "8.13")
def test_a_logged_start_time_wins_over_the_time_of_the_record():
    image = image_of(register(1, 0, start_time_ms=77), register(2, 1))

    assert (77, 1001) == (image.brokers[1].start_time_ms, image.brokers[2].start_time_ms)


@pytest.mark.rule("4.23")
@pytest.mark.parametrize("name", ["t", ""])
@pytest.mark.parametrize(("elr", "epoch"), [((2,), 1), ((), 0)])
def test_a_cleared_elr_is_a_change_of_its_partition(name, elr, epoch):
    image = image_of(
        TopicRecord(name="t", topic_id=T),
        PartitionRecord(
            partition_id=0,
            topic_id=T,
            replicas=(1, 2),
            isr=(1,),
            leader=1,
            eligible_leader_replicas=elr,
            last_known_elr=elr,
        ),
        r.ClearElrRecord(topic_name=name),
    )

    partition = image.partition((T, 0))
    assert ((), (), epoch) == (partition.elr, partition.last_known_elr, partition.partition_epoch)
    assert [] == image.index.in_elr(2)


def test_a_feature_level_of_0_takes_the_feature_away():
    share = {"name": "share.version"}
    image = image_of(
        r.FeatureLevelRecord(**share, feature_level=1),
        r.FeatureLevelRecord(**share, feature_level=0),
    )

    assert ({}, 1) == (image.features, image.features_offset)


@pytest.mark.rule("5.53", "5.55")
@pytest.mark.parametrize(("of_the_quorum", "shown"), [(0, {}), (1, {"kraft.version": 1})])
def test_kraft_version_is_the_quorum_s_whatever_a_feature_record_says(of_the_quorum, shown):
    """3.9 writes such a record, and no quorum heeds it (KAFKA-18979)."""
    share = r.FeatureLevelRecord(name="share.version", feature_level=1)
    image = image_of(share, r.FeatureLevelRecord(name="kraft.version", feature_level=2))
    replay.apply_control(image, KRaftVersion(kraft_version=of_the_quorum), offset=2, epoch=1)

    assert {"share.version": 1, **shown} == image.finalized


def test_a_configuration_without_a_value_takes_it_away():
    config = {"resource_type": 2, "resource_name": "t", "name": "retention.ms"}
    image = image_of(r.ConfigRecord(**config, value="1"), r.ConfigRecord(**config, value=None))

    assert {} == image.configs


def test_every_record_can_be_applied():
    assert set(r.Record.__subclasses__()) == set(APPLIERS)


@pytest.mark.rule("0A.4")
def test_records_are_applied_in_order():
    image = image_of(r.NoOpRecord())

    with pytest.raises(Impossible, match="record 0 after 0"):
        replay.apply(image, r.NoOpRecord(), offset=0)


def test_what_the_cluster_has_beside_brokers_and_topics_is_kept():
    quota = {"entity": (r.QuotaEntity(entity_type="user", entity_name="u"),), "key": "k"}
    scram = r.UserScramCredentialRecord(
        name="u", mechanism=1, salt=b"s", stored_key=b"k", server_key=b"v", iterations=4096
    )
    image = image_of(
        r.ProducerIdsRecord(broker_id=1, broker_epoch=0, next_producer_id=1000),
        r.ClientQuotaRecord(**quota, value=1.0, remove=False),
        scram,
    )

    assert 1000 == image.next_producer_id
    assert {quota["entity"]: {"k": 1.0}} == image.client_quotas
    assert {("u", 1): scram} == image.kept(r.UserScramCredentialRecord)
    replay.apply(image, r.ClientQuotaRecord(**quota, value=0.0, remove=True), offset=3)
    replay.apply(image, r.RemoveUserScramCredentialRecord(name="u", mechanism=1), offset=4)
    assert ({}, {}) == (image.client_quotas, image.kept(r.UserScramCredentialRecord))


@pytest.mark.rule("0A.13")
def test_a_copy_goes_its_own_way():
    cluster = ControllerUnderTest()
    cluster.unfenced(1, 2)
    cluster.created("t", (1, 2), configs={"min.insync.replicas": "2"})
    twin = cluster.image.copy()
    as_it_was = (twin.copy(), twin.index.in_isr(1), twin.index.leaderless())

    cluster.unregister(1)
    cluster.fenced(2)
    cluster.delete_topic("t")
    cluster.created("u", (1,)) if 1 in cluster.image.brokers else None

    assert as_it_was == (twin, twin.index.in_isr(1), twin.index.leaderless())
    assert twin != cluster.image


def test_the_index_says_what_a_full_scan_would():
    cluster = ControllerUnderTest()
    cluster.unfenced(1, 2, 3)
    cluster.created("t", (1, 2), (2, 3), (3, 1))
    cluster.created("gone", (1, 2), (3, 2))
    cluster.fenced(2, 3)
    cluster.delete_topic("gone")

    index, found = cluster.image.index, {}
    for topic in cluster.image.topics.values():
        for number, partition in topic.partitions.items():
            found[(topic.topic_id, number)] = partition
    for b in (1, 2, 3):
        in_isr = sorted(k for k, p in found.items() if b in p.isr)
        assert in_isr == index.in_isr(b)
        assert sorted(k for k, p in found.items() if b in p.elr) == index.in_elr(b)
        assert sorted(k for k, p in found.items() if p.leader == b) == index.led(b)
        assert index.leads(b) == any(p.leader == b for p in found.values())
    assert sorted(k for k, p in found.items() if p.leader < 0) == index.leaderless()
    assert sorted(k for k, p in found.items() if 2 in p.replicas) == index.hosted(2)
    assert sorted(k for k in index.leaderless() if 2 in found[k].replicas) == index.leaderless_of(2)


def test_an_index_that_is_behind_has_all_changes_for_a_reader_and_for_a_copy():
    records = (
        TopicRecord(name="t", topic_id=T),
        PartitionRecord(partition_id=0, topic_id=T, replicas=(1, 2), isr=(1, 2), leader=1),
        PartitionRecord(partition_id=1, topic_id=T, replicas=(2,), isr=(2,), leader=2),
        r.PartitionChangeRecord(partition_id=0, topic_id=T, isr=(2,), leader=2),
    )
    image = Image()
    image.index.put_off()
    for offset, record in enumerate(records):
        replay.apply(image, record, offset=offset)

    image.index.catch_up(1)

    assert image.index.is_behind
    assert ([(T, 0), (T, 1)], []) == (image.copy().index.led(2), image.index.led(1))
    assert [(T, 0), (T, 1)] == image.index.in_isr(2)
    assert image.index.is_behind
    image.index.catch_up(2)
    assert not image.index.is_behind


def test_copies_share_what_neither_has_changed():
    cluster = ControllerUnderTest()
    cluster.unfenced(1, 2)
    cluster.created("changed", (1, 2))
    cluster.created("same", (1, 2))
    changed, same = cluster.topic_id("changed"), cluster.topic_id("same")
    image = cluster.image
    twin = image.copy()
    before = twin.partition((changed, 0))

    cluster.alter_partition("changed", (1,))

    assert image.topics[same] is twin.topics[same]
    assert image.topics[changed] is not twin.topics[changed]
    assert before is twin.partition((changed, 0))
    assert image.partition((changed, 0)).isr == (1,)


def test_what_a_copy_changes_the_original_does_not_see():
    records = (
        TopicRecord(name="t", topic_id=T),
        PartitionRecord(partition_id=0, topic_id=T, replicas=(1,), isr=(1,), leader=1),
        r.ConfigRecord(resource_type=2, resource_name="t", name="a", value="1"),
    )
    image, as_it_was = image_of(*records), image_of(*records)
    twin = image.copy()

    replay.apply(
        twin, r.PartitionChangeRecord(partition_id=0, topic_id=T, isr=(), leader=-1), offset=3
    )
    replay.apply(
        twin, r.ConfigRecord(resource_type=2, resource_name="t", name="a", value="2"), offset=4
    )

    assert as_it_was == image
    assert [(T, 0)] == image.index.led(1)
    assert ([], [(T, 0)]) == (twin.index.led(1), twin.index.leaderless())


@pytest.mark.rule("4.54")
def test_names_that_collide_are_known_through_replay_copy_and_deletion():
    u = uuid_of("u")
    image = image_of(
        TopicRecord(name="a.b_c", topic_id=T),
        TopicRecord(name="plain", topic_id=u),
    )
    twin = image.copy()

    replay.apply(image, r.RemoveTopicRecord(topic_id=T), offset=2)
    replay.apply(image, TopicRecord(name="a_b_c", topic_id=T), offset=3)

    assert ["a_b_c"] * 2 == [image.names.existing(name) for name in ("a.b.c", "a.b_c")]
    assert "a.b_c" == twin.names.existing("a_b_c")
    assert [None, None] == [image.names.existing(name) for name in ("plain", "pl.ain")]


def test_of_several_existing_names_that_collide_the_first_is_named():
    image = image_of(
        TopicRecord(name="a_b", topic_id=T),
        TopicRecord(name="a.b", topic_id=uuid_of("u")),
    )

    assert "a.b" == image.names.existing("a_b")
    replay.apply(image, r.RemoveTopicRecord(topic_id=uuid_of("u")), offset=2)
    assert "a_b" == image.names.existing("a.b")


def test_the_offset_of_partitions_is_that_of_their_last_change():
    records = (
        TopicRecord(name="t", topic_id=T),
        PartitionRecord(partition_id=0, topic_id=T, replicas=(1,), isr=(1,), leader=1),
        r.NoOpRecord(),
        r.PartitionChangeRecord(partition_id=0, topic_id=T, isr=(), leader=-1),
        r.ConfigRecord(resource_type=2, resource_name="t", name="a", value="1"),
        r.RemoveTopicRecord(topic_id=T),
        r.NoOpRecord(),
    )

    found = [image_of(*records[:end]).partitions_offset for end in range(1, len(records) + 1)]

    assert [-1, 1, 1, 3, 3, 5, 5] == found
