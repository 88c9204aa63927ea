"""Access control entries: created, deleted and described as by Kafka 4.3.1's StandardAuthorizer."""

from dataclasses import replace
from typing import Any

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.image.image_records import records_of
from kraftsim.controller.core.image.replay import apply
from kraftsim.controller.core.log.records import AccessControlEntryRecord
from kraftsim.controller.core.profile import KAFKA_3_9, KAFKA_4_3, KAFKA_4_4
from kraftsim.controller.core.rpc.acls import (
    AclCreation,
    CreateAclsRequest,
    DeleteAclsFilter,
    DeleteAclsRequest,
    DescribeAclsRequest,
)
from kraftsim.controller.core.security import acl_creation, acl_deletion
from kraftsim.controller.core.settings import STANDARD_AUTHORIZER, Settings
from tests.builders import ControllerUnderTest

ANY, MATCH, LITERAL, PREFIXED = 1, 2, 3, 4
TOPIC, GROUP, CLUSTER = 2, 3, 4
READ, WRITE = 3, 4
DENY, ALLOW = 2, 3
ENTRY = AclCreation(
    resource_type=TOPIC,
    resource_name="orders",
    principal="User:alice",
    host="*",
    operation=READ,
    permission_type=ALLOW,
)


@pytest.fixture
def cluster():
    return ControllerUnderTest(KAFKA_4_3, authorizer_class_name=STANDARD_AUTHORIZER)


def entry(**changes: Any) -> AclCreation:
    return replace(ENTRY, **changes)


def named(*names: str, pattern: int = LITERAL) -> list[AclCreation]:
    return [entry(resource_name=name, resource_pattern_type=pattern) for name in names]


def wanted(**changes: Any) -> dict[str, Any]:
    everything = {
        "resource_type_filter": ANY,
        "resource_name_filter": None,
        "pattern_type_filter": ANY,
        "principal_filter": None,
        "host_filter": None,
        "operation": ANY,
        "permission_type": ANY,
    }
    return everything | changes


def created(cluster, *entries):
    reply = cluster.accepted(CreateAclsRequest(creations=entries))
    return [(result.error_code, result.error_message) for result in reply.results]


def deleted(cluster, *filters):
    chosen = tuple(DeleteAclsFilter(**chosen) for chosen in filters)
    reply = cluster.accepted(DeleteAclsRequest(filters=chosen))
    return [
        [(acl.resource_name, acl.pattern_type) for acl in result.matching_acls]
        for result in reply.filter_results
    ]


def described(cluster, **chosen):
    reply = cluster.accepted(DescribeAclsRequest(**wanted(**chosen)))
    return [(of.resource_name, of.pattern_type) for of in reply.resources]


def test_entries_are_stored_once_and_described_by_pattern(cluster) -> None:
    others = entry(principal="User:bob"), entry(permission_type=DENY)
    before = cluster.node.log.end_offset

    assert created(cluster, ENTRY, ENTRY, *others) == [(0, "")] * 4
    assert created(cluster, ENTRY) == [(0, "")]

    assert cluster.node.log.end_offset == before + 3
    (resource,) = cluster.accepted(DescribeAclsRequest(**wanted())).resources
    assert (resource.resource_type, resource.resource_name) == (TOPIC, "orders")
    assert [(acl.principal, acl.permission_type) for acl in resource.acls] == [
        ("User:alice", DENY),
        ("User:alice", ALLOW),
        ("User:bob", ALLOW),
    ]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"resource_type": 99}, "Invalid resourceType UNKNOWN"),
        ({"resource_pattern_type": 9}, "Invalid patternType UNKNOWN"),
        ({"operation": 16}, "Invalid operation UNKNOWN"),
        ({"permission_type": 7}, "Invalid permissionType UNKNOWN"),
        ({"resource_name": ""}, "Invalid empty resource name"),
        (
            {"resource_type": CLUSTER},
            "The only valid name for the CLUSTER resource is kafka-cluster",
        ),
        (
            {"principal": "alice"},
            "Could not parse principal from `alice` (no colon is present separating the "
            "principal type from the principal name)",
        ),
    ],
)
def test_an_entry_is_refused_in_kafkas_words_and_the_others_are_stored(
    cluster, changes, message
) -> None:
    found = created(cluster, entry(**changes), ENTRY)

    assert found == [(ErrorCode.INVALID_REQUEST, message), (0, "")]
    assert len(cluster.node.committed.kept(AccessControlEntryRecord)) == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"resource_type": ANY},
        {"resource_pattern_type": ANY},
        {"resource_pattern_type": MATCH},
        {"operation": ANY},
        {"permission_type": ANY},
    ],
)
def test_what_only_filters_have_refuses_the_whole_request(cluster, changes) -> None:
    """Kafka's classes of entries raise an exception, which answers -1."""
    request = CreateAclsRequest(creations=(ENTRY, entry(**changes)))

    assert cluster.refused(request) == ErrorCode.UNKNOWN_SERVER_ERROR
    assert not cluster.node.committed.kept(AccessControlEntryRecord)


