"""Mutation operators: the small mistakes that a programmer makes, as changes of a syntax tree.

A site is one place of a module at which one operator applies. Docstrings, annotations and texts of
errors are left alone: a change of them breaks no promise that a run could notice.
"""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

Change = Callable[[], None]
Found = Iterator[tuple[ast.AST, str, Change]]

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
# Fields that are alike enough to be confused.
ALIKE = (
    ("isr", "replicas"),
    ("elr", "isr"),
    ("elr", "last_known_elr"),
    ("leader_epoch", "partition_epoch"),
    ("adding_replicas", "removing_replicas"),
    ("broker_epoch", "broker_id"),
    ("fenced", "in_controlled_shutdown"),
    ("want_fence", "want_shut_down"),
    ("base_offset", "last_offset"),
    ("start_offset", "end_offset"),
    ("high_watermark", "end_offset"),
    ("now_ms", "wall_ms"),
    ("epoch", "last_epoch"),
    ("node_id", "leader_id"),
)


@dataclass(frozen=True, slots=True)
class Site:
    """One place at which an operator applies: its number in the module, its line, its change."""

    number: int
    line: int
    change: str


def sites(source: str) -> list[Site]:
    """Returns every site of a module."""
    found = _changes(ast.parse(source))
    return [
        Site(number, getattr(node, "lineno", 0), what)
        for number, (node, what, _) in enumerate(found)
    ]


def mutated(source: str, number: int) -> str:
    """Returns the source of the module with the change of one site."""
    tree = ast.parse(source)
    for index, (_, _, change) in enumerate(_changes(tree)):
        if index == number:
            change()
            break
    return ast.unparse(ast.fix_missing_locations(tree)) + "\n"


def _changes(tree: ast.Module) -> Found:
    """Yields the changes of every function, in the order of the source."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            yield from _of_body(function.body)


def _of_body(body: list[ast.stmt]) -> Found:
    for index, statement in enumerate(body):
        if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.Raise | ast.Assert):
            continue  # functions in functions have their turn; a refusal's text says nothing
        yield from _dropped(body, index)
        for node in _expressions(statement):
            yield from _of_expression(node)
        for inner in ("body", "orelse", "finalbody"):
            yield from _of_body(getattr(statement, inner, []))
        for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
            yield from _of_body(part.body)


def _expressions(statement: ast.stmt) -> Iterator[ast.expr]:
    """Yields the expressions of one statement, without those of the statements in it."""
    for name, value in ast.iter_fields(statement):
        if name in ("annotation", "returns"):
            continue
        parts = value if isinstance(value, list) else [value]
        for part in parts:
            if isinstance(part, ast.expr):
                yield from (node for node in ast.walk(part) if isinstance(node, ast.expr))


def _dropped(body: list[ast.stmt], index: int) -> Found:
    """Yields statements that are dropped: updates, calls for their effect, conditions, loops."""
    statement = body[index]

    def drop() -> None:
        body[index] = ast.copy_location(ast.Pass(), statement)

    match statement:
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]) | ast.AugAssign():
            yield statement, "dropped update", drop
        case ast.Expr(value=ast.Call()):
            yield statement, "dropped call", drop
        case ast.If():
            for value, word in ((True, "always"), (False, "never")):
                change = _setter(statement, "test", ast.Constant(value))
                yield statement, f"condition is {word} true", change
        case ast.For(body=inner):
            yield statement, "loop ends after its first pass", lambda: inner.append(ast.Break())


def _of_expression(node: ast.expr) -> Found:
    match node:
        case ast.Compare(ops=[op]) if type(op) in COMPARISONS:
            other = COMPARISONS[type(op)]
            name = f"{type(op).__name__} -> {other.__name__}"
            yield node, name, _setter(node, "ops", [other()])
        case ast.BoolOp(values=values):
            for index in range(len(values)):
                yield node, f"dropped condition {index + 1}", _remover(values, index)
        case ast.UnaryOp(op=ast.Not()):
            yield node, "dropped not", _twice(node)
        case ast.BinOp(op=ast.Add() | ast.Sub() as op):
            other_op = ast.Sub() if isinstance(op, ast.Add) else ast.Add()
            yield node, "plus <-> minus", _setter(node, "op", other_op)
        case ast.Constant(value=value) if type(value) is int:
            yield node, f"{value} -> {value + 1}", _setter(node, "value", value + 1)
        case ast.Constant(value=value) if type(value) is bool:
            yield node, f"{value} -> {not value}", _setter(node, "value", not value)
        case ast.Attribute(attr=name):
            yield from _confused(node, name)
        case ast.Call(keywords=keywords) if len(keywords) > 1:
            for first, second in pairwise(keywords):
                is_change = ast.dump(first.value) != ast.dump(second.value)
                if first.arg and second.arg and is_change:
                    what = f"swapped {first.arg} and {second.arg}"
                    yield node, what, _swapper(first, second)


def _confused(node: ast.Attribute, name: str) -> Found:
    for pair in ALIKE:
        if name in pair:
            (wrong,) = {*pair} - {name}
            yield node, f"{name} -> {wrong}", _setter(node, "attr", wrong)


def _setter(node: ast.AST, field: str, value: object) -> Change:
    return lambda: setattr(node, field, value)


def _twice(node: ast.UnaryOp) -> Change:
    """Returns the change of `not x` to `not not x`."""

    def negate() -> None:
        node.operand = ast.UnaryOp(ast.Not(), node.operand)

    return negate


def _remover(values: list[ast.expr], index: int) -> Change:
    def remove() -> None:
        del values[index]
        if len(values) == 1:  # `and` and `or` have two values or more
            values.append(values[0])

    return remove


def _swapper(first: ast.keyword, second: ast.keyword) -> Change:
    def swap() -> None:
        first.value, second.value = second.value, first.value

    return swap
