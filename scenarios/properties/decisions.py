"""S41: the active controller decides requests of every kind by the rules, and describes the log.

The controller is asked for its decision only, which is then dropped: a decision changes nothing, so
the questions leave no trace. `scenarios/expected` has the requests and their expected results.
"""

from collections.abc import Callable
from functools import partial
from random import Random
from typing import ClassVar

from kraftsim.controller.core.errors import ApiError, Impossible
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.node_id import controller_node
from kraftsim.controller.core.rpc import (
    BrokerHeartbeatRequest,
    CreatePartitionsRequest,
    CreateTopicsRequest,
    DeleteTopicsRequest,
)
from kraftsim.controller.core.state import Decision
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

from ..expected import (
    assignments,
    brokers,
    cluster,
    configs,
    departures,
    descriptions,
    features,
    security,
    topics,
)
from ..expected.ask import Ask, Done, Draw, codes_of
from ..expected.view import View
from ..oracles.breach_words import words
from ..oracles.committed import OfTheCommittedLog
from ..oracles.contacts import Contacts
from ..oracles.property import Broken, Kinds, Property
from ..oracles.shadow import Key

DRAWS: tuple[Draw, ...] = (
    *brokers.DRAWS,
    *departures.DRAWS,
    *assignments.DRAWS,
    *topics.DRAWS,
    *cluster.DRAWS,
    *configs.DRAWS,
    *features.DRAWS,
    *descriptions.DRAWS,
    *security.DRAWS,
)
ASKED_AT_ONCE = 6  # requests after a commit
ROUNDS = 1_009  # of all kinds, after which a draw may repeat
THROTTLED = 89  # THROTTLING_QUOTA_EXCEEDED
MUTATIONS = (CreateTopicsRequest, CreatePartitionsRequest, DeleteTopicsRequest)
FACTS_MAX = 1_000  # of a cluster that is asked: a question copies its facts


class DecisionsFollowTheRules(OfTheCommittedLog):
    """Asks after each commit, each kind of request in its turn.

    It asks only while the active controller has nothing uncommitted, so that the state from which
    it decides is known from the log.
    """

    number = "S41"
    name = "decisions-follow-the-rules"
    kinds: ClassVar[Kinds] = (BrokerHeartbeatRequest,)
    claim = (
        "A request of any kind is refused or granted as Kafka's rules say, and writes what they say"
        " of the committed state."
    )
    asks = True

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._contacts = Contacts(world)
        # Short runs, each with its own seed, begin with other kinds.
        self._turn = (world.streams.seed or 0) % (len(DRAWS) * ROUNDS)

    def restarted(self, node_id: int) -> None:
        self._contacts.forget(node_id)

    def moved(self, node: Node, turn: Turn) -> None:
        self._contacts.moved(node, turn.now_ms)

    def arrived(self, message: Message) -> None:
        self._contacts.arrived(message)

    def done(self, batch: Batch, touched: set[Key]) -> None:
        process = self.world.active
        if process is None or process.node.log.end_offset != self.shadow.end_offset:
            return
        if self.shadow.is_in_transaction or len(self.shadow.facts) > FACTS_MAX:
            return
        node = process.node
        view = self.view_of(node)
        for _ in range(ASKED_AT_ONCE):
            round_, kind = divmod(self._turn, len(DRAWS))
            self._turn += 1
            ask = DRAWS[kind](view, round_)
            if ask is not None:
                self._ask(node, ask)

    def view_of(self, node: Node) -> View:
        """Returns what the rules look up for decisions of this controller."""
        topology, node_id = self.world.topology, node.config.node_id
        now_ms = self.world.clock_ms(controller_node(node_id))
        return View(
            self.shadow,
            self.mentions,
            node_id,
            topology.cluster_id,
            node.profile,
            node.settings,
            _epochs(node),
            lambda broker: self._contacts.has_session(node_id, broker, now_ms),
            frozenset(node.config.static_voter_ids),
        )

    def _ask(self, node: Node, ask: Ask) -> None:
        self.exercised += 1
        wrong = self.flaw_of(node, ask)
        if wrong is not None:
            raise Broken(
                f"controller {node.config.node_id}, asked by this property and by no client, is "
                f"asked {ask.what}: {wrong}; {words(ask.request)}"
            )

    def flaw_of(self, node: Node, ask: Ask) -> str | None:
        """Returns how the decision differs from the rules; None if it does not.

        A large request has no reply before its last slice: only kinds with a `slice_flaw` are
        judged then.
        """
        if isinstance(ask.request, descriptions.READS):
            return self._flaw_of_description(node, ask)
        try:
            decision = self._decision(node, partial(node.decision, ask.request))
            if isinstance(decision, Decision) and decision.rest is not None:
                return self._flaw_of_slice(node, ask, decision)
        except Impossible as impossible:
            return f"it fails: {impossible}"
        done = self._done(decision)
        if {*codes_of(done.reply)} == {THROTTLED} and self._may_be_throttled(node, ask):
            return f"it is throttled, and writes {words(done.changes)}" if done.changes else None
        return ask.judge(done)

    def _flaw_of_description(self, node: Node, ask: Ask) -> str | None:
        """Returns how a description differs from the log; None if the log is not loaded yet."""
        if node.committed.offset + 1 != self.shadow.end_offset:
            return None
        now_ms = self.world.clock_ms(controller_node(node.config.node_id))
        return ask.judge(Done(node.read(ask.request, now_ms, wall_ms=0), {}))

    def _flaw_of_slice(self, node: Node, ask: Ask, first: Decision) -> str | None:
        """Returns the flaw of the first slice and of the second, decided from the same state."""
        rest = first.rest
        if ask.slice_flaw is None or rest is None:
            return None
        following = self._decision(node, lambda now_ms: rest(node.state, now_ms))
        return ask.slice_flaw(self._done(first), self._done(following))

    def _may_be_throttled(self, node: Node, ask: Ask) -> bool:
        """Returns True if a quota may concern the request; what its client used is not known."""
        return isinstance(ask.request, MUTATIONS) and self.view_of(node).limits_mutations

    def _decision(
        self, node: Node, decide: Callable[[int], Decision | ApiError]
    ) -> Decision | ApiError:
        """Returns the decision, which draws from its own random stream: the run stays the same."""
        state, drawn = node.state, node.state.random
        state.random = Random(self.shadow.end_offset).random
        try:
            return decide(self.world.clock_ms(controller_node(node.config.node_id)))
        finally:
            state.random = drawn

    def _done(self, decision: Decision | ApiError) -> Done:
        if isinstance(decision, ApiError):
            return Done(decision, {})
        after = self.shadow.copy()
        touched = after.fold(_batch(after.end_offset, decision)) if decision.records else set()
        before = self.shadow.facts
        changes = {key: after.facts.get(key) for key in touched}
        news = {key: new for key, new in changes.items() if new != before.get(key)}
        return Done(decision.reply, news, decision.records)


def _epochs(node: Node) -> range:
    first = node.log.end_offset
    for batch in reversed(node.log.batches):
        if not batch.is_control:
            break
        first = batch.base_offset
    return range(first, node.log.end_offset + 1)


def _batch(offset: int, decision: Decision) -> Batch:
    return Batch(base_offset=offset, epoch=0, timestamp_ms=0, records=decision.records, versions=())


CLASSES: tuple[type[Property], ...] = (DecisionsFollowTheRules,)
