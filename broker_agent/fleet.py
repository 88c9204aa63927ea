"""Many simulated brokers in one process, each with its own connections to the controllers.

One timeline and one timer drive all of them. They share one copy of the metadata log: each broker
fetches, and a batch that one broker has fetched is decoded and loaded once, for all of them.
"""

import logging
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from kraftsim.controller.core.apis import row_of
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.image.partition import PartitionKey
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.profile import Profile
from kraftsim.controller.core.rpc import (
    FetchResponse,
    FetchSnapshotResponse,
    Request,
    Response,
    SnapshotId,
    SnapshotPartitionData,
)
from kraftsim.controller.raft.log import MetadataLog
from kraftsim.controller.raft.protocol import Reply
from kraftsim.controller.server.api_versions import newest_served
from kraftsim.controller.server.kafka_caller import Address, KafkaCaller
from kraftsim.controller.server.outside_brokers import OutsideBrokers
from kraftsim.controller.server.runtime import Runtime
from kraftsim.controller.time.clock import Clock
from kraftsim.controller.time.timeline import Timeline
from kraftsim.controller.wire.records.snapshot_file import decode_snapshot

from .agent import Agent
from .client import BrokerClient, enveloped, opened
from .config import AgentConfig
from .conversation import Send
from .following.leaders import Following, NoteAppend
from .forwarding import client_id_and_version
from .hosted_agent import HostedAgent
from .image_history import ImageHistory
from .leading.leader import attach
from .metadata_fetch import LogPosition
from .process_state import ProcessState
from .replica_store import Found
from .replication.followers import Truncated

STARTING_MAX = 1_000  # brokers that start at once: each of them fetches the whole log so far

log = logging.getLogger(__name__)


class SnapshotIntake:
    """The slices of a snapshot, decoded once for all brokers, which may fetch it at one time."""

    def __init__(self, history: ImageHistory) -> None:
        self._history = history
        self._snapshot_id = SnapshotId()
        self._data = b""

    def take(self, data: SnapshotPartitionData) -> None:
        """Append a slice if it continues the snapshot; load the snapshot once it is complete."""
        if data.error_code or data.snapshot_id.end_offset <= self._history.log.end_offset:
            return
        if data.snapshot_id != self._snapshot_id:
            self._snapshot_id, self._data = data.snapshot_id, b""
        if data.position == len(self._data):
            self._data += data.unaligned_records
        if len(self._data) == data.size:
            batches, self._data = decode_snapshot(self._data), b""
            snapshot_id = data.snapshot_id
            self._history.begin_anew(batches, snapshot_id.end_offset, snapshot_id.epoch)


