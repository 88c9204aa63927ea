"""Finds writes to the state of a replica from outside its class, by annotations and aliases.

An expression is an owner if it is annotated as one, is constructed or returned as one, or is a name
for such an expression. A name without any of these, in code typed Any, goes by `HOLDERS`.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from tests.test_architecture import modules, nodes_of, tree_of

RAFT = "kraftsim.controller.raft"
OWNERS = {
    "Quorum": [f"{RAFT}.quorum", f"{RAFT}.replica_log"],
    "Leader": [f"{RAFT}.roles"],
    "Turn": [f"{RAFT}.protocol"],
}
ANNOTATIONS = {"Quorum": "Quorum", "Leader": "Leader", "Role": "Leader", "Turn": "Turn"}
HOLDERS = {"quorum": "Quorum", "role": "Leader", "turn": "Turn"}
FREE = {"replies"}
"""Every handler adds to the replies of a turn."""
CHANGING = {
    *("append", "appended", "begin_at", "forget_before", "restart", "truncate", "truncated"),
    *("clear", "extend", "insert", "pop", "popitem", "remove", "setdefault", "sort", "update"),
}
"""Methods that change a log, a history of voters or a container."""
Fields = dict[str, set[str]]


@cache
def fields() -> Fields:
    """The fields that each owner or its base declares."""
    return {owner: _fields_of(owner) for owner in OWNERS}


def _fields_of(owner: str) -> set[str]:
    classes = [
        node
        for module in OWNERS[owner]
        for node in nodes_of(module)
        if isinstance(node, ast.ClassDef) and node.name in (owner, "ReplicaLog")
    ]
    return set().union(*(_declared(each) | stored_in_self(each) for each in classes)) - FREE


def _declared(class_def: ast.ClassDef) -> set[str]:
    """The fields in the body of the class, without the variables of methods."""
    targets = [
        node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
        for node in class_def.body
        if isinstance(node, ast.AnnAssign | ast.Assign)
    ]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def stored_in_self(tree: ast.AST) -> set[str]:
    """The attributes of `self` that the class or function assigns."""
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
    }


def last_name(expression: ast.AST | None) -> str | None:
    """The last name of `a.b.c`."""
    match expression:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return None


def annotated(annotation: ast.expr | None) -> str | None:
    """The owner that an annotation names, alone or in a union."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = ast.parse(annotation.value, mode="eval").body
    if isinstance(annotation, ast.BinOp):
        return annotated(annotation.left) or annotated(annotation.right)
    return ANNOTATIONS.get(last_name(annotation) or "")


@dataclass
class Scope:
    """The names of a function and of the functions in it: annotated owners, and aliases."""

    owners: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, list[ast.expr]] = field(default_factory=dict)

    def read(self, node: ast.AST) -> None:
        """Reads a parameter, an assignment or a pattern."""
        match node:
            case ast.arg(arg=name, annotation=annotation):
                self._annotate(name, annotation)
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value):
                self._annotate(name, annotation)
                self._alias(node.target, value)
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._alias(target, value)
            case ast.NamedExpr(target=target, value=value):
                self._alias(target, value)
            case ast.MatchAs(pattern=ast.MatchClass(cls=class_), name=str(name)):
                self._annotate(name, class_)

    def _annotate(self, name: str, annotation: ast.expr | None) -> None:
        owner = annotated(annotation)
        if owner is not None:
            self.owners[name] = owner

    def _alias(self, target: ast.expr, value: ast.expr | None) -> None:
        match target, value:
            case ast.Name(id=name), ast.expr():
                self.aliases.setdefault(name, []).append(value)
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                for each, its_value in zip(targets, values, strict=True):
                    self._alias(each, its_value)

    def owner_of(self, expression: ast.expr, passed: tuple[str, ...] = ()) -> str | None:
        """The owner class of the expression; None if it has another class."""
        match expression:
            case ast.Name(id=name) if name in self.owners:
                return self.owners[name]
            case ast.Name(id=name) if name in self.aliases and name not in passed:
                values = self.aliases[name]
                found = [self.owner_of(value, (*passed, name)) for value in values]
                return next((owner for owner in found if owner is not None), None)
            case ast.Attribute(attr=name):
                return attributes().get(name, HOLDERS.get(name))
            case ast.Name(id=name):
                return HOLDERS.get(name)
            case ast.Call(func=ast.Name(id="copy" | "replace"), args=[original, *_]):
                return self.owner_of(original, passed)
            case ast.Call(func=func):
                name = last_name(func) or ""
                return ANNOTATIONS.get(name, returning().get(name))
        return None

    def field_in(self, expression: ast.expr, passed: tuple[str, ...] = ()) -> str | None:
        """`OWNER.field` if the expression is a field of an owner, or a part of one; else None."""
        while isinstance(expression, ast.Attribute | ast.Subscript):
            if isinstance(expression, ast.Attribute):
                owner = self.owner_of(expression.value)
                if owner is not None and expression.attr in fields()[owner]:
                    return f"{owner}.{expression.attr}"
            expression = expression.value
        if isinstance(expression, ast.Name) and expression.id not in passed:
            aliases = self.aliases.get(expression.id, [])
            found = [self.field_in(value, (*passed, expression.id)) for value in aliases]
            return next((name for name in found if name is not None), None)
        return None


@cache
def returning() -> dict[str, str]:
    """The owner that a function returns, by the name of the function."""
    return {
        node.name: owner
        for module in modules()
        for node in nodes_of(module)
        if isinstance(node, ast.FunctionDef) and (owner := annotated(node.returns)) is not None
    }


@cache
def attributes() -> dict[str, str]:
    """The owner that an attribute holds, by the name of the attribute."""
    found: dict[str, str] = {}
    for module in modules():
        for scope, nodes in scopes(tree_of(module)):
            for node in nodes:
                owner = None
                match node:
                    case ast.AnnAssign(target=ast.Attribute(attr=name) | ast.Name(id=name)):
                        owner = annotated(node.annotation)
                    case ast.Assign(targets=[ast.Attribute(attr=name)], value=ast.Name(id=value)):
                        owner = scope.owners.get(value)
                if owner is not None:
                    found[name] = owner
    return found


def scopes(tree: ast.Module) -> Iterator[tuple[Scope, list[ast.AST]]]:
    """Each outermost function, and the rest of the module, with the names in it."""
    outside: list[ast.AST] = []
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield _scope([*ast.walk(node)])
        else:
            outside.append(node)
            waiting += ast.iter_child_nodes(node)
    yield _scope(outside)


def _scope(nodes: list[ast.AST]) -> tuple[Scope, list[ast.AST]]:
    scope = Scope()
    for node in nodes:
        scope.read(node)
    return scope, nodes


def writes(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """(line, field) of each assignment to a field of an owner, and of each call that changes it."""
    for scope, nodes in scopes(tree):
        for node in nodes:
            match node:
                case ast.Attribute(ctx=ast.Store() | ast.Del()):
                    found = scope.field_in(node)
                case ast.Subscript(ctx=ast.Store() | ast.Del()):
                    found = scope.field_in(node)
                case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in CHANGING:
                    found = scope.field_in(value)
                case _:
                    continue
            if found is not None:
                yield node.lineno, found
