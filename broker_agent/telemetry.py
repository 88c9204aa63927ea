"""Client telemetry of a broker that has no telemetry plugin (KIP-714).

Such a broker tells clients to which metrics they are subscribed, checks the metrics that they push,
and drops them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from kraftsim.controller.core import rpc
from kraftsim.controller.core.configs.resources import ResourceType
from kraftsim.controller.core.configs.validators import LIST
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.hash_order import in_hash_order, in_properties_order
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.profile import Profile
from kraftsim.controller.core.rpc.senders import TelemetryClient
from kraftsim.controller.core.uuid import METADATA_TOPIC_ID, ZERO_UUID, Uuid, random_uuid, uuid_text
from kraftsim.controller.core.value import value
from kraftsim.controller.wire.records.checksum import crc32c

INTERVAL_MS_MAX = 300_000  # between two pushes; no subscription lengthens it
METRICS_BYTES_MAX = 1024 * 1024  # of one push: the default of telemetry.max.bytes
ZSTD, LZ4, GZIP, SNAPPY = 4, 3, 1, 2
PREFERRED_COMPRESSIONS = (ZSTD, LZ4, GZIP, SNAPPY)
COMPRESSIONS = (0, *PREFERRED_COMPRESSIONS)
INSTANCES_MAX = 16_384  # as many as Kafka remembers
OFFERS_MAX = 1_000  # kept for the clients that come
FORGOTTEN_AFTER_MS = 60_000  # at least, and at least three intervals
ALL_METRICS = "*"
UNKNOWN_SOFTWARE = "unknown"
NEVER_MS = -1 << 61
_Request = rpc.GetTelemetrySubscriptionsRequest | rpc.PushTelemetryRequest
_Response = rpc.GetTelemetrySubscriptionsResponse | rpc.PushTelemetryResponse

MatchesFully = Callable[[str, str], bool]
"""True if a regular expression, the first argument, matches the whole of a text."""
Configs = Mapping[str, Mapping[str, str]]
"""The configurations of the client metrics resources, by name."""
_RENEWED = (ErrorCode.UNKNOWN_SUBSCRIPTION_ID, ErrorCode.UNSUPPORTED_COMPRESSION_TYPE)


@value
class Offer:
    """The metrics and the interval of all clients that match the same resources."""

    metrics: tuple[str, ...]
    interval_ms: int
    checksum: int


@value
class Instance:
    """What a broker remembers of a client instance.

    `configs` decided the offer, and many instances share both. `asked_ms` and `pushed_ms` are the
    times of the last requests that were not throttled, `seen_ms` that of the last request.
    """

    client: TelemetryClient
    configs: Configs
    offer: Offer
    subscription_id: int
    asked_ms: int = NEVER_MS
    pushed_ms: int = NEVER_MS
    seen_ms: int = NEVER_MS
    is_terminating: bool = False
    last_error: int = 0

    def is_expired(self, now_ms: int) -> bool:
        """True if the broker has forgotten the client, which was silent for too long."""
        return now_ms - self.seen_ms >= max(FORGOTTEN_AFTER_MS, 3 * self.offer.interval_ms)


class Telemetry:
    """Answers the telemetry requests to one listener, and remembers its client instances.

    It forgets the instance that was silent for longest if there are more than INSTANCES_MAX.
    `new_match` returns a MatchesFully for one client, which has to take a bounded time for any
    expressions and texts. A push may have `bytes_max` bytes.
    """

    def __init__(
        self,
        profile: Profile,
        random: Callable[[], float],
        new_match: Callable[[], MatchesFully],
        bytes_max: int = METRICS_BYTES_MAX,
    ) -> None:
        self._bytes_max = bytes_max
        self._profile = profile
        self._random = random
        self._new_match = new_match
        self._subscriptions = Subscriptions({})
        self._instances: dict[Uuid, Instance] = {}
        self._named_by: dict[tuple[str, int], Uuid] = {}

    def answer(self, image: Image, request: _Request, now_ms: int) -> _Response:
        """Returns the reply to a request."""
        if isinstance(request, rpc.PushTelemetryRequest):
            return rpc.PushTelemetryResponse(error_code=self._pushed(image, request, now_ms))
        return self._subscribed(image, request, now_ms)

    def end_connection(self, address: str, port: int) -> None:
        """Forgets the instance that the connection named last, as releases from 4.0 on do."""
        instance_id = self._named_by.pop((address, port), None)
        if instance_id is not None:
            self._instances.pop(instance_id, None)

    def _subscribed(
        self, image: Image, request: rpc.GetTelemetrySubscriptionsRequest, now_ms: int
    ) -> rpc.GetTelemetrySubscriptionsResponse:
        instance_id = request.client_instance_id
        if instance_id == ZERO_UUID:
            instance_id = random_uuid(self._random)
        instance = self._instance(image, instance_id, request.client, now_ms)
        self._instances[instance_id], error = subscribed(instance, now_ms, self._profile)
        if error:
            return rpc.GetTelemetrySubscriptionsResponse(error_code=error)
        return rpc.GetTelemetrySubscriptionsResponse(
            client_instance_id=instance_id,
            subscription_id=instance.subscription_id,
            accepted_compression_types=PREFERRED_COMPRESSIONS,
            push_interval_ms=instance.offer.interval_ms,
            telemetry_max_bytes=self._bytes_max,
            delta_temporality=True,
            requested_metrics=instance.offer.metrics,
        )

    def _pushed(self, image: Image, request: rpc.PushTelemetryRequest, now_ms: int) -> int:
        instance_id = request.client_instance_id
        if instance_id in (ZERO_UUID, METADATA_TOPIC_ID):
            return ErrorCode.INVALID_REQUEST
        instance = self._instance(image, instance_id, request.client, now_ms)
        self._instances[instance_id], error = pushed(instance, request, now_ms, self._bytes_max)
        return error

    def _instance(
        self, image: Image, instance_id: Uuid, client: TelemetryClient, now_ms: int
    ) -> Instance:
        """Returns the instance; a new one if it is unknown or other subscriptions are in force."""
        configs = self._follow(image)
        found = self._instances.pop(instance_id, None)
        if found is not None and found.is_expired(now_ms):
            found = None
        if found is None or (found.configs is not configs and found.configs != configs):
            first = client if found is None else found.client
            found = self._subscriptions.new_instance(instance_id, first, self._new_match())
            self._note_connection(client, instance_id)
        if len(self._instances) >= INSTANCES_MAX:
            del self._instances[next(iter(self._instances))]
        return replace(found, seen_ms=now_ms)

    def _follow(self, image: Image) -> Configs:
        """Returns the configurations in force, as the same object until they change."""
        configs = configured(image)
        if configs != self._subscriptions.configs:
            self._subscriptions = Subscriptions(configs)
        return self._subscriptions.configs

    def _note_connection(self, client: TelemetryClient, instance_id: Uuid) -> None:
        if self._profile.telemetry_ends_with_connection:
            self._named_by[client.address, client.port] = instance_id


def subscribed(instance: Instance, now_ms: int, profile: Profile) -> tuple[Instance, int]:
    """Returns the instance after it asked for its subscription, and an error code or 0."""
    last_ms = max(instance.asked_ms, instance.pushed_ms)
    if now_ms - last_ms >= instance.offer.interval_ms:
        instance = replace(instance, asked_ms=now_ms)
    elif not (profile.renews_refused_telemetry and instance.last_error in _RENEWED):
        return instance, ErrorCode.THROTTLING_QUOTA_EXCEEDED
    return replace(instance, last_error=0), 0


def pushed(
    instance: Instance, request: rpc.PushTelemetryRequest, now_ms: int, bytes_max: int
) -> tuple[Instance, int]:
    """Returns the instance after it pushed metrics, and an error code or 0."""
    may_push = (
        instance.asked_ms > instance.pushed_ms
        or now_ms - instance.pushed_ms >= instance.offer.interval_ms
    )
    error = _refusal(instance, request, bytes_max, may_push=may_push)
    after = replace(instance, is_terminating=request.terminating, last_error=error)
    if may_push and not instance.is_terminating:
        after = replace(after, pushed_ms=now_ms)
    return after, error


def _refusal(
    instance: Instance, request: rpc.PushTelemetryRequest, bytes_max: int, *, may_push: bool
) -> int:
    """Returns the error code of a push, 0 if it is accepted; the order of checks is Kafka's."""
    if instance.is_terminating:
        return ErrorCode.INVALID_REQUEST
    if not may_push and not request.terminating:
        return ErrorCode.THROTTLING_QUOTA_EXCEEDED
    if request.subscription_id != instance.subscription_id:
        return ErrorCode.UNKNOWN_SUBSCRIPTION_ID
    if request.compression_type not in COMPRESSIONS:
        return ErrorCode.UNSUPPORTED_COMPRESSION_TYPE
    if len(request.metrics) > bytes_max:
        return ErrorCode.TELEMETRY_TOO_LARGE
    return 0


