"""The life cycle of one broker, without IO: the same code runs live and in virtual time.

NOT_RUNNING -> STARTING (registers, then heartbeats until caught up with its own registration) ->
RECOVERY (requests to be unfenced) -> RUNNING (heartbeats) -> PENDING_CONTROLLED_SHUTDOWN (moves its
leaderships to other brokers) -> SHUTTING_DOWN -> NOT_RUNNING. RUNNING never goes back (rule 1.44).

A broker has three conversations, each with one request in flight (rule 1.45): its lease, the
metadata log, and the in-sync replicas of partitions it leads. After STALE_BROKER_EPOCH an agent
continues to send heartbeats and never registers again, as a real broker (rule 1.49). It registers
a second time only to add its directories once metadata.version has them (rule 1.50).
"""

from collections.abc import Callable

from kraftsim.controller.core import rpc
from kraftsim.controller.core.errors import ApiError, ErrorCode, Impossible
from kraftsim.controller.core.feature_levels import (
    CORDONED_DIRECTORIES_FROM,
    DIRECTORY_ASSIGNMENT_FROM,
)
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.uuid import Uuid, random_uuid
from kraftsim.controller.time.timeline import NEVER_MS

from .config import AgentConfig
from .conversation import Channel, Conversation, Send
from .directories.assignments import Places, assignments_of
from .directories.log_directories import Cordons, in_order
from .metadata_fetch import LogPosition, MetadataFetch
from .process_state import ProcessState
from .replica_store import Found, ReplicaStore
from .replication.followers import Followers
from .replication.in_sync import CatchesUp, InSync

NOT_CAUGHT_UP_RETRY_MS = 10  # as a real broker waits while STARTING (BrokerLifecycleManager)
FIRST_SHUTDOWN_RETRY_MS = 50  # between the first and the second wantShutDown (2.15)
CONTROLLER_RETRY_MS = 50  # between tries to reach an active controller
FETCH_TIMEOUT_MS = 2000  # controller.quorum.request.timeout.ms
ALTER_PARTITION_TIMEOUT_MS = 5000
BACKOFF_FIRST_MS = 100  # 3.9.1 doubles from here up to the session timeout (1.46)
BACKOFF_JITTER = 0.02

# Members of enumerations that every fetch compares; a lookup in the enumeration takes 50 ns.
METADATA = Channel.METADATA
RUNNING = ProcessState.RUNNING
SHUTTING_DOWN = ProcessState.SHUTTING_DOWN
STARTING = ProcessState.STARTING


