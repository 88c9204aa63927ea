"""The types of the JSON documents that HTTP, `--json` and the methods of `Cluster` share.

Keys are in lowerCamel. Times whose key ends with Ms or Timestamp are milliseconds since the epoch.
"""

from typing import NotRequired, TypedDict

from kraftsim.controller.wire.json.document import Document

from ..service.request_journal import RefusedVersionDocument
from ..service.request_search import NearMiss, RequestDocument
from .states import ProcessStateName


class ListenerDocument(TypedDict):
    """A listener of a registered broker."""

    name: str
    host: str
    port: int
    securityProtocol: int


class AgentDocument(TypedDict):
    """The process of a simulated broker."""

    state: ProcessStateName
    profile: str
    metadataOffset: int
    lastError: str | None


class OutageDocument(TypedDict):
    """What an outage of a broker would cost, by the committed ISRs.

    `replicas` counts the broker's replicas. `leaderlessWithout` has the partitions, as `topic-0`,
    that have no leader or would have none, `underMinIsrWithout` those whose other members of the
    ISR are fewer than `min.insync.replicas`.
    """

    replicas: int
    leaderlessWithout: list[str]
    underMinIsrWithout: list[str]


class BrokerDocument(TypedDict):
    """A broker: its registration, if it is registered, and its process, if it is simulated.

    A list of brokers has no `outage`.
    """

    brokerId: int
    registered: bool
    brokerEpoch: NotRequired[int]
    incarnationId: NotRequired[str]
    fenced: NotRequired[bool]
    inControlledShutdown: NotRequired[bool]
    rack: NotRequired[str | None]
    listeners: NotRequired[list[ListenerDocument]]
    startTimeMs: NotRequired[int]
    logDirs: NotRequired[list[str]]
    leaderships: NotRequired[int]
    outage: NotRequired[OutageDocument]
    agent: NotRequired[AgentDocument]


class EndingCluster(TypedDict):
    """A cluster whose service ends."""

    clusterId: str


class LeaderDocument(TypedDict):
    """The active controller and its epoch."""

    leaderId: int
    leaderEpoch: int


class ControllerDocument(TypedDict):
    """A controller: its process, its role in the quorum and the ends of its log."""

    nodeId: int
    state: ProcessStateName
    profile: str
    role: str | None
    active: bool
    leaderId: int
    epoch: int
    highWatermark: int
    logEndOffset: int


class ClusterDocument(TypedDict):
    """The committed state of the cluster in numbers; `controllerId` is -1 without a leader.

    `dataPlaneRequestsRefused` counts the requests that need stored messages, groups or
    transactions; `produceRequestsLost` those with acks=0, whose clients were not told.
    """

    clusterId: str
    controllerId: int
    controllerEpoch: int
    profile: str
    metadataVersion: int
    finalizedFeatures: dict[str, int]
    highWatermark: int
    logEndOffset: int
    brokers: int
    fencedBrokers: int
    topics: int
    leaderlessPartitions: int
    dataPlaneRequestsRefused: int
    produceRequestsLost: int
    refusedVersions: list[RefusedVersionDocument]


class ReplicaDocument(TypedDict):
    """A voter or an observer of the quorum."""

    nodeId: int
    directoryId: str
    endpoint: str | None
    logEndOffset: int
    lastFetchTimestamp: int
    lastCaughtUpTimestamp: int


class QuorumDocument(TypedDict):
    """The quorum as its leader describes it."""

    leaderId: int
    leaderEpoch: int
    highWatermark: int
    highWatermarkUpdateTimeMs: int
    voters: list[ReplicaDocument]
    observers: list[ReplicaDocument]


class LogPage(TypedDict):
    """Records of the committed log; the next page begins at offset `next`."""

    records: list[Document]
    next: int
    startOffset: int
    highWatermark: int


class LogEndDocument(TypedDict):
    """The first and the end offset of the committed log, and the record before the end."""

    clusterId: str
    leaderEpoch: int
    startOffset: int
    highWatermark: int
    lastEpoch: int
    lastTimestamp: int


class EventDocument(TypedDict):
    """An event of the journal: its number, its times, its node and its cause.

    `tUs` is in microseconds since the start of the cluster, `timeMs` on the cluster's wall clock.
    """

    runId: str
    seed: int | None
    scenario: str
    seq: int
    tUs: int
    timeMs: int
    node: str
    kind: str
    brokerId: int | None
    brokerEpoch: int | None
    leaderEpoch: int | None
    offset: int | None
    causeSeq: int | None
    faultId: str | None
    detail: Document


class EventPage(TypedDict):
    """Events of the journal; the next page begins at number `next`."""

    events: list[EventDocument]
    next: int


