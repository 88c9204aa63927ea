"""UnregisterController (94) forgets a controller that is gone, as Kafka 4.4.0 does.

Also what ControllerRegistration (70) refuses.
"""

import pytest

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.log.records import UnregisterControllerRecord
from kraftsim.controller.core.profile import KAFKA_4_3, KAFKA_4_4, Profile
from kraftsim.controller.core.rpc import (
    BrokerListener,
    ControllerRegistrationRequest,
    UnregisterControllerRequest,
)
from kraftsim.controller.core.uuid import ZERO_UUID
from tests.builders import ControllerUnderTest

GONE = 3007
UNREGISTRATION = UnregisterControllerRequest(controller_id=GONE)


ACTIVE_ID = ControllerUnderTest(KAFKA_4_4).node.config.node_id


def with_registration(profile: Profile) -> ControllerUnderTest:
    cluster = ControllerUnderTest(profile)
    registration = ControllerRegistrationRequest(controller_id=GONE, incarnation_id=ZERO_UUID)
    assert cluster.accepted(registration).error_code == 0
    return cluster


@pytest.mark.rule("5.64")
def test_an_unregistered_controller_is_forgotten() -> None:
    cluster = with_registration(KAFKA_4_4)
    before = cluster.node.log.end_offset

    assert cluster.accepted(UNREGISTRATION).error_code == 0

    written = [record for batch in cluster.node.log.read(before) for record in batch.records]
    assert written == [UnregisterControllerRecord(controller_id=GONE)]
    assert GONE not in cluster.node.committed.controllers


@pytest.mark.rule("5.64")
@pytest.mark.parametrize(
    ("cluster", "code", "message"),
    [
        (
            ControllerUnderTest(KAFKA_4_4),
            ErrorCode.CONTROLLER_ID_NOT_REGISTERED,
            f"Controller ID {GONE} is not currently registered.",
        ),
        (
            with_registration(KAFKA_4_3),
            ErrorCode.UNSUPPORTED_VERSION,
            "The current MetadataVersion is too old to support controller unregistration.",
        ),
    ],
    ids=["unknown", "too old"],
)
def test_an_unregistration_is_refused_in_kafkas_words(
    cluster: ControllerUnderTest, code: ErrorCode, message: str
) -> None:
    refusal = cluster.ask(UNREGISTRATION)

    assert isinstance(refusal, ApiError)
    assert (refusal.code, refusal.message) == (code, message)


@pytest.mark.rule("5.64")
@pytest.mark.parametrize("profile", [KAFKA_4_4, KAFKA_4_3], ids=["new level", "old level"])
def test_the_active_controller_does_not_unregister_itself(profile: Profile) -> None:
    cluster = ControllerUnderTest(profile)
    end = cluster.node.log.end_offset

    refusal = cluster.ask(UnregisterControllerRequest(controller_id=ACTIVE_ID))

    assert isinstance(refusal, ApiError)
    message = "Controller cannot unregister itself while it is active."
    assert (refusal.code, refusal.message) == (ErrorCode.INVALID_REQUEST, message)
    assert cluster.node.log.end_offset == end


@pytest.mark.rule("5.62")
def test_a_controller_with_an_unknown_security_protocol_is_refused() -> None:
    cluster = ControllerUnderTest(KAFKA_4_4)
    listener = BrokerListener(name="CONTROLLER", host="host", port=9990, security_protocol=9)
    registration = ControllerRegistrationRequest(
        controller_id=GONE, incarnation_id=ZERO_UUID, listeners=(listener,)
    )

    assert cluster.refused(registration) == ErrorCode.INVALID_REGISTRATION
    assert GONE not in cluster.node.committed.controllers
    assert cluster.node.is_active