class Fleet:
    """The brokers of one process.

    `controllers` are the bootstrap addresses; replies to fetches name the active controller.
    `fetched_listeners` are called with each batch that is fetched for the first time, `note_append`
    with what a broker fetches from a leader of another process.
    """

    def __init__(
        self,
        timeline: Timeline,
        runtime: Runtime,
        *,
        controllers: Sequence[Address],
        random: Callable[[], float],
    ) -> None:
        self._clock, self._runtime = Clock(timeline), runtime
        self._bootstrap = tuple(controllers)
        self._bootstrap_index = 0
        self._addresses: dict[int, Address] = {}
        self._random = random
        self._history = ImageHistory(MetadataLog())
        self._position = LogPosition()
        self._snapshots = SnapshotIntake(self._history)
        self._clients: list[BrokerClient] = []
        self._forwarding: set[KafkaCaller] = set()
        self._last_fetch_us = 0
        self._foreign_addresses: set[Address] = set()
        self._waiting: deque[HostedAgent] = deque()
        self.agents: dict[int, HostedAgent] = {}
        self.note_append: NoteAppend = lambda broker_id, key, size: None
        self._lines = OutsideBrokers(runtime)
        self._following = Following(self.agents, lambda: self._lines, self._note_append)
        self.fetched_listeners: list[Callable[[Batch], None]] = []

    def follow(self, broker_id: int) -> None:
        """Lets a broker fetch from leaders of other processes from now on.

        A broker without a listener hands no message to anybody, and need not have any.
        """
        self.agents[broker_id].on_metadata = partial(self._following.observe, broker_id)

    def _note_append(self, broker_id: int, key: PartitionKey, size: int) -> None:
        self.note_append(broker_id, key, size)  # which is set later

    def silence_s(self) -> float:
        """Returns the seconds since a leader last answered a fetch of any broker."""
        with self._runtime.entered():
            return (self._clock.timeline.now_us - self._last_fetch_us) / 1e6

    def start(
        self, configs: Iterable[AgentConfig], on_change: Callable[[int, ProcessState], None]
    ) -> None:
        """Start a broker for each config; `on_change` gets a broker id and its new state.

        At most STARTING_MAX of them start at the same time, unless one of them ends.
        """
        with self._runtime.entered():
            self._waiting.extend(self._add(config, on_change) for config in configs)
            self._start(STARTING_MAX)

    def _start(self, count: int) -> None:
        """Start the next waiting brokers."""
        for _ in range(min(count, len(self._waiting))):
            self._waiting.popleft().start()

    def on_state(self, broker_id: int, state: ProcessState) -> None:
        """Start another broker for one that runs; without controllers do not wait for any.

        A broker that follows leaders of other processes does so while its own lives.
        """
        observe = self.agents[broker_id].on_metadata
        if observe is not None:
            observe()
        if self._waiting and state in (ProcessState.RUNNING, ProcessState.NOT_RUNNING):
            count = 1 if state is ProcessState.RUNNING else len(self._waiting)
            self._clock.timeline.soon(lambda: self._start(count))

    def stop(self) -> None:
        """Send SIGTERM to every broker: drain, then end."""
        with self._runtime.entered():
            self._start(len(self._waiting))  # a broker ends only once it has started
            for agent in self.agents.values():
                agent.stop()

    def close(self) -> None:
        """Close all connections."""
        for client in self._clients:
            client.close()
        for caller in self._forwarding:
            caller.drop()
        self._lines.close()

    def forward(
        self,
        broker_id: int,
        profile: Profile,
        request: Request,
        reply_to: Callable[[Reply | None], None],
        controller_id: int,
    ) -> None:
        """Send a client's request to a controller in an Envelope, as a broker of the profile does.

        Such requests are rare, so each opens a new connection.
        """
        client_id, version_max = client_id_and_version(request)
        name, version = f"{broker_id}", newest_served(row_of(request).key, profile)
        version = version if version_max is None else min(version, version_max)
        envelope = enveloped(request, version, name if client_id is None else client_id)
        caller = KafkaCaller(name, self._deliver)
        self._forwarding.add(caller)

        def answered(response: Response | None) -> None:
            self._forwarding.discard(caller)
            caller.drop()
            reply_to(opened(request, version, response))

        caller.send(self._address_of(controller_id), envelope, answered)

    def _add(
        self, config: AgentConfig, on_change: Callable[[int, ProcessState], None]
    ) -> HostedAgent:
        client = BrokerClient(config.broker_id, self._deliver)
        self._clients.append(client)
        host = FleetHost(self, config, client, on_change)
        hosted = attach(HostedAgent(host, self._clock, self.agents.get))
        self.agents[config.broker_id] = hosted
        return hosted

    def make_agent(self, config: AgentConfig, previous_broker_epoch: int) -> Agent:
        """Returns the agent of a new process."""
        return Agent(
            config,
            random=self._random,
            image_at=self._history.at,
            previous_broker_epoch=previous_broker_epoch,
            position=self._position,
        )

    def send(
        self,
        config: AgentConfig,
        client: BrokerClient,
        send: Send,
        reply_to: Callable[[Reply | None], None],
    ) -> None:
        """Send a request of a broker to a controller over the broker's connections."""
        address = self._address_of(send.controller_id)

        def replied(reply: Reply | None) -> None:
            if isinstance(reply, FetchResponse) and reply.error_code:
                self._warn_of_refusal(address, config.cluster_id, reply.error_code)
            self._replied(reply, reply_to)

        client.send(address, send, replied)

    def _address_of(self, controller_id: int) -> Address:
        """Returns the address of a controller; if it is unknown, the next bootstrap address."""
        if controller_id in self._addresses:
            return self._addresses[controller_id]
        self._bootstrap_index += 1
        return self._bootstrap[self._bootstrap_index % len(self._bootstrap)]

    def _deliver(self, action: Callable[[], None]) -> None:
        """Run the callback of a reply; without a context manager, because every reply does so."""
        self._runtime.enter()
        action()
        self._runtime.leave()

    def _replied(self, reply: Reply | None, reply_to: Callable[[Reply | None], None]) -> None:
        """Store new records of the log before the agent counts them as applied."""
        if isinstance(reply, FetchResponse) and reply.responses:
            for endpoint in reply.node_endpoints:
                self._addresses[endpoint.node_id] = (endpoint.host, endpoint.port)
            data = reply.responses[0].partitions[0]
            if not data.error_code:
                self._last_fetch_us = self._clock.timeline.now_us
            self._keep(data.records or ())
        if isinstance(reply, FetchSnapshotResponse) and reply.topics:
            self._snapshots.take(reply.topics[0].partitions[0])
        reply_to(reply)

    def _warn_of_refusal(self, address: Address, cluster_id: str, error_code: int) -> None:
        """Warn once for each controller that belongs to another cluster.

        No broker of the fleet can join such a cluster, and all of them retry forever.
        """
        if (
            error_code == ErrorCode.INCONSISTENT_CLUSTER_ID
            and address not in self._foreign_addresses
        ):
            self._foreign_addresses.add(address)
            log.warning(
                "the controller at %s:%d belongs to another cluster: it refuses the cluster id %s. "
                "Give the --cluster-id of its quorum, or the address of another controller",
                *address,
                cluster_id,
            )

    def _keep(self, records: Sequence[Batch]) -> None:
        """Append only records that no broker of the fleet has fetched before."""
        log = self._history.log
        if records and records[-1].last_offset >= log.end_offset:
            for batch in records:
                if batch.base_offset == log.end_offset:
                    log.append(batch)
                    for listener in self.fetched_listeners:
                        listener(batch)


