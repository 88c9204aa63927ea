"""An admin of a scenario sets quotas, SCRAM credentials and access control entries."""

import pytest

from kraftsim.controller.core.log.records import (
    AccessControlEntryRecord,
    QuotaEntity,
    UserScramCredentialRecord,
)
from kraftsim.controller.core.settings import STANDARD_AUTHORIZER
from kraftsim.scenarios.document.scenario import read_scenario
from kraftsim.scenarios.running.run import Run
from tests.scenarios.lives import active_id
from tests.scenarios.planted import answers_at_once
from tests.scenarios.request_worlds import begin
from tests.scenarios.watched import BY_NUMBER, settled_world
from tests.worlds import node, nodes, pass_time

AUTHORIZED = {"authorizer.class.name": STANDARD_AUTHORIZER}
ENTRY = {"principal": "User:alice", "name": "orders"}


def finished(*steps, config=AUTHORIZED):
    """The run of the steps, of which each is a verb with its words, with the names of refusals."""
    words = {
        "schema": "kraftsim/scenario/1",
        "name": "one",
        "claim": "Nothing happens.",
        "cluster": {"controllers": 1, "brokers": 1},
        "config": config,
        "time": {"warmup": "1s", "run": "20s", "calm": "5s"},
        "do": [{"at": f"{at}s", word: step} for at, (word, step) in enumerate(steps, 1)],
    }
    run = Run(read_scenario(words), 1, [])
    result = run.finish()
    refusals = [row.detail["error"] for row in result.rows if row.kind == "admin_refused"]
    return run.world.committed, refusals


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        ({"user": "alice"}, [("user", "alice")]),
        ({"client": "default"}, [("client-id", None)]),
        ({"user": "alice", "client": "web"}, [("client-id", "web"), ("user", "alice")]),
    ],
)
def test_a_quota_is_set_and_removed(words, parts):
    key = {"key": "producer_byte_rate"}
    entity = tuple(QuotaEntity(entity_type=kind, entity_name=name) for kind, name in parts)
    image, refusals = finished(("quota.set", words | key | {"value": 5.0}))
    assert image.client_quotas == {entity: {"producer_byte_rate": 5.0}}
    assert refusals == []

    image, _ = finished(("quota.set", words | key | {"value": 5.0}), ("quota.set", words | key))
    assert image.client_quotas == {}


def test_a_quota_of_an_address_and_a_user_is_refused():
    words = {"ip": "127.0.0.1", "user": "alice", "key": "producer_byte_rate", "value": 1.0}

    assert finished(("quota.set", words))[1] == ["INVALID_REQUEST"]


def test_a_credential_is_set_and_deleted():
    user = {"user": "alice", "mechanism": "SCRAM-SHA-512"}
    image, refusals = finished(("scram.set", user | {"password": "secret"}))
    (record,) = image.kept(UserScramCredentialRecord).values()
    assert (record.name, record.mechanism, record.iterations) == ("alice", 2, 4096)
    assert refusals == []

    image, refusals = finished(
        ("scram.set", user | {"password": "secret"}), ("scram.set", user), ("scram.set", user)
    )
    assert image.kept(UserScramCredentialRecord) == {}
    assert refusals == ["RESOURCE_NOT_FOUND"]


def test_entries_are_created_and_those_that_fit_are_deleted():
    other = ENTRY | {"name": "bills"}
    image, refusals = finished(
        ("acl.create", ENTRY), ("acl.create", other), ("acl.delete", {"name": "orders"})
    )

    assert [entry.resource_name for entry in image.kept(AccessControlEntryRecord).values()] == [
        "bills"
    ]
    assert refusals == []


def test_entries_need_an_authorizer():
    assert finished(("acl.create", ENTRY), config={})[1] == ["SECURITY_DISABLED"]


@pytest.mark.slow
def test_an_entry_that_is_answered_before_its_commit_is_found(monkeypatch):
    """S16: no majority hears of it."""
    settings = {"authorizer_class_name": STANDARD_AUTHORIZER}
    world, watching = settled_world(classes=(BY_NUMBER["S16"],), **settings)
    answers_at_once(monkeypatch)
    world.network.isolate(node(active_id(world)), nodes(world.controllers))
    begin(world, "acl.create", ENTRY)
    pass_time(world, 1)

    assert "orders" in watching.violations["S16"].what
