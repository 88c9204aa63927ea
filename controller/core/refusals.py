"""The responses that refuse requests: where each has the error is in the row of its API."""

from collections.abc import Iterator
from dataclasses import MISSING, fields
from functools import cache
from typing import Any

from .api_row import CODE, EACH, ApiRow
from .apis import row_of
from .errors import ApiError, ErrorCode
from .message import Structure
from .rpc import Request, Response

_ERROR_CODES = ("error_code", "partition_error_code")
_ERROR_MESSAGE = "error_message"


def answered(request: Request, reply: Response | ApiError) -> Response:
    """Returns the response to `request`, which the reply is or refuses."""
    return refused(request, reply) if isinstance(reply, ApiError) else reply


def refused(request: Request, error: ApiError) -> Response:
    """Returns the response to `request` that has the error.

    The row says whether the whole response has it, or also each element of the request: a topic, a
    partition, a group. Such an element has the fields by which the client knows it.
    """
    row = row_of(request)
    model: type[Any] = request.RESPONSE
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
    arrays = (getattr(response, name) or () for name in response.ELEMENTS)
    first = next((element for elements in arrays for element in elements), None)
    return getattr(first, "error_code", ErrorCode.NONE)


def _repeated(model: type[Structure], source: object, error: ApiError, row: ApiRow) -> Any:
    """Returns an object of `model` with the error, and with the fields that `source` has too.

    A source that is a name or a number has one field, which is the first of `model` but errors.
    """
    values, elements = _errors(model, error, row), model.ELEMENTS
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


def _found(source: object, paths: str) -> Iterator[Any]:
    """Yields the fields of `source` at the paths; that of "dirs.topics" has the topics of all."""
    for path in paths.split():
        name, _, inner = path.partition(".")
        if hasattr(source, name):
            found = getattr(source, name)
            yield [item for outer in found for item in getattr(outer, inner)] if inner else found
