"""Whatever bytes a client sends to a Kafka listener, it harms its own connection at most."""

import asyncio
import logging
import os
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kraftsim import Cluster
from tests.server.attacked import Attacked, expected_of
from tests.wire.hostile_frames import CLUSTER_ID, pieces, streams

pytestmark = [pytest.mark.slow, pytest.mark.realtime]

EXAMPLES = int(os.environ.get("KRAFTSIM_SOAK_EXAMPLES", "75"))

OTHER_LINES = ("(only the first is reported)", "the event loop of the cluster has been blocked")


class Lines(logging.Handler):
    """Keeps the lines of the log."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


@pytest.mark.rule("5.2")
@pytest.mark.parametrize("kind", ["controller", "broker"])
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_bytes_harm_their_own_connection_at_most(kind: str, data: st.DataObject) -> None:
    """Requests are answered in order; a malformed one ends its connection with a line of log."""
    controllers = data.draw(st.sampled_from((1, 3)))
    stream = data.draw(streams(kind))
    lines = Lines()
    logging.getLogger().addHandler(lines)
    try:
        asyncio.run(attack(kind, controllers, stream, data.draw(pieces(stream)), lines))
    finally:
        logging.getLogger().removeHandler(lines)


async def attack(
    kind: str, controllers: int, stream: bytes, sent: list[bytes], lines: Lines
) -> None:
    faults: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: faults.append(context))
    async with Cluster(
        brokers=2,
        controllers=controllers,
        cluster_id=CLUSTER_ID,
        clock="virtual",
        seed=1,
        kafka_port=0,
        controller_port=0,
    ) as kraft:
        cluster = Attacked(kraft, kind)
        before, attacker = cluster.state, cluster.attacker
        expected = expected_of(stream, cluster.listener.spoken)

        await attacker.send(sent)
        assert faults == []

        served = await cluster.others_are_served()
        assert -1 not in served
        assert cluster.unread_bytes <= len(stream)
        if not expected.answers:
            assert (cluster.state, served) == (before, [0, 0])
        if not expected.waits_long:
            assert await cluster.wait_for(len(expected.answers)) == len(expected.answers)
            assert attacker.is_closed == expected.ends
        numbers = [number for number, _ in attacker.answers(expected.answers)]
        assert numbers == [header.correlation_id for header in expected.answers][: len(numbers)]
        attacker.lose()
        assert cluster.unread_bytes == 0
        assert -1 not in await cluster.others_are_served()
    refusals = [record.getMessage() for record in lines.records]
    refusals = [line for line in refusals if not any(text in line for text in OTHER_LINES)]
    assert all("closing the connection" in line and "expected" in line for line in refusals)
    assert len(refusals) == (attacker.is_closed and expected.is_malformed)
    assert faults == []
