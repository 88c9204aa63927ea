"""The workload on kraftsim's timeline and network, with a trace of every event and its time."""

from functools import partial

from bench.peers.workload import (
    BEAT_S,
    BROKERS,
    CONTROLLERS,
    DELAY_S,
    SIMULATED_S,
    SWEEP_S,
    LeaseKeeper,
    Tally,
    measure,
)
from kraftsim.controller.core.node_id import broker_node, controller_node
from kraftsim.controller.core.rpc import BrokerHeartbeatRequest
from kraftsim.controller.time.timeline import Timeline
from kraftsim.simulation.delays import uniform
from kraftsim.simulation.message import Message
from kraftsim.simulation.network import Network
from kraftsim.simulation.streams import Streams

US = 1_000_000


class Cluster:
    """Brokers and controllers of the workload, on one timeline."""

    def __init__(self, seed: int) -> None:
        self.tally = Tally()
        self.timeline = timeline = Timeline(wall_start_ms=0)
        streams = Streams(seed)
        self.network = Network(timeline, streams.draw_of("network"))
        low_us, high_us = (round(delay_s * US) for delay_s in DELAY_S)
        self.network.delay_us = uniform(low_us, high_us, streams.of("delay"))
        self.network.arrived.append(self.note)
        self.trace: list[tuple[int, object]] = []
        for broker in range(BROKERS):
            first_us = round(streams.of("first").random() * BEAT_S * US)
            timeline.at(first_us, partial(self.beat, broker))
        self.keepers = [LeaseKeeper(self.tally) for _ in range(CONTROLLERS)]
        for number in range(CONTROLLERS):
            timeline.at(round(SWEEP_S * US), partial(self.sweep, number))

    def note(self, event: object) -> None:
        """Adds an event to the trace."""
        self.trace.append((self.timeline.now_us, event))

    def beat(self, broker: int) -> None:
        """Sends a heartbeat of a broker to every controller."""
        self.tally.events += 1
        self.note(("beat", broker))
        request = BrokerHeartbeatRequest(
            broker_id=broker,
            broker_epoch=1,
            current_metadata_offset=0,
            want_fence=False,
            want_shut_down=False,
        )
        for number in range(CONTROLLERS):
            message = Message(broker_node(broker), controller_node(number), request)
            self.network.carry(message, partial(self.handle, number, message))
        self.timeline.after(round(BEAT_S * US), partial(self.beat, broker))

    def handle(self, number: int, message: Message) -> None:
        """Handles a heartbeat at a controller and sends the response."""
        self.keepers[number].renew(message.sender.number, self.timeline.now_us / US)
        answer = Message(message.receiver, message.sender, message.request, True)
        self.network.carry(answer, self.answered)

    def answered(self) -> None:
        """Handles a response at a broker."""
        self.tally.events += 1

    def sweep(self, number: int) -> None:
        """Sweeps the leases of a controller."""
        self.note(("sweep", number))
        self.keepers[number].sweep(self.timeline.now_us / US)
        self.timeline.after(round(SWEEP_S * US), partial(self.sweep, number))


def run(seed: int) -> Tally:
    """Runs the cluster once."""
    cluster = Cluster(seed)
    cluster.timeline.run_until(round(SIMULATED_S * US))
    if len(cluster.trace) != cluster.tally.events:
        raise RuntimeError(f"expected {cluster.tally.events} notes, got {len(cluster.trace)}")
    return cluster.tally


if __name__ == "__main__":
    measure(run)
