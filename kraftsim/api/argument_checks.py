"""Checks of arguments that need no cluster: for `Cluster`, and for the command line before a call.

Each function takes the parameters of its operations by name. It raises UsageError, or ValueError
for a malformed duration or rack.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from kraftsim.scenarios.language.durations import microseconds
from kraftsim.scenarios.language.suggestions import nearest, whole_number

from ..errors import UsageError
from .states import STATES

if TYPE_CHECKING:
    from kraftsim.scenarios.document.fault import InjectedFault

Check = Callable[..., None]

SNAPSHOT_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,100}")
BRANCH_MAX_US: Final = 24 * 3_600_000_000  # of time that a branch lives through in one request
PAGE: Final = 1000  # records, events or requests, unless the reader asks for another number
LOCK_MAX_US: Final = 3_600_000_000  # a program that died holds a clock for an hour at most
LIMIT_MAX: Final = 10_000  # records, events or requests of one page


def accept_all(**_: object) -> None:
    """Accepts all arguments."""


def expect_int(name: str, number: object) -> None:
    """Raises UsageError if `number` is no int, such as the text "1"; True is no int here."""
    if not isinstance(number, int) or isinstance(number, bool):
        raise UsageError(f"{name}: expected an int, such as 1, got {_typed(number)}")


def expect_text(name: str, text: object) -> None:
    """Raises UsageError if `text` is no str, or has half of a surrogate pair.

    No record can store such a text. The command line has it of bytes that are not UTF-8.
    """
    if not isinstance(text, str):
        raise UsageError(f"{name}: expected a str, got {_typed(text)}")
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise UsageError(f"{name}: expected text that UTF-8 can encode, got {text!r}")


def expect_one_of(name: str, text: object, words: Mapping[str, object] | Sequence[str]) -> None:
    """Raises UsageError unless `text` is one of `words`; the message has the nearest."""
    expect_text(name, text)
    if text not in words:
        raise UsageError(f"{name}: expected {nearest(str(text), words)}, got {text!r}")


def _typed(value: object) -> str:
    return f"the {type(value).__name__} {value!r}"


def check_page(from_: int | None = None, limit: int | None = None) -> None:
    """Raises UsageError unless `from_` is 0 or above and `limit` is in 1 to LIMIT_MAX."""
    if from_ is not None:
        expect_int("from", from_)
        if from_ < 0:
            raise UsageError(f"from: expected 0 or above, got {from_}")
    if limit is not None:
        expect_int("limit", limit)
        if not 1 <= limit <= LIMIT_MAX:
            raise UsageError(f"limit: expected 1 to {LIMIT_MAX}, got {limit}")


def check_topic_page(from_: str | None = None, limit: int | None = None) -> None:
    """Raises UsageError unless `limit` is in 1 to LIMIT_MAX; every text is a first name."""
    if from_ is not None:
        expect_text("from", from_)
    check_page(None, limit)


def check_requests(
    api: str | None = None,
    where: str | None = None,
    from_: int | None = None,
    limit: int | None = None,
) -> None:
    """Raises UsageError for an unknown API, an invalid condition or an invalid page."""
    check_page(from_, limit)
    for name, text in (("api", api), ("where", where)):
        if text is not None:
            expect_text(name, text)
    if api is not None or where is not None:
        from ..service.request_search import api_named, conditions_in  # loads the APIs of Kafka

        api_named(api)
        conditions_in(where)


def check_wait(
    broker: int | None = None,
    state: str | None = None,
    leader: int | str | None = None,
    timeout: str | float | None = None,
) -> None:
    """Raises UsageError unless there are both `broker` and a known `state`, or only `leader`.

    Raises ValueError for an invalid timeout.
    """
    given = {"broker": broker, "state": state, "leader": leader}
    named = [name for name, value in given.items() if value is not None]
    if named not in (["broker", "state"], ["leader"]):
        got = " and ".join(named) or "none of them"
        raise UsageError(f"wait: expected both broker and state, or only leader, got {got}")
    if broker is not None:
        expect_int("broker", broker)
    if state is not None:
        expect_one_of("state", state, STATES)
    if leader not in (None, "any") and whole_number(str(leader)) is None:
        raise UsageError(f"leader: expected a controller's id or any, got {leader!r}")
    check_duration("timeout", timeout)


def check_transfer(to: int | None = None, timeout: str | float | None = None) -> None:
    """Raises UsageError for an id that is no int, ValueError for an invalid timeout."""
    if to is not None:
        expect_int("to", to)
    check_duration("timeout", timeout)


def check_advance(by: str | float) -> None:
    """Raises ValueError if `by` is no duration."""
    check_duration("by", by)


def check_run_until(
    kind: str, broker: int | None = None, timeout: str | float | None = None
) -> None:
    """Raises UsageError for an unknown kind of event, ValueError for an invalid timeout."""
    from kraftsim.simulation.event_row import EVENTS  # loads the simulation

    expect_one_of("kind", kind, EVENTS)
    if broker is not None:
        expect_int("broker", broker)
    check_duration("timeout", timeout)


def check_speed(factor: str | float, *, may_stand: bool = True) -> None:
    """Raises UsageError if `factor` is no number from SPEED_MIN to SPEED_MAX.

    0 is allowed for a clock that `may_stand`, as virtual and auto clocks do.
    """
    from ..options import SPEED_MAX, SPEED_MIN  # loads the rules of Kafka

    try:
        speed = -1.0 if isinstance(factor, bool) else float(factor)
    except (TypeError, ValueError, OverflowError):
        speed = -1.0
    if not (SPEED_MIN <= speed <= SPEED_MAX or (speed == 0.0 and may_stand)):
        raise UsageError(
            f"factor: expected a number from {SPEED_MIN:g} to {SPEED_MAX:g}, got {factor!r}; to "
            "stop the clock, pause it; 0 makes a virtual or auto clock stand again"
        )


def check_lock(owner: str, expiry: str | float | None = None) -> None:
    """Raises UsageError without an owner, and unless `expiry` is above 0 and at most an hour.

    Raises ValueError if it is no duration.
    """
    expect_text("owner", owner)
    if not owner.strip():
        raise UsageError(f"owner: expected a name, got {owner!r}")
    check_duration("expiry", expiry)
    if expiry is not None and not 0 < microseconds(expiry) <= LOCK_MAX_US:
        raise UsageError(f"expiry: expected more than 0 and at most 1h, got {expiry!r}")


def check_duration(name: str, duration: str | float | None) -> None:
    """Raises ValueError, with the name of the parameter, for a text that is no duration."""
    try:
        microseconds("0s" if duration is None else duration)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def check_install(id: int, profile: str) -> None:
    """Raises UsageError for an id that is no int, ValueError if no profile has this name."""
    expect_int("id", id)
    _expect_profile(profile)


def _expect_profile(profile: str) -> None:
    from ..releases import profile_of  # loads the profiles

    profile_of(profile)


def check_broker(rack: str | None = None, profile: str | None = None) -> None:
    """Raises UsageError or ValueError for a wrong rack or profile of a new broker.

    A rack is a text of Kafka's protocol.
    """
    if profile is not None:
        _expect_profile(profile)
    if rack is not None:
        expect_text("rack", rack)
        from kraftsim.simulation.topology import check_rack  # loads the simulation

        check_rack(rack)


def check_snapshot(name: str) -> None:
    """Raises UsageError for a name that no snapshot may have."""
    expect_text("name", name)
    if not SNAPSHOT_NAME.fullmatch(name):
        raise UsageError(f"name: expected 1 to 100 of A-Z a-z 0-9 . _ -, got {name[:120]!r}")


def check_branch(
    name: str, by: str | float = "30s", fault: Mapping[str, object] | None = None
) -> None:
    """Raises UsageError for a wrong name or fault, ValueError if `by` is no duration."""
    check_snapshot(name)
    check_advance(by)
    if microseconds(by) > BRANCH_MAX_US:
        raise UsageError(f"by: expected at most 24h, got {by}")
    if fault is not None:
        check_fault(fault)


def check_fault(fault: Mapping[str, object]) -> None:
    """Raises UsageError, with the nearest word, for a fault that no cluster accepts."""
    read_fault(fault)


def read_fault(fault: Mapping[str, object]) -> "InjectedFault":
    """Returns the fault that a document describes; raises UsageError as `check_fault` does."""
    from kraftsim.scenarios.document.fault import InjectedFault  # loads the verbs
    from kraftsim.scenarios.language.reading import Problem

    try:
        return InjectedFault.from_document(fault, ())
    except Problem as problem:
        raise UsageError(f"fault: {problem}") from None
    except RecursionError:
        raise UsageError("fault: expected fewer levels of nesting") from None


def check_fault_wait(id: str, hits: int = 1, timeout: str | float = "20s") -> None:
    """Raises UsageError if `hits` is negative, ValueError for an invalid duration."""
    if hits < 0:
        raise UsageError(f"hits: expected 0 or above, got {hits}")
    check_duration("timeout", timeout)
