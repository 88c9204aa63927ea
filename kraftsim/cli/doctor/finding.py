"""What a check has found: good, worth a look, or broken, and what to do next."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

Status = Literal["ok", "warn", "fail"]
SEVERITY: Final[Sequence[Status]] = ("ok", "warn", "fail")


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a check; `remedy` is what to do next, empty if there is nothing to do."""

    check: str
    status: Status
    found: str
    remedy: str = ""


def ok(check: str, found: str, remedy: str = "") -> Finding:
    """Returns the finding of a check that holds; a remedy is a hint to an option."""
    return Finding(check, "ok", found, remedy)


def warn(check: str, found: str, remedy: str) -> Finding:
    """Returns a finding that may be intended."""
    return Finding(check, "warn", found, remedy)


def fail(check: str, found: str, remedy: str) -> Finding:
    """Returns a finding with which commands do not work."""
    return Finding(check, "fail", found, remedy)


def worst(findings: Sequence[Finding]) -> Status:
    """Returns the most severe status of the findings; "ok" without findings."""
    return max((found.status for found in findings), key=SEVERITY.index, default="ok")
