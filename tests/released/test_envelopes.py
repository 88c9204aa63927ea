"""The envelopes that ours is tested with, to a released controller: the same codes."""

from collections.abc import Iterator

import pytest

from kraftsim.controller.core.rpc.envelope import EnvelopeResponse
from kraftsim.controller.wire.frames import decode_response
from tests.released.controller import ReleasedController, released_controller
from tests.released.releases import RELEASES
from tests.server.envelopes import CASES, ENVELOPE

pytestmark = pytest.mark.released


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReleasedController]:
    folder = tmp_path_factory.mktemp("envelopes") / "kafka"
    with released_controller(
        RELEASES["4.3.1"], folder, cluster_id="envelopesOfKafka431AAA"
    ) as controller:
        yield controller


@pytest.mark.parametrize("case", CASES)
def test_kafka_answers_an_envelope_as_the_request_in_it_or_refuses_it(
    kafka: ReleasedController, case: str
) -> None:
    sent, connection = CASES[case], kafka.connect()
    try:
        _, response = decode_response(ENVELOPE, 0, connection.exchange(sent.request))
        alone = None if sent.code else connection.exchange(sent.data)
    finally:
        connection.close()

    assert response == EnvelopeResponse(response_data=alone, error_code=sent.code)
