"""What a cluster finalizes, and who can forbid it (rules 5.54 to 5.60; golden A6 has the texts)."""

from dataclasses import replace
from typing import Any

import pytest

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.image.loader import replay
from kraftsim.controller.core.log.control_records import KRaftVersion, VersionRange, Voter, Voters
from kraftsim.controller.core.log.records import (
    BROKER_RESOURCE,
    ConfigRecord,
    FeatureLevelRecord,
    NoOpRecord,
)
from kraftsim.controller.core.profile import KAFKA_3_9, KAFKA_4_3, KAFKA_4_4, Profile
from kraftsim.controller.core.rpc import FeatureUpdate, UpdateFeaturesRequest
from tests.builders import ALL_OF_4_4, CONTROLLER_ID, ControllerUnderTest, feature, uuid_of

UPGRADE, SAFE, UNSAFE = 1, 2, 3
ELR = "eligible.leader.replicas.version"
EVERYBODY_MUST = (
    "The update failed for all features since the following feature had an error: Invalid upgrade "
    "of kraft.version to KRAFT_VERSION_1 because not all of the voters support it"
)


def update(
    cluster: ControllerUnderTest, *wanted: tuple[str, int, int], validate_only: bool = False
) -> Any:
    updates = tuple(
        FeatureUpdate(feature=name, max_version_level=level, upgrade_type=kind)
        for name, level, kind in wanted
    )
    request = UpdateFeaturesRequest(feature_updates=updates, validate_only=validate_only)
    return cluster.accepted(request)


def told(reply: Any) -> list[tuple[str, int, str | None]]:
    """What the reply says of each feature."""
    return [(result.feature, result.error_code, result.error_message) for result in reply.results]


def level(feature_name: str, feature_level: int) -> FeatureLevelRecord:
    return FeatureLevelRecord(name=feature_name, feature_level=feature_level)


def kraft_versions(low: int, high: int) -> VersionRange:
    return VersionRange(min_supported_version=low, max_supported_version=high)


def voter(node_id: int) -> Voter:
    return Voter(
        voter_id=node_id,
        voter_directory_id=uuid_of(f"directory-{node_id}"),
        endpoints=(),
        k_raft_version_feature=kraft_versions(0, 1),
    )


def min_isr(resource_name: str, value: str | None) -> ConfigRecord:
    return ConfigRecord(
        resource_type=BROKER_RESOURCE,
        resource_name=resource_name,
        name="min.insync.replicas",
        value=value,
    )


@pytest.mark.rule("5.59")
def test_a_level_is_written_and_level_0_takes_a_feature_away() -> None:
    cluster = ControllerUnderTest()

    written = cluster.writes(lambda: update(cluster, ("share.version", 0, SAFE)))

    assert [level("share.version", 0)] == written
    assert "share.version" not in cluster.image.features


@pytest.mark.rule("5.55")
def test_one_feature_that_cannot_be_stops_all_of_them() -> None:
    cluster = ControllerUnderTest()
    before = cluster.everything()

    reply = update(cluster, ("share.version", 0, SAFE), ("foo.version", 1, UPGRADE))

    assert ErrorCode.INVALID_UPDATE_VERSION == reply.error_code
    assert reply.error_message.startswith("The update failed for all features since")
    assert before == cluster.everything()


@pytest.mark.rule("5.54")
def test_a_validation_writes_nothing() -> None:
    cluster = ControllerUnderTest()

    assert [] == cluster.writes(
        lambda: update(cluster, ("share.version", 0, SAFE), validate_only=True)
    )


@pytest.mark.rule("5.58", "5.56")
def test_a_fenced_broker_that_cannot_follow_forbids_an_upgrade_until_it_is_unregistered() -> None:
    cluster = ControllerUnderTest(metadata_version=27)
    old = tuple(
        feature("metadata.version", 7, 27) if known.name == "metadata.version" else known
        for known in ALL_OF_4_4
    )
    cluster.registered(1, features=old)
    assert cluster.is_fenced(1)

    reply = update(cluster, ("metadata.version", 30, UPGRADE))
    assert "Broker 1 only supports versions 7-27" in reply.error_message
    cluster.unregister(1)

    assert 0 == update(cluster, ("metadata.version", 30, UPGRADE)).error_code
    assert 30 == cluster.image.metadata_version


