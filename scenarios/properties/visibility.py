"""S39: what brokers, HTTP and facades show is committed, and is what the log says.

Rules 0A.4, 2.2a, 9.31. Facades and HTTP read one image of all committed records; brokers say in
heartbeats how far they have read.
"""

from typing import ClassVar

from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.node_id import Kind
from kraftsim.controller.core.rpc import BrokerHeartbeatRequest
from kraftsim.simulation.message import Message
from kraftsim.simulation.world import World

from ..oracles.committed import OfTheCommittedLog
from ..oracles.property import Broken, Kinds, Property
from ..oracles.shadow import Fact, Key
from .image import values_in


class OnlyCommittedIsShown(OfTheCommittedLog):
    """Compares the image that is shown with the log, one batch later, when it has that batch."""

    number = "S39"
    name = "only-committed-is-shown"
    claim = (
        "The metadata that brokers, facades and HTTP show equals the committed log, and no broker"
        " has read beyond it."
    )
    kinds: ClassVar[Kinds] = (BrokerHeartbeatRequest,)

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self._expected: dict[Key, Fact | None] = {}
        self._end_offset = 0

    def committed(self, node_id: int, batch: Batch) -> None:
        if batch.base_offset == self._end_offset:
            self._compare()
            self._end_offset = batch.last_offset + 1

    def done(self, batch: Batch, touched: set[Key]) -> None:
        for key in touched:
            fact = self.shadow.facts.get(key)
            is_topic = fact is not None and key[0] == "Topic"
            self._expected[key] = (
                {**fact, "partitions": set(fact["partitions"])} if fact and is_topic else fact
            )

    def finished(self) -> None:
        self._compare()

    def arrived(self, message: Message) -> None:
        request = message.request
        if message.is_reply or not isinstance(request, BrokerHeartbeatRequest):
            return
        if message.sender.kind is Kind.OUTSIDE:
            return  # no broker has read what a client from outside claims
        self.exercised += 1
        if request.current_metadata_offset >= self._end_offset:
            raise Broken(
                f"broker {request.broker_id} has read up to {request.current_metadata_offset}, and "
                f"the committed log ends at {self._end_offset}"
            )

    def _compare(self) -> None:
        if not self._expected:
            return
        image = self.world.committed
        expected, self._expected = self._expected, {}
        for key, fact in expected.items():
            self.exercised += 1
            values = values_in(image, key)
            if values != fact:
                raise Broken(f"{key} is shown as {values}, and the committed log has {fact}")


CLASSES: tuple[type[Property], ...] = (OnlyCommittedIsShown,)
