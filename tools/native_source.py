"""Rewrites the source of a module for mypyc; the program stays the same.

Methods that a dataclass or a value (`core/value.py`) gets at run time are written out, because a
compiler does not see them: `__init__`, `__eq__` and `__hash__`. Names in capitals become `Final`.
A compiled class has no empty objects whose attributes could be set later. So `from_values` is added
for decoders (a call with named arguments takes four times as long), and `__reduce__` for `pickle`.
Classes that Python classes are derived from are open to them.
"""

import ast

DECORATORS = {  # of core/value.py: what each does, except for slots
    "value": {"kw_only": "True", "eq": "True", "unsafe_hash": "True"},
    "slotted": {},
}
WRITTEN_OUT = ("init", "eq", "frozen", "slots", "unsafe_hash")
IMPORTS = """
from collections.abc import Mapping
from dataclasses import MISSING, dataclass
from typing import TYPE_CHECKING, ClassVar, Final, no_type_check
if TYPE_CHECKING:
    from mypy_extensions import mypyc_attr
"""
OPEN = ("ApiError", "OwnProperty", "Property", "Request", "Response", "Structure")
INTERPRETED = ("BoundedBatches",)
"""Classes that inherit from tuple, which mypyc does not compile. It leaves a class alone that has a
decorator unknown to it, and applies the decorator: `no_type_check` does nothing at run time."""
STRUCTURES = ("ControlRecord", "Record", "Request", "Response", "Structure")  # core/message.py


def rewritten_for_mypyc(source: str) -> str:
    """Returns the source of a module, rewritten for mypyc."""
    module = ast.parse(source)
    module.body = [rewritten for statement in module.body for rewritten in _statements(statement)]
    begin = next(i for i, statement in enumerate(module.body) if not _is_first(statement))
    module.body[begin:begin] = ast.parse(IMPORTS).body
    return ast.unparse(module)


def _statements(statement: ast.stmt) -> list[ast.stmt]:
    if isinstance(statement, ast.ClassDef):
        _write_out(statement)
        if statement.name in OPEN:
            statement.decorator_list.append(
                _expression("mypyc_attr(allow_interpreted_subclasses=True)")
            )
        if statement.name in INTERPRETED:
            statement.decorator_list.append(_expression("no_type_check"))
    elif isinstance(statement, ast.Assign) and all(
        _is_constant(target) and not _is_type_variable(statement) for target in statement.targets
    ):
        value = ast.unparse(statement.value)
        return ast.parse(
            "\n".join(f"{ast.unparse(n)}: Final = {value}" for n in statement.targets)
        ).body
    elif isinstance(statement, ast.AnnAssign) and _is_constant(statement.target):
        statement.annotation = _expression(f"Final[{ast.unparse(statement.annotation)}]")
    return [statement]


def _is_first(statement: ast.stmt) -> bool:
    """True for what stands before the imports of a module."""
    is_future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
    return is_future or _is_docstring(statement)


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_constant(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) and target.id.isupper()


def _is_type_variable(statement: ast.Assign) -> bool:
    call = statement.value
    return isinstance(call, ast.Call) and ast.unparse(call.func) == "TypeVar"


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


# Dataclasses


def _write_out(class_def: ast.ClassDef) -> None:
    """Adds the methods that a dataclass decorator requests; skips classes with `__post_init__`."""
    decorator = " ".join(ast.unparse(decorator) for decorator in class_def.decorator_list)
    methods = {
        statement.name for statement in class_def.body if isinstance(statement, ast.FunctionDef)
    }
    if {ast.unparse(base) for base in class_def.bases} & {*STRUCTURES}:
        _complete(class_def)
        return
    call = _expression(_as_dataclass(decorator or "None"))
    if not isinstance(call, ast.Call) or ast.unparse(call.func) != "dataclass":
        return
    if class_def.bases or "__post_init__" in methods:
        return
    options = {keyword.arg: ast.unparse(keyword.value) == "True" for keyword in call.keywords}
    written = [_init(class_def, is_by_name=options.get("kw_only", False))]
    written += [_from_values(class_def.name, _fields(class_def))]
    written.append(_reduce(class_def.name, _fields(class_def)))
    if options.get("eq", True):
        written.append(_eq(class_def.name, _compared(class_def)))
        if options.get("frozen") or options.get("unsafe_hash"):
            written.append(_hash(_compared(class_def)))
    kept_options = [
        ast.unparse(keyword) for keyword in call.keywords if keyword.arg not in WRITTEN_OUT
    ]
    class_def.decorator_list = [
        _expression(f"dataclass({', '.join([*kept_options, 'init=False', 'eq=False'])})")
    ]
    class_def.body += ast.parse("\n".join(written)).body


