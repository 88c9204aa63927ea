"""What a registration is refused for, in Kafka's order: section 1B."""

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.log.records import FeatureRange
from kraftsim.controller.core.profile import KAFKA_3_9, KAFKA_4_3
from kraftsim.controller.core.uuid import LOST_DIRECTORY
from tests.builders import (
    ALL_OF_4_4,
    ControllerUnderTest,
    directory_of,
    feature,
    listener,
    registration,
    uuid_of,
)
from tests.profiles import EACH_PROFILE


@EACH_PROFILE
@pytest.mark.rule("1.9", "9.9")
@pytest.mark.parametrize("cluster_id", ["", "abcdefghijklmnopqrst4B"])
def test_another_clusters_id_is_refused_and_changes_nothing(profile, cluster_id):
    cluster = ControllerUnderTest(profile)
    before = cluster.everything()

    refusal = cluster.register(1, cluster_id=cluster_id)

    assert ErrorCode.INCONSISTENT_CLUSTER_ID == refusal.code
    assert (
        f"Expected cluster ID abcdefghijklmnopqrst4A, but got cluster ID {cluster_id}"
        == refusal.message
    )
    assert before == cluster.everything()


@pytest.mark.rule("1.13")
def test_a_zookeeper_broker_is_refused_after_the_duplicate_check():
    cluster = ControllerUnderTest()
    request = registration(1, "second", is_migrating_zk_broker=True)

    assert ErrorCode.BROKER_ID_NOT_REGISTERED == cluster.refused(request)
    cluster.unfenced(1)
    assert ErrorCode.DUPLICATE_BROKER_REGISTRATION == cluster.refused(request)


@pytest.mark.rule("1.14", "1.15")
@pytest.mark.parametrize(
    ("log_dirs", "text"),
    [
        ((), "No directories specified in request"),
        ((LOST_DIRECTORY,), "Reserved directory ID in request"),
        ((bytes(15) + b"\x63",), "Reserved directory ID in request"),
        ((bytes(8) + b"\xff" * 8,), "Reserved directory ID in request"),
        ((LOST_DIRECTORY, LOST_DIRECTORY), "Reserved directory ID in request"),
        ((directory_of(9), directory_of(9)), "Duplicate directory ID in request"),
    ],
)
def test_bad_directories_are_refused_in_kafkas_order(log_dirs, text):
    cluster = ControllerUnderTest()

    refusal = cluster.register(1, log_dirs=log_dirs)

    assert (ErrorCode.INVALID_REGISTRATION, text) == (refusal.code, refusal.message)


@pytest.mark.rule("1.17")
def test_before_3_7_directories_are_neither_checked_nor_recorded():
    cluster = ControllerUnderTest(KAFKA_3_9, metadata_version=16)

    assert cluster.register(1, log_dirs=(LOST_DIRECTORY,)).broker_epoch > 0
    assert () == cluster.broker(1).log_dirs


@pytest.mark.rule("1.18")
@pytest.mark.parametrize(
    "bad",
    [
        listener(port=0),
        listener(port=65536),
        listener(host=" "),
        listener(security_protocol=4),
    ],
    ids=["port 0", "port 65536", "blank host", "unknown protocol"],
)
def test_a_listener_nobody_could_reach_is_refused_without_a_failover(bad):
    cluster = ControllerUnderTest()
    before = cluster.everything()

    refusal = cluster.register(1, listeners=(bad,))

    assert ErrorCode.INVALID_REGISTRATION == refusal.code
    assert before == cluster.everything()
    assert cluster.node.is_active


@pytest.mark.rule("1.18")
def test_no_listener_at_all_is_accepted():
    cluster = ControllerUnderTest()

    assert cluster.register(1, listeners=()).broker_epoch > 0


