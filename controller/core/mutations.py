"""The quota of mutations: partitions created and deleted in a second (KIP-599, rules 4.63, 4.64).

Each client has a bucket of tokens, which its quota fills. A request takes a token for each
partition. A decision reads the bucket and notes what it took (`MutationNote`); the active
controller keeps the buckets.
"""

from collections import OrderedDict
from collections.abc import Iterator

from .apis import row_of
from .errors import ApiError, ErrorCode
from .image.image import Image
from .log.records import QuotaEntity
from .rpc import CreatePartitionsRequest, CreateTopicsRequest, DeleteTopicsRequest
from .rpc.senders import Requester
from .settings import Settings
from .value import value

RATE = "controller_mutation_rate"
BUCKETS_MAX = 10_000  # Kafka drops those of clients that were idle for an hour

Bucket = tuple[str, str]
"""The user and the client id that share tokens; an empty text if the quota does not name one."""


@value(kw_only=False)
class Limit:
    """The quota of a client per second, and the bucket that it fills."""

    rate: float
    bucket: Bucket


def limit_of(image: Image, requester: Requester, quota: str = RATE) -> Limit | None:
    """Returns the quota of a client, the most specific first; None if it has none."""
    for entity, bucket in _candidates(requester):
        rate = image.client_quotas.get(entity, {}).get(quota)
        if rate is not None:
            return Limit(rate, bucket)
    return None


def _candidates(requester: Requester) -> Iterator[tuple[tuple[QuotaEntity, ...], Bucket]]:
    """Yields the entities whose quota may apply, with their parts in the order of records."""
    user, client = requester.user, requester.client_id
    clients = [QuotaEntity(entity_type="client-id", entity_name=name) for name in (client, None)]
    for name in (user, None):
        of_user = QuotaEntity(entity_type="user", entity_name=name)
        for of_client in clients:
            yield (of_client, of_user), (user, client)
        yield (of_user,), (user, "")
    for of_client in clients:
        yield (of_client,), ("", client)


@value(kw_only=False)
class MutationNote:
    """What a decision took from a bucket, and when."""

    bucket: Bucket
    tokens: float
    now_ms: int


class Allowance:
    """What a client may still change in one decision; `throttle_ms` is for its response."""

    def __init__(self, limit: Limit | None, tokens: float, *, is_strict: bool) -> None:
        self._limit, self._tokens, self._is_strict = limit, tokens, is_strict
        self.throttle_ms = 0

    def take(self, partitions: int) -> None:
        """Takes tokens; raises THROTTLING_QUOTA_EXCEEDED if the bucket is overdrawn before."""
        if self._limit is None:
            return
        if self._is_strict and self._tokens < 0:
            self._throttle(self._limit)
            raise ApiError(ErrorCode.THROTTLING_QUOTA_EXCEEDED, "")
        self._tokens -= partitions
        if not self._is_strict and self._tokens < 0:
            self._throttle(self._limit)

    def _throttle(self, limit: Limit) -> None:
        self.throttle_ms = round(-self._tokens / limit.rate * 1_000)

    def note(self, now_ms: int) -> MutationNote | None:
        """Returns what is left in the bucket; None without a quota."""
        return (
            None if self._limit is None else MutationNote(self._limit.bucket, self._tokens, now_ms)
        )


UNLIMITED = Allowance(None, 0.0, is_strict=False)


class Mutations:
    """The buckets of an active controller; a new active controller begins with full ones."""

    def __init__(self, settings: Settings) -> None:
        windows = settings.controller_quota_window_num
        self._burst_s = windows * settings.controller_quota_window_size_seconds
        self._buckets: OrderedDict[Bucket, tuple[float, int]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def allowance(
        self,
        image: Image,
        request: CreateTopicsRequest | CreatePartitionsRequest | DeleteTopicsRequest,
        now_ms: int,
    ) -> Allowance:
        """Returns what the client of a request may change now."""
        if not image.client_quotas:
            return UNLIMITED
        limit, version = limit_of(image, request.requester), request.requester.version
        strict_since = row_of(request).strict_since
        is_strict = version is None or strict_since is None or version >= strict_since
        tokens = 0.0 if limit is None else self._tokens(limit, now_ms)
        return Allowance(limit, tokens, is_strict=is_strict)

    def _tokens(self, limit: Limit, now_ms: int) -> float:
        burst = self._burst_s * limit.rate
        if limit.bucket not in self._buckets:
            return burst
        tokens, at_ms = self._buckets[limit.bucket]
        return min(burst, tokens + limit.rate * (now_ms - at_ms) / 1_000)

    def taken(self, note: MutationNote) -> None:
        """Keeps what a decision left in a bucket; forgets the bucket of the idlest client."""
        self._buckets[note.bucket] = note.tokens, note.now_ms
        self._buckets.move_to_end(note.bucket)
        if len(self._buckets) > BUCKETS_MAX:
            self._buckets.popitem(last=False)


def unlimited() -> Mutations:
    """Returns the buckets of a state that no client quota concerns."""
    return Mutations(Settings())