@dataclass(slots=True)
class FleetHost:
    """The host of one broker of a fleet."""

    fleet: Fleet
    config: AgentConfig
    client: BrokerClient
    listener: Callable[[int, ProcessState], None]

    def make_agent(self, previous_broker_epoch: int, /) -> Agent:
        """Returns the agent of a new process."""
        return self.fleet.make_agent(self.config, previous_broker_epoch)

    def send(self, send: Send, reply_to: Callable[[Reply | None], None], /) -> None:
        """Send a request to a controller."""
        self.fleet.send(self.config, self.client, send, reply_to)

    def on_found(self, found: Found, /) -> None:
        """Logs replicas on the disk that are no longer in the metadata."""
        for kind, names, count in found.rows():
            log.info("broker %d: %s: %d: %s", self.config.broker_id, kind, count, names)

    def on_truncated(self, topic: str, partition: int, records: Truncated, /) -> None:
        """Logs what the broker gave up of a log."""
        name, lost = f"{topic}-{partition}", f"[{records.start}, {records.end})"
        log.info("broker %d: %s: truncated offsets %s", self.config.broker_id, name, lost)

    @property
    def network_delays(self) -> bool:
        """False: the brokers of one process have no network between them."""
        return False

    @property
    def network_is_plain(self) -> bool:
        """True: what is sent to another broker of the process arrives, at once."""
        return True

    def lag_us(self, broker_id: int, /, *, is_reply: bool) -> int:
        """Returns 0, as there is no network."""
        return 0

    def silence_ms(self, broker_id: int, /) -> int | None:
        """Returns None: nothing closes the network between the brokers of one process."""
        return None

    def on_change(self, state: ProcessState, /) -> None:
        """Report a new state of the process, which may let another broker start."""
        self.listener(self.config.broker_id, state)
        self.fleet.on_state(self.config.broker_id, state)
