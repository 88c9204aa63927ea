"""Pairs for tests without Java: both sides are ours, and either may have a planted handler."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.handlers import HANDLERS
from kraftsim.controller.core.profile import KAFKA_4_3
from tests.differential.judge import Bench, Witness
from tests.differential.pair import CLUSTER_ID, Pair
from tests.differential.sides import OurSide

Handlers = Mapping[type, Any]


class PatientSide(OurSide):
    """Time stands still: a wait is over at once."""

    def wait(self, seconds: float) -> None:
        del seconds


class PlainPair(Pair):
    """Without Kafka's decoder, which needs Java."""

    def logs_differ(self) -> list[str]:
        return []

    def silent_logs_differ(self, numbers: Any) -> list[str]:
        del numbers
        return []


class Pairs:
    """Starts pairs whose sides have `kafka` and `ours` as their handlers."""

    def __init__(self, *, kafka: Handlers | None = None, ours: Handlers | None = None) -> None:
        self._kafka = kafka or {}
        self._ours = ours or {}

    @contextmanager
    def __call__(self, *_: object, session_timeout_ms: int = 9000) -> Iterator[Pair]:
        def side(handlers: Handlers) -> PatientSide:
            made = PatientSide(
                KAFKA_4_3,
                cluster_id=CLUSTER_ID,
                port=9990,
                directory_id=bytes(range(16)),
                session_timeout_ms=session_timeout_ms,
                clock_s=lambda: 0.0,
            )
            made.hosted.node._handlers = {**HANDLERS, **handlers}
            return made

        bench: Any = Bench(Witness(side(self._kafka)), Witness(side(self._ours)))
        yield PlainPair(bench, Path(), lambda: side(self._ours))


class Plant:
    """Handles a request type as ours does, but where `is_hit`: there it fails with `error`."""

    def __init__(self, request_type: type, is_hit: Any, error: Exception) -> None:
        self._handler: Any = HANDLERS[request_type]
        self._is_hit = is_hit
        self._error = error

    def __call__(self, state: Any, request: Any, now_ms: int) -> Any:
        if self._is_hit(request):
            raise self._error
        return self._handler(state, request, now_ms)


def refused(code: ErrorCode) -> ApiError:
    return ApiError(code, "planted")
