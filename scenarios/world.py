"""One cluster on one timeline: a controller, its simulated brokers, and the links between them.

The same world runs live and in virtual time; only who moves the timeline differs. Live, the
runtime does, by the clock; in a test or a scenario, `advance` and `run_until` do, as fast as the
processor allows.
"""

from collections.abc import Callable, Iterable

from kraftsim.broker_agent.agent import Agent
from kraftsim.broker_agent.conversation import Send
from kraftsim.broker_agent.hosted_agent import HostedAgent, Reply
from kraftsim.broker_agent.image_history import ImageHistory
from kraftsim.controller.core.batch import Batch
from kraftsim.controller.core.image import Image
from kraftsim.controller.core.uuid import random_uuid
from kraftsim.controller.hosted import Dispatch, HostedNode
from kraftsim.controller.node import Node
from kraftsim.controller.node_types import NodeConfig
from kraftsim.controller.raft.snapshots import by_reference
from kraftsim.controller.timeline import Timeline

from .journal import Journal
from .link import Link
from .topology import BrokerSpec, Topology, agent_config

VIRTUAL_WALL_START_MS = 1_767_225_600_000  # 2026-01-01T00:00:00Z, so that a seed repeats its stamps


class World:
    """`dispatch` is where every request to the controller passes, whoever sends it.
    `agent_listeners` hear (broker_id, state) of every change of an agent's state."""

    def __init__(
        self,
        topology: Topology,
        *,
        random: Callable[[], float],
        seed: int | None = None,
        wall_start_ms: int = VIRTUAL_WALL_START_MS,
    ) -> None:
        self.topology = topology
        self.timeline = Timeline(wall_start_ms=wall_start_ms)
        self.random = random
        self.controller = HostedNode(self._node(topology), self.timeline, _nobody)
        self.dispatch: Dispatch = self.controller.submit
        self.history = ImageHistory(self.controller.node.log)
        self.journal = Journal(
            lambda: self.timeline.now_us, run_id=_run_id(topology, seed), seed=seed
        )
        self.agents: dict[int, HostedAgent] = {}
        self.links: dict[int, Link] = {}
        self.agent_listeners: list[Callable[[int, str], None]] = []
        self.controller.committed_listeners.append(self._on_committed)

    @property
    def committed(self) -> Image:
        return self.controller.node.committed

    def start(self) -> None:
        """Elect the controller and start every broker of the topology."""
        self.controller.start()
        for spec in self.topology.brokers:
            self.add_broker(spec)

    def add_broker(self, spec: BrokerSpec) -> HostedAgent:
        """A new simulated broker, started at once."""
        assert spec.broker_id not in self.agents, f"broker {spec.broker_id} exists"
        link = self.links[spec.broker_id] = Link(self.timeline, self.dispatch)
        config = agent_config(self.topology, spec, random_uuid(self.random))
        hosted = self.agents[spec.broker_id] = HostedAgent(
            lambda previous_epoch: Agent(
                config,
                random=self.random,
                image_at=self.history.at,
                previous_broker_epoch=previous_epoch,
            ),
            self.timeline,
            _transport(link),
            lambda state: self._on_agent_state(spec.broker_id, state),
        )
        hosted.start()
        return hosted

    def advance(self, by_us: int) -> None:
        """Let virtual time pass, with everything that happens in it."""
        self.timeline.run_until(self.timeline.now_us + by_us)

    def run_until(self, condition: Callable[[], bool], *, limit_us: int) -> bool:
        """Run from event to event until `condition` holds; False if it did not within the limit."""
        timeline = self.timeline
        end_us = timeline.now_us + limit_us
        timeline.run_until(timeline.now_us)
        while not condition():
            if timeline.due_us > end_us:
                timeline.run_until(end_us)
                return condition()
            timeline.run_until(timeline.due_us)
        return True

    def are_unfenced(self, broker_ids: Iterable[int]) -> bool:
        brokers = self.committed.brokers
        return all(b in brokers and not brokers[b].fenced for b in broker_ids)

    def _node(self, topology: Topology) -> Node:
        controller = topology.controller
        config = NodeConfig(
            node_id=controller.node_id,
            cluster_id=topology.cluster_id,
            host=controller.host,
            port=controller.port,
            directory_id=random_uuid(self.random),
            metadata_version=topology.metadata_version,
        )
        return Node(
            config,
            profile=topology.profile,
            settings=topology.settings,
            random=self.random,
            snapshot_format=by_reference(),
        )

    def _on_committed(self, batch: Batch) -> None:
        self.journal.committed(batch, self.committed, self.topology.controller.node_id)

    def _on_agent_state(self, broker_id: int, state: str) -> None:
        self.journal.write(
            f"broker-{broker_id}", "agent_state", broker_id=broker_id, detail={"state": state}
        )
        for listener in self.agent_listeners:
            listener(broker_id, state)


def _nobody(send: object, on_answer: object) -> None:
    pass


def _run_id(topology: Topology, seed: int | None) -> str:
    return topology.cluster_id if seed is None else f"{topology.cluster_id}-{seed}"


def _transport(link: Link) -> Callable[[Send, Callable[[Reply], None]], None]:
    """In one process every channel of a broker is the same link."""
    return lambda send, reply_to: link.send(send.request, reply_to)