@pytest.mark.rule("1.20", "1.21", "1.24")
@pytest.mark.parametrize(
    "offered",
    [
        feature("metadata.version", 1, 32),
        feature("metadata.version", 34, 40),
        feature("metadata.version", 34, 33),
        feature("no.such.feature", 1, 2),
        feature("group.version", 2, 3),
        feature("share.version", 0, 1),
        feature("transaction.version", 0, 1),
    ],
    ids=lambda f: f"{f.name} {f.min_supported_version}-{f.max_supported_version}",
)
def test_a_range_without_the_finalized_level_is_refused(offered):
    cluster = ControllerUnderTest()
    others = tuple(f for f in ALL_OF_4_4 if f.name != offered.name)

    refusal = cluster.register(1, features=(offered, *others))

    assert ErrorCode.UNSUPPORTED_VERSION == refusal.code
    assert f"of {offered.name}. The broker wants a version between" in refusal.message


@pytest.mark.rule("1.20")
def test_the_first_feature_that_fails_is_named():
    cluster = ControllerUnderTest()
    bad = (feature("b", 1, 1), feature("a", 2, 2))

    refusal = cluster.register(1, features=(*ALL_OF_4_4, *bad))

    assert (
        "Unable to register because the broker does not support finalized version 0 of b. "
        "The broker wants a version between 1 and 1, inclusive." == refusal.message
    )


@pytest.mark.rule("1.21")
def test_an_unknown_feature_whose_range_contains_0_is_recorded():
    cluster = ControllerUnderTest()

    cluster.register(1, features=(*ALL_OF_4_4, feature("no.such.feature", 0, 1)))

    expected = FeatureRange(
        name="no.such.feature", min_supported_version=0, max_supported_version=1
    )
    assert expected in cluster.broker(1).features


@pytest.mark.rule("1.22")
@pytest.mark.parametrize(
    ("profile", "code"),
    [(KAFKA_3_9, ErrorCode.UNSUPPORTED_VERSION), (KAFKA_4_3, ErrorCode.INVALID_REGISTRATION)],
    ids=["3.9", "4.3"],
)
def test_a_registration_without_metadata_version_is_refused(profile, code):
    cluster = ControllerUnderTest(profile)

    assert code == cluster.register(1, features=ALL_OF_4_4[1:]).code


@pytest.mark.rule("1.22")
def test_in_3_9_no_metadata_version_means_the_first():
    cluster = ControllerUnderTest(KAFKA_3_9, metadata_version=1, kraft_version=0)

    cluster.register(1, features=())

    implied = FeatureRange(
        name="metadata.version", min_supported_version=1, max_supported_version=1
    )
    assert (implied,) == cluster.broker(1).features


@pytest.mark.rule("1.23", "1.7")
@pytest.mark.parametrize("missing", [f.name for f in ALL_OF_4_4[1:]])
def test_a_finalized_feature_that_is_not_named_counts_as_unsupported(missing):
    cluster = ControllerUnderTest()
    offered = tuple(f for f in ALL_OF_4_4 if f.name != missing)

    refusal = cluster.register(1, features=offered)

    assert ErrorCode.UNSUPPORTED_VERSION == refusal.code
    assert f"of {missing}." in refusal.message
    assert cluster.register(1, features=ALL_OF_4_4).broker_epoch > 0


@pytest.mark.rule("1.23")
def test_in_3_9_metadata_version_alone_is_enough():
    cluster = ControllerUnderTest(KAFKA_3_9, kraft_version=0)

    assert cluster.register(1, features=(feature("metadata.version", 1, 21),)).broker_epoch > 0


@pytest.mark.rule("1.15", "1.14")
def test_directory_100_is_not_reserved():
    cluster = ControllerUnderTest()

    assert cluster.register(1, log_dirs=(bytes(15) + b"\x64", uuid_of("x"))).broker_epoch > 0


@pytest.mark.rule("1.14", "1.16", "9.10")
def test_a_directory_belongs_to_one_id_until_that_is_unregistered_or_takes_others():
    cluster = ControllerUnderTest()
    cluster.registered(1)
    stolen = registration(2, log_dirs=(directory_of(1),))

    assert ErrorCode.INVALID_REGISTRATION == cluster.refused(stolen)
    assert "Broker 1 is already registered with directory" in cluster.ask(stolen).message
    assert cluster.register(1, "second").broker_epoch > 0
    cluster.register(1, "second", log_dirs=(directory_of(1, 7),))
    assert cluster.accepted(stolen).broker_epoch > 0
    cluster.unregister(2)
    assert cluster.register(3, log_dirs=(directory_of(1),)).broker_epoch > 0
