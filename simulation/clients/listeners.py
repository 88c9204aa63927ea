"""The listeners of the brokers of a world, as clients of messages reach them."""

from collections.abc import Callable
from functools import partial

from kraftsim.broker_agent.forwarding import Forwarding
from kraftsim.broker_agent.hosted_agent import HostedAgent
from kraftsim.broker_agent.log.waits import FetchWaits
from kraftsim.broker_agent.messages.messages import Messages
from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.node_id import broker_node
from kraftsim.controller.core.rpc import Request, Response
from kraftsim.controller.core.uuid import Uuid

from ..message import Exchange
from ..world import World

LISTENER = "PLAINTEXT"
Send = Callable[[Callable[[Response | ApiError], None]], None]


class Listeners:
    """The listeners of the brokers, as the clients of one verb reach them."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._messages: dict[int, Messages] = {}

    def find(self, broker_id: int) -> Messages | None:
        """Returns the listener of a broker; None if its process does not respond."""
        hosted = self._world.agents.get(broker_id)
        if hosted is None or not hosted.is_alive or hosted.is_paused:
            return None
        if broker_id not in self._messages:
            self._messages[broker_id] = self._opened(broker_id, hosted)
        return self._messages[broker_id]

    def exchange(
        self,
        broker_id: int,
        request: Request,
        send: Send,
        reply_to: Callable[[Response], None],
    ) -> None:
        """Sends a request; the listeners of the world get it, and again with its reply."""
        for listener in self._world.exchange_listeners:
            listener(Exchange(broker_id, request, None))

        def replied(reply: Response | ApiError) -> None:
            assert isinstance(reply, Response), "only acks=0 has a refusal without a response"
            for listener in self._world.exchange_listeners:
                listener(Exchange(broker_id, request, reply))
            reply_to(reply)

        send(replied)

    def process_of(self, broker_id: int) -> Uuid | None:
        """Returns what identifies the process of a broker; None without one."""
        hosted = self._world.agents.get(broker_id)
        return hosted.agent.incarnation_id if hosted is not None and hosted.is_alive else None

    def _opened(self, broker_id: int, hosted: HostedAgent) -> Messages:
        world, clock, node = self._world, hosted.clock, broker_node(broker_id)
        send = partial(world.send_request, node, is_forwarded=True)
        return Messages(
            hosted,
            LISTENER,
            FetchWaits(),
            wall_ms=lambda now_ms: now_ms + clock.wall_offset_ms,
            poll_clock=lambda: world.timeline,
            forward=Forwarding(world.timeline, send, lambda: hosted.agent.controller_id).forward,
            random=world.streams.draw_of(f"sessions/{broker_id}"),
        )
