"""S41: each kind of request that it asks has a subject in a cluster, and its answer is judged."""

import pytest

from kraftsim.controller.core import feature_levels, hash_order
from kraftsim.controller.core.cluster import describe_cluster
from kraftsim.controller.core.configs import alteration as config_alteration
from kraftsim.controller.core.configs import describe_configs, guards, topic_configs
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.features import update_features
from kraftsim.controller.core.leases import Leases
from kraftsim.controller.core.log.records import AccessControlEntryRecord
from kraftsim.controller.core.partitions import reassignment
from kraftsim.controller.core.quotas import alteration
from kraftsim.controller.core.rpc import BrokerHeartbeatResponse, UnregisterBrokerRequest
from kraftsim.controller.core.security import acl_deletion, acl_description, scram_alteration
from kraftsim.controller.core.settings import STANDARD_AUTHORIZER
from kraftsim.controller.core.topics import creation
from kraftsim.scenarios.expected import (
    brokers,
    cluster,
    configs,
    departures,
    descriptions,
    features,
    security,
    topics,
)
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
CHANGES = (
    ("config.set", {"name": "orders", "key": "segment.ms", "value": "1000"}),
    (
        "config.set",
        {"resource": "broker", "name": "default", "key": "min.insync.replicas", "value": "2"},
    ),
)
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
    for verb, words in CHANGES:
        begin(world, verb, words)
    world.agents[3].kill()
    pass_time(world, 2 * SESSION_S)
    begin(world, "reassignment.start", {"name": "lost", "to": [3, 4]})
    pass_time(world, 1)
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


def every_entry(image, wanted):
    return image.kept(AccessControlEntryRecord).values()


def selects_every_entry(patch):
    patch.setattr(acl_deletion, "selected", every_entry)


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


def takes_every_value(patch):
    patch.setattr(topic_configs, "check", lambda configs, profile, static: None)


def keeps_eligible_replicas(patch):
    patch.setattr(config_alteration, "_cleared_elrs", lambda state, records: ())


def puts_new_elements_first(patch):
    patch.setattr(config_alteration, "appended", lambda elements, text: f"{text},{elements}")


def refuses_all_if_one_is_wrong(patch):
    patch.setattr(config_alteration, "check_existence", lambda state, kind, name: None)


def guards_no_min_isr(patch):
    patch.setattr(guards, "_check_min_insync_replicas", lambda state, node, value: None)


def keeps_what_a_request_leaves_out(patch):
    patch.setattr(config_alteration, "_whole", only_what_is_named)


def only_what_is_named(kind, resource, current):
    return config_alteration.Changes({config.name: config.value for config in resource.configs})


def permits_lossy_downgrades(patch):
    patch.setattr(feature_levels, "changes_metadata", lambda level, current: False)


def forgets_the_brokers(patch):
    patch.setattr(update_features, "_unsupported", lambda state, feature, level: None)


def writes_no_level(patch):
    patch.setattr(update_features, "_level_records", lambda state, update: ())


def shows_no_own_value(patch):
    patch.setattr(describe_configs, "FROM_TOPIC", 5)


def ignores_the_cluster(patch):
    patch.setattr(describe_configs, "topic_default", lambda levels, name: None)


def describes_every_node(patch):
    patch.setattr(describe_configs, "_check_node", lambda view, name, expectation: None)


def ignores_filters(patch):
    patch.setattr(acl_description, "selected", every_entry)


def lists_no_reassignment(patch):
    patch.setattr(reassignment, "_listed", lambda image, request: [])


def ignores_the_type_of_endpoints(patch):
    patch.setattr(describe_cluster, "_check_endpoint_type", lambda request, own: None)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bug", "draw"),
    [
        (takes_every_value, configs._set_wrongly),
        (takes_every_value, configs._operate_wrongly),
        (keeps_eligible_replicas, configs._set),
        (keeps_eligible_replicas, configs._alter_nodes),
        (puts_new_elements_first, configs._change_list),
        (refuses_all_if_one_is_wrong, configs._alter_two),
        (guards_no_min_isr, configs._keep_min_isr),
        (keeps_what_a_request_leaves_out, configs._replace),
        (permits_lossy_downgrades, features._lower_metadata_version),
        (forgets_the_brokers, features._raise_metadata_version),
        (writes_no_level, features._change_level),
        (shows_no_own_value, descriptions._describe_topic),
        (ignores_the_cluster, descriptions._describe_topic),
        (describes_every_node, descriptions._describe_wrongly),
        (ignores_filters, descriptions._describe_acls),
        (ignores_filters, descriptions._match_acls),
        (lists_no_reassignment, descriptions._list_reassignments),
        (ignores_the_type_of_endpoints, descriptions._describe_cluster),
    ],
)
def test_a_bug_in_what_requests_change_or_describe_is_a_flaw(
    troubled_property, bug, draw, monkeypatch
):
    node, asks = asked_on(troubled_property, draw)
    assert not any(troubled_property.flaw_of(node, ask) for ask in asks)

    bug(monkeypatch)

    assert any(troubled_property.flaw_of(node, ask) for ask in asks)


# A text that begins with "-", another version, another variant.
WRONG_IDS = (
    b"\xf8" + bytes(5) + b"\x40\0\x80",
    bytes(6) + b"\x10\0\x80",
    bytes(6) + b"\x40\0\0",
)


@pytest.mark.slow
@pytest.mark.rule("6.1")
@pytest.mark.parametrize("wrong", WRONG_IDS)
def test_a_topic_id_that_kafka_does_not_draw_is_a_flaw(troubled_property, wrong, monkeypatch):
    monkeypatch.setattr(creation, "random_uuid", lambda random: wrong + bytes(7))
    node, asks = asked_on(troubled_property, topics._create_placed)

    assert any("random" in str(troubled_property.flaw_of(node, ask)) for ask in asks)


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
        (fenced_brokers_have_no_session, True, "the reply has the errors 0, expected 101"),
        (every_broker_has_a_session, False, "the reply has the errors 101, expected 0"),
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
    """Only the record has the owner of a block, not the image."""
    planted_rules.gives_ids_to_another_broker(monkeypatch)
    node, asks = asked_on(troubled_property, cluster._allocate)

    assert all("it writes" in str(troubled_property.flaw_of(node, ask)) for ask in asks)
    assert len(asks) > 10


@pytest.mark.slow
@pytest.mark.parametrize("which", ["adding_replicas", "removing_replicas"])
def test_a_decommission_is_not_blamed_for_what_was_wrong_before(
    troubled_property, which, monkeypatch
):
    """A request that named a partition twice has left it a replica to add or remove: not there."""
    view = troubled_property.view_of(troubled_property.world.active.node)
    key, old = view.partitions[0]
    monkeypatch.setitem(view.shadow.facts, key, {**old, which: (77,)})

    for broker_id in (77, 99):
        assert not [*departures._left_behind(view, broker_id, Done(None, {}), [key])]
    changed = {key: {**old, which: (77, 78)}}
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
        == "the reply has the errors 8, expected 102"
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
        ({("Broker", 1): {"fenced": True}}, {("Broker", 1): {"fenced": False}}, "has fenced no"),
        ({("Broker", 1): None}, {("Broker", 1): {"fenced": True}}, "expected nothing"),
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