def _as_dataclass(decorator: str) -> str:
    """Returns the decorator `dataclass` for one of `core/value.py`; another decorator unchanged."""
    name, _, arguments = decorator.rstrip(")").partition("(")
    if name not in DECORATORS:
        return decorator
    given = (argument.split("=") for argument in arguments.split(", ") if argument)
    options = DECORATORS[name] | dict(given)
    if options.get("eq") == "False":
        options.pop("unsafe_hash", None)
    return f"dataclass({', '.join(f'{key}={item}' for key, item in options.items())})"


def _complete(class_def: ast.ClassDef) -> None:
    """Adds to a class of core/message.py what decoders and `pickle` need, and its comparison."""
    for statement in class_def.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == "__init__":
            fields = [
                ast.AnnAssign(ast.Name(parameter.arg), parameter.annotation, None, 1)
                for parameter in statement.args.kwonlyargs
                if parameter.annotation is not None
            ]
            given = zip(statement.args.kwonlyargs, statement.args.kw_defaults, strict=True)
            attributes = ", ".join(
                f"{parameter.arg!r}: {'MISSING' if default is None else ast.unparse(default)}"
                for parameter, default in given
            )
            written = [f"ATTRIBUTES: ClassVar[Mapping[str, object]] = {{{attributes}}}"]
            written += [_from_values(class_def.name, fields), _reduce(class_def.name, fields)]
            written += [_eq(class_def.name, fields), _hash(fields)]
            class_def.body += ast.parse("\n".join(written)).body
            return


def _fields(class_def: ast.ClassDef) -> list[ast.AnnAssign]:
    return [statement for statement in class_def.body if isinstance(statement, ast.AnnAssign)]


def _name(field: ast.AnnAssign) -> str:
    return ast.unparse(field.target)


def _init(class_def: ast.ClassDef, *, is_by_name: bool) -> str:
    fields = _fields(class_def)
    first = ["self", "*"] if is_by_name and fields else ["self"]
    parameters = ", ".join(first + [_parameter(field) for field in fields])
    body = "; ".join(f"self.{_name(field)} = {_value_of(field)}" for field in fields)
    return f"def __init__({parameters}) -> None: {body or 'pass'}"


def _from_values(model: str, fields: list[ast.AnnAssign]) -> str:
    names = [_name(field) for field in fields]
    parameters = ", ".join(f"{_name(field)}: {ast.unparse(field.annotation)}" for field in fields)
    call = f"{model}({', '.join(f'{name}={name}' for name in names)})"
    return f"@staticmethod\ndef from_values({parameters}) -> '{model}': return {call}"


def _reduce(model: str, fields: list[ast.AnnAssign]) -> str:
    values = "".join(f"self.{_name(field)}, " for field in fields)
    pair = f"({model}.from_values, ({values}))"
    return f"def __reduce__(self) -> tuple[object, ...]: return {pair}"


def _parameter(field: ast.AnnAssign) -> str:
    parameter, options = f"{_name(field)}: {ast.unparse(field.annotation)}", _options(field)
    if "default_factory" in options:
        return f"{_name(field)}: {_unquoted(field.annotation)} | None = None"
    if "default" in options:
        return f"{parameter} = {options['default']}"
    return parameter if field.value is None else f"{parameter} = {ast.unparse(field.value)}"


def _unquoted(annotation: ast.expr) -> str:
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value
    return ast.unparse(annotation)


def _value_of(field: ast.AnnAssign) -> str:
    """Returns the expression of a field's value: its argument, or a call of `default_factory`."""
    name, factory = _name(field), _options(field).get("default_factory")
    return name if factory is None else f"{factory}() if {name} is None else {name}"


def _eq(model: str, compared: list[ast.AnnAssign]) -> str:
    tests = [f"self.{_name(field)} == other.{_name(field)}" for field in compared]
    is_equal = " and ".join([f"isinstance(other, {model})", *tests])
    return f"def __eq__(self, other: object) -> bool: return {is_equal}"


def _hash(compared: list[ast.AnnAssign]) -> str:
    inside = "".join(f"self.{_name(field)}, " for field in compared)
    return f"def __hash__(self) -> int: return hash(({inside}))"


def _compared(class_def: ast.ClassDef) -> list[ast.AnnAssign]:
    return [field for field in _fields(class_def) if _options(field).get("compare") != "False"]


def _options(field: ast.AnnAssign) -> dict[str | None, str]:
    """Returns the arguments of the field's call of `field(...)`."""
    if not (isinstance(field.value, ast.Call) and ast.unparse(field.value.func) == "field"):
        return {}
    return {keyword.arg: ast.unparse(keyword.value) for keyword in field.value.keywords}