def configured(image: Image) -> Configs:
    """Returns the configurations of all client metrics resources."""
    return {
        name: dict(configs)
        for (of, name), configs in image.configs.items()
        if of == ResourceType.CLIENT_METRICS and configs
    }


class Subscriptions:
    """The configurations of client metrics, parsed once for all clients.

    Clients that match the same resources share an offer. It may have thousands of metrics, which
    take milliseconds to bring into order.
    """

    def __init__(self, configs: Configs) -> None:
        self.configs = configs
        names = in_properties_order(configs)
        self._expected = [(name, _expected(configs[name].get("match", ""))) for name in names]
        self._offers: dict[tuple[str, ...], Offer] = {}

    def new_instance(
        self, instance_id: Uuid, client: TelemetryClient, matches_fully: MatchesFully
    ) -> Instance:
        """Returns a client instance with the subscriptions whose `match` it satisfies."""
        attributes = _attributes(instance_id, client)
        matching = tuple(
            name
            for name, expected in self._expected
            if _matches(expected, attributes, matches_fully)
        )
        offer = self._offer(matching)
        return Instance(
            client=client,
            configs=self.configs,
            offer=offer,
            subscription_id=subscription_id(offer.checksum, instance_id),
        )

    def _offer(self, matching: tuple[str, ...]) -> Offer:
        """Returns all metrics of the resources, and the shortest of their intervals."""
        if matching not in self._offers:
            if len(self._offers) >= OFFERS_MAX:
                self._offers.clear()
            self._offers[matching] = new_offer([self.configs[name] for name in matching])
        return self._offers[matching]