class BrokerList(TypedDict):
    """Brokers that are registered or simulated.

    The next page begins at the id `next`, which is None after the last broker.
    """

    brokers: list[BrokerDocument]
    next: int | None


class ControllerList(TypedDict):
    """Every controller."""

    controllers: list[ControllerDocument]


class RequestPage(TypedDict):
    """Requests of clients; the next page begins at number `next`."""

    requests: list[RequestDocument]
    next: int


class RequestCount(TypedDict):
    """The number of requests that meet the conditions; near misses only if there is none."""

    count: int
    nearMisses: list[NearMiss]


class Explanation(TypedDict):
    """The causes of an event, the first cause first, one line each."""

    event: int
    lines: list[str]


class AddedBroker(TypedDict):
    """The id of a broker that was added."""

    brokerId: int


class WaiterDocument(TypedDict):
    """A call that waits for time to pass, since `sinceMs` of the cluster's time."""

    waitsFor: str
    sinceMs: int


class ClockLockDocument(TypedDict):
    """A lock of the clock: its owner, how often it was taken, real milliseconds to its end."""

    owner: str
    count: int
    expiresInMs: int


class HeldRequestDocument(TypedDict):
    """A request of an API, or the reply to it (`direction`), that a fault holds since `sinceMs`.

    `sender` (null: a client) sent it to `node`. An `untilMs` of null: until the fault is removed.
    """

    number: int
    api: str
    direction: str
    node: str
    sender: str | None
    brokerId: int | None
    faultId: str
    sinceMs: int
    untilMs: int | None


class HeldList(TypedDict):
    """The oldest requests and replies that faults hold, at most 100, of `count`."""

    held: list[HeldRequestDocument]
    count: int


class ReleaseDocument(TypedDict):
    """How many requests and replies a fault has `released`, and how many it still holds."""

    id: str
    released: int
    held: int


class ClockDocument(TypedDict):
    """The clock of the cluster: its time, its speed, who waits for it and who holds it.

    `nowMs` is the time since the start of the cluster, `wallMs` its wall clock. `speed` is 0.0 for
    a clock that stands; then `standsStill` says why and what moves it. `stoodStillMs` is the real
    time in which the clock stood still for a second or longer at a time. `heldRequests` has at most
    100 requests that faults hold or delay.
    """

    clock: str
    nowMs: int
    wallMs: int
    speed: float
    paused: bool
    nextTimerMs: int | None
    standsStill: str | None
    stoodStillMs: int
    waiters: list[WaiterDocument]
    locks: list[ClockLockDocument]
    heldRequests: list[HeldRequestDocument]


class ResetCluster(TypedDict):
    """A cluster that was reset: the number of its generation, and the seed of its new state."""

    clusterId: str
    generation: int
    seed: int | None


class SnapshotDocument(TypedDict):
    """A snapshot: its virtual time in milliseconds, its simulated brokers, and its last event."""

    name: str
    nowMs: int
    brokers: list[int]
    event: int


class SnapshotList(TypedDict):
    """Every snapshot, in the order in which they were saved."""

    snapshots: list[SnapshotDocument]


class BranchDocument(TypedDict):
    """The events that follow a snapshot; `isWhole` is false if there are more of them."""

    name: str
    events: list[EventDocument]
    isWhole: bool


class FaultDocument(TypedDict):
    """A fault: its verb with its words, its hits, its nodes, and the event of its begin.

    `open` is false once the fault was removed or its time was over. `spent` is true once it has
    acted as often as its `count` allows; requests that it holds are held until it is removed.
    """

    id: str
    verb: str
    words: Document
    open: bool
    spent: bool
    hits: int
    nodes: list[int]
    event: int


class FaultEvent(TypedDict):
    """An event of a fault: a hit, or an event of the journal that the fault wrote.

    `kind` is that of the journal's event, or what was done to a request, a reply or a connection,
    such as `request_lost`; then `detail` has the API. `node` is the node that the message reached
    or would have reached, or the node of the event. Times are those of events.
    """

    tUs: int
    timeMs: int
    node: str
    kind: str
    brokerId: int | None
    detail: Document


class FaultHistory(FaultDocument):
    """A fault with its newest events, at most 200, in the order of time."""

    events: list[FaultEvent]


class FaultList(TypedDict):
    """Every fault that was added, in the order of time."""

    faults: list[FaultDocument]


class FaultVerb(TypedDict):
    """A verb of a fault, its words, its cause, and Kafka's tickets and proposals about it."""

    verb: str
    words: list[str]
    meaning: str
    cause: str
    sources: list[str]


class FaultCatalog(TypedDict):
    """The verbs that a running cluster accepts."""

    verbs: list[FaultVerb]
