"""State of the active controller: leases, uncommitted records, waiting replies, timers.

It is created when the controller becomes active and dropped when it loses leadership; no part of it
survives (rules 0A.10 to 0A.13). It runs each decision of a handler: decide, append, apply, note, in
that order.
"""

from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, cast

from ..core.brokers import fencing
from ..core.cluster import bootstrap, controller_registration
from ..core.errors import ApiError, Impossible, PolicyFailure
from ..core.handlers import Handler
from ..core.image import replay
from ..core.image.image import Image
from ..core.leases import CHANGE_LEASES, Leases, begins_shutdown
from ..core.log.control_records import ControlRecord, Voter
from ..core.log.record_versions import record_version
from ..core.log.records import Record
from ..core.mutations import Mutations
from ..core.profile import Profile
from ..core.rpc import ControllerRegistrationRequest, DecommissionBrokerRequest, Request
from ..core.settings import Settings
from ..core.slices import INDEXED_PER_STEP, RECORDS_PER_SLICE
from ..core.state import RECORDS_PER_BATCH_MAX, Decision, State
from ..raft.protocol import Turn
from ..raft.quorum import Quorum
from ..time.timeline import NEVER_MS
from .config import NodeConfig
from .deferred import DeferredReplies
from .periodic_tasks import PeriodicTasks
from .undecided import Rest, Undecided, Waiting, deadline_ms, decided, only_renews, timed_out

EXPIRY_RECORDS_MAX = 250  # of one step, at least one broker's: heartbeats wait meanwhile
WAITING_MAX, WAITING_RECORDS_MAX = 100, 250  # requests that one step decides after they waited
AT_ONCE = -1  # the offset of a slice that waits for no commit
EXPIRY_PAUSE_MAX_MS = 1_000  # latest time until the lease check continues


class _Slice(NamedTuple):
    """The last offset of a slice of a decision, and what decides the rest after its commit."""

    offset: int
    rest: Rest
    token: Any


