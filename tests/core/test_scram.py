"""SCRAM credentials: changed, refused and described as by Kafka 4.3.1."""

import hashlib
from base64 import b64decode

import pytest

from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.image.image_records import records_of
from kraftsim.controller.core.image.replay import apply
from kraftsim.controller.core.log.records import (
    RemoveUserScramCredentialRecord,
    UserScramCredentialRecord,
)
from kraftsim.controller.core.profile import KAFKA_4_3, PROFILES
from kraftsim.controller.core.rpc.scram import (
    AlterUserScramCredentialsRequest,
    DescribeUserScramCredentialsRequest,
    ScramCredentialDeletion,
    ScramCredentialUpsertion,
    UserName,
)
from kraftsim.controller.core.security.scram_description import describe_user_scram_credentials
from tests.builders import ControllerUnderTest

SHA_256, SHA_512 = 1, 2


@pytest.fixture
def cluster():
    return ControllerUnderTest(KAFKA_4_3)


def deletion(name, mechanism=SHA_256):
    return ScramCredentialDeletion(name=name, mechanism=mechanism)


def upsertion(name, mechanism=SHA_256, *, iterations=4096, salted_password=b"salted"):
    return ScramCredentialUpsertion(
        name=name,
        mechanism=mechanism,
        iterations=iterations,
        salt=b"salt",
        salted_password=salted_password,
    )


def results(cluster, *upsertions, deletions=()):
    request = AlterUserScramCredentialsRequest(deletions=deletions, upsertions=upsertions)
    return {of.user: of.error_message for of in cluster.accepted(request).results}


def test_a_credential_is_stored_without_the_password_and_is_removed(cluster) -> None:
    """The keys are those of RFC 7677's example, with its salt and 4,096 iterations."""
    salt = b64decode("W22ZaJ0SNY7soEsUEjb6gQ==")
    salted = hashlib.pbkdf2_hmac("sha256", b"pencil", salt, 4096)
    before = cluster.node.log.end_offset

    assert results(cluster, upsertion("user", salted_password=salted)) == {"user": None}
    assert results(cluster, deletions=(deletion("user"),)) == {"user": None}

    written = [record for batch in cluster.node.log.read(before) for record in batch.records]
    assert written == [
        UserScramCredentialRecord(
            name="user",
            mechanism=SHA_256,
            salt=b"salt",
            stored_key=b64decode("WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY="),
            server_key=b64decode("wfPLwcE6nTWhTAmQ7tl2KeoiWGPlZqQxSrmfPwDl2dU="),
            iterations=4096,
        ),
        RemoveUserScramCredentialRecord(name="user", mechanism=SHA_256),
    ]
    assert cluster.node.committed.kept(UserScramCredentialRecord) == {}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (upsertion(""), "Username must not be empty"),
        (upsertion("a", 3), "Unknown SCRAM mechanism"),
        (upsertion("a", iterations=4095), "Too few iterations"),
        (upsertion("a", iterations=16385), "Too many iterations"),
        (upsertion("a", salted_password=b""), None),
    ],
)
def test_a_credential_is_refused_in_kafkas_words(cluster, change, message) -> None:
    before = cluster.node.log.end_offset

    assert results(cluster, change) == {change.name: message}
    assert cluster.node.log.end_offset == before


def test_a_user_occurs_once_in_a_request_and_the_others_are_changed(cluster) -> None:
    twice = "A user credential cannot be altered twice in the same request"
    absent = "Attempt to delete a user credential that does not exist"

    found = results(
        cluster,
        upsertion("a"),
        upsertion("a", SHA_512),
        upsertion("b"),
        deletions=(deletion("c"),),
    )

    assert found == {"a": twice, "b": None, "c": absent}
    assert cluster.node.committed.kept(UserScramCredentialRecord).keys() == {("b", SHA_256)}


def test_a_snapshot_has_the_credentials(cluster) -> None:
    results(cluster, upsertion("a"), upsertion("b", SHA_512))
    image = Image()
    for offset, record in enumerate(records_of(cluster.node.committed)):
        apply(image, record, offset=offset, epoch=1)

    assert (
        image.kept(UserScramCredentialRecord)
        == cluster.node.committed.kept(UserScramCredentialRecord)
        != {}
    )


@pytest.mark.rule("4.71")
@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_a_credential_outlives_the_last_one_of_its_mechanism(profile) -> None:
    """Images of Kafka up to 4.4 lose what the batch creates that removes the last one."""
    cluster = ControllerUnderTest(profile)
    results(cluster, upsertion("a"))

    assert results(cluster, upsertion("b"), deletions=(deletion("a"),)) == {"a": None, "b": None}
    records = records_of(cluster.node.committed)
    assert ["b"] == [of.name for of in records if isinstance(of, UserScramCredentialRecord)]


def test_a_description_has_mechanisms_and_iterations(cluster) -> None:
    results(cluster, upsertion("a"))
    results(cluster, upsertion("a", SHA_512, iterations=8192))

    described = describe_user_scram_credentials(
        cluster.node.committed, DescribeUserScramCredentialsRequest()
    )

    [result] = described.results
    infos = [(info.mechanism, info.iterations) for info in result.credential_infos]
    assert (result.user, infos) == ("a", [(SHA_256, 4096), (SHA_512, 8192)])


@pytest.mark.rule("5.3")
def test_a_controller_answers_no_description_though_it_lists_it(cluster) -> None:
    request = DescribeUserScramCredentialsRequest(users=(UserName(name="a"),))

    assert cluster.refused(request) == ErrorCode.UNKNOWN_SERVER_ERROR
