"""The types of the documents about lessons, for HTTP, `--json` and Python.

Times are microseconds of the timeline.
"""

from typing import Final, TypedDict

MEMORY_FULL: Final = "MemoryError"  # the kind of the last reply of a process whose memory is full


class EpochScene(TypedDict):
    """A part of a log: the records of one epoch from `start` on."""

    epoch: int
    start: int


class ControllerScene(TypedDict):
    """A controller: its process, its role in its epoch, its log.

    `votes` are the voters that granted it their votes or pre-votes in this election. The records
    from `highWatermark` to `logEnd` are not committed, as far as this controller knows.
    """

    id: int
    rack: str | None
    state: str
    role: str
    isActive: bool
    epoch: int
    leaderId: int
    votedFor: int
    votes: list[int]
    logStart: int
    logEnd: int
    highWatermark: int
    epochs: list[EpochScene]


class LeaseScene(TypedDict):
    """When a lease ends, in microseconds of the timeline; None without a belief.

    `brokerEndUs` is what the broker believes: its session counts from the last heartbeat that was
    accepted. `controllerEndUs` is what the active controller believes: its session counts from the
    last contact.
    """

    brokerEndUs: int | None
    controllerEndUs: int | None


class BrokerScene(TypedDict):
    """A broker: its process, its registration, its lease, and how beliefs and log differ.

    `truth` is the state in the committed log: unfenced, fenced, shutting down or unregistered.
    `belief` is that of the broker: unfenced, fenced or gone. `mismatch` is zombie (it believes to
    be unfenced and is not, or another process has its id), orphan (it is unfenced in the log, and
    its process is gone), in doubt (its last heartbeat has no reply in time) or empty.
    """

    id: int
    rack: str | None
    state: str
    truth: str
    belief: str
    mismatch: str
    epoch: int
    believedEpoch: int
    incarnation: str
    startTimeMs: int | None
    leads: int
    lease: LeaseScene


class ReplicaLogScene(TypedDict):
    """The log of a replica on the disk of its broker, and the high watermark that it knows."""

    logStart: int
    logEnd: int
    highWatermark: int
    epochs: list[EpochScene]


class PartitionScene(TypedDict):
    """A partition: its leader (-1: none), its replicas, which are in sync, and which may lead.

    `adding` and `removing` are the replicas that a reassignment adds and removes. Start, end and
    size in bytes of the leader's log; None if no simulated broker leads. `lags` are the records of
    it that each replica lacks, in the order of `replicas`; None if unknown. `logs` are the logs of
    the replicas in this order, None for one without a message; empty if none has a message, and
    after the first 30 partitions of a scene that have some.
    """

    leader: int
    leaderEpoch: int
    replicas: list[int]
    isr: list[int]
    elr: list[int]
    adding: list[int]
    removing: list[int]
    logStart: int | None
    logEnd: int | None
    logBytes: int | None
    lags: list[int | None]
    logs: list[ReplicaLogScene | None]


class HeldScene(TypedDict):
    """A request, or the reply to it, that a fault holds or delays, with its number in the fault.

    `sender` and `receiver` are the ends of its way; -1 is a client. It goes on at `untilUs`; None:
    once the fault ends.
    """

    number: int
    api: str
    isReply: bool
    sender: int
    receiver: int
    sinceUs: int
    untilUs: int | None


class FaultScene(TypedDict):
    """An open fault: its verb, the nodes of each of its sides, and the messages that it holds.

    `held` are the oldest of these, at most 20, of `heldCount`.
    """

    verb: str
    sides: list[list[int]]
    held: list[HeldScene]
    heldCount: int


class Scene(TypedDict):
    """A world at one instant; `sessionMs` is the session timeout of brokers.

    Controllers and brokers are by id (the second process of a broker: 2+), partitions by topic and
    number (orders-0), open faults by id.
    """

    sessionMs: int
    committed: int
    controllers: dict[str, ControllerScene]
    brokers: dict[str, BrokerScene]
    partitions: dict[str, PartitionScene]
    faults: dict[str, FaultScene]


class Picture(TypedDict):
    """The scene of a running cluster at `atUs` of its timeline, which is `timeMs` of wall time.

    `traffic` is None unless messages were asked for.
    """

    atUs: int
    timeMs: int
    scene: Scene
    traffic: "TrafficScene | None"


class SceneChange(TypedDict, total=False):
    """The entries of a scene that differ from those of the moment before; None for no entry."""

    sessionMs: int
    committed: int
    controllers: dict[str, ControllerScene | None]
    brokers: dict[str, BrokerScene | None]
    partitions: dict[str, PartitionScene | None]
    faults: dict[str, FaultScene | None]


