"""What mypyc is given to read of a module: the same, and two things that Python need not hear.

A class that is a value has its `__init__` written out: `core/value.py` makes one at run time, where
a compiler does not see it. What is written in capitals never changes: it is `Final`.
"""

import ast

DECORATOR = "value"
DATACLASS = "dataclass(init=False, kw_only=True, unsafe_hash=True)"
IMPORTS = "from dataclasses import dataclass\nfrom typing import Final"


def said_to_a_compiler(source: str) -> str:
    module = ast.parse(source)
    module.body = [said for one in module.body for said in _statements(one)]
    begin = next(i for i, one in enumerate(module.body) if not _is_docstring(one))
    module.body[begin:begin] = ast.parse(IMPORTS).body
    return ast.unparse(module)


def _statements(one: ast.stmt) -> list[ast.stmt]:
    if isinstance(one, ast.ClassDef) and _is_value(one):
        one.decorator_list = [_expression(DATACLASS)]
        one.body += ast.parse(_init(one)).body
    elif isinstance(one, ast.Assign) and all(_is_constant(each) for each in one.targets):
        value = ast.unparse(one.value)
        return ast.parse("\n".join(f"{ast.unparse(n)}: Final = {value}" for n in one.targets)).body
    elif isinstance(one, ast.AnnAssign) and _is_constant(one.target):
        one.annotation = _expression(f"Final[{ast.unparse(one.annotation)}]")
    return [one]


def _is_docstring(one: ast.stmt) -> bool:
    return isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)


def _is_constant(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) and target.id.isupper() and target.id != "_T"


def _is_value(one: ast.ClassDef) -> bool:
    return [ast.unparse(decorator) for decorator in one.decorator_list] == [DECORATOR]


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


# The `__init__` of a value


def _init(one: ast.ClassDef) -> str:
    fields = [each for each in one.body if isinstance(each, ast.AnnAssign)]
    parameters = ", ".join(["self", "*" if fields else "", *(_parameter(each) for each in fields)])
    body = "; ".join(f"self.{_name(each)} = {_given(each)}" for each in fields)
    return f"def __init__({parameters.rstrip(', ')}) -> None: {body or 'pass'}"


def _name(field: ast.AnnAssign) -> str:
    return ast.unparse(field.target)


def _parameter(field: ast.AnnAssign) -> str:
    said = f"{_name(field)}: {ast.unparse(field.annotation)}"
    if _factory(field) is not None:
        return f"{said} | None = None"
    return said if field.value is None else f"{said} = {ast.unparse(field.value)}"


def _given(field: ast.AnnAssign) -> str:
    """What the field is set to: what was given, or what its `default_factory` makes anew."""
    name, factory = _name(field), _factory(field)
    return name if factory is None else f"{factory}() if {name} is None else {name}"


def _factory(field: ast.AnnAssign) -> str | None:
    if not (isinstance(field.value, ast.Call) and ast.unparse(field.value.func) == "field"):
        return None
    (factory,) = (one.value for one in field.value.keywords if one.arg == "default_factory")
    return ast.unparse(factory)
