"""A topic's configurations: which names and values are accepted, and what is in force."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kraftsim.controller.core.configs.configuration import RELEASES
from kraftsim.controller.core.configs.topic_configs import check
from kraftsim.controller.core.configs.topic_table import TOPIC_CONFIGS
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.log.records import BROKER_RESOURCE, ConfigRecord
from kraftsim.controller.core.profile import KAFKA_3_9, KAFKA_4_3
from tests.builders import ControllerUnderTest
from tests.other_controllers import CONTROLLER_ID

PROFILES = {release: replace(KAFKA_4_3, topic_configs=release) for release in RELEASES}
THROTTLED = (
    "leader.replication.throttled.replicas must be the literal '*' or a list of replicas in the "
    "following format: [partitionId]:[brokerId],[partitionId]:[brokerId],..."
)
COMPRESSIONS = "uncompressed, zstd, lz4, snappy, gzip, producer"


@pytest.fixture
def cluster():
    cluster = ControllerUnderTest()
    cluster.unfenced(1)
    return cluster


def refusal_of(configs, release="4.3"):
    with pytest.raises(ApiError) as refused:
        check(configs, PROFILES[release], {})
    assert ErrorCode.INVALID_CONFIG == refused.value.code
    return refused.value.message


def outcome(configs, release):
    try:
        check(configs, PROFILES[release], {})
    except ApiError as error:
        return error.code
    return ErrorCode.NONE


@pytest.mark.rule("4.54")
@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("retention.ms", "x", "Not a number of type LONG"),
        ("retention.ms", "", "Not a number of type LONG"),
        ("retention.ms", "1_000", "Not a number of type LONG"),
        ("retention.ms", str(2**63), "Not a number of type LONG"),
        ("retention.ms", "-2", "Value must be at least -1"),
        ("min.insync.replicas", "0", "Value must be at least 1"),
        ("min.insync.replicas", str(2**31), "Not a number of type INT"),
        ("segment.bytes", "1048575", "Value must be at least 1048576"),
        ("compression.gzip.level", "0", "Value must be between 1 and 9 or equal to -1"),
        ("compression.lz4.level", "18", "Value must be no more than 17"),
        ("compression.zstd.level", "-131073", "Value must be at least -131072"),
        ("min.cleanable.dirty.ratio", "x", "Not a number of type DOUBLE"),
        ("min.cleanable.dirty.ratio", "nan", "Not a number of type DOUBLE"),
        ("min.cleanable.dirty.ratio", "1.5", "Value must be no more than 1"),
        ("min.cleanable.dirty.ratio", "-0.5", "Value must be at least 0"),
        ("preallocate", "yes", "Expected value to be either true or false"),
        ("message.timestamp.type", "x", "String must be one of: CreateTime, LogAppendTime"),
        ("compression.type", "none", f"String must be one of: {COMPRESSIONS}"),
        ("cleanup.policy", "shred", "String must be one of: compact, delete"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused(cluster, name, value, why):
    result = cluster.create_topic("t", configs={name: value})

    assert ErrorCode.INVALID_CONFIG == result.error_code
    assert f"Invalid value {value} for configuration {name}: {why}" == result.error_message


@pytest.mark.rule("4.54")
@pytest.mark.parametrize(
    ("name", "text", "shown"),
    [
        ("retention.ms", " -07 ", "-7"),
        ("min.cleanable.dirty.ratio", "1e7", "1.0E7"),
        ("compression.type", " gnu\t", "gnu"),
        ("leader.replication.throttled.replicas", "1:2 , x", "[1:2, x]"),
    ],
)
def test_a_value_that_was_parsed_is_shown_as_it_was_understood(name, text, shown):
    assert refusal_of({name: text}).startswith(f"Invalid value {shown} for configuration {name}: ")


@pytest.mark.rule("4.54")
@pytest.mark.parametrize("text", ["", "*", " * ", "1:2", "1:2,3:4", "1:2,", ",", "*,"])
def test_throttled_replicas_are_a_star_or_pairs(text):
    check({"leader.replication.throttled.replicas": text}, KAFKA_4_3, {})


@pytest.mark.rule("4.54")
@pytest.mark.parametrize("text", ["1:2,*", "*,*", "1:", "none", "1:2 3:4"])
def test_throttled_replicas_of_another_form_are_refused(text):
    assert refusal_of({"leader.replication.throttled.replicas": text}).endswith(f": {THROTTLED}")


@pytest.mark.rule("4.54")
def test_an_empty_policy_in_a_list_has_a_text_of_its_own_from_4_3_on():
    policies = {"cleanup.policy": "compact,,x"}

    assert "Configuration 'cleanup.policy' values must not be empty." == refusal_of(policies)
    assert (
        "Invalid value  for configuration cleanup.policy: String must be one of: compact, delete"
        == refusal_of(policies, "4.1")
    )


@pytest.mark.rule("4.54")
@pytest.mark.parametrize("text", ["3.0", "3.0-IV1", "0.10.0.1", "3.9.1", "4.0-IV1", "0.8.0"])
def test_a_message_format_is_a_version_of_kafka(text):
    check({"message.format.version": text}, KAFKA_3_9, {})


@pytest.mark.rule("4.54")
@pytest.mark.parametrize("text", ["4.0", "0.8", "3", "3.0.", "2.8-IV2", ""])
def test_a_message_format_of_no_version_is_refused(text):
    assert (
        f"Invalid value {text} for configuration message.format.version: "
        f"Version {text} is not a valid version"
        == refusal_of({"message.format.version": text}, "3.9")
    )


@pytest.mark.rule("4.54")
def test_the_lags_of_compaction_must_not_cross():
    lags = {"min.compaction.lag.ms": "5", "max.compaction.lag.ms": "4"}

    assert (
        "conflict topic config setting min.compaction.lag.ms (5) > max.compaction.lag.ms (4)"
        == refusal_of(lags | {"remote.storage.enable": "true"})
    )
    check(lags | {"max.compaction.lag.ms": "5"}, KAFKA_4_3, {})


@pytest.mark.rule("4.54")
def test_there_is_no_tiered_storage():
    assert (
        "Tiered Storage functionality is disabled in the broker. Topic cannot be configured with "
        "remote log storage." == refusal_of({"remote.storage.enable": "TRUE"})
    )
    check({"remote.storage.enable": "false", "remote.log.copy.disable": "true"}, KAFKA_4_3, {})


@pytest.mark.rule("4.54")
def test_unknown_names_go_before_wrong_values_and_these_in_kafkas_order():
    wrong = {"min.insync.replicas": "x", "retention.ms": "y", "segment.bytes": "z"}
    crossed = {"min.compaction.lag.ms": "5", "max.compaction.lag.ms": "4"}

    assert "Unknown topic config name: no.such" == refusal_of(wrong | {"no.such": "1"})
    assert "for configuration segment.bytes:" in refusal_of(crossed | wrong)
    del wrong["segment.bytes"]
    assert "for configuration retention.ms:" in refusal_of(crossed | wrong)


@pytest.mark.slow
@pytest.mark.rule("4.54")
@pytest.mark.parametrize("release", RELEASES)
@given(configs=st.data())
def test_whatever_is_sent_is_accepted_or_invalid_config(release, configs):
    names = st.sampled_from(sorted(TOPIC_CONFIGS[release]))
    digits = st.integers().map(str) | st.text("0123456789+-.eExXpPnNdf:,* \u0661", max_size=12)
    sent = configs.draw(st.dictionaries(names, st.text(max_size=20) | digits, max_size=5))

    assert outcome(sent, release) in (ErrorCode.NONE, ErrorCode.INVALID_CONFIG)


@pytest.mark.rule("4.54")
@pytest.mark.parametrize("release", RELEASES)
def test_every_default_is_a_value_that_could_be_set(release):
    defaults = {name: config.default for name, config in TOPIC_CONFIGS[release].items()}

    check({n: value for n, value in defaults.items() if value is not None}, PROFILES[release], {})


@pytest.mark.rule("4.5", "4.23")
def test_what_is_in_force_comes_from_the_topic_the_cluster_or_the_default(cluster):
    result = cluster.created("t", configs={"retention.ms": " 5"})

    in_force = {c.name: (c.value, c.config_source) for c in result.configs}
    assert (" 5", 1) == in_force["retention.ms"]
    assert ("1", 3) == in_force["min.insync.replicas"]  # the bootstrap's ConfigRecord
    assert ("delete", 5) == in_force["cleanup.policy"]
    assert sorted(in_force) == [c.name for c in result.configs]


@pytest.mark.rule("4.5")
def test_brokers_have_names_and_units_of_their_own_for_what_is_in_force(cluster):
    """Observed of 3.9.1 and 4.3.1; brokers' settings are not validated."""
    image = cluster.image
    image.configs[BROKER_RESOURCE, ""] = {
        "log.retention.ms": "11",
        "log.roll.hours": "15",
        "message.max.bytes": "13",
        "retention.bytes": "14",
        "log.cleanup.policy": "nonsense",
    }
    image.configs[BROKER_RESOURCE, str(CONTROLLER_ID)] = {
        "log.retention.minutes": "16",
        "log.roll.jitter.hours": "y",
    }
    image.configs[BROKER_RESOURCE, "1"] = {"log.retention.ms": "99"}

    shown = cluster.created("t").configs

    assert {
        ("retention.ms", "960000", 2),
        ("segment.jitter.ms", "0", 2),
        ("segment.ms", "54000000", 3),
        ("max.message.bytes", "13", 3),
        ("cleanup.policy", "nonsense", 3),
    } == {(c.name, c.value, c.config_source) for c in shown if c.config_source != 5}


