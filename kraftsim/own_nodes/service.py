"""The listeners of a cluster in the simulated network of its world."""

from collections.abc import Callable
from dataclasses import replace

from kraftsim.broker_agent.data_plane import DataPlane
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.rpc import Request
from kraftsim.controller.core.rpc.stored_messages import ProduceRequest, ProduceResponse
from kraftsim.controller.raft.protocol import Reply
from kraftsim.controller.server.listener import Dispatch
from kraftsim.controller.server.runtime import Runtime
from kraftsim.simulation.message import Exchange
from kraftsim.simulation.world import World

from ..service.broker_apis import BrokerApis
from ..service.followed_listener import FollowedListener
from ..service.listeners import Service


class WorldService(Service):
    """Reaches nobody outside of the world, and tells the properties of a run what was produced.

    With a `data_plane`, it is that of the sockets of the same cluster.
    """

    def __init__(self, host: str, data_plane: DataPlane | None) -> None:
        super().__init__(host)
        self._is_shared = data_plane is not None
        if data_plane is not None:
            self.data_plane = data_plane

    def _begin(self, world: World, runtime: Runtime) -> None:
        if not self._is_shared:
            self.data_plane.begin()

    def _answer_with(
        self, broker_id: int, listener: FollowedListener, apis: BrokerApis
    ) -> Dispatch:
        world = self._running
        if not world.exchange_listeners:
            return super()._answer_with(broker_id, listener, apis)
        listener.shortened = {}  # a short path decodes no request

        def answer(request: Request, reply_to: Callable[[Reply], None]) -> None:
            if not isinstance(request, ProduceRequest):
                apis.answer(request, reply_to)
                return
            sent = _with_ids(request, apis.image)
            _tell(world, Exchange(broker_id, sent, None))

            def replied(reply: Reply) -> None:
                if isinstance(reply, ProduceResponse):
                    _tell(world, Exchange(broker_id, sent, reply))
                reply_to(reply)

            apis.answer(request, replied)

        return answer


def _tell(world: World, exchange: Exchange) -> None:
    for listener in world.exchange_listeners:
        listener(exchange)


def _with_ids(request: ProduceRequest, image: Image) -> ProduceRequest:
    """Returns the request with the ids of topics that an older client names."""
    topics = (
        replace(topic, topic_id=image.topic_ids.get(topic.name, topic.topic_id))
        for topic in request.topic_data
    )
    return replace(request, topic_data=tuple(topics))
