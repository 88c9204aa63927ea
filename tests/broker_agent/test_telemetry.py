"""Telemetry requests, as released brokers without a telemetry plugin answered them."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import repeat
from typing import Any

import pytest

from kraftsim.broker_agent import telemetry
from kraftsim.broker_agent.client_match import ClientMatch
from kraftsim.broker_agent.telemetry import METRICS_BYTES_MAX, Telemetry
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.handlers import response_to
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.profile import KAFKA_3_9, KAFKA_4_3, Profile
from kraftsim.controller.core.rpc.senders import TelemetryClient
from kraftsim.controller.core.rpc.telemetry import (
    GetTelemetrySubscriptionsRequest,
    GetTelemetrySubscriptionsResponse,
    PushTelemetryRequest,
    PushTelemetryResponse,
)
from kraftsim.controller.core.uuid import METADATA_TOPIC_ID, ZERO_UUID, Uuid, uuid_text

NO_METRICS = 0xD4C75BDE - (1 << 32)
FIRST, SECOND = bytes([1]) * 16, bytes([2]) * 16
A, B = TelemetryClient("me", "127.0.0.1", 1), TelemetryClient("me", "127.0.0.1", 2)
NOW, INTERVAL = 1000, 300_000


class Broker:
    """A listener of a broker, its metadata, and the time."""

    def __init__(self, profile: Profile = KAFKA_4_3) -> None:
        self.image = Image()
        self.now_ms = NOW
        self.telemetry = Telemetry(profile, repeat(0.5).__next__, ClientMatch)

    def configure(self, name: str, **configs: str) -> None:
        self.image.configs[16, name] = {
            key.replace("_", "."): text for key, text in configs.items()
        }

    def ask(self, instance_id: Uuid = FIRST, client: TelemetryClient = A) -> Any:
        request = GetTelemetrySubscriptionsRequest(client_instance_id=instance_id, client=client)
        return self.telemetry.answer(self.image, request, self.now_ms)

    def push(
        self, subscription_id: int = NO_METRICS, instance_id: Uuid = FIRST, **fields: Any
    ) -> int:
        request = PushTelemetryRequest(
            client_instance_id=instance_id, subscription_id=subscription_id, client=A, **fields
        )
        return self.telemetry.answer(self.image, request, self.now_ms).error_code


@pytest.fixture
def broker() -> Broker:
    return Broker()


def test_without_configurations_a_client_is_subscribed_to_nothing(broker: Broker) -> None:
    assert broker.ask() == GetTelemetrySubscriptionsResponse(
        client_instance_id=FIRST,
        subscription_id=NO_METRICS,
        accepted_compression_types=(4, 3, 1, 2),
        push_interval_ms=INTERVAL,
        telemetry_max_bytes=1048576,
        delta_temporality=True,
    )


def test_a_client_without_an_id_gets_a_random_one() -> None:
    draws = iter(number / 256 for number in range(32))
    broker = Broker()
    broker.telemetry = Telemetry(KAFKA_4_3, draws.__next__, ClientMatch)

    first, second = broker.ask(ZERO_UUID), broker.ask(ZERO_UUID)

    assert (first.error_code, second.error_code) == (0, 0)
    assert first.client_instance_id.hex() == "000102030405460788090a0b0c0d0e0f"
    assert second.client_instance_id != first.client_instance_id


@pytest.mark.parametrize(
    ("metrics", "interval_ms", "expected"),
    [
        (("org.a", "org.c", "org.b"), 1000, 0xBDBA7231),
        (("*",), 1000, 0x328BB2B9),
        ((), 500, 0xB8603B92),
        (("", "a", "b"), INTERVAL, 0x5EE8AAC8),
    ],
)
def test_subscription_ids_are_kafkas(
    metrics: tuple[str, ...], interval_ms: int, expected: int
) -> None:
    configs = {"metrics": ",".join(metrics), "interval.ms": str(interval_ms)}
    checksum = telemetry.new_offer([configs]).checksum
    number = telemetry.subscription_id(checksum, FIRST)

    assert number & 0xFFFFFFFF == expected
    assert -(1 << 31) <= number < 1 << 31
    other = telemetry.subscription_id(checksum, METADATA_TOPIC_ID)
    assert other & 0xFFFFFFFF == expected ^ 1


def test_a_subscription_has_all_metrics_in_the_order_of_javas_hash_set(broker: Broker) -> None:
    broker.configure("many", metrics=",".join(f"metric.number.{of}" for of in range(40)))

    reply = broker.ask()

    assert reply.requested_metrics[:3] == tuple(f"metric.number.{of}" for of in (27, 28, 29))
    assert reply.subscription_id == 0x718006D


def test_a_client_asks_again_after_the_interval_only(broker: Broker) -> None:
    broker.configure("s1", metrics="org.b,org.a, org.c", interval_ms="1000")
    codes = []
    for broker.now_ms in (NOW, NOW, NOW + 999, NOW + 1000):
        codes.append(broker.ask().error_code)

    assert codes == [0, 89, 89, 0]


def test_a_throttled_reply_has_nothing_else(broker: Broker) -> None:
    broker.ask()

    assert broker.ask() == GetTelemetrySubscriptionsResponse(error_code=89)


def test_changed_configurations_are_told_at_once(broker: Broker) -> None:
    broker.ask()
    broker.configure("s1", metrics="org.a", interval_ms="1000")

    changed = broker.ask()

    assert (changed.error_code, changed.requested_metrics) == (0, ("org.a",))
    assert broker.ask().error_code == 89
    broker.image.configs.clear()
    assert broker.ask().requested_metrics == ()


def test_subscriptions_join_their_metrics_and_the_shortest_interval_counts(broker: Broker) -> None:
    broker.configure("s1", metrics="org.b,org.a, org.c", interval_ms="1000")
    broker.configure("s2", metrics="org.z,org.a", interval_ms="3600000", match="client_id=other")
    other = replace(A, client_id="other")

    assert broker.ask().requested_metrics == ("org.a", "org.c", "org.b")
    reply = broker.ask(SECOND, other)
    assert reply.requested_metrics == ("org.z", "org.a", "org.c", "org.b")
    assert (reply.push_interval_ms, reply.subscription_id & 0xFFFFFFFF) == (1000, 0xB6A585F6)


def test_clients_that_match_the_same_resources_share_what_they_are_offered(broker: Broker) -> None:
    # thousands of metrics would take a millisecond and 100 KB for each of 16,384 instances
    broker.configure("s1", metrics="org.b,org.a")
    broker.configure("s2", metrics="org.z", match="client_id=other")
    first, second = broker.ask(), broker.ask(SECOND)

    assert first.requested_metrics is second.requested_metrics
    assert broker.ask(METADATA_TOPIC_ID, replace(A, client_id="other")).requested_metrics == (
        "org.z",
        "org.a",
        "org.b",
    )


@pytest.mark.parametrize("offers_max", [1, 2])
def test_offers_that_are_not_kept_are_made_anew(
    broker: Broker, offers_max: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telemetry, "OFFERS_MAX", offers_max)
    for name in "abc":
        broker.configure(name, metrics=name, match=f"client_id={name}")

    asked = [
        broker.ask(bytes([number]) * 16, replace(A, client_id=name)).requested_metrics
        for number, name in enumerate("abcab", start=1)
    ]

    assert asked == [("a",), ("b",), ("c",), ("a",), ("b",)]
    assert len(broker.telemetry._subscriptions._offers) <= offers_max


def test_no_subscription_lengthens_the_interval_and_a_star_is_all_metrics(broker: Broker) -> None:
    broker.configure("s1", metrics="*,a", interval_ms="3600000")
    broker.configure("s2", metrics="b")

    reply = broker.ask()

    assert (reply.requested_metrics, reply.push_interval_ms) == (("*",), INTERVAL)


def test_a_resource_without_configurations_is_none(broker: Broker) -> None:
    broker.ask()
    broker.configure("gone")

    assert broker.ask().error_code == 89


@pytest.mark.parametrize(
    ("match", "matches"),
    [
        ("", True),
        ("client_id=m.", True),
        ("client_id=m", False),
        ("client_id=me=", True),
        (",", True),
        ("client_id=other,client_id=me", True),
        ("client_id=me, client_source_address = 127\\.0\\.0\\.1", True),
        ("client_id=me,client_source_address=10.*", False),
        ("client_source_port=1", True),
        ("client_source_port=[2-9]", False),
        (f"client_instance_id={uuid_text(FIRST)}", True),
        (f"client_instance_id={uuid_text(SECOND)}", False),
        ("client_software_name=unknown,client_software_version=unknown", True),
        ("client_software_name=java", False),
        ("client_id=(", False),
    ],
)
def test_a_subscription_is_for_the_clients_that_match(
    broker: Broker, match: str, matches: bool
) -> None:
    broker.configure("s", metrics="a", match=match)

    assert broker.ask().requested_metrics == (("a",) if matches else ())


def test_a_client_without_an_attribute_does_not_match(broker: Broker) -> None:
    broker.configure("s", metrics="a", match="client_id=.*")

    assert broker.ask(client=replace(A, client_id=None)).requested_metrics == ()


def test_the_software_of_a_client_is_that_of_its_connection(broker: Broker) -> None:
    broker.configure(
        "s", metrics="a", match="client_software_name=soft.*,client_software_version=1\\.2"
    )
    soft = replace(A, software_name="software", software_version="1.2")

    assert broker.ask(client=soft).requested_metrics == ("a",)


def test_a_push_is_accepted_once_after_the_client_asked(broker: Broker) -> None:
    broker.ask()

    assert (broker.push(), broker.push()) == (0, 89)
    broker.now_ms += INTERVAL
    assert (broker.push(), broker.push()) == (0, 89)


def test_a_client_ends_whenever_it_wants_and_pushes_nothing_more(broker: Broker) -> None:
    broker.ask()
    broker.push()

    assert (broker.push(terminating=True), broker.push(terminating=True)) == (0, 42)
    assert (broker.ask().error_code, broker.push(), broker.push()) == (89, 42, 89)


@pytest.mark.parametrize("instance_id", [ZERO_UUID, METADATA_TOPIC_ID])
def test_a_reserved_id_pushes_nothing(broker: Broker, instance_id: Uuid) -> None:
    assert broker.push(instance_id=instance_id) == 42


@pytest.mark.parametrize(
    ("compression", "expected"), [(-1, 76), (0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 76)]
)
def test_compressions_that_exist_are_accepted(
    broker: Broker, compression: int, expected: int
) -> None:
    broker.ask()

    assert broker.push(compression_type=compression) == expected


def test_the_bytes_of_a_push_are_bounded(broker: Broker) -> None:
    broker.ask()
    broker.ask(SECOND)

    assert broker.push(metrics=bytes(METRICS_BYTES_MAX)) == 0
    assert broker.push(metrics=bytes(METRICS_BYTES_MAX + 1), instance_id=SECOND) == 118


def test_a_property_file_bounds_the_bytes_of_a_push(broker: Broker) -> None:
    broker.telemetry = Telemetry(KAFKA_4_3, repeat(0.5).__next__, ClientMatch, bytes_max=100)

    assert broker.ask().telemetry_max_bytes == 100
    assert broker.push(metrics=bytes(101)) == 118


@pytest.mark.parametrize(("profile", "expected"), [(KAFKA_3_9, 89), (KAFKA_4_3, 0)])
@pytest.mark.parametrize("wrong", [{"subscription_id": 5}, {"compression_type": 5}])
def test_a_client_whose_push_was_refused_may_ask_at_once_since_4_0(
    profile: Profile, expected: int, wrong: Mapping[str, int]
) -> None:
    broker = Broker(profile)

    assert broker.push(**wrong) in (117, 76)
    assert (broker.ask().error_code, broker.ask().error_code) == (expected, 89)


def test_a_wrong_subscription_id_counts_as_a_push(broker: Broker) -> None:
    broker.ask()

    assert (broker.push(5), broker.push(), broker.ask().error_code) == (117, 89, 89)
    assert (broker.push(5, SECOND, terminating=True), broker.push(instance_id=SECOND)) == (117, 42)


@pytest.mark.parametrize(("profile", "expected"), [(KAFKA_3_9, 89), (KAFKA_4_3, 0)])
def test_a_client_is_forgotten_with_the_connection_that_named_it_since_4_0(
    profile: Profile, expected: int
) -> None:
    broker = Broker(profile)
    broker.ask()
    assert broker.ask(client=B).error_code == 89

    broker.telemetry.end_connection(B.address, B.port)
    assert broker.ask(client=B).error_code == 89
    broker.telemetry.end_connection(A.address, A.port)
    assert broker.ask(client=B).error_code == expected


def test_a_silent_client_is_forgotten(broker: Broker) -> None:
    broker.configure("s", interval_ms="100")
    broker.ask()
    assert broker.push(0, terminating=True) == 117

    broker.now_ms += 59_999
    assert broker.push(0, terminating=True) == 42
    broker.now_ms += 60_000
    assert broker.push(0, terminating=True) == 117


def test_so_many_clients_are_remembered(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telemetry, "INSTANCES_MAX", 2)
    for instance_id in (FIRST, SECOND, FIRST, METADATA_TOPIC_ID):
        broker.ask(instance_id)

    assert broker.ask(FIRST).error_code == 89
    assert broker.ask(SECOND).error_code == 0


def test_a_refusal_has_the_code_of_its_error() -> None:
    ask = GetTelemetrySubscriptionsRequest(client_instance_id=FIRST)
    push = PushTelemetryRequest(client_instance_id=FIRST, subscription_id=0)
    error = ApiError(ErrorCode.INVALID_REQUEST, "no")

    assert response_to(ask, error, 0) == GetTelemetrySubscriptionsResponse(error_code=42)
    assert response_to(push, error, 0) == PushTelemetryResponse(error_code=42)
