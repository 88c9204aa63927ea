"""The state of a replica has one writer: the class that owns it. Other modules call transitions."""

import ast

import pytest

from tests.test_architecture import modules, tree_of

RAFT = "kraftsim.controller.raft"
OWNERS = {
    "Quorum": [f"{RAFT}.quorum", f"{RAFT}.replica_log"],
    "Leader": [f"{RAFT}.roles"],
    "Turn": [f"{RAFT}.protocol"],
}
HOLDERS = {
    "quorum": "Quorum",
    "_quorum": "Quorum",
    "twin": "Quorum",
    "role": "Leader",
    "turn": "Turn",
    "whole": "Turn",
}
"""The class of a variable or field, by its name."""
FREE = {"replies"}
"""Every handler adds to the replies of a turn."""
CHANGING = {
    *("append", "appended", "begin_at", "forget_before", "restart", "truncate", "truncated"),
    *("clear", "extend", "insert", "pop", "popitem", "remove", "setdefault", "update"),
}
"""Methods that change a log, a history of voters or a container."""
EXEMPT = {
    "kraftsim.scenarios.mutants": "plants bugs",
    "kraftsim.scenarios.explore": "copies a replica, and drops from the copy what has no effect",
}


def fields_of(owner):
    """The fields that the class or its base declares."""
    classes = [
        node
        for module in OWNERS[owner]
        for node in ast.walk(tree_of(module))
        if isinstance(node, ast.ClassDef) and node.name in (owner, "ReplicaLog")
    ]
    return {
        target.attr if isinstance(target, ast.Attribute) else target.id
        for class_ in classes
        for target in ast.walk(class_)
        if _is_stored_in_self(target)
        or (isinstance(target, ast.Name) and _is_declared(class_, target))
    } - FREE


def _is_stored_in_self(target):
    match target:
        case ast.Attribute(value=ast.Name(id="self"), ctx=ast.Store()):
            return True
    return False


def _is_declared(class_def, target):
    """True for a field in the body of the class, not for a variable of a method."""
    targets = [
        each.target if isinstance(each, ast.AnnAssign) else each.targets[0]
        for each in class_def.body
        if isinstance(each, ast.AnnAssign | ast.Assign)
    ]
    return any(target is each for each in targets)


def name_of(expression):
    """The last name of `a.b.c`."""
    match expression:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return None


def field_in(expression, fields):
    """`OWNER.field` if the expression is a field of an owner, or a part of one; else None."""
    while isinstance(expression, ast.Attribute | ast.Subscript):
        if isinstance(expression, ast.Attribute):
            owner = HOLDERS.get(name_of(expression.value))
            if owner is not None and expression.attr in fields[owner]:
                return f"{owner}.{expression.attr}"
        expression = expression.value
    return None


def writes(tree, fields):
    """(line, field) of each assignment to a field of an owner, and of each call that changes it."""
    for node in ast.walk(tree):
        match node:
            case (
                ast.Attribute(ctx=ast.Store() | ast.Del())
                | ast.Subscript(ctx=ast.Store() | ast.Del())
            ):
                field = field_in(node, fields)
            case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in CHANGING:
                field = field_in(value, fields)
            case _:
                continue
        if field is not None:
            yield node.lineno, field


@pytest.fixture(scope="module")
def fields():
    return {owner: fields_of(owner) for owner in OWNERS}


def test_the_owners_have_the_fields_that_raft_names(fields):
    assert {"role", "epoch", "voted", "leader_id", "log", "high_watermark"} <= fields["Quorum"]
    assert {"progress", "observers", "check_quorum_ms", "change"} <= fields["Leader"]
    assert {"is_plain", "election", "persist", "sends"} <= fields["Turn"]


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
def test_a_write_from_outside_is_found(source, field, fields):
    assert [(1, field)] == list(writes(ast.parse(source), fields))


@pytest.mark.parametrize(
    "source",
    ["epoch = quorum.epoch", "quorum.truncate(3, turn)", "turn.replies += (reply,)", "role = 1"],
)
def test_a_read_and_a_transition_are_none(source, fields):
    assert [] == list(writes(ast.parse(source), fields))


def test_each_effect_of_a_turn_ends_its_fast_path(fields):
    (turn,) = [
        node
        for node in ast.walk(tree_of(f"{RAFT}.protocol"))
        if isinstance(node, ast.ClassDef) and node.name == "Turn"
    ]
    written = {
        method.name: {target.attr for target in ast.walk(method) if _is_stored_in_self(target)}
        for method in turn.body
        if isinstance(method, ast.FunctionDef) and method.name != "__init__"
    }

    assert fields["Turn"] - {"now_ms", "wall_ms"} == set().union(*written.values())
    assert [] == [name for name, stored in written.items() if "is_plain" not in stored]


def test_only_transitions_change_a_replica_a_leader_and_a_turn(fields):
    found = [
        f"{module}:{line}: {field}"
        for module in modules()
        if not module.startswith(tuple(EXEMPT))
        for line, field in writes(tree_of(module), fields)
    ]

    assert [] == found
