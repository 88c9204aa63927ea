"""Clients over their byte quotas are throttled and muted, with the times that 4.3.1 gave."""

from base64 import b64decode
from collections.abc import AsyncIterator
from typing import Any

import pytest

from kraftsim import Cluster
from kraftsim.broker_agent.log.byte_rate import ByteRate
from kraftsim.controller.core.rpc.quotas import (
    AlterClientQuotasEntry,
    AlterClientQuotasRequest,
    QuotaEntityData,
    QuotaOperation,
)
from tests.batches import batch
from tests.differential.listener.replies import document_of
from tests.limits import LIMIT_S
from tests.server.kafka_client import Client, connected
from tests.server.test_data_plane import produced, wanted

pytestmark = pytest.mark.realtime

ANONYMOUS, CLIENT = ("user", "ANONYMOUS"), ("client-id", "test")
ANY_USER, ANY_CLIENT = ("user", None), ("client-id", None)
HEADER = 97  # bytes of a Produce request of this client beside its batch's value


@pytest.fixture
async def kraft() -> AsyncIterator[Cluster]:
    async with Cluster(brokers=1, clock="virtual", seed=1, kafka_port=0) as kraft:
        await kraft.topics.create("t", partitions=2)
        await kraft.clock.advance("1s")
        yield kraft


@pytest.fixture
async def broker(kraft: Cluster) -> AsyncIterator[Client]:
    async with connected(kraft.bootstrap_servers) as client:
        yield client


async def limit(kraft: Cluster, *entity: tuple[str, str | None], **quotas: float | None) -> None:
    async with connected(kraft.bootstrap_servers) as client:
        entry = AlterClientQuotasEntry(
            entity=tuple(
                QuotaEntityData(entity_type=kind, entity_name=name) for kind, name in entity
            ),
            ops=tuple(
                QuotaOperation(key=key, value=value or 0.0, remove=value is None)
                for key, value in quotas.items()
            ),
        )
        client.send(49, 1, AlterClientQuotasRequest(entries=(entry,)))
        _, reply = await client.answer(49, 1)
        assert [result.error_code for result in reply.entries] == [0]
    await kraft.clock.advance("1s")


async def throttle_ms(client: Client, size: int) -> int:
    """The throttle time of a Produce request of so many bytes."""
    frame = batch(bytes(size - HEADER - 20))
    client.send(0, 9, produced(frame))
    _, reply = await client.answer(0, 9)
    found: int = reply.throttle_time_ms
    return found


async def fetched(client: Client, offset: int = 0, **fields: Any) -> Any:
    """The response to a Fetch, as a document."""
    client.send(1, 12, wanted(offset, **fields))
    return document_of(1, 12, await client.frame())


def bytes_of(response: Any) -> int:
    """The bytes of records in a response."""
    parts = [part for topic in response["responses"] for part in topic["partitions"]]
    return sum(len(b64decode(part["records"])) for part in parts)


@pytest.mark.rule("B2.36")
@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        (((0, 5103), (19, 5103), (39, 10105)), [0, 10206 - 10019, 20311 - 10039]),
        (((0, 9105), (8, 3103), (2209, 3103)), [0, 12208 - 10008, 15311 - 10209]),
        (((0, 10001), (12_000, 10_000), (12_001, 2)), [1, 0, 1]),
    ],
)
def test_a_rate_is_measured_as_by_kafka(sizes: Any, expected: list[int]) -> None:
    rate = ByteRate(11, 1000, 0)
    found = []
    for at_ms, size in sizes:
        rate.note(size, at_ms)
        found.append(rate.throttle_ms(1000.0, at_ms))

    assert found == expected


@pytest.mark.rule("B2.36")
@pytest.mark.parametrize(
    ("limit", "size", "expected"),
    [
        (1.0, 2_147_000, 2_147_000_000 - 10_000),
        (1.0, 2_200_000, 0),  # 2,199,990,000 is a negative int
        (1.0, 4_400_000, 4_400_000_000 - 10_000 - 2**32),
        (1e-300, 5_000, 0),
        (float("nan"), 5_000, 0),
        (float("inf"), 5_000, 0),
    ],
)
def test_a_wait_is_narrowed_as_by_java(limit: float, size: int, expected: int) -> None:
    rate = ByteRate(11, 1000, 0)
    rate.note(size, 0)

    assert rate.throttle_ms(limit, 0) == expected


@pytest.mark.rule("B2.35")
async def test_a_producer_over_its_quota_is_muted_for_its_throttle_time(
    kraft: Cluster, broker: Client
) -> None:
    await limit(kraft, CLIENT, producer_byte_rate=1000.0)
    assert await throttle_ms(broker, 9_000) == 0
    muted_ms = await throttle_ms(broker, 3_000)
    assert 1_000 < muted_ms < 3_000

    broker.ask_versions(7)
    async with connected(kraft.bootstrap_servers) as other:
        await broker.round_trips(other)
        assert broker.nothing_came
        await kraft.clock.advance(f"{muted_ms - 1}ms")
        await broker.round_trips(other)
        assert broker.nothing_came
    await kraft.clock.advance("1ms")

    correlation_id, _ = await broker.answer(18, 3)
    assert correlation_id == 7


@pytest.mark.rule("B2.35")
async def test_a_producer_that_expects_no_reply_is_muted_too(
    kraft: Cluster, broker: Client
) -> None:
    await limit(kraft, CLIENT, producer_byte_rate=1000.0)
    broker.send(0, 9, produced(batch(bytes(12_000)), acks=0))
    broker.ask_versions(7)
    async with connected(kraft.bootstrap_servers) as other:
        await broker.round_trips(other)
    assert broker.nothing_came

    await kraft.clock.advance("10s")

    correlation_id, _ = await broker.answer(18, 3)
    assert correlation_id == 7


