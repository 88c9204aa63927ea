"""Client quotas: changed, refused and described as by Kafka 4.3.1."""

import math

import pytest

from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.image.image_records import records_of
from kraftsim.controller.core.image.replay import apply
from kraftsim.controller.core.log.records import ClientQuotaRecord, QuotaEntity
from kraftsim.controller.core.profile import KAFKA_4_3
from kraftsim.controller.core.quotas.describe_client_quotas import describe_client_quotas
from kraftsim.controller.core.quotas.entities import is_address
from kraftsim.controller.core.rpc.quotas import (
    AlterClientQuotasEntry,
    AlterClientQuotasRequest,
    DescribeClientQuotasRequest,
    QuotaEntityData,
    QuotaFilterComponent,
    QuotaOperation,
)
from tests.builders import ControllerUnderTest

RATE = "producer_byte_rate"


@pytest.fixture
def cluster():
    return ControllerUnderTest(KAFKA_4_3)


def entry(entity, *operations):
    """Changes of an entity; a value of None removes the quota."""
    return AlterClientQuotasEntry(
        entity=tuple(
            QuotaEntityData(entity_type=kind, entity_name=name) for kind, name in entity.items()
        ),
        ops=tuple(
            QuotaOperation(key=key, value=value or 0.0, remove=value is None)
            for key, value in operations
        ),
    )


def messages(cluster, *entries, only_validates=False):
    request = AlterClientQuotasRequest(entries=entries, validate_only=only_validates)
    return [result.error_message for result in cluster.accepted(request).entries]


def written_by(cluster, *entries):
    before = cluster.node.log.end_offset
    assert set(messages(cluster, *entries)) == {None}
    return [record for batch in cluster.node.log.read(before) for record in batch.records]


def test_a_quota_is_one_record_and_is_written_only_if_it_changes(cluster) -> None:
    of_a_client = {"user": "alice", "client-id": "app"}
    entity = (
        QuotaEntity(entity_type="client-id", entity_name="app"),
        QuotaEntity(entity_type="user", entity_name="alice"),
    )

    [record] = written_by(cluster, entry(of_a_client, (RATE, 1024.0)))
    unchanged = written_by(cluster, entry(of_a_client, (RATE, 1024.0)))
    [removal] = written_by(cluster, entry(of_a_client, (RATE, None)))

    assert record == ClientQuotaRecord(entity=entity, key=RATE, value=1024.0, remove=False)
    assert unchanged == []
    assert removal == ClientQuotaRecord(entity=entity, key=RATE, value=0.0, remove=True)
    assert cluster.node.committed.client_quotas == {}


@pytest.mark.parametrize(
    ("entity", "key", "value", "message"),
    [
        ({}, RATE, 1.0, "Invalid empty client quota entity"),
        ({"group": "g"}, RATE, 1.0, "Unhandled client quota entity type: group"),
        ({"user": ""}, RATE, 1.0, "Empty user not supported"),
        (
            {"ip": "::1", "user": "a"},
            RATE,
            1.0,
            "Invalid quota entity combination, IP entity should"
            "not be combined with User or ClientId",
        ),
        (
            {"ip": "1.2.3.256"},
            "connection_creation_rate",
            1.0,
            "1.2.3.256 is not a valid IP or resolvable host.",
        ),
        ({"ip": "::1"}, RATE, 1.0, f"Invalid configuration key {RATE}"),
        ({"user": "a"}, RATE, 0.0, f"Quota {RATE} must be greater than 0"),
        ({"user": "a"}, RATE, 1.5, f"{RATE} cannot be a fractional value."),
        ({"user": "a"}, RATE, 1e19, f"Proposed value for {RATE} is too large for a LONG."),
        (
            {"ip": None},
            "connection_creation_rate",
            2.0**31,
            "Proposed value for connection_creation_rate is too large for an INT.",
        ),
    ],
)
def test_an_entity_or_a_value_is_refused_in_kafkas_words(
    cluster, entity, key, value, message
) -> None:
    before = cluster.node.log.end_offset

    assert messages(cluster, entry(entity, (key, value))) == [message]
    assert cluster.node.log.end_offset == before


def test_a_second_change_of_an_entity_is_refused_and_the_first_stays(cluster) -> None:
    twice = entry({"user": None}, (RATE, 5.0)), entry({"user": None}, (RATE, 6.0))

    assert messages(cluster, *twice) == [
        "Ignoring duplicate entity ClientQuotaEntity(entries={user=null})"
    ]
    [quotas] = cluster.node.committed.client_quotas.values()
    assert quotas == {RATE: 5.0}


def test_a_validation_writes_nothing(cluster) -> None:
    before = cluster.node.log.end_offset

    assert messages(cluster, entry({"user": "a"}, (RATE, 5.0)), only_validates=True) == [None]
    assert cluster.node.log.end_offset == before


def test_a_value_that_is_no_number_is_kept_and_not_written_again(cluster) -> None:
    assert len(written_by(cluster, entry({"user": "a"}, ("request_percentage", math.nan)))) == 1
    assert written_by(cluster, entry({"user": "a"}, ("request_percentage", math.nan))) == []


def test_a_snapshot_has_the_quotas(cluster) -> None:
    written_by(cluster, entry({"user": "a"}, (RATE, 5.0)), entry({"ip": None}))
    image = Image()
    for offset, record in enumerate(records_of(cluster.node.committed)):
        apply(image, record, offset=offset, epoch=1)

    assert image.client_quotas == cluster.node.committed.client_quotas != {}


def test_a_strict_filter_leaves_out_entities_with_more_parts(cluster) -> None:
    """A released broker is asked for every filter in tests/released/test_described_clients.py."""
    written_by(cluster, entry({"user": "a"}, (RATE, 5.0)))
    written_by(cluster, entry({"user": "a", "client-id": "app"}, (RATE, 6.0)))
    component = QuotaFilterComponent(entity_type="user", match_type=0, match="a")

    found = {
        strict: [
            [quota.value for quota in described.values]
            for described in describe_client_quotas(
                cluster.node.committed,
                DescribeClientQuotasRequest(components=(component,), strict=strict),
            ).entries
        ]
        for strict in (False, True)
    }

    assert found == {False: [[5.0], [6.0]], True: [[5.0]]}


@pytest.mark.parametrize(
    ("text", "is_valid"),
    [
        ("10.0.0.1", True),
        ("1.65536", True),
        ("1.2.65536", False),
        ("4294967295", True),
        ("1.2.3.4.5", False),
        ("[::1]", True),
        (":::", False),
        ("LOCALHOST", True),
        ("broker.test", False),
    ],
)
def test_an_address_is_read_as_java_reads_it(text: str, is_valid: bool) -> None:
    assert is_address(text) is is_valid
