"""A simulated broker in a search: the real agent with a clock that stands still.

A broker is stored as the events since its start; each step replays them into a new agent.
"""

from collections.abc import Hashable, Mapping
from typing import Any

from kraftsim.broker_agent.agent import Agent
from kraftsim.broker_agent.conversation import Channel, Conversation, Send
from kraftsim.broker_agent.directories.log_directories import simulated_directory
from kraftsim.broker_agent.image_history import ImageHistory
from kraftsim.broker_agent.metadata_fetch import LogPosition
from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.errors import Impossible
from kraftsim.controller.core.profile import DEFAULT_PROFILE
from kraftsim.controller.core.rpc import FetchResponse
from kraftsim.controller.raft.log import MetadataLog
from kraftsim.controller.raft.quorum import Quorum
from kraftsim.controller.time.timeline import NEVER_MS
from kraftsim.simulation.topology import (
    BrokerSpec,
    ControllerSpec,
    Topology,
    agent_config,
    unbound_port,
)

from .identities import (
    BROKER_ID,
    CLUSTER_ID,
    CONTROLLERS_DO_NOT_REGISTER,
    FIRST_PORT,
    Disk,
    directory_of,
)
from .keys import log_key
from .lone import Arrival, Requester, Sent, Step

NAMES = {Channel.LEASE: "lease", Channel.METADATA: "metadata"}
DISTINCT_BIRTHS = 256

Events = tuple[tuple[str, tuple[Any, ...], int], ...]


class BrokerLife:
    """One process of the broker, from its start to its end.

    `births` is the number of the process. `sent` maps a conversation to its last request and
    the receiver of that request.
    """

    def __init__(self, births: int, controller_ids: tuple[int, ...]) -> None:
        spec = BrokerSpec(broker_id=BROKER_ID, port=unbound_port(BROKER_ID))
        self.births, self.controller_ids = births, controller_ids
        self.log = MetadataLog()
        self.position = LogPosition()
        self.sent: dict[str, tuple[Send, int]] = {}
        self.agent = Agent(
            agent_config(
                topology_of(controller_ids), spec, (simulated_directory(directory_of(BROKER_ID)),)
            ),
            random=lambda: births / DISTINCT_BIRTHS,
            image_at=ImageHistory(self.log).at,
            position=self.position,
        )

    def apply(self, event: str, arguments: tuple[Any, ...], next_peer: int) -> list[Sent]:
        """Applies an event and returns the requests that the agent sends.

        `event` is the name of a method below. A request to any controller goes to the controller
        at index `next_peer`.
        """
        sends: list[Send] = getattr(self, event)(*arguments)
        requests = []
        for send in sends:
            receiver = send.controller_id
            receiver = self.controller_ids[next_peer] if receiver < 0 else receiver
            self.sent[NAMES[send.channel]] = send, receiver
            requests.append(Sent(receiver, send.request))
        return requests

    def restarts(self) -> list[Send]:
        """Starts the agent."""
        return self.agent.start(0)

    def receives_response(self, conversation: str, answer: Any) -> list[Send]:
        """Handles the reply to a conversation's last request; None means that it failed."""
        send, _ = self.sent[conversation]
        if isinstance(answer, FetchResponse):
            self._take(answer)
        return self.agent.on_reply(send, answer, 0)

    def _take(self, answer: FetchResponse) -> None:
        """Appends the fetched batches before the agent reads them."""
        for topic in answer.responses:
            data = topic.partitions[0]
            if data.diverging_epoch.epoch >= 0:
                self.log.truncate(min(data.diverging_epoch.end_offset, self.log.end_offset))
            for batch in data.records or ():
                if batch.base_offset == self.log.end_offset:
                    self.log.append(batch)

    def times_out_on(self, conversation: str) -> list[Send]:
        """Handles the timeout of a conversation's open request."""
        return self.receives_response(conversation, None)

    def is_due_to_send(self, conversation: str) -> list[Send]:
        """Sends the next request of a conversation, as if its pause were over."""
        self.conversation(conversation).schedule(0)
        return self.agent.on_deadline(0)

    def is_asked_to_stop(self) -> list[Send]:
        """Handles SIGTERM: the agent requests a controlled shutdown."""
        return self.agent.request_stop(0)

    def conversation(self, name: str) -> Conversation:
        """Returns the agent's conversation `name`: lease or metadata."""
        return self.agent._lease if name == "lease" else self.agent._metadata