@pytest.mark.parametrize(
    ("name", "pattern", "found"),
    [
        (None, ANY, [("*", LITERAL), ("or", PREFIXED), ("orders", LITERAL), ("orders", PREFIXED)]),
        ("orders", ANY, [("orders", LITERAL), ("orders", PREFIXED)]),
        ("orders", LITERAL, [("orders", LITERAL)]),
        ("or", PREFIXED, [("or", PREFIXED)]),
        ("orders", MATCH, [("*", LITERAL), ("or", PREFIXED), ("orders", LITERAL)]),
        ("o", MATCH, [("*", LITERAL)]),
    ],
)
def test_a_filter_selects_by_name_and_pattern(cluster, name, pattern, found) -> None:
    created(cluster, *named("*", "orders"), *named("or", "orders", pattern=PREFIXED))
    if pattern == MATCH and name == "orders":
        found = [*found, ("orders", PREFIXED)]

    chosen = described(cluster, resource_name_filter=name, pattern_type_filter=pattern)

    assert chosen == found


@pytest.mark.parametrize(
    "chosen",
    [
        {"resource_type_filter": GROUP},
        {"principal_filter": "User:bob"},
        {"principal_filter": ""},
        {"host_filter": "10.0.0.1"},
        {"operation": WRITE},
        {"operation": 77},
        {"permission_type": DENY},
    ],
)
def test_a_filter_selects_by_each_part_of_an_entry(cluster, chosen) -> None:
    created(cluster, ENTRY)

    assert described(cluster, **chosen) == []


def test_each_filter_says_what_it_removes_and_an_entry_is_removed_once(cluster) -> None:
    created(cluster, *named("a", "b"))
    before = cluster.node.log.end_offset

    found = deleted(cluster, wanted(resource_name_filter="a"), wanted(), wanted(operation=WRITE))

    assert found == [[("a", LITERAL)], [("a", LITERAL), ("b", LITERAL)], []]
    assert cluster.node.log.end_offset == before + 2
    assert not cluster.node.committed.kept(AccessControlEntryRecord)


def test_a_filter_with_an_unknown_kind_is_refused(cluster) -> None:
    created(cluster, ENTRY)
    unknown = DeleteAclsFilter(**wanted(resource_type_filter=50))
    of_entry = DeleteAclsFilter(**wanted(permission_type=9))

    reply = cluster.accepted(DeleteAclsRequest(filters=(unknown, of_entry)))

    assert [result.error_message for result in reply.filter_results] == [
        "Unknown patternFilter.",
        "Unknown entryFilter.",
    ]
    assert cluster.node.committed.kept(AccessControlEntryRecord)


def test_a_request_adds_or_removes_a_bounded_number_of_entries(cluster, monkeypatch) -> None:
    monkeypatch.setattr(acl_creation, "RECORDS_PER_OPERATION_MAX", 2)
    monkeypatch.setattr(acl_deletion, "RECORDS_PER_OPERATION_MAX", 1)
    too_many = "Unable to perform excessively large batch operation."

    assert created(cluster, *named("a", "b", "c")) == [(ErrorCode.POLICY_VIOLATION, too_many)] * 3
    assert created(cluster, *named("a", "b")) == [(0, "")] * 2
    reply = cluster.accepted(DeleteAclsRequest(filters=(DeleteAclsFilter(**wanted()),)))

    (result,) = reply.filter_results
    assert (result.error_code, result.error_message) == (
        ErrorCode.INVALID_REQUEST,
        "Cannot remove more than 10000 acls in a single delete operation.",
    )
    assert len(cluster.node.committed.kept(AccessControlEntryRecord)) == 2


def test_a_snapshot_has_the_entries(cluster) -> None:
    created(cluster, *named("a", "b"))
    image = Image()
    for offset, record in enumerate(records_of(cluster.node.committed)):
        apply(image, record, offset=offset, epoch=1)

    assert (
        image.kept(AccessControlEntryRecord)
        == cluster.node.committed.kept(AccessControlEntryRecord)
        != {}
    )


def test_a_controller_without_an_authorizer_stores_and_describes_none() -> None:
    cluster = ControllerUnderTest(KAFKA_4_3)

    for request in (
        CreateAclsRequest(creations=(ENTRY,)),
        DeleteAclsRequest(filters=(DeleteAclsFilter(**wanted()),)),
        DescribeAclsRequest(**wanted()),
    ):
        assert cluster.refused(request) == ErrorCode.SECURITY_DISABLED


def test_another_authorizer_is_refused() -> None:
    with pytest.raises(ValueError, match=r"authorizer\.class\.name: expected org\.apache\.kafka"):
        Settings(authorizer_class_name="kafka.security.authorizer.AclAuthorizer")


def test_4_4_refuses_an_empty_host():
    cluster = ControllerUnderTest(KAFKA_4_4, authorizer_class_name=STANDARD_AUTHORIZER)

    assert created(cluster, entry(host="")) == [
        (ErrorCode.INVALID_REQUEST, "Host pattern cannot be null or empty")
    ]


def test_3_9_does_not_know_two_phase_commit():
    cluster = ControllerUnderTest(KAFKA_3_9, authorizer_class_name=STANDARD_AUTHORIZER)

    assert created(cluster, entry(operation=15)) == [
        (ErrorCode.INVALID_REQUEST, "Invalid operation UNKNOWN")
    ]
