"""What a simulated broker replies to a request, on a cluster that has one of each thing."""

from random import Random
from typing import Any

from kraftsim.broker_agent.data_plane import DataPlane
from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.handlers import response_to
from kraftsim.controller.core.rpc import ApiVersionsRequest, Request
from kraftsim.controller.core.settings import STANDARD_AUTHORIZER
from kraftsim.controller.server.runtime import Runtime
from kraftsim.controller.wire.json.json_form import from_json
from kraftsim.service.broker_apis import BrokerApis
from kraftsim.service.cluster_description import client_view
from tests.differential.history import History
from tests.differential.sequence import Body
from tests.differential.symbols import resolve
from tests.walk.bodies import Case
from tests.walk.broker_cases import SETUP
from tests.walk.fields import SCHEMAS
from tests.worlds import ask, pass_time, world_of

API_VERSIONS = 5
NEWEST = 32767
BROKER_ID = 1


class BrokerStage:
    """One cluster for every request: its brokers only read. Broker 3 is fenced."""

    def __init__(self) -> None:
        self._world = world = world_of(3, authorizer_class_name=STANDARD_AUTHORIZER)
        for asked in SETUP:
            ask(world, from_json(SCHEMAS[asked.api].request, asked.body))
        world.agents[3].kill()
        pass_time(world, 20)
        self._runtime = Runtime(world.timeline, speed=0)
        self._history = History()
        self._history.follow(list(world.committed_log.batches))

    def outcome(self, case: Case, body: Body) -> object:
        """Returns the replies of a broker that has just started."""
        world = self._world
        view = client_view(world)
        view = type(view)(view.cluster_id, view.profile, Random(1).random, settings=view.settings)
        warned: list[str] = []
        self._subscription_id, self._forwarded = 0, list[object]()
        apis = BrokerApis(
            view, world.agents[BROKER_ID], self._runtime, self._forward, DataPlane(warned.append)
        )
        for asked in case.before:
            reply = self._ask(apis, asked.api, asked.body)
            self._subscription_id = reply.subscription_id
        replies = [self._ask(apis, case.api, body)]
        replies += [self._ask(apis, asked.api, asked.body) for asked in case.after]
        return repr((replies, warned, self._forwarded))

    def _ask(self, apis: BrokerApis, api: str, body: Body) -> Any:
        if "subscriptionId" in body and isinstance(body["subscriptionId"], dict):
            body = body | {"subscriptionId": self._subscription_id}
        request: Request = from_json(SCHEMAS[api].request, resolve(body, self._history))
        if isinstance(request, ApiVersionsRequest):
            return apis.describe(request, API_VERSIONS)
        replies: list[Any] = []
        apis.answer(request, replies.append)
        self._world.timeline.run_until(self._world.timeline.now_us)
        if not replies:
            return self._forwarded
        (reply,) = replies
        return response_to(request, reply, NEWEST) if isinstance(reply, ApiError) else reply

    def _forward(self, *request: object) -> None:
        """What a broker sends to the controller is an effect."""
        self._forwarded.append(request[:-1])
