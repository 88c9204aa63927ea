"""client.hostile: a raw client from outside, whose requests are well-formed and absurd."""

from dataclasses import dataclass
from random import Random
from typing import Annotated

from kraftsim.controller.core.node_id import NodeId
from kraftsim.controller.raft.protocol import Reply
from kraftsim.simulation.requests.arrival import broker_of
from kraftsim.simulation.requests.hit_log import HitLog
from kraftsim.simulation.world import World

from ..drawing.absurd import Absurd, Known
from ..drawing.absurd_requests import absurd_request
from ..language.amounts import Amount, Period
from ..language.constraints import Between
from ..language.selectors import Selector
from ..stage.stage import Effects, Stage, Undo
from .verb import Verb

COUNT, COUNT_MAX = 20, 10_000
HUNDREDTH_OF_A_SECOND = Amount(fixed_us=10_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hostile(Verb, word="client.hostile"):
    """Sends `count` absurd requests to controllers, at each interval `every` the next.

    APIs and fields are drawn from the seed: extreme numbers, stale and future epochs, unknown ids,
    empty and repeated names, long lists, other clusters, and requests of the quorum of a node that
    is no voter. The client is not authenticated, so what an administrator may do succeeds. An
    effect is a response, an error, or a connection that is closed.
    """

    to: Selector
    count: Annotated[int, Between(1, COUNT_MAX)] = COUNT
    every: Period = HUNDREDTH_OF_A_SECOND
    for_: Amount | None = None

    def begin(self, stage: Stage, fault_id: str) -> tuple[Effects, Undo]:
        client = Client(
            world=stage.world,
            stream=stage.stream(f"fault/{fault_id}"),
            log=stage.log,
            controllers=stage.controllers_of(self.to),
            every_us=self.every.us,
            left=self.count,
        )
        client.go_on()
        return client.answered_so_far, client.end


@dataclass(slots=True, eq=False)
class Client:
    """A hostile client that has `left` requests to send."""

    world: World
    stream: Random
    log: HitLog
    controllers: list[NodeId]
    every_us: int
    left: int
    answered: int = 0

    def answered_so_far(self) -> int:
        """Returns how many requests had a response, an error, or a closed connection."""
        return self.answered

    def end(self) -> None:
        """Sends no further request."""
        self.left = 0

    def go_on(self) -> None:
        """Sends the next request, and plans the one after it."""
        if not self.left or not self.controllers:
            return
        self.left -= 1
        receiver = self.stream.choice(self.controllers)
        request = absurd_request(Absurd(self.stream, known(self.world)))
        self.log.note("request_sent", request, receiver, broker_of(request, receiver))
        self.world.dispatch(request, self._note_answer, to=receiver.number)
        self.world.timeline.after(self.every_us, self.go_on)

    def _note_answer(self, _: Reply) -> None:
        self.answered += 1


def known(world: World) -> Known:
    """Returns what a client from outside can learn of the world now."""
    committed = world.committed
    return Known(
        cluster_id=world.topology.cluster_id,
        controllers=tuple(world.controllers),
        brokers=tuple(world.agents),
        topics=tuple(committed.topic_ids),
        topic_ids=tuple(committed.topics),
        epoch=world.controller.node.epoch,
        log_end=world.controller.node.log.end_offset,
    )
