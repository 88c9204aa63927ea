"""S46: no replica follows a reply that no leader of its epoch could send (9.33, 10.34, 10.45)."""

from typing import ClassVar, NamedTuple

from kraftsim.controller.core.node_id import CONTROLLER
from kraftsim.controller.core.rpc import (
    FetchRequest,
    FetchResponse,
    FetchSnapshotRequest,
    FetchSnapshotResponse,
)
from kraftsim.controller.node.node import Node
from kraftsim.controller.raft.protocol import Turn
from kraftsim.controller.raft.quorum import Quorum
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

from ...expected import fetched
from ...oracles.breach_words import differing
from ...oracles.property import Askers, Broken, Kinds, Property

REPLIES = (FetchResponse, FetchSnapshotResponse)


class Followed(NamedTuple):
    """What a reply may change of a replica; `downloaded` counts bytes of a snapshot (-1: none)."""

    log_start: int
    log_end: int
    last_epoch: int
    high_watermark: int
    downloaded: int


class ImpossibleRepliesChangeNothing(Property):
    """Compares the log of a replica before and after a reply that no leader could send.

    Such a reply comes from a fault (`rpc.forge`), or from a leader with a bug.
    """

    number = "S46"
    name = "impossible-replies-change-nothing"
    claim = "A replica takes no record, snapshot or truncation that no leader could send."
    kinds: ClassVar[Kinds] = (FetchRequest, FetchSnapshotRequest)
    askers: ClassVar[Askers] = (CONTROLLER,)

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._before: tuple[Node, Followed, str, int] | None = None

    def replied(self, message: Message) -> None:
        self._before = None
        process, reply = self.world.controller_of(message.receiver), message.reply
        if process is None or not process.is_running or not isinstance(reply, REPLIES):
            return
        quorum = process.node.quorum
        flaw = fetched.flaw_of(quorum, reply)
        if flaw is not None:
            self._before = process.node, _followed(quorum), flaw, self.world.timeline.now_us
            self.await_step()

    def next_step(self, node: Node, turn: Turn) -> None:
        before, self._before = self._before, None
        if before is None or before[0] is not node:
            return
        _, was, flaw, at_us = before
        if at_us != self.world.timeline.now_us:
            return  # the replica gave the request up, and did nothing with the reply
        self.exercised += 1
        *now, downloaded = _followed(node.quorum)
        if now != [*was[:-1]] or downloaded > was[-1]:
            before_words, after_words = differing(was._asdict(), _followed(node.quorum)._asdict())
            raise Broken(
                f"controller {node.config.node_id} gets a reply, {flaw}: {before_words} becomes "
                f"{after_words}"
            )


def _followed(quorum: Quorum) -> Followed:
    log, download = quorum.log, quorum.download
    downloaded = -1 if download is None else len(download.data)
    return Followed(
        log.start_offset, log.end_offset, log.last_epoch, quorum.high_watermark, downloaded
    )


CLASSES: tuple[type[Property], ...] = (ImpossibleRepliesChangeNothing,)