@pytest.mark.rule("4.5")
def test_a_setting_of_the_controllers_own_is_a_static_one():
    """Observed of 3.9.1."""
    options = {"min_insync_replicas": 2, "unclean_leader_election_enable": True}
    cluster = ControllerUnderTest(KAFKA_3_9, **options)
    cluster.unfenced(1)

    shown = cluster.created("t").configs

    assert {
        ("min.insync.replicas", "2", 4),
        ("unclean.leader.election.enable", "true", 4),
    } == {(c.name, c.value, c.config_source) for c in shown if c.config_source != 5}


@pytest.mark.rule("4.5")
def test_the_property_file_of_a_controller_decides_before_the_defaults():
    """Observed of 4.3.1: the reply has the text of the file, the first of its synonyms."""
    cluster = ControllerUnderTest(
        KAFKA_4_3,
        static={
            "log.retention.hours": "5",
            "log.retention.minutes": "7",
            "log.segment.bytes": "2000000 ",
            "log.preallocate": "TRUE",
            "min.insync.replicas": "1",
            "unclean.leader.election.enable": "false",
        },
    )
    cluster.unfenced(1)

    shown = cluster.created("t").configs

    assert {
        ("retention.ms", "420000", 4),
        ("segment.bytes", "2000000 ", 4),
        ("preallocate", "TRUE", 4),
        ("min.insync.replicas", "1", 3),  # the bootstrap's ConfigRecord
        ("unclean.leader.election.enable", "false", 4),
    } == {(c.name, c.value, c.config_source) for c in shown if c.config_source != 5}


