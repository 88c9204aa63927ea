"""A small world without links that delay, a fault in it, and a client that asks."""

from kraftsim.controller.core.rpc import DescribeClusterRequest
from kraftsim.scenarios.language.reading import read
from kraftsim.scenarios.stage.stage import Stage
from kraftsim.scenarios.verbs import VERBS
from kraftsim.simulation.streams import Streams
from kraftsim.simulation.topology import BrokerSpec, ControllerSpec, Topology, unbound_port
from kraftsim.simulation.world import World

SECOND_US = 1_000_000


def running(controllers=1, seed=1):
    topology = Topology(
        cluster_id="one",
        controllers=tuple(ControllerSpec(node_id=3000 + n) for n in range(controllers)),
        brokers=tuple(BrokerSpec(broker_id=n, port=unbound_port(n)) for n in (1, 2)),
    )
    world = World(topology, streams=Streams(seed))
    world.start(elects_at_once=True)
    assert world.run_until(lambda: world.are_unfenced((1, 2)), limit_us=60 * SECOND_US)
    return world


def begin(world, verb, words, fault_id="it"):
    stage = Stage(world)
    return stage, stage.begin(read(VERBS[verb], words), verb, fault_id)


class Asked:
    """Requests of one client: when each was handled, and when each was answered."""

    def __init__(self, world):
        self.world, self.handled, self.answered = world, [], []
        self.numbers = {}
        world.network.arrived.append(self._on_arrived)

    def ask(self, number=0):
        request = DescribeClusterRequest(endpoint_type=2)
        self.numbers[id(request)] = number, request
        self.world.dispatch(
            request, lambda reply: self.answered.append((number, self._now(), reply))
        )

    def _on_arrived(self, message):
        if not message.is_reply and id(message.request) in self.numbers:
            self.handled.append((self.numbers[id(message.request)][0], self._now()))

    def _now(self):
        return self.world.timeline.now_us

    @property
    def order(self):
        return [number for number, *_ in self.answered]