class LoneBroker:
    """An immutable broker: `apply` returns a new broker. It has no quorum and no disk."""

    epoch, is_leader = 0, False
    parked: frozenset[Requester] = frozenset()
    deferred: frozenset[Requester] = frozenset()
    disk, disk_key = Disk(), ()

    def __init__(
        self, controller_ids: tuple[int, ...], births: int, events: Events, life: BrokerLife | None
    ) -> None:
        self.controller_ids, self.births, self.events = controller_ids, births, events
        self._life = life

    @staticmethod
    def unstarted(controller_ids: tuple[int, ...]) -> "LoneBroker":
        """Returns a broker before its first start."""
        return LoneBroker(controller_ids, 0, (), None)

    @property
    def life(self) -> BrokerLife:
        """The process; raises Impossible before the first start."""
        if self._life is None:
            raise Impossible("a broker that has not started has no life")
        return self._life

    @property
    def quorum(self) -> Quorum:
        """Raises Impossible: a broker is not part of the quorum."""
        raise Impossible("a broker has no part in the quorum")

    def apply(self, event: str, *arguments: Any, next_peer: int = 0) -> Step:
        """Returns the result of an event; a search tries every controller as `next_peer`."""
        is_birth = event in ("restarts", "is_reborn")
        births = self.births + 1 if is_birth else self.births
        event = "restarts" if is_birth else event
        life = BrokerLife(births, self.controller_ids)
        before = () if is_birth else self.events
        for entry in before:
            life.apply(*entry)
        sends = life.apply(event, arguments, next_peer)
        events = (*before, (event, arguments, next_peer))
        after = LoneBroker(self.controller_ids, births, events, life)
        replies: tuple[tuple[Arrival, Any], ...] = ()
        return Step(after, tuple(sends), replies, self._ended(after, is_birth))

    def _ended(self, after: "LoneBroker", is_birth: bool) -> frozenset[Requester]:
        if self._life is None:
            return frozenset()
        was, is_ = self.life.sent, {} if is_birth else after.life.sent
        return frozenset(
            name
            for name in self.awaited
            if name not in after.awaited or was[str(name)] != is_.get(str(name))
        )

    @property
    def may(self) -> tuple[tuple[Any, ...], ...]:
        """The events that can happen to the node without a message: (event, *arguments)."""
        idle = [
            ("is_due_to_send", name)
            for name in NAMES.values()
            if (conversation := self.life.conversation(name)).is_idle
            and conversation.deadline_ms < NEVER_MS
        ]
        may_stop = self.life.agent.state is ProcessState.RUNNING
        return ("is_reborn",), *([("is_asked_to_stop",)] if may_stop else []), *idle

    @property
    def awaited(self) -> Mapping[Requester, Sent]:
        """The open requests, by conversation."""
        return {
            name: Sent(receiver, send.request)
            for name, (send, receiver) in self.life.sent.items()
            if not self.life.conversation(name).is_idle
        }

    @property
    def key(self) -> Hashable:
        """A hashable summary of the node; nodes with equal keys have equal continuations."""
        life, agent, position = self.life, self.life.agent, self.life.position
        return (
            self.births,
            agent.state,
            agent.broker_epoch,
            (bool(agent._failures), agent._is_caught_up, agent._has_retried_shutdown),
            (position.end_offset, position.last_epoch, position.leader_epoch, position.leader_id),
            (position.high_watermark, agent._fetch._reported_offset),
            log_key(life.log.batches),
            frozenset(self.awaited.items()),
            self.may,
        )


def topology_of(controller_ids: tuple[int, ...]) -> Topology:
    """Returns the topology that the broker is configured with."""
    return Topology(
        cluster_id=CLUSTER_ID,
        controllers=tuple(
            ControllerSpec(node_id=controller_id, port=FIRST_PORT + controller_id)
            for controller_id in controller_ids
        ),
        brokers=(BrokerSpec(broker_id=BROKER_ID, port=unbound_port(BROKER_ID)),),
        profile=DEFAULT_PROFILE,
        metadata_version=CONTROLLERS_DO_NOT_REGISTER,
    )
