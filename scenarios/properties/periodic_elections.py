"""S48 and S49: the elections that an active controller begins by itself (rules 4.30 and 4.31).

Kafka balances leaders whatever their imbalance: it does not read
leader.imbalance.per.broker.percentage (rule 4.31).
"""

from collections.abc import Iterator
from typing import ClassVar

from kraftsim.controller.core.log.records import NO_LEADER
from kraftsim.controller.core.node_id import controller_node
from kraftsim.controller.core.rpc import ElectLeadersRequest
from kraftsim.controller.core.rpc.partitions import PREFERRED_ELECTION
from kraftsim.controller.core.settings import Settings
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

from ..expected.partition import PREFERRED, UNCLEAN, Wish, after
from ..expected.view import LEAVING_FROM, View
from ..oracles.active_logs import ActiveLog, OfActiveLogs
from ..oracles.breach_words import differing, words
from ..oracles.committed import by_partition
from ..oracles.property import Broken, Kinds
from ..oracles.requested import Requested, names_partition
from ..oracles.shadow import Fact, Key, PartitionChange, Shadow

GRACE_MS = 1_000  # for a request that is decided in slices, and for a thousand elections at a time
FOLLOWED_MAX = 2_000
ELECTIONS_MAX = 1_000  # of a run, after which the next follows at once


class Task:
    """An election that is repeated, and the partitions that wait for it.

    `waiting` are partitions with the time since which nothing has changed what the task makes of
    them, in the order of these times; `settled` are those that the task leaves as they are. At most
    2,000 partitions are followed.
    """

    def __init__(self, election: str, interval_ms: int) -> None:
        self.election, self.interval_ms = election, interval_ms
        self.waiting: dict[Key, int] = {}
        self.settled: set[Key] = set()

    def note(self, key: Key, fact: Fact | None, now_ms: int) -> None:
        """Lets a partition wait from now on, or no more if the task would not look at it."""
        self.waiting.pop(key, None)
        self.settled.discard(key)
        is_followed = len(self.waiting) + len(self.settled) < FOLLOWED_MAX
        if is_followed and fact is not None and self._concerns(fact):
            self.waiting[key] = now_ms

    def overdue(self, now_ms: int) -> Iterator[Key]:
        """Yields the partitions that have waited for too long; each is settled then."""
        bound_ms = self.interval_ms + GRACE_MS
        while self.waiting:
            key = next(iter(self.waiting))
            if self.waiting[key] + bound_ms > now_ms:
                return
            del self.waiting[key]
            self.settled.add(key)
            yield key

    def changes(self, view: View, key: Key) -> bool:
        """Returns True if the task changes the partition."""
        if self.election == UNCLEAN and not view.allows_unclean(view.topic_of(key)):
            return False
        return after(view, key, Wish(election=self.election)) is not view.shadow.facts[key]

    def _concerns(self, fact: Fact) -> bool:
        leader: int = fact["leader"]
        return leader == NO_LEADER or (self.election == PREFERRED and leader != fact["replicas"][0])


def tasks_of(settings: Settings) -> tuple[Task, ...]:
    """Returns the tasks that the settings ask for."""
    unclean = Task(UNCLEAN, settings.unclean_leader_election_interval_ms)
    if not settings.auto_leader_rebalance_enable:
        return (unclean,)
    return unclean, Task(PREFERRED, 1_000 * settings.leader_imbalance_check_interval_seconds)


