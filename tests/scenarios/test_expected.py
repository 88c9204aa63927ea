"""S41: each kind of request that it asks has a subject in a cluster, and its answer is judged."""

import pytest

from kraftsim.controller.core import hash_order
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.leases import Leases
from kraftsim.controller.core.quotas import alteration
from kraftsim.controller.core.rpc import BrokerHeartbeatResponse, UnregisterBrokerRequest
from kraftsim.controller.core.security import acl_deletion, scram_alteration
from kraftsim.controller.core.settings import STANDARD_AUTHORIZER
from kraftsim.scenarios.expected import brokers, cluster, departures, security
from kraftsim.scenarios.expected.ask import Ask, Done, codes_of, refused, replies
from kraftsim.scenarios.expected.java_order import hash_map_order
from kraftsim.scenarios.properties.decisions import DRAWS, DecisionsFollowTheRules
from tests.scenarios import planted_rules
from tests.scenarios.lives import SESSION_S, heartbeat
from tests.scenarios.request_worlds import begin
from tests.scenarios.watched import settled_world
from tests.worlds import create_topic, pass_time

REQUEST = UnregisterBrokerRequest(broker_id=1)


SECURE = {"authorizer_class_name": STANDARD_AUTHORIZER}
SECURITY = (
    ("quota.set", {"user": "alice", "key": "request_percentage", "value": 50.0}),
    ("scram.set", {"user": "alice", "password": "secret"}),
    ("scram.set", {"user": "bob", "mechanism": "SCRAM-SHA-512", "password": "secret"}),
    ("acl.create", {"principal": "User:alice", "name": "orders"}),
    ("acl.create", {"principal": "User:bob", "name": "orders"}),
)


def asked_on(property_, draw, rounds=60):
    """The node, and the requests of a kind in that many rounds."""
    node = property_.world.active.node
    view = property_.view_of(node)
    return node, [ask for round_ in range(rounds) if (ask := draw(view, round_)) is not None]


@pytest.fixture(scope="module")
def troubled_property():
    """The property on a cluster in which one broker is fenced."""
    world, watching = settled_world(4, classes=(DecisionsFollowTheRules,), **SECURE)
    for verb, words in SECURITY:
        begin(world, verb, words)
    create_topic(world, "orders", (1, 2))
    create_topic(world, "lost", (3,))
    create_topic(world, "spread", (4, 1, 2))
    world.agents[3].kill()
    pass_time(world, 2 * SESSION_S)
    return watching.properties["S41"]


@pytest.mark.slow
@pytest.mark.parametrize("draw", DRAWS, ids=lambda draw: draw.__name__)
def test_each_kind_of_request_is_asked_and_answered_as_the_rules_say(troubled_property, draw):
    node, asks = asked_on(troubled_property, draw)

    for ask in asks:
        assert troubled_property.flaw_of(node, ask) is None
    assert len(asks) > 10


def keeps_what_is_removed(patch):
    patch.setattr(alteration, "_is_same", lambda value, current: True)


def knows_no_repeated_user(patch):
    patch.setattr(scram_alteration, "_check", lambda state, change: None)


def walks_a_map_without_its_upper_bits(patch):
    patch.setattr(hash_order, "_spread", lambda code: code)


def selects_every_entry(patch):
    patch.setattr(acl_deletion, "selected", lambda entries, wanted: entries.values())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bug", "draw"),
    [
        (keeps_what_is_removed, "_alter_quotas"),
        (knows_no_repeated_user, "_set_credentials_wrongly"),
        (walks_a_map_without_its_upper_bits, "_set_credentials"),
        (selects_every_entry, "_delete_acls"),
    ],
)
def test_a_bug_in_what_clients_may_do_is_a_flaw(troubled_property, bug, draw, monkeypatch):
    bug(monkeypatch)
    node, asks = asked_on(troubled_property, getattr(security, draw))

    assert any(troubled_property.flaw_of(node, ask) for ask in asks)


def fenced_brokers_have_no_session(patch):
    valid = Leases.has_valid_session

    def buggy(leases, broker, now_ms):
        return not leases.liveness[broker.broker_id].fenced and valid(leases, broker, now_ms)

    patch.setattr(Leases, "has_valid_session", buggy)


def every_broker_has_a_session(patch):
    patch.setattr(Leases, "has_valid_session", lambda *_: True)


def registrations_over(property_, draw):
    """The flaws of registrations over fenced brokers, or over live ones."""
    node, asks = asked_on(property_, draw)
    fenced = [ask for ask in asks if ask.request.broker_id != brokers.STRANGER]
    assert len(fenced) > 10
    return {str(property_.flaw_of(node, ask)) for ask in fenced}


@pytest.mark.slow
@pytest.mark.rule("1.12")
@pytest.mark.parametrize(
    ("bug", "is_in_contact", "flaw"),
    [
        (fenced_brokers_have_no_session, True, "the reply has the errors [0], expected [101]"),
        (every_broker_has_a_session, False, "the reply has the errors [101], expected [0]"),
    ],
)
def test_a_fenced_broker_keeps_its_id_while_it_is_in_contact(
    troubled_property, bug, is_in_contact, flaw, monkeypatch
):
    world = troubled_property.world
    if is_in_contact:
        heartbeat(world, 3, world.committed.brokers[3].broker_epoch)
    pass_time(world, 0.1 if is_in_contact else 2 * SESSION_S)
    assert {"None"} == registrations_over(troubled_property, brokers._register_new)
    assert {"None"} == registrations_over(troubled_property, brokers._register_over)
    bug(monkeypatch)

    assert {flaw} == registrations_over(troubled_property, brokers._register_new)


@pytest.mark.slow
def test_another_owner_of_producer_ids_is_a_flaw(troubled_property, monkeypatch):
    """No image has the owner of a block, so that only its record tells."""
    planted_rules.gives_ids_to_another_broker(monkeypatch)
    node, asks = asked_on(troubled_property, cluster._allocate)

    assert all("it writes" in str(troubled_property.flaw_of(node, ask)) for ask in asks)
    assert len(asks) > 10


@pytest.mark.slow
def test_a_decommission_is_not_blamed_for_what_was_wrong_before(troubled_property, monkeypatch):
    """A request that named a partition twice has left it a replica to remove, which is gone."""
    view = troubled_property.view_of(troubled_property.world.active.node)
    key, old = view.partitions[0]
    monkeypatch.setitem(view.shadow.facts, key, {**old, "removing_replicas": (77,)})

    assert not [*departures._left_behind(view, 99, Done(None, {}), [key])]
    changed = {key: {**old, "removing_replicas": (77, 78)}}
    assert [*departures._left_behind(view, 99, Done(None, changed), [key])]


@pytest.mark.parametrize("count", [1, 12, 13, 24, 25, 40])
def test_the_order_of_a_map_is_that_of_the_controller(count):
    """Both say what java.util.HashMap does, and share no code."""
    names = [f"name-{number * number}" for number in range(count)]

    assert hash_map_order(names) == hash_order.in_hash_order(names)


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