class Agent:
    """The state machine of one broker.

    The methods that act take the time and return the requests to send. `image_at(offset)` returns
    the metadata up to that offset. `position` is shared by the brokers of a fleet, which follow the
    log together. `accepted_ms` is the time of the last accepted registration or heartbeat, from
    which the broker believes its lease to run; -1 before. `failure` is the reason for which the
    broker gave up. `was_drained` is true once a heartbeat response has set shouldShutDown, which
    makes the shutdown clean (rule 1.38). `store` has the replicas on the broker's disk, and
    `found` those that the metadata had no longer when the broker entered RECOVERY.
    `catches_up(key, broker_id)` lets a broker fetch a partition from this one; False if it cannot.
    `cordons` are the directories that take no new replicas (KIP-1066).
    """

    def __init__(
        self,
        config: AgentConfig,
        *,
        random: Callable[[], float],
        image_at: Callable[[int], Image],
        previous_broker_epoch: int = -1,
        position: LogPosition | None = None,
        store: ReplicaStore | None = None,
    ) -> None:
        self.config = config
        self.store = ReplicaStore() if store is None else store
        self.found = Found()
        self.state = ProcessState.NOT_RUNNING
        self.incarnation_id = random_uuid(random)
        self.broker_epoch = -1
        self.accepted_ms = -1
        self.failure: str | None = None
        self.last_error: str | None = None
        self._random = random
        self._image_at = image_at
        self._previous_broker_epoch = previous_broker_epoch
        self._lease = Conversation(Channel.LEASE, timeout_ms=config.lease_timeout_ms)
        self._metadata = Conversation(Channel.METADATA, timeout_ms=FETCH_TIMEOUT_MS, first_ms=0)
        self._partitions = Conversation(Channel.PARTITIONS, timeout_ms=ALTER_PARTITION_TIMEOUT_MS)
        self.position = LogPosition() if position is None else position
        self._voters = self.position.voters  # as last looked at
        self._fetch = MetadataFetch(config, self.position, self._metadata)
        self.in_sync = InSync(config, self._partitions)
        self.catches_up: CatchesUp = lambda key, broker_id: True
        self._directories = config.log_dirs
        self.assignments = assignments_of(config.broker_id, config.log_dirs)
        self._give_up_ms = NEVER_MS
        self._failures = 0
        self._is_caught_up = False
        self._has_retried_shutdown = False
        self.cordons = Cordons(config.broker_id, config.log_dirs, config.cordoned_log_dirs)
        self._adds_directories = self._has_added_directories = False
        self.was_drained = False

    @property
    def followers(self) -> Followers:
        """What the process knows of the followers of partitions that it leads."""
        return self.in_sync.followers

    @property
    def metadata_offset(self) -> int:
        """Offset of the last record that this broker applied; -1 if there is none (rule 2.2a)."""
        return self.position.applied_offset

    @property
    def controller_id(self) -> int:
        """Id of the active controller, as far as this broker knows; -1 if unknown."""
        return self._fetch.leader_id

    @property
    def is_finished(self) -> bool:
        """True if the process must end: the broker drained, gave up, or was stopped early."""
        return self.state is SHUTTING_DOWN

    @property
    def image(self) -> Image:
        """The metadata that this broker has fetched."""
        return self._image_at(self.position.applied_offset)

    def start(self, now_ms: int) -> list[Send]:
        """Start with a fetch: a registration depends on the finalized features."""
        self.state = ProcessState.STARTING
        failed = self.store.failed
        self._directories = tuple(of for of in self._directories if of.directory_id not in failed)
        self.cordons.begin(self._directories)
        if self._lost_its_metadata():
            return []
        self._give_up_ms = now_ms + self.config.registration_timeout_ms
        self.in_sync.start(now_ms)
        return self.on_deadline(now_ms)

    def on_directory_failed(self, now_ms: int) -> list[Send]:
        """Report the lost log directories at once (rule 2.30).

        The process ends if it lost the directory of its metadata log.
        """
        if self.state is SHUTTING_DOWN or self._lost_its_metadata():
            return []
        if self.broker_epoch >= 0:
            self._lease.schedule(now_ms)
        self._observe_directories(now_ms)
        return self.on_deadline(now_ms)

    def report_moves(self, now_ms: int) -> list[Send]:
        """Reports the directories of replicas whose move began, was copied or ended (B7.51)."""
        self._observe_directories(now_ms)
        return self.on_deadline(now_ms)

    def _lost_its_metadata(self) -> bool:
        first = self.config.log_dirs[0]
        if first.directory_id not in self.store.failed:
            return False
        self.failure = f"the metadata log dir {first.path} has failed"
        self.state = SHUTTING_DOWN
        return True

    @property
    def lost_directories(self) -> tuple[Uuid, ...]:
        """Ids of the directories that failed since the process started."""
        ids = (directory.directory_id for directory in self._directories)
        return tuple(directory_id for directory_id in ids if directory_id in self.store.failed)

    def _observe_directories(self, now_ms: int) -> None:
        if self.assignments is None:
            return
        lost, ids = self.lost_directories, (of.directory_id for of in self._directories)
        online = tuple(directory_id for directory_id in ids if directory_id not in lost)
        places = Places(online=online, lost=lost, cordoned=self.cordons.directories)
        self.assignments.observe(self.image, places, self.store, now_ms)

    def request_stop(self, now_ms: int) -> list[Send]:
        """Handle SIGTERM: a RUNNING broker drains; a broker in an earlier state ends at once."""
        if self.state is ProcessState.RUNNING:
            self.state = ProcessState.PENDING_CONTROLLED_SHUTDOWN
            self._lease.schedule(now_ms)
            return self.on_deadline(now_ms)
        if self.state is not ProcessState.PENDING_CONTROLLED_SHUTDOWN:
            self.state = ProcessState.SHUTTING_DOWN
        return []

    def next_deadline_ms(self) -> int:
        """Returns the time at which the driver must call `on_deadline`."""
        state = self.state
        if state is SHUTTING_DOWN:
            return NEVER_MS
        due_ms, metadata_ms = self._lease.deadline_ms, self._metadata.deadline_ms
        if metadata_ms < due_ms:
            due_ms = metadata_ms
        if self.assignments is not None and self.assignments.deadline_ms < due_ms:
            due_ms = self.assignments.deadline_ms
        other_ms = self._partitions.deadline_ms if state is RUNNING else self._give_up_ms
        return other_ms if other_ms < due_ms else due_ms

    def on_deadline(self, now_ms: int) -> list[Send]:
        """Send what is due; give up if the registration took too long."""
        if now_ms >= self._give_up_ms:
            self.failure = "unable to register with the controller quorum"
            self.state = SHUTTING_DOWN
        fetches = now_ms >= self._metadata.deadline_ms
        if fetches and self.position.voters is not self._voters:
            self._observe_voters()
        if self.state is SHUTTING_DOWN:
            return []
        sends = self._fetch.due(now_ms) if fetches else []
        if now_ms >= self._lease.deadline_ms:
            sends += self._communicate(now_ms)
        if now_ms >= self._partitions.deadline_ms and self.state is RUNNING:
            sends += self._propose(now_ms)
        if self.assignments is not None and now_ms >= self.assignments.deadline_ms:
            leader_id = self._fetch.leader_id
            sends += self.assignments.due(self.image, self.broker_epoch, now_ms, leader_id)
        return sends

    def _observe_voters(self) -> None:
        """End the process of a broker that was added to the voters (rule 10.57).

        A real broker sends UpdateRaftVoter before its next fetch, and the refusal is fatal.
        """
        self._voters = self.position.voters
        if not self._fetch.is_voter:
            return
        self.failure = "a broker is among the voters: UpdateRaftVoter is refused, a fatal fault"
        self.state = SHUTTING_DOWN

    def on_reply(
        self, sent: Send, reply: rpc.Response | ApiError | None, now_ms: int
    ) -> list[Send]:
        """Handle the reply to the request `sent`.

        `reply` is None if the connection failed. The reply to an earlier request is ignored.
        """
        if self.state is SHUTTING_DOWN:
            return []
        channel = sent.channel
        if channel is METADATA:
            if self._fetch.on_reply(sent, reply, now_ms):
                self._on_metadata(now_ms)
        elif channel is Channel.PARTITIONS:
            self.in_sync.on_reply(sent, reply)
        elif channel is Channel.DIRECTORIES:
            if self.assignments is not None:
                self.assignments.on_reply(sent, reply, now_ms)
        elif self._lease.accept(sent):
            self._on_lease_reply(reply, now_ms)
        return self.on_deadline(now_ms)

    def _on_metadata(self, now_ms: int) -> None:
        image = self.image
        self.in_sync.observe(image, now_ms)
        if self.state is STARTING and not self._failures:
            self._lease.schedule(now_ms)  # register, or repeat the heartbeat
        if self.cordons.observe(image) and self.broker_epoch >= 0:
            self._lease.schedule(now_ms)  # a change is reported at once (rule 2.32a)
        if self.assignments is not None and self.broker_epoch >= 0:
            self._observe_directories(now_ms)
        if not self._has_added_directories and self._lacks_directories(image):
            self._adds_directories = self._has_added_directories = True
            self._lease.schedule(now_ms)

    def _lacks_directories(self, image: Image) -> bool:
        """True if the registration has no directories although metadata.version has them.

        The broker registered below metadata.version 3.7-IV2 (rule 1.50).
        """
        if image.metadata_version < DIRECTORY_ASSIGNMENT_FROM:
            return False
        own = image.brokers.get(self.config.broker_id)
        return own is not None and own.broker_epoch == self.broker_epoch and not own.log_dirs

    def _communicate(self, now_ms: int) -> list[Send]:
        if self._lease.timed_out(now_ms):
            self._failed("timed out", now_ms)
        if now_ms < self._lease.deadline_ms:
            return []
        return [self._lease.send(self._lease_request(), now_ms, self._fetch.leader_id)]

    def _lease_request(self) -> rpc.Request:
        if self.broker_epoch < 0 or self._adds_directories:
            return self._registration()
        return self._heartbeat()

    def _registration(self) -> rpc.BrokerRegistrationRequest:
        config = self.config
        return rpc.BrokerRegistrationRequest(
            broker_id=config.broker_id,
            cluster_id=config.cluster_id,
            incarnation_id=self.incarnation_id,
            listeners=config.listeners,
            features=config.features,
            rack=config.rack,
            log_dirs=in_order(self._directories),
            previous_broker_epoch=self._previous_broker_epoch,
        )

    def _heartbeat(self) -> rpc.BrokerHeartbeatRequest:
        return rpc.BrokerHeartbeatRequest(
            broker_id=self.config.broker_id,
            broker_epoch=self.broker_epoch,
            current_metadata_offset=self.metadata_offset,
            want_fence=self.state is STARTING,
            want_shut_down=self.state is ProcessState.PENDING_CONTROLLED_SHUTDOWN,
            offline_log_dirs=self.lost_directories if self.store.failed else (),
            cordoned_log_dirs=self.cordons.directories if self._reports_cordoned() else None,
        )

    def _reports_cordoned(self) -> bool:
        """True if heartbeats report cordoned directories: caught up, at level 30 (rule 2.1)."""
        return self._is_caught_up and self.image.metadata_version >= CORDONED_DIRECTORIES_FROM

    def _on_lease_reply(self, reply: rpc.Response | ApiError | None, now_ms: int) -> None:
        match reply:
            case rpc.BrokerRegistrationResponse(error_code=0):
                self.broker_epoch = reply.broker_epoch
                self._adds_directories = False
                self._give_up_ms = NEVER_MS
                self._succeeded(now_ms)
                self._lease.schedule(now_ms)  # first heartbeat at once (1.47)
            case rpc.BrokerHeartbeatResponse(error_code=0):
                self._succeeded(now_ms)
                self._on_heartbeat(reply, now_ms)
            case ApiError(code=ErrorCode.NOT_CONTROLLER) | None:
                self._retry_soon(now_ms)
            case ApiError():
                self._failed(str(reply), now_ms)
            case rpc.BrokerRegistrationResponse() | rpc.BrokerHeartbeatResponse():
                if reply.error_code == ErrorCode.NOT_CONTROLLER:
                    self._retry_soon(now_ms)
                else:
                    self._failed(f"error {reply.error_code}", now_ms)
            case _:
                raise Impossible(f"expected an answer to a lease request, got {reply}")

    def _on_heartbeat(self, reply: rpc.BrokerHeartbeatResponse, now_ms: int) -> None:
        """Change the state as a heartbeat's response requires (rules 1.44, 2.18)."""
        if self.state is ProcessState.STARTING:
            if reply.is_caught_up:
                self._is_caught_up = True
                self.state = ProcessState.RECOVERY
                self.found = self.store.compare(self.image, self.config.broker_id)
                if self.assignments is None:
                    own = self.config.log_dirs
                    self.assignments = assignments_of(self.config.broker_id, own, self.image)
                    self._observe_directories(now_ms)
                self._lease.schedule(now_ms)
            else:
                retry_ms = max(NOT_CAUGHT_UP_RETRY_MS, self.config.metadata_linger_ms)
                self._lease.schedule(now_ms + retry_ms)
        elif self.state is ProcessState.RECOVERY:
            if not reply.is_fenced:
                self.state = ProcessState.RUNNING
                self.in_sync.observe(self.image, now_ms)
        elif self.state is ProcessState.PENDING_CONTROLLED_SHUTDOWN:
            if reply.should_shut_down:
                self.was_drained = True
                self.state = ProcessState.SHUTTING_DOWN
            elif not self._has_retried_shutdown:
                self._has_retried_shutdown = True
                self._lease.schedule(now_ms + FIRST_SHUTDOWN_RETRY_MS)

    def _succeeded(self, now_ms: int) -> None:
        self._failures, self.last_error, self.accepted_ms = 0, None, now_ms
        self._lease.schedule(now_ms + self.config.heartbeat_interval_ms)

    def _retry_soon(self, now_ms: int) -> None:
        """Repeat the request soon, because no active controller was reached.

        This does not count as a failure, as in Kafka's channel. The metadata fetch finds the new
        controller (rule 10.38).
        """
        self.last_error = "no active controller"
        self._lease.schedule(now_ms + CONTROLLER_RETRY_MS)

    def _failed(self, reason: str, now_ms: int) -> None:
        """Schedule the next request after a failure (rule 1.46).

        Kafka 4.x waits one heartbeat interval, Kafka 3.9 backs off.
        """
        self.last_error = reason
        wait_ms = self.config.heartbeat_interval_ms
        if not self.config.profile.retries_at_heartbeat_interval:
            wait_ms = min(
                BACKOFF_FIRST_MS << self._failures, max(1, self.config.session_timeout_ms)
            )
            wait_ms = int(wait_ms * (1 + BACKOFF_JITTER * (2 * self._random() - 1)))
        self._failures = min(self._failures + 1, 16)
        self._lease.schedule(now_ms + wait_ms)

    def _propose(self, now_ms: int) -> list[Send]:
        """Propose whom the ISRs lack, and who lags."""
        image, leader_id = self.image, self._fetch.leader_id
        return self.in_sync.due(image, self.broker_epoch, now_ms, leader_id, self.catches_up)