@pytest.mark.rule("B4.50", "B4.30")
async def test_a_consumer_over_its_quota_gets_an_empty_reply(
    kraft: Cluster, broker: Client
) -> None:
    for _ in range(3):
        await throttle_ms(broker, 4_000)
    await limit(kraft, CLIENT, consumer_byte_rate=1000.0)

    first = await fetched(broker)
    assert first["responses"] == []
    assert 0 < first["throttleTimeMs"] < 100  # what a response has beside its records
    await kraft.clock.advance(f"{first['throttleTimeMs']}ms")
    second = await fetched(broker)
    assert (second["throttleTimeMs"], bytes_of(second)) == (0, 10_000)
    third = await fetched(broker)
    assert third["responses"] == []
    assert 9_000 < third["throttleTimeMs"] < 11_000


@pytest.mark.rule("B4.50")
async def test_a_throttled_fetch_goes_on_with_its_session(kraft: Cluster, broker: Client) -> None:
    await throttle_ms(broker, 4_000)
    session_id = (await fetched(broker, session_epoch=0))["sessionId"]
    await limit(kraft, CLIENT, consumer_byte_rate=1.0)
    await throttle_ms(broker, 4_000)

    throttled = await fetched(broker, session_id=session_id, session_epoch=1)
    assert (throttled["sessionId"], throttled["responses"]) == (session_id, [])
    assert throttled["throttleTimeMs"] > 0

    await limit(kraft, CLIENT, consumer_byte_rate=None)
    await kraft.clock.advance(f"{throttled['throttleTimeMs']}ms")
    third = await fetched(broker, session_id=session_id, session_epoch=2)
    assert (third["errorCode"], len(third["responses"])) == (0, 1)


@pytest.mark.rule("B4.50")
async def test_a_throttled_fetch_begins_no_session(kraft: Cluster, broker: Client) -> None:
    await throttle_ms(broker, 4_000)
    await limit(kraft, CLIENT, consumer_byte_rate=1.0)

    throttled = await fetched(broker, session_epoch=0)

    assert throttled["throttleTimeMs"] > 0
    assert throttled["sessionId"] == 0


@pytest.mark.rule("B4.50")
async def test_a_throttled_client_does_not_learn_that_it_has_no_session(
    kraft: Cluster, broker: Client
) -> None:
    await limit(kraft, CLIENT, consumer_byte_rate=1.0)

    throttled = await fetched(broker, session_id=77, session_epoch=1)

    assert throttled["throttleTimeMs"] > 0
    assert (throttled["errorCode"], throttled["sessionId"]) == (0, 0)


@pytest.mark.parametrize(
    ("entities", "is_throttled"),
    [
        ([(CLIENT,)], True),
        ([(ANY_CLIENT,)], True),
        ([(("client-id", "other"),)], False),
        ([(ANY_USER,)], True),
        ([(CLIENT,), (ANY_USER,)], False),  # the last one is generous
        ([(ANY_USER,), (ANONYMOUS,)], False),
        ([(ANONYMOUS,), (ANONYMOUS, ANY_CLIENT)], False),
        ([(ANONYMOUS, ANY_CLIENT), (ANONYMOUS, CLIENT)], False),
        ([(ANONYMOUS,), (ANY_USER, CLIENT)], True),
    ],
)
async def test_the_most_specific_quota_counts(
    kraft: Cluster, broker: Client, entities: Any, is_throttled: bool
) -> None:
    for number, entity in enumerate(entities):
        generous = number == 1 or (len(entities) == 1 and not is_throttled)
        await limit(kraft, *entity, producer_byte_rate=1e9 if generous else 1.0)

    assert (await throttle_ms(broker, 4_000) > 0) == is_throttled


async def test_a_new_process_has_measured_nothing(kraft: Cluster) -> None:
    await limit(kraft, CLIENT, producer_byte_rate=1000.0)
    async with connected(kraft.bootstrap_servers) as client:
        assert await throttle_ms(client, 9_000) == 0
    await kraft.brokers.kill(1)
    await kraft.brokers.restart(1)
    await kraft.wait(broker=1, state="unfenced", timeout=LIMIT_S)
    await kraft.clock.advance("1s")
    async with connected(kraft.bootstrap_servers) as client:
        assert await throttle_ms(client, 9_000) == 0


@pytest.mark.rule("B2.36")
async def test_a_property_file_has_the_windows() -> None:
    settings = {"quota.window.num": 2, "quota.window.size.seconds": 1}
    async with Cluster(
        brokers=1, clock="virtual", seed=1, kafka_port=0, settings=settings
    ) as kraft:
        await kraft.topics.create("t", partitions=1)
        await limit(kraft, CLIENT, producer_byte_rate=1000.0)
        async with connected(kraft.bootstrap_servers) as client:
            assert await throttle_ms(client, 4_000) > 2_500


@pytest.mark.rule("B2.36", "B4.30")
async def test_a_quota_that_is_no_number_throttles_nobody() -> None:
    async with Cluster(
        brokers=1, clock="virtual", seed=1, kafka_port=0, profile="kafka-4.3"
    ) as kraft:
        await kraft.topics.create("t", partitions=1)
        nan = float("nan")
        await limit(kraft, CLIENT, producer_byte_rate=nan, consumer_byte_rate=nan)
        async with connected(kraft.bootstrap_servers) as client:
            assert await throttle_ms(client, 4_000) == 0
            found = await fetched(client)

    assert found["throttleTimeMs"] == 0
    assert bytes_of(found) > 3_000  # the first batch comes whole