@pytest.mark.rule("5.56")
def test_a_static_voter_that_has_not_registered_forbids_an_upgrade() -> None:
    cluster = ControllerUnderTest(metadata_version=27)
    cluster.node.state.static_voter_ids = (3000, 3001)

    reply = update(cluster, ("metadata.version", 30, UPGRADE))

    assert reply.error_message.endswith(
        "controller 3001 has not registered, and may not support this feature"
    )


@pytest.mark.rule("5.57")
@pytest.mark.parametrize(("kind", "what"), [(SAFE, "Refusing"), (UNSAFE, "Unsafe")])
@pytest.mark.parametrize(("profile", "level"), [(KAFKA_4_3, 29), (KAFKA_4_4, 32)])
def test_what_a_lower_level_could_not_read_is_never_gone_back_from(
    profile: Profile, level: int, kind: int, what: str
) -> None:
    reply = update(ControllerUnderTest(profile), ("metadata.version", level, kind))

    assert what in reply.error_message


@pytest.mark.rule("5.56")
def test_a_voter_that_was_added_need_not_register_for_an_upgrade() -> None:
    cluster = ControllerUnderTest(metadata_version=27)
    cluster.node.state.voters = lambda: (voter(3000), voter(3001))

    assert 0 == update(cluster, ("metadata.version", 30, UPGRADE)).error_code


@pytest.mark.rule("5.57")
def test_a_downgrade_that_loses_nothing_passes() -> None:
    cluster = ControllerUnderTest(metadata_version=27)

    assert 0 == update(cluster, ("metadata.version", 25, SAFE)).error_code
    assert 25 == cluster.image.metadata_version


@pytest.mark.rule("5.55", "5.56")
def test_4_x_names_the_first_wrong_feature_in_the_order_of_a_hash_map() -> None:
    """Recorded of 4.3.1: streams.version comes before transaction.version."""
    wrong = [("transaction.version", -1, UPGRADE), ("streams.version", -1, UPGRADE)]

    for wanted in (wrong, wrong[::-1]):
        reply = update(ControllerUnderTest(KAFKA_4_3), *wanted)
        assert "version -1 for feature streams.version. " in reply.error_message


@pytest.mark.rule("5.55", "5.59")
def test_4_x_answers_in_the_order_of_the_request_and_writes_in_that_of_a_hash_map() -> None:
    """Recorded of 4.3.1, in versions 0 and 1; version 2 has no results."""
    cluster = ControllerUnderTest(KAFKA_4_3)
    mark = cluster.end

    reply = update(cluster, ("share.version", 1, UPGRADE), ("group.version", 1, UPGRADE))

    assert (0, None) == (reply.error_code, reply.error_message)
    assert [("share.version", 0, "NONE"), ("group.version", 0, "NONE")] == told(reply)
    written = cluster.records_since(mark)
    assert [level("group.version", 1), level("share.version", 1)] == written


@pytest.mark.rule("5.56")
def test_4_x_does_not_find_an_unknown_feature_even_at_level_0() -> None:
    cluster = ControllerUnderTest()
    before = cluster.everything()

    reply = update(cluster, ("unheard.of", 0, UPGRADE))

    assert 95 == reply.error_code
    assert reply.error_message.endswith(
        "Invalid update version 0 for feature unheard.of. Feature unheard.of not found."
    )
    assert before == cluster.everything()


@pytest.mark.rule("5.55")
def test_3_9_decides_each_feature_apart_and_answers_by_name() -> None:
    """Recorded of 3.9.1."""
    cluster = ControllerUnderTest(KAFKA_3_9)
    mark = cluster.end

    reply = update(
        cluster, ("unheard.of", 0, SAFE), ("metadata.version", 22, UPGRADE), (ELR, 1, UPGRADE)
    )

    too_new = "Invalid update version 22 for feature metadata.version. "
    too_new += f"Local controller {CONTROLLER_ID} only supports versions 1-21"
    unknown = f"Invalid update version 1 for feature {ELR}. "
    unknown += f"Local controller {CONTROLLER_ID} does not support this feature."
    assert (0, "") == (reply.error_code, reply.error_message)
    assert [
        (ELR, 95, unknown),
        ("metadata.version", 95, too_new),
        ("unheard.of", 0, None),
    ] == told(reply)
    assert [level("unheard.of", 0)] == cluster.records_since(mark)