class Active:
    """The active controller.

    `state` is the input of decisions: committed state and the uncommitted tail (rule 0A.3).
    """

    def __init__(
        self,
        config: NodeConfig,
        quorum: Quorum,
        image: Image,
        *,
        profile: Profile,
        settings: Settings,
        random: Callable[[], float],
    ) -> None:
        self.epoch = quorum.epoch
        self._config = config
        self._quorum = quorum
        self._profile = profile
        self._settings = settings
        self._deferred: DeferredReplies[Any] = DeferredReplies()
        self._idle_ms = NEVER_MS
        self._tasks = PeriodicTasks(settings, NEVER_MS)
        self.deadline_ms = NEVER_MS
        self._slices: deque[_Slice] = deque()
        self._undecided = Undecided()
        self.has_failed = False  # a policy raised an exception that ends the leadership (4.60)
        self.is_expiring = False  # the last check left expired leases to the next step
        self.state = State(
            node_id=config.node_id,
            cluster_id=config.cluster_id,
            profile=profile,
            settings=settings,
            image=image,
            leases=Leases(profile, settings.broker_session_timeout_ms),
            random=random,
            next_offset=quorum.log.end_offset,
            voters=partial(_voters_known_to, quorum),
            static_voter_ids=config.static_voter_ids,
            policies=config.policies,
            static=config.static,
            mutations=Mutations(settings),
        )

    def claim(self, me: ControllerRegistrationRequest, turn: Turn) -> None:
        """Start the leases and timers, and write the records of an activation.

        `me` is the registration of this controller.
        """
        state = self.state
        state.leases.started(state.image.brokers.values(), turn.now_ms)
        records = bootstrap.activation_records(
            state.image,
            self._profile,
            self._settings,
            self._config.metadata_version,
            self._config.bootstrap,
        )
        if records:
            self._append(records, turn)
        self.register(me, turn)
        state.leases.begin_checks(turn.now_ms)
        self._idle_ms = self._next_idle(turn.now_ms)
        self._tasks = PeriodicTasks(self._settings, turn.now_ms)
        self._set_deadline()

    def forget_leases(self, now_ms: int) -> None:
        """Give every unfenced broker a new lease, and forget all else of the brokers."""
        state = self.state
        state.leases.forget_all()
        state.leases.started(state.image.brokers.values(), now_ms)

    def register(self, me: ControllerRegistrationRequest, turn: Turn) -> None:
        """Append this controller's registration `me` if the log does not have it yet.

        Nothing is written if the finalized metadata.version has no such record.
        """
        image = self.state.image
        known = image.controllers.get(me.controller_id)
        is_known = known is not None and known.incarnation_id == me.incarnation_id
        if not is_known and bootstrap.may_register_controllers(image):
            self._append((controller_registration.registration(me),), turn)

    def submit(self, handler: Handler, request: Request, token: Any, turn: Turn) -> None:
        """Decide a request; the reply waits until its records are committed (rule 0A.5).

        Behind a request in slices it waits for its turn, unless it is a heartbeat that changes
        nothing. One broker leaves after the other: each might place its partitions on the other.
        """
        undecided, state = self._undecided, self.state
        if undecided.is_busy and not only_renews(handler, request, state, turn.now_ms):
            until_ms = deadline_ms(request, turn.now_ms, self._settings)
            undecided.wait(Waiting(handler, request, token, until_ms))
            turn.leave_work()
        elif self._slices and isinstance(request, DecommissionBrokerRequest):
            self._slices.append(_Slice(AT_ONCE, partial(decided, handler, request), token))
        else:
            self._decide(handler, request, token, turn)

    def _decide(self, handler: Handler, request: Request, token: Any, turn: Turn) -> None:
        try:
            decision = handler(self.state, request, turn.now_ms)
        except ApiError as error:
            self.has_failed = isinstance(error, PolicyFailure)
            turn.replies += ((token, error.with_traceback(None)),)
            return
        self._commit(decision, request, turn)
        self._reply_to(decision, token, turn)

    def _reply_to(self, decision: Decision, token: Any, turn: Turn) -> None:
        """Reply once the records are committed; a decision with a rest goes on instead."""
        state, reply = self.state, decision.reply
        if decision.rest is not None:
            if decision.records:
                self._slices.append(_Slice(state.next_offset - 1, decision.rest, token))
            else:
                self._undecided.keep(decision.rest, token)
                self._set_deadline()
            turn.leave_work()
            return
        if reply is None:
            raise Impossible("a decision without a reply and without a rest")
        if self._quorum.high_watermark >= state.next_offset:  # above: after other voters (0A.6)
            turn.replies += ((token, reply),)
        else:
            self._deferred.add(state.next_offset - 1, token, reply)

    def on_deadline(self, turn: Turn) -> None:
        """Check the leases, run periodic elections and write a NoOp to an idle log, if due."""
        now_ms = turn.now_ms
        if self.state.leases.is_check_due(now_ms):
            self._expire_leases(turn)
        if now_ms >= self._tasks.deadline_ms:
            for records in self._tasks.due(self.state, now_ms):
                self._append(records, turn, is_atomic=False)
        if now_ms >= self._idle_ms:
            record = bootstrap.idle_record(self.state.image)
            if record is not None:
                self._append((record,), turn)
            self._idle_ms = self._next_idle(now_ms)
        self._set_deadline()

    def _expire_leases(self, turn: Turn) -> None:
        """Fence one broker after another until no lease is expired, or the step's bound is reached.

        Kafka, too, serves waiting requests between two fences (rules 2.36, 2.47).
        """
        begin, self.is_expiring = self.state.next_offset, False
        while (decision := fencing.expire_one(self.state, turn.now_ms)) is not None:
            self._commit(decision, None, turn)
            if self.state.next_offset - begin >= EXPIRY_RECORDS_MAX:
                self.is_expiring = True
                self.state.leases.check_at(turn.now_ms + EXPIRY_PAUSE_MAX_MS)
                return
        self.state.leases.checked(turn.now_ms)

    @property
    def has_work(self) -> bool:
        """True if there is work that waits for no commit.

        Leases to expire, requests to decide, an index to catch up.
        """
        return (
            self.is_expiring
            or self._undecided.is_busy
            or self.state.image.index.is_behind
            or self._has_slice_due()
        )

    def _has_slice_due(self) -> bool:
        """True if a slice of a decision is committed, so that the next can be decided."""
        return bool(self._slices) and self._slices[0].offset < self._quorum.high_watermark

    def go_on(self, turn: Turn) -> None:
        """Do a bounded part of the work that earlier steps left."""
        if self.state.image.index.is_behind:
            self.state.image.index.catch_up(INDEXED_PER_STEP)
        if self._undecided.is_in_slices:
            self._decide_rest(*self._undecided.take(), turn)
        elif self.is_expiring or self._has_slice_due():
            if self.is_expiring:
                self._expire_leases(turn)
            if self._has_slice_due():
                _, rest, token = self._slices.popleft()
                others = len(self._slices)
                self._decide_rest(rest, token, turn)
                self._slices.rotate(len(self._slices) - others)  # before those that wait for it
        else:
            self._decide_waiting(turn)
        self._set_deadline()

    def _decide_rest(self, rest: Rest, token: Any, turn: Turn) -> None:
        """Decide the next slice of a request."""
        try:
            decision = rest(self.state, turn.now_ms)
        except ApiError as error:
            self.has_failed = isinstance(error, PolicyFailure)
            turn.replies += ((token, error.with_traceback(None)),)
            return
        self._commit(decision, None, turn)
        self._reply_to(decision, token, turn)

    def _decide_waiting(self, turn: Turn) -> None:
        """Decide requests that have waited, until they have written as much as a step may."""
        begin = self.state.next_offset
        for _ in range(WAITING_MAX):
            waiting = self._undecided.first_waiting()
            if waiting is None:
                return
            is_late = turn.now_ms > waiting.deadline_ms
            handler = timed_out if is_late else waiting.handler
            self._decide(handler, waiting.request, waiting.token, turn)
            if self.state.next_offset - begin >= WAITING_RECORDS_MAX:
                return

    def release(self, high_watermark: int, turn: Turn) -> None:
        """Send the replies whose records are committed, oldest first."""
        turn.replies += tuple(self._deferred.released(high_watermark))

    def renounce(self, error: ApiError, turn: Turn) -> None:
        """Answer every waiting request with `error` (rule 0A.13)."""
        unfinished = [*(token for _, _, token in self._slices), *self._undecided.failed()]
        self._slices.clear()
        turn.replies += tuple((token, error) for token in (*self._deferred.failed(), *unfinished))

    def _commit(self, decision: Decision, request: Any, turn: Turn) -> None:
        """Apply the notes to the soft state, then append and apply the records.

        Nearly every heartbeat has a note and no record (rules 2.27 to 2.29).
        """
        state, note, records = self.state, decision.note, decision.records
        if note is not None:
            if state.leases.decided(note, request, turn.now_ms):
                self._set_deadline()
            if not (records or begins_shutdown(note)):
                return
        if decision.mutation is not None:
            state.mutations.taken(decision.mutation)
        if decision.control:
            self._append_control(decision.control, turn)
        if records:
            self._append(records, turn, is_atomic=decision.is_atomic)
        if note is not None:
            state.leases.appended(note, request, state.next_offset - 1)

    def _append(self, records: tuple[Record, ...], turn: Turn, *, is_atomic: bool = True) -> None:
        """Append one batch, or several for a large result that is not atomic (rule 0A.7)."""
        size = len(records) if is_atomic else RECORDS_PER_BATCH_MAX
        for start in range(0, len(records), size):
            self._append_batch(records[start : start + size], turn)

    def _append_batch(self, records: tuple[Record, ...], turn: Turn) -> None:
        image = self.state.image
        level = image.metadata_version
        versions = tuple(record_version(record, level) for record in records)
        batch = self._quorum.append(records, versions, turn)
        self.state.next_offset = batch.last_offset + 1
        if len(records) > RECORDS_PER_SLICE:
            image.index.put_off()
        for offset, record in enumerate(batch.records, batch.base_offset):
            record = cast(Record, record)
            replay.apply(
                image, record, offset=offset, epoch=batch.epoch, timestamp_ms=batch.timestamp_ms
            )
            if type(record) in CHANGE_LEASES:
                self.state.leases.replayed(record, image.brokers)

    def _append_control(self, records: tuple[ControlRecord, ...], turn: Turn) -> None:
        """Append control records, which the quorum applies at once (rule 10.50)."""
        batch = self._quorum.append(records, (0,) * len(records), turn, is_control=True)
        self.state.next_offset = batch.last_offset + 1
        for offset, record in enumerate(records, batch.base_offset):
            replay.apply_control(self.state.image, record, offset=offset, epoch=batch.epoch)

    def _set_deadline(self) -> None:
        """Set the time of the next task, which waits for a request in slices as all events do."""
        due_ms = min(self._idle_ms, self._tasks.deadline_ms)
        check_ms = self.state.leases.check_ms
        if check_ms is not None:
            due_ms = min(due_ms, check_ms)
        self.deadline_ms = NEVER_MS if self._undecided.is_in_slices else due_ms

    def _next_idle(self, now_ms: int) -> int:
        interval_ms = self._settings.metadata_max_idle_interval_ms
        return now_ms + interval_ms if interval_ms > 0 else NEVER_MS


def _voters_known_to(quorum: Quorum) -> tuple[Voter, ...]:
    return quorum.known_voters.voters
