"""The responses that refuse requests: where each has the error is in the row of its API."""

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields
from functools import cache
from types import ModuleType
from typing import Any, get_args, get_type_hints

from . import rpc
from .api_row import CODE, EACH, ApiRow
from .apis import row_of
from .errors import ApiError, ErrorCode
from .rpc import Request, Response
from .rpc.data_plane import ELEMENT

_ERROR_CODES = ("error_code", "partition_error_code")
_ERROR_MESSAGE = "error_message"
_RESPONSES: Mapping[str, type] = {
    name: item
    for module in vars(rpc).values()
    if isinstance(module, ModuleType)
    for name, item in vars(module).items()
    if name.endswith("Response") and isinstance(item, type)
}


def answered(request: Request, reply: Response | ApiError) -> Response:
    """Returns the response to `request`, which the reply is or refuses."""
    return refused(request, reply) if isinstance(reply, ApiError) else reply


def refused(request: Request, error: ApiError) -> Response:
    """Returns the response to `request` that has the error.

    The row says whether the whole response has it, or also each element of the request: a topic, a
    partition, a group. Such an element has the fields by which the client knows it.
    """
    row, model = row_of(request), response_model(request)
    made: Response
    if row.error is EACH:
        made = _repeated(model, request, error, row)
    elif row.error is CODE:
        made = model(error_code=error.code)
    else:
        made = model(**_errors(model, error, row))
    return made


def code_of(response: Response) -> int:
    """Returns the code of a response; if only its elements have one, that of the first element."""
    whole: int | None = getattr(response, "error_code", None)
    if whole is not None:
        return whole
    model: Any = type(response)
    arrays = (getattr(response, name) or () for name in _elements(model))
    first = next((element for elements in arrays for element in elements), None)
    return getattr(first, "error_code", ErrorCode.NONE)


def response_model(request: Request) -> Any:
    """Returns the class of the responses to a request."""
    own = getattr(request, "response", None)
    return _RESPONSES[f"{row_of(request).name}Response"] if own is None else own


def _repeated(model: type, source: object, error: ApiError, row: ApiRow) -> Any:
    """Returns an object of `model` with the error, and with the fields that `source` has too.

    A source that is a name or a number has one field, which is the first of `model` but errors.
    """
    values, elements = _errors(model, error, row), _elements(model)
    names = [field.name for field in fields(model) if field.name not in values]
    if isinstance(source, str | int):
        values[names[0]] = source
        names = []
    for name in names:
        found = list(_found(source, row.repeats.get(name, name)))
        element = elements.get(name)
        if element is not None and found:
            items = (item for items in found for item in items or ())
            values[name] = tuple(_repeated(element, item, error, row) for item in items)
        elif found:
            values[name] = found[0]
    required = (field.name for field in fields(model) if field.default is MISSING)
    return model(**dict.fromkeys(required, ()) | values)


def _errors(model: type, error: ApiError, row: ApiRow) -> dict[str, Any]:
    """Returns the code and the message as `model` has them; it may have neither."""
    codes, message, has_null = _error_fields(model)
    errors: dict[str, Any] = dict.fromkeys(codes, error.code)
    if message is not None:
        is_null = not error.message and (has_null or row.message_or_null)
        errors[message] = None if is_null else error.message
    return errors


@cache
def _error_fields(model: type) -> tuple[tuple[str, ...], str | None, bool]:
    """Returns the fields of codes and that of the message, and whether its default is null."""
    defaults = {field.name: field.default for field in fields(model)}
    codes = tuple(name for name in _ERROR_CODES if name in defaults)
    message = _ERROR_MESSAGE if _ERROR_MESSAGE in defaults else None
    return codes, message, defaults.get(_ERROR_MESSAGE) is None


@cache
def _elements(model: type) -> Mapping[str, type]:
    """Returns the classes of the elements of the arrays of structs of `model`."""
    declared: Mapping[str, type] | None = getattr(model, "ELEMENTS", None)
    if declared is not None:
        return declared
    made = {field.name: field.metadata[ELEMENT] for field in fields(model) if field.metadata}
    written = {
        name: inner
        for name, hint in get_type_hints(model).items()
        for part in (hint, *get_args(hint))
        for inner in get_args(part)
        if hasattr(inner, "__dataclass_fields__")
    }
    return written | made


def _found(source: object, paths: str) -> Iterator[Any]:
    """Yields the fields of `source` at the paths; that of "dirs.topics" has the topics of all."""
    for path in paths.split():
        name, _, inner = path.partition(".")
        if hasattr(source, name):
            found = getattr(source, name)
            yield [item for outer in found for item in getattr(outer, inner)] if inner else found
