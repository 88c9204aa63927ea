"""S41: each kind of request that it asks has a subject in a cluster, and its answer is judged."""

import pytest

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.rpc import BrokerHeartbeatResponse, UnregisterBrokerRequest
from kraftsim.scenarios.expected.ask import Ask, Done, codes_of, refused, replies
from kraftsim.scenarios.properties.decisions import DRAWS, DecisionsFollowTheRules
from tests.scenarios.lives import SESSION_S
from tests.scenarios.watched import settled_world
from tests.worlds import create_topic, pass_time

REQUEST = UnregisterBrokerRequest(broker_id=1)


@pytest.fixture(scope="module")
def troubled_property():
    """The property on a cluster in which one broker is fenced."""
    world, watching = settled_world(4, classes=(DecisionsFollowTheRules,))
    create_topic(world, "orders", (1, 2))
    create_topic(world, "lost", (3,))
    create_topic(world, "spread", (4, 1, 2))
    world.agents[3].kill()
    pass_time(world, 2 * SESSION_S)
    return watching.properties["S41"]


@pytest.mark.slow
@pytest.mark.parametrize("draw", DRAWS, ids=lambda draw: draw.__name__)
def test_each_kind_of_request_is_asked_and_answered_as_the_rules_say(troubled_property, draw):
    property_ = troubled_property
    node = property_.world.active.node
    view = property_.view_of(node)
    asks = [ask for round_ in range(60) if (ask := draw(view, round_)) is not None]

    for ask in asks:
        assert property_.flaw_of(node, ask) is None
    assert len(asks) > 10


def test_an_unexpected_error_is_a_flaw():
    ask = refused("what is not there", REQUEST, 102)

    assert ask.judge(Done(ApiError(ErrorCode.BROKER_ID_NOT_REGISTERED, ""), {})) is None
    assert (
        ask.judge(Done(ApiError(ErrorCode.BROKER_NOT_AVAILABLE, ""), {}))
        == "the reply has the errors [8], expected [102]"
    )


def test_a_refusal_that_writes_is_a_flaw():
    ask = refused("what is not there", REQUEST, 102)

    assert "expected no change" in ask.judge(
        Done(ApiError(ErrorCode.BROKER_ID_NOT_REGISTERED, ""), {("Broker", 1): None})
    )


@pytest.mark.parametrize(
    ("expected", "got", "flaw"),
    [
        ({("Broker", 1): {"fenced": True}}, {("Broker", 1): {"fenced": True, "rack": "a"}}, None),
        ({("Broker", 1): {"fenced": True}}, {}, "stays as it is"),
        ({("Broker", 1): {"fenced": True}}, {("Broker", 1): {"fenced": False}}, "has fenced False"),
        ({("Broker", 1): None}, {("Broker", 1): {"fenced": True}}, "expected None"),
        ({}, {("Broker", 2): None}, "expected no change"),
        (
            {("Partition", b"", 0): {"eligible_leader_replicas": (2, 1)}},
            {("Partition", b"", 0): {"eligible_leader_replicas": (1, 2)}},
            None,
        ),
    ],
)
def test_what_changes_is_compared_with_what_must_change(expected, got, flaw):
    found = Ask("a change", REQUEST, changes=expected).judge(Done(BrokerHeartbeatResponse(), got))

    assert (found is None) if flaw is None else flaw in found


def test_the_fields_of_a_reply_are_compared():
    flaw = replies(is_fenced=False)

    assert flaw(Done(BrokerHeartbeatResponse(is_fenced=False), {})) is None
    assert flaw(Done(BrokerHeartbeatResponse(is_fenced=True), {})) is not None


def test_a_reply_without_parts_has_the_code_of_the_whole():
    assert [*codes_of(BrokerHeartbeatResponse(error_code=77))] == [77]
