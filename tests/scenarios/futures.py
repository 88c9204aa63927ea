"""Futures of a run: copies whose faults have ended, in which an operator stops brokers.

What one future has and another lacks is the work of the operator.
"""

from collections.abc import Callable, Iterable
from typing import cast

from kraftsim.controller.core.image.partition import Partition
from kraftsim.controller.core.node_id import broker_node
from kraftsim.controller.core.rpc import FetchRequest, FetchResponse
from kraftsim.scenarios.oracles.written_messages import fields_of, split
from kraftsim.scenarios.running.run import Run
from kraftsim.simulation.clients.listeners import Listeners
from kraftsim.simulation.clients.partition_client import PartitionClient
from kraftsim.simulation.copying import copied
from kraftsim.simulation.message import Exchange
from kraftsim.simulation.world import World
from tests.scenarios.operators_answers import Place

S = 1_000_000  # microseconds
LOOKS, LOOK_S = 50, 0.1  # a client tries for five seconds

Entry = tuple[int, tuple[int, int, int]]  # the offset of a batch, and its name of its producer
Entries = dict[Place, set[Entry]]


class Future:
    """A copy of a run, without further steps."""

    def __init__(self, run: Run) -> None:
        self._run = copied(run)
        self.world = self._run.world
        self._run.timetable.end()
        self._listeners = Listeners(self.world)

    def heal(self) -> None:
        """Ends all faults; what was killed starts again."""
        self._run.stage.heal(frozenset(self.world.nodes))

    def kill(self, *broker_ids: int) -> None:
        for broker_id in broker_ids:
            self.world.agents[broker_id].kill()

    def stop(self, broker_id: int) -> None:
        self.world.agents[broker_id].stop()

    def start(self, broker_id: int) -> None:
        self._run.stage.processes.start(broker_node(broker_id))

    def pass_s(self, seconds: float) -> None:
        self._run.run_until(self.world.timeline.now_us + round(seconds * S))

    def pass_session(self) -> None:
        """Lets the lease of a dead broker run out, and others be elected."""
        self.pass_s(self.world.topology.settings.broker_session_timeout_ms / 1000 + 6)

    def led(self, places: Iterable[Place]) -> set[Place]:
        """Returns the partitions whose leader has a process."""
        return {place for place in places if self._is_led(place)}

    def _is_led(self, place: Place) -> bool:
        partition = committed(self.world, place)
        leader = None if partition is None else self.world.agents.get(partition.leader)
        return leader is not None and leader.is_alive

    def written(self, places: Iterable[Place]) -> set[Place]:
        """Writes a record to each partition; returns those in which the whole ISR has it."""
        clients = {place: self._client(place) for place in places}

        def is_done() -> bool:
            left = [client for client in clients.values() if not client.acknowledged]
            for client in left:
                client.write()
            return not left

        self._look(is_done, LOOKS)
        return {place for place, client in clients.items() if client.acknowledged}

    def read_now(self, places: Iterable[Place]) -> Entries:
        """Reads partitions as `read` does, in this instant."""
        return self.read(places, looks=1)

    def read(self, places: Iterable[Place], looks: int = LOOKS) -> Entries:
        """Reads partitions from their start, as a consumer; leaves out those that nobody serves."""
        clients = {place: self._client(place) for place in places}
        reading = Reading()
        self.world.exchange_listeners.append(reading.note)

        def is_done() -> bool:
            left = [place for place in clients if place not in reading.ended]
            for place in left:
                clients[place].read()
            return not left

        self._look(is_done, looks)
        self.world.exchange_listeners.remove(reading.note)
        return {place: reading.entries[place] for place in reading.ended}

    def _client(self, place: Place) -> PartitionClient:
        return PartitionClient(
            self.world, self._listeners, *place, records=1, size=10, loses=lambda: False
        )

    def _look(self, is_done: Callable[[], bool], times: int) -> None:
        for time in range(times):
            if time:
                self.pass_s(LOOK_S)
            if is_done():
                return


def committed(world: World, place: Place) -> Partition | None:
    """Returns a partition as the committed metadata have it."""
    image = world.committed
    topic_id = image.topic_ids.get(place.topic)
    return None if topic_id is None else image.topics[topic_id].partitions.get(place.index)


class Reading:
    """What clients read. `ended` are the partitions that were read up to the high watermark."""

    def __init__(self) -> None:
        self.entries: Entries = {}
        self.ended: set[Place] = set()

    def note(self, exchange: Exchange) -> None:
        if not isinstance(exchange.request, FetchRequest) or exchange.response is None:
            return
        (topic,) = exchange.request.topics
        place = Place(topic.topic, topic.partitions[0].partition)
        data = cast(FetchResponse, exchange.response).responses[0].partitions[0]
        records = b"".join(batch.encoded[0] for batch in data.records or ())
        self.entries.setdefault(place, set()).update(map(entry_of, split(records)))
        if not data.error_code and not records:
            self.ended.add(place)


def entry_of(batch: bytes) -> Entry:
    fields = fields_of(batch)
    return fields.base_offset, fields.identity
