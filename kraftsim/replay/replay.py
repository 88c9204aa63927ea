"""Replays a recording: the same options and seed, the same inputs at the same times.

A replay runs in virtual time without sockets. It moves time to that of the next input, which runs
everything that is due until then, and gives the input to the cluster.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from inspect import signature
from operator import attrgetter

from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.rpc import Request
from kraftsim.controller.raft.protocol import Reply
from kraftsim.scenarios.language.suggestions import nearest
from kraftsim.scenarios.running.beside_rows import BesideRows
from kraftsim.simulation.event_row import EventRow

from ..api.cluster import Cluster
from ..api.quorum import resign
from ..errors import CommandError, UsageError
from ..recording.journal_marks import JournalMarks, marks_of
from ..recording.recorded import RECORDED
from ..recording.recorder import Input
from ..recording.recording import Recording
from ..releases import profiles_of
from .replayed_service import ReplayedListener, ReplayedService

Verb = Callable[..., Awaitable[None]]
FIRST_LINE = 2  # of the inputs, after the header


class _NoInput(ValueError):
    """An input that no cluster takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """The journal of a replay with the facts beside its rows, and its marks.

    `is_same` is True if the recording has the same journal; otherwise `difference` is the number of
    the first row that differs, if the marks of the recording tell.
    """

    rows: list[EventRow]
    beside: BesideRows
    events: JournalMarks
    is_same: bool
    difference: int | None


async def replay(recording: Recording) -> Replay:
    """Lives through the recording; raises UsageError for options or a verb that no cluster has."""
    cluster = _ReplayedCluster(recording)
    try:
        await cluster.open()
        for number, given in enumerate(recording.inputs, FIRST_LINE):
            try:
                await cluster.give(given)
            except _NoInput as error:
                raise UsageError(f"line {number} of the recording: {error}") from None
        await cluster.pass_until(recording.end_us)
        rows = cluster.world.journal.since(0)
        beside = cluster.beside(rows)
    finally:
        await cluster.close()
    events = marks_of(rows)
    return Replay(
        rows=rows,
        beside=beside,
        events=events,
        is_same=events.digest == recording.events.digest,
        difference=recording.events.first_difference(events),
    )


class _ReplayedCluster(Cluster):
    """A cluster that gets its inputs from a recording."""

    def __init__(self, recording: Recording) -> None:
        try:
            # The options are those of a file, so that only `Cluster` can check their types.
            changed = {"clock": "virtual", "profiles": _profiles(recording)}
            super().__init__(**{**recording.options, **changed})  # type: ignore[arg-type]
        except (TypeError, ValueError) as error:
            raise UsageError(f"options of the recording: {error}") from None
        self._replayed = self._live.service = ReplayedService(
            recording.ports, self._live.options.retention_bytes
        )
        self._turn: int | None = None

    def beside(self, rows: Sequence[EventRow]) -> BesideRows:
        """Returns the facts that the rows of the journal lack."""
        return self._telling.beside(rows)

    async def give(self, given: Input) -> None:
        """Gives an input to the cluster at its time."""
        if given.kind == "frame" and given.turn != self._turn:
            await self._end_turn()
            self._turn = given.turn
        self._move_to(given.t_us)
        if isinstance(given.value, bytes):
            self._listener(given.name).handle_frame(given.value)
        elif isinstance(given.value, str):
            arguments = json.loads(given.value)
            call = self._call_of(given.name, arguments)
            with suppress(CommandError, ApiError, ValueError):  # as when it was recorded
                await call(**arguments)
        else:
            answer = _unanswered if given.bypasses else None
            with self._live.entered():
                self.world.dispatch(given.value, _ignore, answer)

    async def pass_until(self, end_us: int) -> None:
        """Lets time pass until the end of the recording."""
        await self._end_turn()
        self._move_to(end_us)

    async def _end_turn(self) -> None:
        while self._live.now.runtime.turns.is_busy:  # noqa: ASYNC110  # of this very loop
            await asyncio.sleep(0)

    def _move_to(self, t_us: int) -> None:
        if t_us > self.world.timeline.now_us:
            self.world.timeline.run_until(t_us)

    def _listener(self, name: str) -> ReplayedListener:
        for listener in (*self._replayed.controllers.values(), *self._replayed.brokers.values()):
            if listener.name == name and isinstance(listener, ReplayedListener):
                return listener
        raise _NoInput(f"listener: expected that of a node of this cluster, got {name!r}")

    def _call_of(self, verb: str, arguments: Mapping[str, object]) -> Verb:
        """Returns the function that does what the verb did; raises _NoInput if it cannot."""
        calls: dict[str, Verb] = {
            "brokers.add": self._add_broker,
            "brokers.install": self.brokers.install,
            "controllers.install": self.controllers.install,
            "quorum.resign": self._resign,
            "topics.write": self._write_topic,
            "faults.add": self._add_fault,
            "faults.remove": self._remove_fault,
            "faults.release": self._release_fault,
            "chaos.begin": self.chaos.begin,
            "chaos.heal": self._heal,
            **{name: attrgetter(name)(self) for name in RECORDED},
        }
        if verb not in calls:
            raise _NoInput(f"verb: expected {nearest(verb, calls)}, got {verb!r}")
        try:
            signature(calls[verb]).bind(**arguments)
        except TypeError as error:
            raise _NoInput(f"arguments of {verb}: {error}") from None
        return calls[verb]

    async def _add_broker(
        self, broker_id: int, rack: str | None, port: int, profile: str | None = None
    ) -> None:
        self._replayed.ports[f"broker-{broker_id}"] = port
        await self.brokers.add(rack, broker_id, profile)

    async def _resign(self, to: int) -> None:
        resign(self._live, to)

    async def _write_topic(
        self, name: str, lines: Sequence[str], partition: int | None, key_separator: str | None
    ) -> None:
        await self.topics.write(name, lines, partition, key_separator)

    async def _add_fault(self, fault: Mapping[str, object]) -> None:
        self.faults.begin(fault)

    async def _remove_fault(self, id: str) -> None:
        await self.faults.remove(id)

    async def _heal(self) -> None:
        self.chaos.heal()

    async def _release_fault(self, id: str, message: int | None) -> None:
        await self.faults.release(id, message)


def _profiles(recording: Recording) -> object:
    """Returns the profiles by id; the keys of an object of JSON are texts."""
    profiles = recording.options.get("profiles", {})
    if not isinstance(profiles, Mapping):
        return profiles  # `Cluster` refuses it
    return profiles_of(f"{node_id}={name}" for node_id, name in profiles.items())


def _ignore(reply: Reply | None) -> None:
    """Drops a response: the client of the recording is not there."""


def _unanswered(request: Request, reply_to: object) -> None:
    """Stands for the metadata, which answered the request and did not change."""