# kraft.version


@pytest.fixture
def static() -> ControllerUnderTest:
    """A lone controller that was configured as the voter, at kraft.version 0."""
    return ControllerUnderTest(kraft_version=0)


@pytest.mark.rule("5.56", "10.49")
def test_raising_kraft_version_writes_the_voters_into_the_log(static: ControllerUnderTest) -> None:
    mark = static.end

    assert 0 == update(static, ("kraft.version", 1, UPGRADE)).error_code

    control, data = static.node.log.read(mark)
    (known,) = static.node.state.voters()
    assert (KRaftVersion(kraft_version=1), Voters(voters=(known,))) == control.records
    assert (True, CONTROLLER_ID) == (control.is_control, known.voter_id)
    assert (NoOpRecord(),) == data.records
    assert 1 == static.image.kraft_version == static.node.committed.kraft_version
    assert replay(static.node.log.batches) == static.node.committed


@pytest.mark.rule("1.23", "5.56")
def test_from_then_on_a_broker_must_know_kraft_version(static: ControllerUnderTest) -> None:
    without = tuple(known for known in ALL_OF_4_4 if known.name != "kraft.version")
    assert not isinstance(static.register(1, features=without), ApiError)

    reply = update(static, ("kraft.version", 1, UPGRADE))
    assert "Broker 1 does not support this feature." in reply.error_message
    static.unregister(1)
    update(static, ("kraft.version", 1, UPGRADE))

    refused = static.register(1, features=without)
    assert isinstance(refused, ApiError)
    assert ErrorCode.UNSUPPORTED_VERSION == refused.code


@pytest.mark.rule("5.56", "10.53")
def test_a_voter_that_has_not_said_what_it_supports_forbids_the_upgrade() -> None:
    cluster = ControllerUnderTest(metadata_version=14, kraft_version=0)
    silent = replace(voter(3001), k_raft_version_feature=kraft_versions(0, 0))
    cluster.node.state.voters = lambda: (voter(CONTROLLER_ID), silent)
    before = cluster.everything()

    reply = update(cluster, ("kraft.version", 1, UPGRADE))

    assert (95, EVERYBODY_MUST) == (reply.error_code, reply.error_message)
    asked = update(cluster, ("kraft.version", 1, UPGRADE), validate_only=True)
    assert reply == asked
    assert before == cluster.everything()


@pytest.mark.rule("5.54")
def test_validating_an_upgrade_of_kraft_version_leaves_it(static: ControllerUnderTest) -> None:
    before = static.everything()

    assert 0 == update(static, ("kraft.version", 1, UPGRADE), validate_only=True).error_code
    assert before == static.everything()


@pytest.mark.rule("5.55")
def test_kraft_version_is_not_raised_beside_a_feature_that_cannot_be(
    static: ControllerUnderTest,
) -> None:
    before = static.everything()

    assert 95 == update(static, ("kraft.version", 1, UPGRADE), ("foo", 1, UPGRADE)).error_code
    assert before == static.everything()


@pytest.mark.rule("5.57")
@pytest.mark.parametrize(("kind", "written"), [(UPGRADE, [NoOpRecord()]), (SAFE, [])])
def test_the_same_kraft_version_again_changes_nothing(kind: int, written: list[Any]) -> None:
    cluster = ControllerUnderTest(kraft_version=1)
    mark = cluster.end

    assert 0 == update(cluster, ("kraft.version", 1, kind)).error_code
    assert written == [record for batch in cluster.node.log.read(mark) for record in batch.records]


