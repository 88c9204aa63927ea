"""How a program in Python makes a call and prints what became of it."""

import json
import sys
from collections.abc import Callable, Collection
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as FutureTimeout
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

LIMIT_S = 30.0  # a busy machine is late; no call should reach it


@dataclass(slots=True)
class Scene:
    """The arguments of a program; `code` returns the number of Kafka's error, None of another."""

    servers: str
    topic: str
    target: int
    ghost: int
    code: Callable[[BaseException], int | None]
    called: set[str] = field(default_factory=set)

    @property
    def group(self) -> str:
        return f"{self.topic}-group"

    def call(self, name: str, method: str, ask: Callable[[], Any]) -> None:
        """Makes a call in a thread, prints its outcome, waits for the reader."""
        self.called.add(method)
        begin_s = monotonic()
        pool = ThreadPoolExecutor(1)
        outcome = self._outcome(pool.submit(ask))
        pool.shutdown(wait=False)
        milliseconds = int(1000 * (monotonic() - begin_s))
        _say({"call": name, "method": method, "milliseconds": milliseconds, **outcome})

    def complete(self, methods: Collection[str], left_out: Collection[str]) -> None:
        """Prints the methods that were not called."""
        _say({"outcome": "complete", "uncalled": sorted({*methods} - self.called - {*left_out})})

    def _outcome(self, asked: Future[Any]) -> dict[str, Any]:
        try:
            asked.result(LIMIT_S)
        except FutureTimeout:
            return {"outcome": "timeout"}
        except Exception as error:
            code = self.code(error)
            if code is None:
                return {"outcome": "error", "text": f"{type(error).__name__}: {error}"}
            return {"outcome": "refusal", "code": code, "text": str(error)}
        return {"outcome": "result"}


def methods_of(kind: type) -> list[str]:
    """Returns the names of the public methods of a client."""
    return [
        name for name in dir(kind) if not name.startswith("_") and callable(getattr(kind, name))
    ]


def _say(line: dict[str, Any]) -> None:
    print(json.dumps(line), flush=True)
    sys.stdin.readline()
