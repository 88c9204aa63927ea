"""When leases end: what the judge of silent sequences expects of both controllers (rule 2.47)."""

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tests.differential.settings import SILENT_SESSION_MS as SESSION_MS

LATE_MS = 500  # that a busy machine may add
EARLY_MS = SESSION_MS // 100  # a wall clock may be set back: fences came up to 73 ms early
LONGEST_LEASE_MS = SESSION_MS * 9 // 8 + LATE_MS
FENCED = 1


@dataclass(frozen=True, slots=True)
class Verdict:
    """A fence `after_ms` milliseconds after the last heartbeat, which is too early or too late."""

    after_ms: int

    @property
    def is_late(self) -> bool:
        return self.after_ms > LONGEST_LEASE_MS

    @property
    def expected(self) -> str:
        return f"a fence {SESSION_MS} to {SESSION_MS * 9 // 8} ms after the last heartbeat"


class Leases:
    """The last contact of each broker, in milliseconds since the epoch."""

    def __init__(self) -> None:
        self._contacts_ms: dict[int, int] = {}

    def note_contact(self, api: str, broker_id: Any, now_ms: int) -> None:
        """Only a heartbeat renews a lease; registration and unregistration end it (1.32)."""
        if api == "BrokerHeartbeat":
            self._contacts_ms[broker_id] = now_ms
        elif api in ("BrokerRegistration", "UnregisterBroker"):
            self._contacts_ms.pop(broker_id, None)

    def are_settled(self, broker_ids: Iterable[int]) -> bool:
        """False if one side may have ended a lease of these brokers and the other side not."""
        now_ms = wall_ms()
        ages_ms = (now_ms - self._contacts_ms.get(broker_id, now_ms) for broker_id in broker_ids)
        return not any(SESSION_MS - LATE_MS < age_ms < LONGEST_LEASE_MS for age_ms in ages_ms)

    def verdict(self, record: dict[str, Any], at_ms: int) -> Verdict | None:
        """A lease ends after the session, at most a check of session/8 later (2.47); None if so,
        and of a record that fences no broker, or a broker without a contact: its lease was amended,
        and goes on, or begins anew in 3.9."""
        contact_ms = self._contacts_ms.get(record["data"].get("brokerId"))
        if not self.is_fence(record) or contact_ms is None:
            return None
        after_ms = at_ms - contact_ms
        is_expected = SESSION_MS - EARLY_MS <= after_ms <= LONGEST_LEASE_MS
        return None if is_expected else Verdict(after_ms)

    @staticmethod
    def is_fence(record: dict[str, Any]) -> bool:
        return bool(record["data"].get("fenced") == FENCED)


def wall_ms() -> int:
    return int(time.time() * 1000)
