"""Properties of replies to clients, S28 to S30.

Rules 5.5 to 5.38, 8.12; KIP-836, KIP-1073, KIP-436.
"""

from collections.abc import Iterator
from typing import ClassVar

from kraftsim.controller.core import rpc
from kraftsim.controller.core.image.broker import BrokerRegistration
from kraftsim.controller.core.log import records as r
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.node_id import Kind, NodeId, controller_node
from kraftsim.controller.core.rpc.cluster import CONTROLLER_ENDPOINT
from kraftsim.controller.core.uuid import Uuid
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

from ..oracles.committed import OfTheCommittedLog
from ..oracles.property import Broken, Kinds, Property
from ..oracles.shadow import Key

READER = NodeId(-2, Kind.OUTSIDE)  # asks in every run, outside of the network
ASKED = rpc.DescribeClusterRequest(endpoint_type=CONTROLLER_ENDPOINT)
QUORUM = rpc.DescribeQuorumRequest(
    topics=(
        rpc.DescribeQuorumTopic(
            topic_name="__cluster_metadata", partitions=(rpc.DescribeQuorumPartition(),)
        ),
    )
)
LISTENERS = {"Broker": "PLAINTEXT", "Controller": "CONTROLLER"}  # of simulated nodes
READ_EVERY_MS = 1000  # of the reader that asks leaders for their quorum
LISTED = (r.RegisterControllerRecord, r.UnregisterControllerRecord)

Entry = tuple[int, bool, str, int]
"""A registered node: id, is fenced, host and port of its listener."""
Listing = frozenset[Entry]


class ReadsAreCommitted(OfTheCommittedLog):
    """Compares each DescribeCluster reply with the committed lists of brokers and controllers.

    A reply must not be older than the last reply of the same controller process to the same
    node: a restarted controller begins with older data, and two controllers may differ. A reader
    outside of the network asks each controller after it has appended what lists show, and after
    each change of its role.
    """

    number = "S28"
    name = "reads-are-committed"
    claim = (
        "A DescribeCluster response shows a committed image that is never older than the last one."
    )
    kinds: ClassVar[Kinds] = (rpc.DescribeClusterRequest,)

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._brokers: list[Listing] = [frozenset()]
        self._controllers: list[Listing] = [frozenset()]
        self._shown: dict[tuple[NodeId, NodeId, int], int] = {}
        self._unread: set[int] = set()  # controllers that the reader asks at their next step

    def restarted(self, node_id: int) -> None:
        node = controller_node(node_id)
        self._shown = {key: position for key, position in self._shown.items() if key[1] != node}

    def moved(self, node: Node, turn: Turn) -> None:
        self._ask_soon(node)

    def wrote_news(self, node: Node, turn: Turn) -> None:
        if any(isinstance(record, LISTED) for batch in turn.persist for record in batch.records):
            self._ask_soon(node)

    def _ask_soon(self, node: Node) -> None:
        self._unread.add(node.config.node_id)
        self.await_step()

    def next_step(self, node: Node, turn: Turn) -> None:
        """Asks a controller, unless what it has just committed is not in the known lists yet."""
        if node.config.node_id in self._unread and not turn.committed:
            self._unread.discard(node.config.node_id)
            reply = node.read(ASKED, turn.now_ms, turn.wall_ms)
            self._judge(controller_node(node.config.node_id), READER, ASKED, reply)
            _expect_leader(node, reply)
        if self._unread:
            self.await_step()

    def done(self, batch: Batch, touched: set[Key]) -> None:
        for kind, listings in (("Broker", self._brokers), ("Controller", self._controllers)):
            if any(key[0] == kind for key in touched):
                listings.append(_listing(self, kind))

    def replied(self, message: Message) -> None:
        if isinstance(message.request, rpc.DescribeClusterRequest):
            self._judge(message.sender, message.receiver, message.request, message.reply)

    def _judge(
        self, sender: NodeId, receiver: NodeId, request: rpc.DescribeClusterRequest, reply: object
    ) -> None:
        if not isinstance(reply, rpc.DescribeClusterResponse) or reply.error_code:
            return
        self.exercised += 1
        is_hiding = not request.include_fenced_brokers
        listing = frozenset(map(_entry, reply.brokers))
        if is_hiding and any(is_fenced for _, is_fenced, *_ in listing):
            raise Broken(
                f"{receiver} asked for unfenced brokers only, got {_listing_words(listing)}"
            )
        if reply.cluster_id != self.world.topology.cluster_id:
            raise Broken(f"{receiver} is told that the cluster is {reply.cluster_id}")
        of_controllers = reply.endpoint_type == CONTROLLER_ENDPOINT
        listings = self._controllers if of_controllers else self._brokers
        key = receiver, sender, reply.endpoint_type
        self._shown[key] = self._find(listings, listing, self._shown.get(key, 0), is_hiding)

    def _find(self, listings: list[Listing], listing: Listing, first: int, is_hiding: bool) -> int:
        """Returns the index of the reply's `listing` among the committed ones, from `first` on.

        With `is_hiding` fenced brokers are left out. Raises Broken if no listing is equal.
        """
        for position in range(first, len(listings)):
            shown = listings[position]
            if is_hiding:
                shown = frozenset(entry for entry in shown if not entry[1])
            if shown == listing:
                return position
        raise Broken(
            f"the response lists {_listing_words(listing)}, which no image has had since that "
            f"with {_listing_words(listings[first])}"
        )


def _entry(node: rpc.DescribeClusterBroker) -> Entry:
    return node.broker_id, node.is_fenced, node.host, node.port