@pytest.mark.rule("5.56")
@pytest.mark.parametrize(
    ("kind", "why"),
    [
        (UPGRADE, "Can't downgrade the version of this feature without setting the upgrade type"),
        (SAFE, "Can't downgrade the version of this feature."),
        (UNSAFE, "Can't downgrade the version of this feature."),
    ],
)
def test_kraft_version_is_never_lowered(kind: int, why: str) -> None:
    reply = update(ControllerUnderTest(kraft_version=1), ("kraft.version", 0, kind))

    assert f"Invalid update version 0 for feature kraft.version. {why}" in reply.error_message


@pytest.mark.rule("5.55", "5.59")
def test_3_9_writes_kraft_version_as_any_feature_and_its_quorum_keeps_its_own() -> None:
    cluster = ControllerUnderTest(KAFKA_3_9, kraft_version=0)

    for kind in (UPGRADE, UNSAFE):
        mark = cluster.end
        (result,) = update(cluster, ("kraft.version", 1, kind)).results

        assert (0, None) == (result.error_code, result.error_message)
        (batch,) = cluster.batches_since(mark)
        assert (False, (level("kraft.version", 1),)) == (batch.is_control, batch.records)
    assert 0 == cluster.image.kraft_version
    assert "kraft.version" not in cluster.image.finalized


# eligible.leader.replicas.version


def turn_elr_on(cluster: ControllerUnderTest) -> Any:
    return cluster.writes(lambda: update(cluster, (ELR, 1, UPGRADE)))


@pytest.mark.rule("0A.11", "4.23", "7.3")
def test_turning_elr_on_makes_min_insync_replicas_the_cluster_s() -> None:
    """As at format time (golden 4.3.1, offset 8), but before the level (KIP-966)."""
    cluster = ControllerUnderTest(KAFKA_4_3, metadata_version=21, min_insync_replicas=2)
    update(cluster, ("metadata.version", 30, UPGRADE))

    assert [min_isr("", "2"), level(ELR, 1)] == turn_elr_on(cluster)
    assert [level(ELR, 1)] == turn_elr_on(cluster)


@pytest.mark.rule("4.23")
def test_turning_elr_on_takes_min_insync_replicas_from_the_brokers() -> None:
    cluster = ControllerUnderTest()
    for name in ("10", "9"):
        configs = {"min.insync.replicas": "3", "log.retention.ms": "7"}
        cluster.image.configs[BROKER_RESOURCE, name] = configs

    written = turn_elr_on(cluster)

    assert [min_isr("9", None), min_isr("10", None), level(ELR, 1)] == written
    assert {"log.retention.ms": "7"} == cluster.image.configs[BROKER_RESOURCE, "9"]
    assert {"min.insync.replicas": "1"} == cluster.image.configs[BROKER_RESOURCE, ""]


@pytest.mark.rule("5.54", "5.59")
def test_turning_elr_off_or_only_asking_leaves_the_configurations() -> None:
    cluster = ControllerUnderTest()
    cluster.image.configs.clear()

    assert [level(ELR, 0)] == cluster.writes(lambda: update(cluster, (ELR, 0, SAFE)))
    assert [] == cluster.writes(lambda: update(cluster, (ELR, 1, UPGRADE), validate_only=True))


@pytest.mark.rule("5.56", "4.23")
def test_elr_needs_a_metadata_version_that_can_write_it() -> None:
    """The one that it is to be counts, not the one that is."""
    cluster = ControllerUnderTest(metadata_version=22)

    reply = update(cluster, (ELR, 1, UPGRADE))

    assert reply.error_message.endswith(
        f"Invalid update version 1 for feature {ELR}. {ELR} could not be set to 1 because it "
        f"depends on metadata.version level 23"
    )
    assert 0 == update(cluster, (ELR, 1, UPGRADE), ("metadata.version", 23, UPGRADE)).error_code


@pytest.mark.rule("5.60")
def test_an_update_of_version_0_that_allows_a_downgrade_is_an_upgrade_all_the_same() -> None:
    cluster = ControllerUnderTest(KAFKA_4_3)
    lower = FeatureUpdate(feature="transaction.version", max_version_level=1, allow_downgrade=True)

    reply = cluster.accepted(UpdateFeaturesRequest(feature_updates=(lower,)))

    assert reply.error_code == ErrorCode.INVALID_UPDATE_VERSION
    assert cluster.node.committed.features["transaction.version"] == 2
