"""The state of a replica has one writer: the class that owns it. Other modules call transitions."""

import ast

import pytest

from tests.raft.field_writes import RAFT, fields, stored_in_self, writes
from tests.test_architecture import modules, nodes_of, place, tree_of

pytestmark = pytest.mark.xdist_group("tree")  # one process parses the tree

EXPLORE = "kraftsim.scenarios.explore"
EXPLORED = "kraftsim.scenarios.explored"
MUTANTS = "kraftsim.scenarios.mutants"
EXEMPT = {
    f"{EXPLORE}.controller_life": {
        "Quorum.log",  # batches without the granting voters, which have no effect
        "Turn.sends",  # one turn for all steps of an event
    },
    f"{EXPLORED}.lone_partition": {"Turn.sends"},  # one turn for all steps of an event
    f"{EXPLORE}.lone_replica": {
        *("Quorum.history", "Quorum.peers", "Quorum.parked", "Quorum.role"),  # of a copy
        "Quorum.log",  # of a copy; batches without the granting voters, which have no effect
    },
    f"{EXPLORE}.quorum_events": {"Quorum.parked"},  # parked fetches that have no effect
    f"{MUTANTS}.replication": {"Quorum.high_watermark"},  # M82 lets it fall
    f"{MUTANTS}.votes": {
        "Quorum.durable",  # M26 replaces the transition that sets it
        "Quorum.log",  # M27 votes as if the log were empty
    },
}
"""The fields that a module other than their class writes, and why."""


def test_the_owners_have_the_fields_that_raft_names():
    assert {"role", "epoch", "voted", "leader_id", "log", "high_watermark"} <= fields()["Quorum"]
    assert {"progress", "observers", "check_quorum_ms", "change"} <= fields()["Leader"]
    assert {"is_plain", "election", "persist", "sends"} <= fields()["Turn"]


@pytest.mark.parametrize(
    ("source", "field"),
    [
        ("quorum.voted = candidate", "Quorum.voted"),
        ("self._quorum.epoch += 1", "Quorum.epoch"),
        ("a, node.quorum.role = b", "Quorum.role"),
        ("quorum.log.truncate(3)", "Quorum.log"),
        ("quorum.role.change = None", "Leader.change"),
        ("del role.observers[key]", "Leader.observers"),
        ("role.begin_ms.setdefault(1, 0)", "Leader.begin_ms"),
        ("turn.is_plain = False", "Turn.is_plain"),
        ("turn.sends += (send,)", "Turn.sends"),
    ],
)
def test_a_write_from_outside_is_found(source, field):
    assert [(1, field)] == list(writes(ast.parse(source)))


@pytest.mark.parametrize(
    ("source", "field"),
    [
        ("log = quorum.log; log.append(batch)", "Quorum.log"),
        ("batches = quorum.log.batches; first = batches; del first[0]", "Quorum.log"),
        ("a, b = 1, node.quorum; b.epoch = a", "Quorum.epoch"),
        ("twin = copy(quorum); twin.role = role", "Quorum.role"),
        ("if (known := role.progress): known.clear()", "Leader.progress"),
        ("leader = leader_role(quorum.role); leader.change = None", "Leader.change"),
        ("replica = Quorum(identity); replica.epoch = 1", "Quorum.epoch"),
    ],
)
def test_a_write_by_another_name_is_found(source, field):
    assert [(1, field)] == list(writes(ast.parse(source)))


@pytest.mark.parametrize(
    ("source", "field"),
    [
        ("def f(replica: Quorum): replica.epoch = 1", "Quorum.epoch"),
        ("def f(state: 'Leader | None'): state.change = None", "Leader.change"),
        ("def f(step: protocol.Turn): step.sends = ()", "Turn.sends"),
        ("match x:\n case Leader() as leader: leader.change = None", "Leader.change"),
    ],
)
def test_a_write_to_an_annotated_owner_is_found(source, field):
    assert [field] == [name for _, name in writes(ast.parse(source))]


@pytest.mark.parametrize(
    "source",
    [
        "epoch = quorum.epoch",
        "epoch = quorum.epoch; epoch += 1",
        "quorum.truncate(3, turn)",
        "turn.replies += (reply,)",
        "role = 1",
        "def f(position: Position): position.leader_id = 1",
        "log = MetadataLog(); log.append(batch)",
    ],
)
def test_a_read_and_a_transition_are_none(source):
    assert [] == list(writes(ast.parse(source)))


def test_each_effect_of_a_turn_ends_its_fast_path():
    (turn,) = [
        node
        for node in nodes_of(f"{RAFT}.protocol")
        if isinstance(node, ast.ClassDef) and node.name == "Turn"
    ]
    written = {
        method.name: stored_in_self(method)
        for method in turn.body
        if isinstance(method, ast.FunctionDef) and method.name != "__init__"
    }

    assert fields()["Turn"] - {"now_ms", "wall_ms"} == set().union(*written.values())
    assert [] == [name for name, stored in written.items() if "is_plain" not in stored]


@pytest.mark.slow
def test_only_transitions_change_a_replica_a_leader_and_a_turn():
    found = [
        f"{place(module, line)}: {field}"
        for module in modules()
        for line, field in writes(tree_of(module))
        if field not in EXEMPT.get(module, ())
    ]

    assert [] == found


@pytest.mark.parametrize("module", EXEMPT)
def test_each_exemption_is_needed(module):
    assert EXEMPT[module] == {field for _, field in writes(tree_of(module))}
