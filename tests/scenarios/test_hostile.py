"""client.hostile: absurd requests of every API; each is answered, and no property falls."""

from random import Random

import pytest

from kraftsim.controller.core.rpc import (
    BeginQuorumEpochRequest,
    BrokerHeartbeatRequest,
    EndQuorumEpochRequest,
    FetchRequest,
    FetchSnapshotRequest,
    VoteRequest,
)
from kraftsim.controller.core.uuid import METADATA_TOPIC_ID
from kraftsim.controller.wire.apis.table import APIS
from kraftsim.controller.wire.frames import encode_request
from kraftsim.scenarios.document.scenario import read_scenario
from kraftsim.scenarios.drawing.absurd import Absurd, Known
from kraftsim.scenarios.drawing.absurd_requests import ABSURD, absurd_request
from kraftsim.scenarios.running.run import run
from tests.scenarios.request_worlds import SECOND_US, begin, running

KNOWN = Known(
    cluster_id="one",
    controllers=(3000, 3001, 3002),
    brokers=(1, 2),
    topics=("t0",),
    topic_ids=(b"the id of a topic",),
    epoch=7,
    log_end=40,
)
# APIs of a controller's listener that a hostile client does not use, and why.
LEFT_OUT = {
    "Envelope": "its content is bytes, which the listener decodes",
    "SaslHandshake": "the listener answers it",
    "SaslAuthenticate": "the listener answers it",
    "CreateDelegationToken": "no controller of the simulation has tokens",
    "RenewDelegationToken": "no controller of the simulation has tokens",
    "ExpireDelegationToken": "no controller of the simulation has tokens",
    "DescribeDelegationToken": "no controller of the simulation has tokens",
}


def drawn(seed, count=400):
    absurd = Absurd(Random(seed), KNOWN)
    return [absurd_request(absurd) for _ in range(count)]


def name_of(kind):
    return kind.__name__.removesuffix("Request")


def test_every_api_of_a_controllers_listener_is_drawn():
    served = {api.name for api in APIS.values() if "controller" in api.listeners}

    assert {name_of(kind) for kind in ABSURD} == served - LEFT_OUT.keys()
    assert {type(request) for request in drawn(1, 2_000)} == set(ABSURD)


@pytest.mark.slow
def test_some_fetches_have_one_absurd_value():
    """A drawn mutant (docs/bugs.md) served the log as any partition to an otherwise usual fetch."""
    positions = [
        partition
        for request in drawn(2, 4_000)
        if isinstance(request, FetchRequest)
        for topic in request.topics
        if topic.topic_id == METADATA_TOPIC_ID
        for partition in topic.partitions
    ]
    usual = {"fetch_offset": KNOWN.log_end, "current_leader_epoch": KNOWN.epoch}

    for name, value in (usual | {"partition": 0}).items():
        others = {key: wanted for key, wanted in usual.items() if key != name}
        nearly = [p for p in positions if all(getattr(p, k) == v for k, v in others.items())]
        assert any(getattr(position, name) != value for position in nearly)


@pytest.mark.parametrize("seed", range(5))
def test_every_drawn_request_has_bytes(seed):
    apis = {api.name: api for api in APIS.values()}

    for request in drawn(seed):
        api = apis[name_of(type(request))]
        assert encode_request(api.key, api.max_version, 1, None, request)


def test_a_seed_draws_the_same_requests_again():
    assert repr(drawn(3)) == repr(drawn(3))  # a quota that is no number equals no other
    assert repr(drawn(3)) != repr(drawn(4))


@pytest.mark.slow
def test_the_sender_is_no_voter_no_leader_and_no_broker_of_the_present():
    for request in drawn(5, 4_000):
        match request:
            case VoteRequest() | BeginQuorumEpochRequest() | EndQuorumEpochRequest():
                partitions = [p for topic in request.topics for p in topic.partitions]
                of = "replica_id" if isinstance(request, VoteRequest) else "leader_id"
                assert not {getattr(p, of) for p in partitions} & {*KNOWN.controllers}
                assert not getattr(request, "leader_endpoints", ())
            case FetchRequest():
                ids = request.replica_id, request.replica_state.replica_id
                assert not {*ids} & {*KNOWN.controllers}
            case FetchSnapshotRequest():
                assert request.replica_id not in KNOWN.controllers
            case BrokerHeartbeatRequest():
                assert not 0 < request.broker_epoch < 1 << 62


def scenario(controllers, to, *others):
    step = {"at": "1s", "id": "it", "client.hostile": {"to": to, "count": 200}}
    return read_scenario(
        {
            "schema": "kraftsim/scenario/1",
            "name": "nonsense",
            "claim": "Every request is answered.",
            "cluster": {
                "controllers": controllers,
                "brokers": 3,
                "topics": {"t0": {"partitions": 3, "replication": 3}},
            },
            "time": {"run": "10s", "calm": "40s"},
            "do": [*others, step],
        }
    )


@pytest.mark.slow
@pytest.mark.parametrize("controllers", [1, 3])
@pytest.mark.parametrize("to", ["active", "controllers"])
@pytest.mark.parametrize("seed", range(1, 6))
def test_every_request_is_answered_and_no_property_falls(controllers, to, seed):
    result = run(scenario(controllers, to), seed)

    assert result.verdict == "pass", result.violations
    assert result.effects["it"] == 200


@pytest.mark.slow
def test_the_connection_to_a_controller_that_is_down_is_closed():
    crash = {"at": "500ms", "proc.crash": {"on": 3001, "for": "20s"}}

    result = run(scenario(3, 3001, crash), 1)

    assert result.verdict == "pass", result.violations
    assert result.effects["it"] == 200


def test_a_client_that_ends_sends_nothing_more():
    world = running()
    stage, fault = begin(world, "client.hostile", {"to": 3000, "count": 100, "every": "1s"})
    world.advance(3 * SECOND_US + 1)
    stage.lift(fault)
    sent = fault.effects()
    world.advance(5 * SECOND_US)

    assert sent == fault.effects() == 4


def test_it_says_which_requests_it_has_sent():
    world = running()
    _, fault = begin(world, "client.hostile", {"to": 3000, "count": 5})
    world.advance(SECOND_US)

    assert [hit.kind for hit in fault.log.hits] == ["request_sent"] * 5
    assert {hit.receiver.number for hit in fault.log.hits} == {3000}