def new_offer(matching: Sequence[Mapping[str, str]]) -> Offer:
    """Returns what the configurations of the resources that a client matches offer it."""
    names = [name for of in matching for name in in_hash_order(_elements(of, "metrics"))]
    metrics = (ALL_METRICS,) if ALL_METRICS in names else tuple(in_hash_order(names))
    interval_ms = min([INTERVAL_MS_MAX, *map(_interval_ms, matching)])
    text = f"[{', '.join(metrics)}]{interval_ms}"
    return Offer(metrics=metrics, interval_ms=interval_ms, checksum=crc32c(text.encode()))


def subscription_id(checksum: int, instance_id: Uuid) -> int:
    """Returns the checksum of the subscription, XORed with the hash code of the instance's id."""
    words = (int.from_bytes(instance_id[at : at + 4]) for at in range(0, 16, 4))
    number = checksum
    for word in words:
        number ^= word
    return number - (1 << 32) if number >> 31 else number


def _attributes(instance_id: Uuid, client: TelemetryClient) -> Mapping[str, str | None]:
    return {
        "client_instance_id": uuid_text(instance_id),
        "client_id": client.client_id,
        "client_software_name": client.software_name or UNKNOWN_SOFTWARE,
        "client_software_version": client.software_version or UNKNOWN_SOFTWARE,
        "client_source_address": client.address,
        "client_source_port": str(client.port),
    }


def _matches(
    expected: Mapping[str, str], attributes: Mapping[str, str | None], matches_fully: MatchesFully
) -> bool:
    """True if the client matches every expression."""
    return all(
        (text := attributes.get(name)) is not None and matches_fully(expression, text)
        for name, expression in expected.items()
    )


def _expected(patterns: str) -> Mapping[str, str]:
    """Returns the regular expressions by attribute; of one attribute, the last one counts."""
    pairs = (pattern.split("=") for pattern in LIST("match", patterns) if "=" in pattern)
    return {pair[0].strip(): pair[1].strip() for pair in pairs}


def _elements(configs: Mapping[str, str], name: str) -> tuple[str, ...]:
    return LIST(name, configs.get(name, ""))


def _interval_ms(configs: Mapping[str, str]) -> int:
    from kraftsim.controller.core.configs.metrics_configs import METRICS_CONFIGS

    row = METRICS_CONFIGS["interval.ms"]
    return int(str(row.parse(configs.get("interval.ms", str(INTERVAL_MS_MAX)))))