class Moment(TypedDict):
    """What changes at `atUs`."""

    atUs: int
    change: SceneChange


class MessageScene(TypedDict):
    """A message on its way: `endUs` is its arrival or its loss, None if that is after the film.

    `sender` and `receiver` are node ids, -1 for a client. `fault` is the fault that lost it or
    holds it, empty without one. A message that left before the film begins at its begin.
    """

    api: str
    isReply: bool
    sender: int
    receiver: int
    startUs: int
    endUs: int | None
    isLost: bool
    error: str
    fault: str


class TrafficScene(TypedDict):
    """The messages of a running cluster.

    `messages` have arrived or are lost: the newest of those that did so since number `from`.
    `underWay` are the oldest of the others. `counts` has the number of messages of each API since
    the first look; `next` is the number from which the next look continues.
    """

    messages: list[MessageScene]
    underWay: list[MessageScene]
    counts: dict[str, int]
    next: int


class Film(TypedDict):
    """The scene at `fromUs`, and how it changes until `toUs`.

    `toUs` is earlier than was asked for if there are too many moments. `digest` is that of the
    world at `fromUs`.
    """

    fromUs: int
    toUs: int
    digest: str
    scene: Scene
    moments: list[Moment]
    messages: list[MessageScene]


class CaptionScene(TypedDict):
    """A text after the event number `count` of the kind `on`, and perhaps a question before it.

    `because` has earlier events that led to it, by kind and number.
    """

    on: str
    count: int
    say: str
    ask: str
    choices: list[str]
    answer: str
    because: dict[str, int]


class StoryEvent(TypedDict):
    """An event of a story: rows of the journal of one instant, and the sentence about them.

    `seq` and `lastSeq` are the numbers of the first and the last of them. `causeSeq` is that of the
    row that caused the first, or for which the step of a fault waited. `what` is the verb of a
    fault, the API of a refused request, or of partitions that changed "replicas" or "in sync".
    """

    seq: int
    lastSeq: int
    atUs: int
    kind: str
    node: str
    brokerIds: list[int]
    causeSeq: int | None
    faultId: str | None
    what: str
    text: str
    say: str


class StoryPage(TypedDict):
    """The events of a running cluster in sentences; `next` is the number after the last row."""

    events: list[StoryEvent]
    next: int


class BrokenProperty(TypedDict):
    """A property or claim that the run broke, and when.

    `what` states the expected and the actual behaviour. With `isClaim` only the scenario expects
    it; a safety property holds in every cluster. `seq` is the number of the row that broke a
    claim, and of the last row before the violation of a property; -1 if there is none.
    """

    name: str
    isClaim: bool
    what: str
    atUs: int
    seq: int


class ReleaseRule(TypedDict):
    """A rule in which releases differ, as the release of a story has it, with its source.

    `on` are the kinds of the events that it decides; CAUSE>KIND is an event whose cause is of the
    kind CAUSE, KIND:WHAT one with this verb or API. Stories of two releases with the same sentence
    about a topic follow the same rule.
    """

    topic: str
    on: list[str]
    says: str
    source: str


class Story(TypedDict):
    """Everything that happens in a lesson, from the start of the cluster to the end of the calm.

    Times are microseconds of virtual time; `beginUs` is the time from which the steps count, and
    `leftUs` that of the last act (None without acts). `differsAt` is the index of the first event
    in which the branch differs from the branch without its last act, None if there is none.
    `called` is the name or path with which a shell runs the scenario. `claim` names the release for
    which the file makes it, if that is another than `profile`.
    """

    scenario: str
    called: str
    title: str
    claim: str
    seed: int
    profile: str
    beginUs: int
    endUs: int
    leftUs: int | None
    differsAt: int | None
    verdict: str
    digest: str
    broken: list[BrokenProperty]
    rules: list[ReleaseRule]
    captions: list[CaptionScene]
    events: list[StoryEvent]


class Why(TypedDict):
    """The causes of an event in at most five lines, the first cause first."""

    event: int
    lines: list[str]
    seqs: list[int]


class ExportDocument(TypedDict):
    """A file for a viewer: the name to save it under, and its text."""

    name: str
    text: str


class LeadDocument(TypedDict):
    """The place in a lesson to which an instructor brings every visitor.

    `place` is what stands after # in the address of the page, `number` grows with each new place,
    and `isKept` is true until the instructor releases the visitors. `predictions` counts their
    choices.
    """

    place: str
    isKept: bool
    number: int
    predictions: dict[str, int]


class LessonDocument(TypedDict):
    """A lesson: the name of its scenario, its title, what it shows, and the seed of its run."""

    name: str
    title: str
    claim: str
    seed: int


class LessonList(TypedDict):
    """The lessons, in their order."""

    lessons: list[LessonDocument]
