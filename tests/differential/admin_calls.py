"""The calls of the admin client to a single controller, with what it answered."""

import asyncio
from collections.abc import Awaitable
from dataclasses import dataclass

from kraftsim.admin import (
    Admin,
    AdminError,
    Endpoint,
    FeaturesDescription,
    QuorumDescription,
)
from kraftsim.controller.core.rpc import (
    BrokerFeature,
    BrokerListener,
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
)
from tests.differential.pair import CLUSTER_ID
from tests.released.controller import Connection

BROKER_ID = 7
DIRECTORY = "JEXY6aqzQY-32P5TStzaFg"


@dataclass(frozen=True, slots=True)
class Called:
    """`answers` are equal for clusters that are alike; `quorum` has the times of one of them."""

    answers: dict[str, object]
    quorum: QuorumDescription


async def called(port: int) -> Called:
    """Registers a broker with the controller at a port of loopback, and calls everything once."""
    async with Admin(bootstrap_controllers=f"127.0.0.1:{port}") as admin:
        features = await admin.describe_features()
        await asyncio.to_thread(_register, port, features)
        quorum = await admin.describe_quorum()
        controllers = await admin.describe_controllers()
        own = quorum.voters[0].directory_id or ""
        voter = (quorum.leader_id, own, [Endpoint("CONTROLLER", "127.0.0.1", 9)])
        calls = {
            "unregister": admin.unregister_broker(BROKER_ID),
            "unregister again": admin.unregister_broker(BROKER_ID),
            "remove": admin.remove_voter(BROKER_ID, DIRECTORY),
            "add": admin.add_voter(*voter),
            "brokers": admin.describe_cluster(include_fenced=True),
        }
        answers = {name: await _answer(call, own) for name, call in calls.items()} | {
            "cluster": (controllers.cluster_id, controllers.leader_id),
            "hosts": [node.host for node in controllers.controllers if node.id == quorum.leader_id],
            "supported": features.supported,
            "finalized": features.finalized,
        }
        return Called(answers, quorum)


async def _answer(call: Awaitable[object], own_directory: str) -> object:
    """The result of a call, or the error's code, name and message without the own directory id."""
    try:
        return await call
    except AdminError as error:
        return error.code, error.name, error.message.replace(own_directory, "...")


def _register(port: int, features: FeaturesDescription) -> None:
    connection = Connection(port)
    listener = BrokerListener(name="PLAINTEXT", host="127.0.0.1", port=9)
    request = BrokerRegistrationRequest(
        broker_id=BROKER_ID,
        cluster_id=CLUSTER_ID,
        incarnation_id=bytes(15) + b"\7",
        listeners=(listener,),
        features=tuple(
            BrokerFeature(name=name, min_supported_version=at.min, max_supported_version=at.max)
            for name, at in features.supported.items()
        ),
        log_dirs=(bytes(range(16)),),
    )
    try:
        response = connection.ask(62, 4, request)
    finally:
        connection.close()
    assert isinstance(response, BrokerRegistrationResponse), response
    assert response.error_code == 0, response