@pytest.mark.rule("4.54")
def test_a_value_conflicts_with_the_property_file_of_the_controller():
    """Observed of 4.1.1, 4.3.1 and 4.4.0."""
    of_file = {"log.cleaner.min.compaction.lag.ms": "1000"}
    check({"max.compaction.lag.ms": "1000"}, KAFKA_4_3, of_file)

    with pytest.raises(ApiError, match=r"min.compaction.lag.ms \(1000\) > max.* \(999\)"):
        check({"max.compaction.lag.ms": "999"}, KAFKA_4_3, of_file)


@pytest.mark.rule("4.54")
def test_a_segment_size_for_tests_is_shown_only_where_it_is_set(cluster):
    name = "internal.segment.bytes"
    assert name not in {c.name for c in cluster.created("t").configs}

    shown = cluster.created("u", configs={name: "-5"}).configs

    assert [("-5", 1)] == [(c.value, c.config_source) for c in shown if c.name == name]
    assert f"Unknown topic config name: {name}" == refusal_of({name: "1"}, "3.9")


@pytest.mark.rule("4.58")
def test_values_are_recorded_as_they_came_in_the_order_of_a_hash_map(cluster):
    sent = {"retention.ms": " +5 ", "cleanup.policy": "compact, compact", "flush.ms": "3"}

    records = cluster.writes(lambda: cluster.created("t", configs=sent))

    configs = [(r.name, r.value) for r in records if isinstance(r, ConfigRecord)]
    expected = ["cleanup.policy", "flush.ms", "retention.ms"]
    assert [(name, sent[name]) for name in expected] == configs
