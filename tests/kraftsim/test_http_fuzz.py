"""Whatever a client sends to the HTTP service, it is answered in our form and the others too."""

import asyncio
import json
import os
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kraftsim import Cluster
from tests.kraftsim.hostile_http import requests, streams
from tests.kraftsim.http_wires import Client
from tests.wire.hostile_frames import pieces

pytestmark = [pytest.mark.slow, pytest.mark.realtime]

EXAMPLES = int(os.environ.get("KRAFTSIM_SOAK_EXAMPLES", "50"))
GET = b"GET /v1/cluster HTTP/1.1\r\nHost: localhost\r\n\r\n"
ALWAYS = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))


async def answered(
    sent: list[bytes], *, is_well_formed: bool = False
) -> tuple[list[int], list[tuple[int, str, bytes]]]:
    """Returns the statuses and the complete responses to these bytes of one connection.

    Waits for a response if `is_well_formed`.
    """
    faults: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(context))
    async with Cluster(brokers=2, clock="virtual", seed=1, http_port=0) as kraft:
        other, client = Client(kraft), Client(kraft)
        await client.send(sent)
        if is_well_formed:
            await client.is_answered()
        await other.send([GET])
        assert other.statuses == [200]
        await client.end()
        await other.send([GET])
        assert other.statuses == [200, 200]
    assert faults == []
    return client.statuses, client.responses()


def expect_our_errors(responses: list[tuple[int, str, bytes]]) -> None:
    for status, media_type, body in responses:
        if status >= 400:
            assert media_type == "application/json"
            assert json.loads(body).keys() >= {"errorCode", "error", "message"} or status == 503


@ALWAYS
@given(data=st.data())
def test_any_bytes_are_answered_in_our_form_and_others_are_served(data: st.DataObject) -> None:
    stream = data.draw(streams())
    statuses, responses = asyncio.run(answered(data.draw(pieces(stream))))

    assert 500 not in statuses
    if b"HEAD" not in stream:  # whose responses have no bodies
        expect_our_errors(responses)


@ALWAYS
@given(data=st.data())
def test_a_well_formed_request_is_answered_whatever_its_values(data: st.DataObject) -> None:
    request = data.draw(requests())
    sent = data.draw(pieces(request))
    statuses, responses = asyncio.run(answered(sent, is_well_formed=True))

    assert 500 not in statuses
    assert len(responses) == 1
    expect_our_errors(responses)