def _listing_words(listing: Listing) -> str:
    """Returns the nodes of a listing with their addresses."""
    nodes = (
        f"{node_id}{' fenced' * is_fenced} at {host}:{port}"
        for node_id, is_fenced, host, port in sorted(listing)
    )
    return ", ".join(nodes) or "no node"


def _listing(of: OfTheCommittedLog, kind: str) -> Listing:
    facts = of.shadow.of(kind).items()
    return frozenset(
        (int(str(key[1])), fact.get("fenced", False), endpoint.host, endpoint.port)
        for key, fact in facts
        for endpoint in fact["end_points"]
        if endpoint.name == LISTENERS[kind]
    )


def _expect_leader(node: Node, reply: object) -> None:
    """Checks that a controller names the leader that it follows, if it lists it (rule 5.12)."""
    if isinstance(reply, rpc.DescribeClusterResponse) and not reply.error_code:
        listed = {controller.broker_id for controller in reply.brokers}
        expected = node.quorum.leader_id if node.quorum.leader_id in listed else -1
        if reply.controller_id != expected:
            raise Broken(
                f"controller {node.config.node_id} names the controller {reply.controller_id}, "
                f"expected {expected}"
            )


class QuorumTimes(Property):
    """Checks the times in DescribeQuorum replies, and when each high watermark last moved.

    A reader outside of the network asks each leader about once a second.
    """

    number = "S29"
    name = "quorum-times"
    claim = (
        "DescribeQuorum's times are -1 or at most the leader's wall clock, and the time at which"
        " the high watermark moved never falls, unless the leader's wall clock is set back."
    )
    kinds: ClassVar[Kinds] = (rpc.DescribeQuorumRequest,)

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._moved_wall_ms: dict[int, int] = {}
        self._offset_ms: dict[int, int] = {}
        self._read_ms: dict[int, int] = {}

    def restarted(self, node_id: int) -> None:
        self._moved_wall_ms.pop(node_id, None)

    def loaded(self, node: Node, turn: Turn) -> None:
        node_id, moved = node.config.node_id, node.high_watermark_moved_wall_ms
        known = self._moved_wall_ms.get(node_id, 0)
        if moved != known:
            self._check_moved(node_id, known, moved, turn.wall_ms)

    def led(self, node: Node, turn: Turn) -> None:
        node_id = node.config.node_id
        if abs(turn.now_ms - self._read_ms.get(node_id, 0)) >= READ_EVERY_MS:
            self._read_ms[node_id] = turn.now_ms
            self._judge(node_id, node.read(QUORUM, turn.now_ms, turn.wall_ms))

    def _check_moved(self, node_id: int, known_ms: int, moved_ms: int, wall_ms: int) -> None:
        """Checks a new time; what it is after does not count if the wall clock was stepped."""
        self._moved_wall_ms[node_id] = moved_ms
        offset_ms = self.world.clocks[controller_node(node_id)].wall_offset_ms
        if offset_ms != self._offset_ms.setdefault(node_id, offset_ms):
            known_ms, self._offset_ms[node_id] = 0, offset_ms
        if not known_ms <= moved_ms <= wall_ms:
            raise Broken(
                f"controller {node_id} says that its high watermark rose {wall_ms - moved_ms} ms "
                f"ago by its wall clock, and before {wall_ms - known_ms} ms ago"
            )

    def replied(self, message: Message) -> None:
        if isinstance(message.request, rpc.DescribeQuorumRequest):
            self._judge(message.sender.number, message.reply)

    def _judge(self, leader_id: int, reply: object) -> None:
        clock = self.world.clocks[controller_node(leader_id)]
        latest_ms = max(clock.latest_wall_ms, clock.now_ms + clock.wall_offset_ms)
        for state in _states(reply):
            self.exercised += 1
            self._check(state, latest_ms)

    def _check(self, state: rpc.ReplicaState, wall_ms: int) -> None:
        fetched, caught_up = state.last_fetch_timestamp, state.last_caught_up_timestamp
        if not (-1 <= caught_up <= fetched <= wall_ms):
            raise Broken(
                f"replica {state.replica_id} has caught up {wall_ms - caught_up} ms ago and last "
                f"fetched {wall_ms - fetched} ms ago, by the wall clock of the leader"
            )


def _states(reply: object) -> Iterator[rpc.ReplicaState]:
    if isinstance(reply, rpc.DescribeQuorumResponse):
        for topic in reply.topics:
            for partition in topic.partitions:
                yield from (*partition.current_voters, *partition.observers)


class StartTimeConstant(Property):
    """Compares the start times of each incarnation on all controllers, also after snapshots."""

    number = "S30"
    name = "start-time-constant"
    claim = "An incarnation has one start time, on every controller and after every snapshot."

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._started: dict[tuple[int, int, Uuid], int] = {}

    def loaded(self, node: Node, turn: Turn) -> None:
        for batch in turn.committed:
            for record in batch.records:
                if isinstance(record, r.RegisterBrokerRecord):
                    self._check(node.committed.brokers.get(record.broker_id))

    def wrote_news(self, node: Node, turn: Turn) -> None:
        if turn.snapshot is not None:
            for broker in node.committed.brokers.values():
                self._check(broker)

    def _check(self, broker: BrokerRegistration | None) -> None:
        if broker is None:
            return
        self.exercised += 1
        key = broker.broker_id, broker.broker_epoch, broker.incarnation_id
        known = self._started.setdefault(key, broker.start_time_ms)
        if known != broker.start_time_ms:
            later_ms = broker.start_time_ms - known
            raise Broken(
                f"broker {broker.broker_id} of epoch {broker.broker_epoch} has a start time "
                f"{later_ms} ms after that which this incarnation had before"
            )


CLASSES: tuple[type[Property], ...] = (ReadsAreCommitted, QuorumTimes, StartTimeConstant)
