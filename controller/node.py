"""One controller: its log, its image, its guesses, and the order in which things happen.

The node conducts; it decides nothing. A step takes an event and a time and returns a `Ready`: what
the driver must do, in this order: persist the batches, then send the replies. When the driver has
persisted, it says so with `Persisted`; only then does the high watermark move, committed state
change and a waiting reply go out. One voter is its own majority.

Time comes as `now_ms` (monotonic, the only one that decides) and `wall_ms` (stamps records).
"""

from collections.abc import Callable, Mapping
from typing import Any, cast

from .core import bootstrap, describe_cluster, heartbeats
from .core.batch import Batch, ControlRecord
from .core.errors import ApiError, ErrorCode
from .core.handlers import HANDLERS, Handler
from .core.image import Image
from .core.leases import Leases
from .core.loader import Loader
from .core.profile import Profile
from .core.record_versions import record_version
from .core.records import (
    BrokerRegistrationChangeRecord,
    Endpoint,
    FenceBrokerRecord,
    Record,
    UnfenceBrokerRecord,
    UnregisterBrokerRecord,
)
from .core.rpc import DescribeClusterRequest, FetchRequest, FetchResponse, NodeEndpoint, Request
from .core.settings import Settings
from .core.state import Decision, ExpiryNote, HeartbeatNote, RegistrationNote, State
from .core.uuid import random_uuid
from .deferred import DeferredReplies
from .epoch_opening import opening
from .node_types import (
    LISTENER,
    Deadline,
    Elected,
    Event,
    LeadershipLost,
    NodeConfig,
    Persisted,
    Ready,
    Submitted,
)
from .parked import ParkedFetches
from .raft import observer_fetch
from .raft.log import MetadataLog
from .timeline import NEVER_MS


