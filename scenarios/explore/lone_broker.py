"""A simulated broker in a search: the real agent, for which time passes only by events.

A broker is stored as the events since its start, which are replayed for every step.
"""

from collections.abc import Hashable, Mapping
from typing import Any

from kraftsim.broker_agent.agent import Agent
from kraftsim.broker_agent.conversation import Channel, Conversation, Send
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
from .lone import Asked, Asker, Sent, Step

NAMES = {Channel.LEASE: "lease", Channel.METADATA: "metadata"}
REBIRTHS_TOLD_APART = 256

Lived = tuple[tuple[str, tuple[Any, ...], int], ...]


class BrokerLife:
    """One process of the broker; `sent` has the last request and receiver, by conversation."""

    def __init__(self, births: int, controller_ids: tuple[int, ...]) -> None:
        spec = BrokerSpec(broker_id=BROKER_ID, port=unbound_port(BROKER_ID))
        self.births, self.controller_ids = births, controller_ids
        self.log = MetadataLog()
        self.position = LogPosition()
        self.sent: dict[str, tuple[Send, int]] = {}
        self.agent = Agent(
            agent_config(topology_of(controller_ids), spec, directory_of(BROKER_ID)),
            random=lambda: births / REBIRTHS_TOLD_APART,
            image_at=ImageHistory(self.log).at,
            position=self.position,
        )

    def meet(self, event: str, about: tuple[Any, ...], next_asked: int) -> list[Sent]:
        """Applies an event and returns the requests that the agent sends.

        A request to any controller goes to the one at place `next_asked`.
        """
        sends: list[Send] = getattr(self, event)(*about)
        told = []
        for send in sends:
            receiver = send.controller_id
            receiver = self.controller_ids[next_asked] if receiver < 0 else receiver
            self.sent[NAMES[send.channel]] = send, receiver
            told.append(Sent(receiver, send.request))
        return told

    def restarts(self) -> list[Send]:
        """Starts the agent."""
        return self.agent.start(0)

    def is_told(self, conversation: str, answer: Any) -> list[Send]:
        """Handles the reply to the last request of a conversation; None: the request failed."""
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

    def gives_up_on(self, conversation: str) -> list[Send]:
        """Handles a request timeout."""
        return self.is_told(conversation, None)

    def is_due_to_say(self, conversation: str) -> list[Send]:
        """Sends the next request of a conversation, because its time has come."""
        self.conversation(conversation).schedule(0)
        return self.agent.on_deadline(0)

    def is_asked_to_stop(self) -> list[Send]:
        """Handles SIGTERM: the agent requests a controlled shutdown."""
        return self.agent.request_stop(0)

    def conversation(self, name: str) -> Conversation:
        """Returns the conversation of that name."""
        return self.agent._lease if name == "lease" else self.agent._metadata


class LoneBroker:
    """A broker without quorum and disk, which is never changed: `meet` returns another one."""

    epoch, is_leader = 0, False
    parked: frozenset[Asker] = frozenset()
    deferred: frozenset[Asker] = frozenset()
    disk, disk_key = Disk(), ()

    def __init__(
        self, controller_ids: tuple[int, ...], births: int, lived: Lived, life: BrokerLife | None
    ) -> None:
        self.controller_ids, self.births, self.lived = controller_ids, births, lived
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

    def meet(self, event: str, *about: Any, next_asked: int = 0) -> Step:
        """Returns the result of an event."""
        is_birth = event in ("restarts", "is_reborn")
        births = self.births + 1 if is_birth else self.births
        event = "restarts" if is_birth else event
        life = BrokerLife(births, self.controller_ids)
        before = () if is_birth else self.lived
        for entry in before:
            life.meet(*entry)
        sends = life.meet(event, about, next_asked)
        lived = (*before, (event, about, next_asked))
        after = LoneBroker(self.controller_ids, births, lived, life)
        replies: tuple[tuple[Asked, Any], ...] = ()
        return Step(after, tuple(sends), replies, self._ended(after, is_birth))

    def _ended(self, after: "LoneBroker", is_birth: bool) -> frozenset[Asker]:
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
        """The events that need no message."""
        idle = [
            ("is_due_to_say", name)
            for name in NAMES.values()
            if (one := self.life.conversation(name)).is_idle and one.deadline_ms < NEVER_MS
        ]
        may_stop = self.life.agent.state is ProcessState.RUNNING
        return ("is_reborn",), *([("is_asked_to_stop",)] if may_stop else []), *idle

    @property
    def awaited(self) -> Mapping[Asker, Sent]:
        """The open requests, by conversation."""
        return {
            name: Sent(receiver, send.request)
            for name, (send, receiver) in self.life.sent.items()
            if not self.life.conversation(name).is_idle
        }

    @property
    def key(self) -> Hashable:
        """Nodes with equal keys behave alike from here on."""
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
