"""One controller: its replica of the quorum, its committed image, and the order of its steps.

The node coordinates and makes no decision itself. A step takes an event and a time and returns a
`Turn`: the work for the driver. The quorum (`raft/`) determines commits and the leader; committed
records are loaded into the image; a leader that has committed a record of its own epoch is active
and decides requests (`active.py`).

`now_ms` is monotonic time, the only input of decisions; `wall_ms` is the timestamp of records.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..core import rpc
from ..core.api_row import REFUSE
from ..core.apis import row_of
from ..core.cluster import describe_cluster
from ..core.errors import ApiError, ErrorCode, Impossible, UnknownMetadataVersionError
from ..core.handlers import HANDLERS, Handler, in_core
from ..core.image.image import Image
from ..core.leases import Leases
from ..core.profile import Profile
from ..core.security.not_configured import refused_by_controller
from ..core.settings import Settings
from ..core.state import Decision, State
from ..raft import conduct, describe_quorum, elections, leading, protocol
from ..raft.log import MetadataLog
from ..raft.quorum import Quorum
from ..raft.roles import Leader, Unattached
from ..raft.snapshot import Snapshot, SnapshotFormat
from ..time.timeline import NEVER_MS
from .active import Active
from .config import NodeConfig
from .loading import Loading
from .registrar import Registrar
from .snapshotting import Snapshotting

if TYPE_CHECKING:
    from ..core.configs.node_configs import NodeView

describe_acls = in_core("security.acl_description", "describe_acls")
describe_configs = in_core("configs.describe_configs", "describe_configs")
reassignments = in_core("partitions.reassignment", "list_reassignments")


class Node:
    """One controller.

    The driver must call `step` with `Deadline` at `deadline_ms` (NEVER_MS: no deadline), and with
    `Continue` soon after a step that sets `has_work`. `stored`, `log` and `snapshot` are the
    durable state of the previous process.
    """

    def __init__(
        self,
        config: NodeConfig,
        *,
        profile: Profile,
        settings: Settings,
        random: Callable[[], float],
        snapshot_format: SnapshotFormat,
        handlers: Mapping[type, Handler] = HANDLERS,
        log: MetadataLog | None = None,
        stored: protocol.ElectionState | None = None,
        snapshot: Snapshot | None = None,
    ) -> None:
        self.config = config
        self.profile = profile
        self.settings = settings
        self.quorum = Quorum(
            config.identity_in(profile),
            settings=settings,
            random=random,
            snapshot_format=snapshot_format,
            log=MetadataLog() if log is None else log,
            stored=protocol.ElectionState() if stored is None else stored,
            snapshot=snapshot,
        )
        self.active: Active | None = None
        self.deadline_ms = NEVER_MS
        self.high_watermark_moved_wall_ms = 0
        self._handlers, self._random = handlers, random
        self._loading = Loading(profile, config)
        self.has_work = False
        self._snapshotting = Snapshotting(settings)
        self._registrar = Registrar(config, profile, settings, random)
        self._steps: Mapping[type, Callable[[Any, protocol.Turn], None]] = {
            protocol.Started: self._start,
            protocol.Answered: self._answered,
            protocol.Deadline: self._deadline,
            protocol.Continue: self._continue,
            protocol.Persisted: self._persisted,
            protocol.Resign: self._resign,
            protocol.Stop: self._stop,
        }

    @property
    def log(self) -> MetadataLog:
        """The log of this replica."""
        return self.quorum.log

    @property
    def epoch(self) -> int:
        """The quorum's epoch, as far as this replica knows."""
        return self.quorum.epoch

    @property
    def leader_id(self) -> int:
        """The id of the leader, -1 if unknown."""
        return self.quorum.leader_id

    @property
    def high_watermark(self) -> int:
        """The high watermark of this replica."""
        return self.quorum.high_watermark

    @property
    def is_active(self) -> bool:
        """True if this controller is active."""
        return self.active is not None

    @property
    def committed(self) -> Image:
        """The committed image, the only state that HTTP reads and brokers may show."""
        return self._loading.image

    @property
    def latest(self) -> Image:
        """The committed image; on the active controller, with uncommitted records (rule 0A.3)."""
        return self.committed if self.active is None else self.active.state.image

    @property
    def state(self) -> State:
        """The input of decisions; raises Impossible unless this controller is active."""
        if self.active is None:
            raise Impossible("only the active controller decides")
        return self.active.state

    @property
    def leases(self) -> Leases:
        """The leases; raises Impossible unless this controller is active."""
        return self.state.leases

    def step(self, event: protocol.Event, now_ms: int, wall_ms: int) -> protocol.Turn:
        """Run one step."""
        if isinstance(event, protocol.Submitted):
            return self.submit(event.request, event.token, now_ms, wall_ms)
        turn = protocol.Turn(now_ms, wall_ms)
        self._steps[type(event)](event, turn)
        self._follow_quorum(turn, is_put_off=type(event) is protocol.Continue)
        return turn

    def submit(self, request: rpc.Request, token: Any, now_ms: int, wall_ms: int) -> protocol.Turn:
        """Decide a request; the same as `step(Submitted(...))`, but one object cheaper."""
        turn = protocol.Turn(now_ms, wall_ms)
        handler = self._handlers.get(type(request))
        active = self.active
        if handler is None:
            self._read(request, token, turn)
        elif active is None:
            turn.replies = ((token, self._not_controller()),)
        else:
            before_ms = active.deadline_ms
            active.submit(handler, request, token, turn)
            if active.has_failed:
                return self._give_up(turn)
            if active.deadline_ms != before_ms:
                self._set_deadline(now_ms)
            if not turn.is_plain:
                self._note_work()
        return turn

    def _give_up(self, turn: protocol.Turn) -> protocol.Turn:
        """Resign after a failure that ends the leadership, as Kafka's active controller does."""
        self._resign(protocol.Resign(), turn)
        self._follow_quorum(turn)
        self._note_work()
        return turn

    def decision(self, request: rpc.Request, now_ms: int) -> Decision | ApiError:
        """Returns what the active controller would decide on a request, and does none of it.

        Raises Impossible unless this controller is active.
        """
        try:
            return self._handlers[type(request)](self.state, request, now_ms)
        except ApiError as error:
            return error

    def read(self, request: rpc.Request, now_ms: int, wall_ms: int) -> protocol.Reply:
        """Returns what a client would read now with DescribeCluster or DescribeQuorum."""
        if isinstance(request, rpc.DescribeQuorumRequest):
            return describe_quorum.describe(self.quorum, request, protocol.Turn(now_ms, wall_ms))
        return self._described(request)

    def _read(self, request: rpc.Request, token: Any, turn: protocol.Turn) -> None:
        """Handle a request to the quorum, or one that reads committed state."""
        if not conduct.understands(request):
            turn.replies += ((token, self._described(request)),)
        elif conduct.on_request(self.quorum, request, token, turn):
            self._follow_quorum(turn)
        else:
            expiry_ms = self.quorum.parked.next_expiry_ms()
            if expiry_ms < self.deadline_ms:
                self.deadline_ms = expiry_ms

    def _described(self, request: rpc.Request) -> protocol.Reply:
        """Returns the reply to a request that reads committed state, or that is refused."""
        try:
            if type(request) in READS:
                return READS[type(request)](self, request)
            if row_of(request).controller is REFUSE:
                return refused_by_controller(request)
            raise Impossible(f"no handler for {type(request)}")
        except ApiError as error:
            return error

    @property
    def config_view(self) -> "NodeView":
        """What this controller knows when it describes configurations."""
        from ..core.configs.node_configs import NodeView, static_settings  # not at every start

        return NodeView(
            node_id=self.config.node_id,
            profile=self.profile,
            image=self.committed,
            static=static_settings(self.settings) | self.config.properties,
            kept=self._loading.applied_configs.kept,
        )

    def _start(self, event: protocol.Started, turn: protocol.Turn) -> None:
        quorum = self.quorum
        has_pre_votes = quorum.identity.has_pre_votes  # without, standing begins an epoch
        conduct.start(quorum, turn, stands_at_once=event.stands_at_once and not has_pre_votes)
        if event.stands_at_once and quorum.epoch == 0 and isinstance(quorum.role, Unattached):
            elections.stand(quorum, turn)
            conduct.poll(quorum, turn)

    def _answered(self, event: protocol.Answered, turn: protocol.Turn) -> None:
        if not self._registrar.on_answer(event, turn):
            conduct.on_answer(self.quorum, event, turn)

    def _deadline(self, _: protocol.Deadline, turn: protocol.Turn) -> None:
        if conduct.deadline_ms(self.quorum, turn.now_ms - 1) <= turn.now_ms:
            conduct.on_deadline(self.quorum, turn)
        active = self.active
        if active is not None and self.quorum.is_leader and active.deadline_ms <= turn.now_ms:
            active.on_deadline(turn)
            self._note_work()

    def _continue(self, _: protocol.Continue, turn: protocol.Turn) -> None:
        """Run the work that an earlier step left."""
        conduct.go_on(self.quorum, turn)
        is_counting = self._snapshotting.maybe_count(self.quorum)
        if is_counting:
            self._snapshotting.maybe_begin(self._loading.loader, self.quorum, turn)
        else:
            self._snapshotting.maybe_go_on(self.quorum, turn)
        active, is_busy = self.active, is_counting or self._loading.has_more
        if active is not None and active.has_work and self.quorum.is_leader and not is_busy:
            active.go_on(turn)
            if active.has_failed:
                self._resign(protocol.Resign(), turn)
        self._note_work()

    def _note_work(self) -> None:
        has_decisions = self.active is not None and self.active.has_work
        is_loading = self._loading.has_work or self.quorum.reading is not None
        self.has_work = is_loading or self._snapshotting.has_work or has_decisions

    def _persisted(self, event: protocol.Persisted, turn: protocol.Turn) -> None:
        conduct.on_persisted(self.quorum, event.end_offset, turn)

    def _resign(self, event: protocol.Resign, turn: protocol.Turn) -> None:
        if self.quorum.is_leader:
            leading.resign(self.quorum, turn, event.successor_id)
            conduct.poll(self.quorum, turn)

    def _stop(self, _event: protocol.Stop, turn: protocol.Turn) -> None:
        conduct.stop(self.quorum, turn)

    # What the quorum decided

    def _follow_quorum(self, turn: protocol.Turn, *, is_put_off: bool = False) -> None:
        """Load what the quorum committed and follow a change of leadership."""
        quorum, role = self.quorum, self.quorum.role
        if self.active is not None and not (
            isinstance(role, Leader) and quorum.epoch == self.active.epoch
        ):
            self._renounce(turn)
        if self._loading.has_work or self._loading.loaded < quorum.high_watermark:
            self._load_committed(turn, is_put_off)
        if quorum.reading is not None:
            self._note_work()
        leads = isinstance(role, Leader) and self._loading.loaded > role.epoch_start
        if leads and self.active is None:
            self._claim(turn)
        if self.active is not None:  # the level may now have controller registrations (5.62)
            self.active.register(self._registrar.request, turn)
        self._registrar.poll(self.committed, quorum, self.is_active, turn)
        self._set_deadline(turn.now_ms)

    def _load_committed(self, turn: protocol.Turn, is_put_off: bool) -> None:
        if self._install_snapshot(turn):
            self._load_batches(turn, is_put_off)
            self._expect_known_level()
            self._snapshotting.maybe_begin(self._loading.loader, self.quorum, turn)
        self._note_work()
        if self._loading.has_work:
            turn.leave_work()

    def _expect_known_level(self) -> None:
        """Raises UnknownMetadataVersionError if this release does not know the finalized level."""
        level, profile = self.committed.metadata_version, self.profile
        if level > profile.known_metadata_version:
            raise UnknownMetadataVersionError(
                self.config.node_id,
                level,
                profile.name,
                profile.lowest_metadata_version,
                profile.known_metadata_version,
            )

    def _install_snapshot(self, turn: protocol.Turn) -> bool:
        """Returns False while a snapshot of the leader is not loaded completely."""
        snapshot = self.quorum.snapshot
        if snapshot is None or not self._loading.is_behind(self.quorum):
            return True
        self._snapshotting.began_anew(turn.now_ms)
        return self._loading.install(snapshot)

    def _load_batches(self, turn: protocol.Turn, is_put_off: bool) -> None:
        """Load committed batches and release the replies of loaded records."""
        quorum, loading = self.quorum, self._loading
        loaded = tuple(loading.batches(quorum, is_put_off=is_put_off))
        for batch in loaded:
            self._snapshotting.committed(batch, quorum)
        if loaded:
            turn.commit(loaded)
            self.high_watermark_moved_wall_ms = turn.wall_ms
        if self.active is not None:
            released = loading.loaded if loading.has_more else quorum.high_watermark
            self.active.release(released, turn)

    def _claim(self, turn: protocol.Turn) -> None:
        """Become active, with new leases and a copy of the committed image (0A.10 to 0A.12)."""
        image = self.committed.copy()
        image.open_transaction = self._loading.loader.open_transaction
        self.active = Active(
            self.config,
            self.quorum,
            image,
            profile=self.profile,
            settings=self.settings,
            random=self._random,
        )
        self.active.claim(self._registrar.request, turn)

    def _renounce(self, turn: protocol.Turn) -> None:
        """Drop uncommitted state; the log keeps its tail, which may yet commit (rule 0A.13)."""
        active, self.active = self.active, None
        if active is None:
            raise Impossible("only the active controller gives leadership up")
        active.renounce(self._not_controller(), turn)

    def _set_deadline(self, now_ms: int) -> None:
        self.deadline_ms = min(
            conduct.deadline_ms(self.quorum, now_ms),
            NEVER_MS if self.active is None else self.active.deadline_ms,
            self._registrar.deadline_ms(now_ms),
        )

    def _not_controller(self) -> ApiError:
        """Returns NOT_CONTROLLER; the message names a known leader (rule 0A.2)."""
        text = "No controller appears to be active."
        if self.leader_id not in (-1, self.config.node_id):
            text = f"The active controller appears to be node {self.leader_id}."
        return ApiError(ErrorCode.NOT_CONTROLLER, text)


def _describe_controllers(node: Node, request: rpc.DescribeClusterRequest) -> rpc.Response:
    return describe_cluster.describe_controllers(
        node.committed,
        request,
        profile=node.profile,
        cluster_id=node.config.cluster_id,
        leader_id=node.leader_id,
        listener=node.config.listener_name,
    )


READS: Mapping[type, Callable[[Node, Any], rpc.Response]] = {
    rpc.DescribeAclsRequest: lambda node, asked: describe_acls(
        node.committed, asked, has_authorizer=bool(node.settings.authorizer_class_name)
    ),
    rpc.DescribeClusterRequest: _describe_controllers,
    rpc.DescribeConfigsRequest: lambda node, asked: describe_configs(node.config_view, asked),
    rpc.ListPartitionReassignmentsRequest: lambda node, asked: reassignments(node.committed, asked),
}
"""The table of what a controller reads from committed state, although it may not be active."""