class OfTasks(OfActiveLogs):
    """Base of the properties: what the active controllers do by themselves, by the ids of nodes."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._epochs: dict[int, int] = {}

    def began(self, node: Node, log: ActiveLog) -> None:
        """Called when a controller has become active; `log` is the replay of its log."""

    def restarted(self, node_id: int) -> None:
        self._epochs.pop(node_id, None)

    def moved(self, node: Node, turn: Turn) -> None:
        log, node_id = self.active_logs.of(node), node.config.node_id
        if log is None:
            self._epochs.pop(node_id, None)
        elif self._epochs.get(node_id) != log.epoch:
            self._epochs[node_id] = log.epoch
            self.began(node, log)

    def log_of(self, node: Node) -> ActiveLog | None:
        """Returns the replay of the log of a controller that is active since before this step."""
        log = self.active_logs.of(node)
        is_known = log is not None and self._epochs.get(node.config.node_id) == log.epoch
        return log if is_known and log is not None and not log.shadow.is_in_transaction else None

    def now_ms(self, node_id: int) -> int:
        """Returns the time on the clock of a controller."""
        return self.world.clock_ms(controller_node(node_id))

    def view_of(self, node: Node, shadow: Shadow) -> View:
        """Returns what the rules look up, after the log of this controller."""
        topology = self.world.topology
        return View(
            shadow,
            self.mentions,
            node.config.node_id,
            topology.cluster_id,
            node.profile,
            node.settings,
            range(0),
        )


class PeriodicElectionsInTime(OfTasks):
    """Checks the partitions that have waited for a task for longer than its interval.

    What a task makes of a partition depends on its topic, on its brokers and on settings: a
    partition waits from the last record that changed one of these. A controller that was paused
    runs its tasks before it handles the requests of the pause (rule 0A.15).
    """

    number = "S48"
    name = "periodic-elections-in-time"
    claim = (
        "An active controller gives a partition back to its preferred leader, and elects an unclean"
        " one where that is allowed, within the interval of each setting."
    )

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._tasks: dict[int, tuple[Task, ...]] = {}

    def began(self, node: Node, log: ActiveLog) -> None:
        tasks = self._tasks[node.config.node_id] = tasks_of(node.settings)
        now_ms = self.now_ms(node.config.node_id)
        for key, fact in log.shadow.of("Partition").items():
            for task in tasks:
                task.note(key, fact, now_ms)

    def wrote(self, node: Node, turn: Turn) -> None:
        log, node_id = self.log_of(node), node.config.node_id
        if log is None:
            return
        now_ms = self.now_ms(node_id)
        for task in self._tasks[node_id]:
            if log.touched:
                _note_changes(task, log, now_ms)
            self._judge(node, log.shadow, task, now_ms)

    def _judge(self, node: Node, shadow: Shadow, task: Task, now_ms: int) -> None:
        for key in task.overdue(now_ms):
            self.exercised += 1
            if task.changes(self.view_of(node, shadow), key):
                raise Broken(
                    f"controller {node.config.node_id} has not run the {task.election} election of "
                    f"{words(key)} for more than {task.interval_ms} ms: {words(shadow.facts[key])}"
                )


def _note_changes(task: Task, log: ActiveLog, now_ms: int) -> None:
    """Restarts the wait of each partition whose facts, brokers, topic or settings have changed.

    The replicas of partition 0 decide the min ISR of the whole topic (rule 4.24).
    """
    facts = log.shadow.facts
    topics = {key[1] for key in log.touched if key[0] == "Partition" and key[2] == 0}
    brokers = {key[1] for key in log.touched if key[0] == "Broker"}
    has_settings = any(key[0] in ("Config", "Features") for key in log.touched)
    for key in (*task.waiting, *task.settled):
        replicas = facts[key]["replicas"] if key in facts else ()
        if has_settings or key[1] in topics or not brokers.isdisjoint(replicas):
            task.note(key, facts.get(key), now_ms)
    for key in log.touched:
        if key[0] == "Partition":
            task.note(key, facts.get(key), now_ms)


class LeadersStayUnasked(OfTasks):
    """Checks each change from a leader that may lead to another one.

    Only an election of preferred leaders does that, by request or by the task.
    """

    number = "S49"
    name = "leaders-stay-unasked"
    claim = (
        "A leader that may lead is replaced only by request, or at the interval of"
        " auto.leader.rebalance.enable."
    )
    kinds: ClassVar[Kinds] = (ElectLeadersRequest,)

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._requested = Requested()
        self._earliest_ms: dict[int, int] = {}  # time of a node's next balancing

    def began(self, node: Node, log: ActiveLog) -> None:
        interval_ms = 1_000 * node.settings.leader_imbalance_check_interval_seconds
        node_id = node.config.node_id
        self._earliest_ms[node_id] = self.now_ms(node_id) + interval_ms

    def arrived(self, message: Message) -> None:
        self._requested.begins(message)

    def replied(self, message: Message) -> None:
        self._requested.ends(message)

    def stopped(self, message: Message) -> None:
        if message.is_reply:
            self._requested.ends(message)

    def wrote_news(self, node: Node, turn: Turn) -> None:
        log = self.log_of(node)
        if log is None or not log.changes:
            return
        view = self.view_of(node, log.shadow)
        changes = by_partition(log.changes)
        moved = [change for change in changes if _leaves_fit_leader(view, change)]
        unasked = [change for change in moved if not self._is_asked(node, log.shadow, change[0])]
        self.exercised += len(moved)
        if unasked:
            self._judge(node, unasked)

    def _is_asked(self, node: Node, shadow: Shadow, key: Key) -> bool:
        """Returns True if an open request names the partition."""
        topic = shadow.facts["Topic", key[1]]["name"]
        return any(
            isinstance(request, ElectLeadersRequest)
            and request.election_type == PREFERRED_ELECTION
            and names_partition(request, topic, key[2])
            for request in self._requested.open_at(node.config.node_id)
        )

    def _judge(self, node: Node, unasked: list[PartitionChange]) -> None:
        node_id, settings = node.config.node_id, node.settings
        now_ms, (key, before, new) = self.now_ms(node_id), unasked[0]
        if not settings.auto_leader_rebalance_enable:
            was, becomes = differing(before, new)
            raise Broken(
                f"controller {node_id} moves {words(key)} by itself: {was} becomes {becomes}"
            )
        if now_ms < self._earliest_ms[node_id]:
            wait_ms = self._earliest_ms[node_id] - now_ms
            was, becomes = differing(before, new)
            raise Broken(
                f"controller {node_id} balances {words(key)} {wait_ms} ms early: {was} becomes "
                f"{becomes}"
            )
        if len(unasked) < ELECTIONS_MAX:
            interval_ms = 1_000 * settings.leader_imbalance_check_interval_seconds
            self._earliest_ms[node_id] = now_ms + interval_ms


def _leaves_fit_leader(view: View, change: PartitionChange) -> bool:
    """Returns True if the former leader of a partition may still lead it.

    Below 3.3-IV3 no record says that a broker shuts down.
    """
    _, before, new = change
    if before is None or view.level < LEAVING_FROM:
        return False
    former = before["leader"]
    if former in (NO_LEADER, new["leader"]) or new["leader"] == NO_LEADER:
        return False
    return former in new["isr"] and view.is_active(former) and view.is_online(new, former)


CLASSES: tuple[type[OfTasks], ...] = (PeriodicElectionsInTime, LeadersStayUnasked)