class Node:
    """`deadline_ms` is when the driver must step with `Deadline`; NEVER_MS: nothing is awaited."""

    def __init__(
        self,
        config: NodeConfig,
        *,
        profile: Profile,
        settings: Settings,
        random: Callable[[], float],
        handlers: Mapping[type, Handler] = HANDLERS,
    ) -> None:
        self.config = config
        self.profile = profile
        self.settings = settings
        self.log = MetadataLog()
        self.epoch = 0
        self.leader_id = -1
        self.high_watermark = 0
        self.high_watermark_moved_wall_ms = 0
        self.is_active = False
        self.deadline_ms = NEVER_MS
        self._handlers = handlers
        self._loader = Loader()
        self._random = random
        self._incarnation_id = random_uuid(random)
        self._state = self._fresh_state(Image())
        self._deferred: DeferredReplies[Any] = DeferredReplies()
        self._parked: ParkedFetches[Any] = ParkedFetches()
        self._epoch_start = 0
        self._lease_check_ms = self._idle_ms = NEVER_MS
        self._steps: Mapping[type, Callable[[Any, Ready, int, int], None]] = {
            Persisted: self._persisted,
            Deadline: self._deadline,
            Elected: self._elected,
            LeadershipLost: self._leadership_lost,
        }

    @property
    def committed(self) -> Image:
        """What is committed: the only state that HTTP reads and facades may show."""
        return self._loader.image

    @property
    def leases(self) -> Leases:
        return self._state.leases

    @property
    def latest(self) -> Image:
        """What decisions look at: committed state and the uncommitted tail (0A.3)."""
        return self._state.image

    def step(self, event: Event, now_ms: int, wall_ms: int) -> Ready:
        if isinstance(event, Submitted):
            return self.submit(event.request, event.token, now_ms, wall_ms)
        ready = Ready()
        self._steps[event.__class__](event, ready, now_ms, wall_ms)
        return ready

    def _set_deadline(self) -> None:
        expiry_ms = self._parked.next_expiry_ms()
        soonest = min(self._lease_check_ms, self._idle_ms)
        self.deadline_ms = soonest if expiry_ms is None else min(soonest, expiry_ms)

    # Events

    def submit(self, request: Request, token: Any, now_ms: int, wall_ms: int) -> Ready:
        """The step of a request; `step(Submitted(...))` is the same with one object more."""
        ready = Ready()
        handler = self._handlers.get(request.__class__)
        try:
            if handler is None:
                self._read(request, token, ready, now_ms)
                return ready
            if not self.is_active:
                raise self._not_controller()
            decision = handler(self._state, request, now_ms)
        except ApiError as error:
            ready.replies = ((token, error),)
            return ready
        self._commit(decision, request, ready, now_ms, wall_ms)
        reply = decision.reply
        assert reply is not None, f"no reply to {type(request).__name__}"
        if self.high_watermark == self._state.next_offset:
            ready.replies = ((token, reply),)
        else:
            self._deferred.add(self._state.next_offset - 1, token, reply)
        return ready

    def _persisted(self, event: Persisted, ready: Ready, now_ms: int, wall_ms: int) -> None:
        if self.leader_id != self.config.node_id or event.end_offset <= self.high_watermark:
            return
        for batch in self.log.read(self.high_watermark):
            if batch.last_offset < event.end_offset:
                self._loader.load(batch)
        self.high_watermark = event.end_offset
        self.high_watermark_moved_wall_ms = wall_ms
        self._answer_parked(ready, self._parked.all())
        ready.replies += tuple(self._deferred.released(self.high_watermark))
        if not self.is_active and self.high_watermark > self._epoch_start:
            self._activate(ready, now_ms, wall_ms)

    def _deadline(self, _: Deadline, ready: Ready, now_ms: int, wall_ms: int) -> None:
        self._answer_parked(ready, self._parked.expired(now_ms))
        if now_ms >= self._lease_check_ms:
            while (decision := heartbeats.expire_one(self._state, now_ms)) is not None:
                self._commit(decision, None, ready, now_ms, wall_ms)
            self._lease_check_ms = self._next_lease_check(now_ms)
        if now_ms >= self._idle_ms:
            record = bootstrap.idle_record(self._state.image)
            if record is not None:
                self._append((record,), ready, now_ms, wall_ms)
            self._idle_ms = self._next_idle(now_ms)
        self._set_deadline()

    def _elected(self, event: Elected, ready: Ready, now_ms: int, wall_ms: int) -> None:
        """Open the epoch; the node becomes active once this record is committed (0A.10)."""
        assert event.epoch > self.epoch, f"epoch {event.epoch} after {self.epoch}"
        self.epoch, self.leader_id = event.epoch, self.config.node_id
        self._epoch_start = self.log.end_offset
        opened = opening(self.config, has_voters=self.committed.kraft_version > 0)
        self._append_batch(opened, ready, wall_ms, is_control=True)

    def _leadership_lost(
        self, event: LeadershipLost, ready: Ready, now_ms: int, wall_ms: int
    ) -> None:
        """Back to what is committed; the log keeps its tail, which may yet commit (0A.13)."""
        self.leader_id, self.is_active = event.leader_id, False
        self._lease_check_ms = self._idle_ms = NEVER_MS
        self._state = self._fresh_state(self.committed.copy())
        error = self._not_controller()
        ready.replies += tuple((token, error) for token in self._deferred.failed())
        self._answer_parked(ready, self._parked.all())
        self._set_deadline()

    # Parts of them

    def _activate(self, ready: Ready, now_ms: int, wall_ms: int) -> None:
        """Claim: fresh guesses, the records that an activation owes, timers (0A.10 to 0A.12)."""
        self.is_active = True
        self._state = self._fresh_state(self.committed.copy())
        self._state.leases.started(self._state.image.brokers.values(), now_ms)
        image, config = self._state.image, self.config
        image.open_transaction = self._loader.open_transaction
        records = bootstrap.activation_records(image, self.profile, config.metadata_version)
        if records:
            self._append(records, ready, now_ms, wall_ms)
        self._register_itself(ready, now_ms, wall_ms)
        if self.profile.expiry_checks_per_session is not None:
            self._lease_check_ms = self._next_lease_check(now_ms)
        self._idle_ms = self._next_idle(now_ms)
        self._set_deadline()

    def _register_itself(self, ready: Ready, now_ms: int, wall_ms: int) -> None:
        """A controller that is active says where it is, so that it can be described (5.14)."""
        if bootstrap.may_register_controllers(self._state.image):
            endpoint = Endpoint(name=LISTENER, host=self.config.host, port=self.config.port)
            registration = bootstrap.controller_registration(
                self.profile, self.config.node_id, self._incarnation_id, endpoint
            )
            self._append((registration,), ready, now_ms, wall_ms)

    def _commit(
        self,
        decision: Decision,
        request: Any,
        ready: Ready,
        now_ms: int,
        wall_ms: int,
    ) -> None:
        """Note the guess, then append and apply the records (the order of 2.27 to 2.29)."""
        note, leases = decision.note, self._state.leases
        if isinstance(note, HeartbeatNote):
            leases.heard(
                request.broker_id,
                request.broker_epoch,
                request.current_metadata_offset,
                note.fenced,
                now_ms,
            )
        elif isinstance(note, ExpiryNote):
            leases.expired(note.broker_id)
        if decision.records:
            self._append(decision.records, ready, now_ms, wall_ms)
        if isinstance(note, HeartbeatNote):
            if note.enters_controlled_shutdown:
                leases.shutting_down_from(request.broker_id, self._state.next_offset - 1)
        elif isinstance(note, RegistrationNote):
            leases.registered(
                note.broker_id,
                note.broker_epoch,
                fenced=note.fenced,
                amends=note.amends,
                now_ms=now_ms,
            )
        if self._lease_check_ms == NEVER_MS and note is not None:  # the first contact (2.41)
            self._lease_check_ms = self._next_lease_check(now_ms)
            self._set_deadline()

    def _append(self, records: tuple[Record, ...], ready: Ready, now_ms: int, wall_ms: int) -> None:
        batch = self._append_batch(records, ready, wall_ms, is_control=False)
        for offset, record in enumerate(records, batch.base_offset):
            self._state.image.apply(record, offset=offset, epoch=self.epoch, timestamp_ms=wall_ms)
            self._follow(record)

    def _append_batch(
        self,
        records: tuple[Record, ...] | tuple[ControlRecord, ...],
        ready: Ready,
        wall_ms: int,
        *,
        is_control: bool,
    ) -> Batch:
        level = self._state.image.metadata_version
        batch = Batch(
            base_offset=self.log.end_offset,
            epoch=self.epoch,
            timestamp_ms=wall_ms,
            records=records,
            versions=tuple(
                0 if is_control else record_version(cast(Record, r), level) for r in records
            ),
            is_control=is_control,
        )
        self.log.append(batch)
        self._state.next_offset = self.log.end_offset
        ready.persist += (batch,)
        return batch

    def _follow(self, record: Record) -> None:
        """Keep the guesses in step with the facts."""
        match record:
            case UnregisterBrokerRecord():
                self._state.leases.forget(record.broker_id)
            case BrokerRegistrationChangeRecord():
                fenced = self._state.image.brokers[record.broker_id].fenced
                self._state.leases.registration_changed(record.broker_id, fenced)
            case FenceBrokerRecord() | UnfenceBrokerRecord():
                fenced = self._state.image.brokers[record.id].fenced
                self._state.leases.registration_changed(record.id, fenced)
            case _:
                pass

    def _read(self, request: Request, token: Any, ready: Ready, now_ms: int) -> None:
        """Requests that change nothing: from committed state, or from the log."""
        match request:
            case FetchRequest():
                self._fetch(request, token, ready, now_ms)
            case DescribeClusterRequest():
                reply = describe_cluster.describe_controllers(
                    self.committed,
                    request,
                    cluster_id=self.config.cluster_id,
                    leader_id=self.leader_id,
                    listener=LISTENER,
                )
                ready.replies += ((token, reply),)
            case _:
                raise AssertionError(f"no handler for {type(request).__name__}")

    def _fetch(self, request: FetchRequest, token: Any, ready: Ready, now_ms: int) -> None:
        reply = self._fetched(request)
        if observer_fetch.may_wait(request, reply) and self._parked.has_room():
            self._parked.add(token, request, now_ms)
            self._set_deadline()
        else:
            ready.replies += ((token, reply),)

    def _answer_parked(self, ready: Ready, taken: list[tuple[Any, FetchRequest]]) -> None:
        ready.replies += tuple((token, self._fetched(request)) for token, request in taken)

    def _fetched(self, request: FetchRequest) -> FetchResponse:
        return observer_fetch.answer(self._leadership(), self.log, self.high_watermark, request)

    def _leadership(self) -> observer_fetch.Leadership:
        config = self.config
        leads = self.leader_id == config.node_id
        endpoint = NodeEndpoint(node_id=config.node_id, host=config.host, port=config.port)
        return observer_fetch.Leadership(
            node_id=config.node_id,
            cluster_id=config.cluster_id,
            leader_id=self.leader_id,
            epoch=self.epoch,
            endpoints=(endpoint,) if leads else (),
        )

    def _fresh_state(self, image: Image) -> State:
        return State(
            node_id=self.config.node_id,
            cluster_id=self.config.cluster_id,
            profile=self.profile,
            settings=self.settings,
            image=image,
            leases=Leases(self.profile, self.settings.broker_session_timeout_ms),
            random=self._random,
            next_offset=self.log.end_offset,
        )

    def _next_lease_check(self, now_ms: int) -> int:
        """Every session/8 (2.47), or exactly when the oldest lease runs out (2.34)."""
        checks = self.profile.expiry_checks_per_session
        if checks is not None:
            return now_ms + max(1, self.settings.broker_session_timeout_ms // checks)
        expiry_ms = self._state.leases.next_expiry_ms()
        return NEVER_MS if expiry_ms is None else expiry_ms

    def _next_idle(self, now_ms: int) -> int:
        interval_ms = self.settings.metadata_max_idle_interval_ms
        return now_ms + interval_ms if interval_ms > 0 and self.is_active else NEVER_MS

    def _not_controller(self) -> ApiError:
        """Rule 0A.2: the text names the leader where one is known."""
        known = self.leader_id >= 0 and self.leader_id != self.config.node_id
        text = (
            f"The active controller appears to be node {self.leader_id}."
            if known
            else "No controller appears to be active."
        )
        return ApiError(ErrorCode.NOT_CONTROLLER, text)
