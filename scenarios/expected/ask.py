"""A request to ask, and what the rules say of its reply and of the state after it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import NamedTuple

from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.log.records import Record
from kraftsim.controller.core.rpc import Request

from ..oracles.breach_words import differing, words
from ..oracles.shadow import Fact, Key
from .partition import Changes
from .view import View

ACCEPTED = frozenset({0})
NOTHING: Changes = {}
AS_SETS = ("eligible_leader_replicas", "log_dirs")  # Kafka's order of these is that of a hash set


class Done(NamedTuple):
    """The result of a request: its reply, the changed facts and the written records."""

    reply: object
    changes: Changes
    records: tuple[Record, ...] = ()


class Ask(NamedTuple):
    """A request and its expected result; `what` describes it in messages.

    `codes` are the errors that the rules allow (0: success). `changes` are the facts after the
    request: exactly these keys change, and have at least these values; None: only `flaw` judges
    the facts. `flaw` returns another error of the result, or None. `slice_flaw` does so for the
    first slice of a large request and the second slice, decided from the same state.
    """

    what: str
    request: Request
    codes: frozenset[int] = ACCEPTED
    changes: Changes | None = NOTHING
    flaw: Callable[[Done], str | None] | None = None
    slice_flaw: Callable[[Done, Done], str | None] | None = None

    def judge(self, done: Done) -> str | None:
        """Returns how `done` differs from the rules; None if it does not."""
        got = {*codes_of(done.reply)}
        if not got <= self.codes:
            codes = words(sorted(self.codes))
            return f"the reply has the errors {words(sorted(got))}, expected {codes}"
        if 0 in self.codes - got and self.changes is not None:
            return f"it is refused, and writes {words(done.changes)}" if done.changes else None
        if self.flaw is not None and (text := self.flaw(done)) is not None:
            return text
        return None if self.changes is None else _difference(self.changes, done.changes)


Draw = Callable[[View, int], Ask | None]
"""Returns a request of a kind by its number; None if the state has nothing to ask about."""


def refused(what: str, request: Request, *codes: int) -> Ask:
    """Returns a request that must be refused with one of `codes`."""
    return Ask(what, request, frozenset(codes))


def replies(**expected: object) -> Callable[[Done], str | None]:
    """Returns the flaw of a reply whose fields must have these values."""

    def flaw(done: Done) -> str | None:
        got = {name: getattr(done.reply, name, None) for name in expected}
        if got == expected:
            return None
        found, wanted = differing(got, expected)
        return f"the reply has {found}, expected {wanted}"

    return flaw


def exactly(expected: Changes) -> Callable[[Done], str | None]:
    """Returns the flaw of changes that are not these; a fact has these values and no others."""

    def flaw(done: Done) -> str | None:
        if done.changes == expected:
            return None
        return f"it changes {words(done.changes)}, expected {words(expected)}"

    return flaw


def codes_of(reply: object) -> Iterator[int]:
    """Yields the error codes of a reply: those of its parts, or that of the whole."""
    if isinstance(reply, ApiError):
        yield int(reply.code)
        return
    whole = getattr(reply, "error_code", None)
    parts = [code for part in _parts(reply) for code in codes_of(part)]
    if parts and not whole:
        yield from parts
    elif whole is not None:
        yield int(whole)


def _parts(reply: object) -> Iterator[object]:
    for field in fields(reply) if is_dataclass(reply) else ():
        value = getattr(reply, field.name)
        if isinstance(value, tuple):
            yield from value


def _difference(expected: Mapping[Key, Fact | None], got: Changes) -> str | None:
    for key in expected.keys() | got.keys():
        if key not in got:
            return f"{words(key)} stays as it is, expected {words(expected[key])}"
        if key not in expected:
            return f"{words(key)} becomes {words(got[key])}, expected no change"
        wanted, new = expected[key], got[key]
        if (wanted is None) != (new is None):
            return f"{words(key)} becomes {words(new)}, expected {words(wanted)}"
        for name, value in (wanted or {}).items():
            if not _is_alike(name, value, (new or {}).get(name)):
                found = words((new or {}).get(name))
                return f"{words(key)} has {name} {found}, expected {words(value)}"
    return None


def _is_alike(name: str, expected: object, got: object) -> bool:
    if name in AS_SETS and isinstance(expected, tuple) and isinstance(got, tuple):
        return {*expected} == {*got}
    return expected == got
