"""JSON responses: the documents of operations, and errors, which all have the same fields."""

import json
from collections.abc import Mapping

from aiohttp import web

from kraftsim.controller.wire.json.document import Document

from ..api.views.slices import in_slices


def json_response(document: object, status: int = 200) -> web.Response:
    """Returns a response with the document as JSON."""
    return web.json_response(text=json.dumps(document) + "\n", status=status)


async def page_response(document: Mapping[str, object]) -> web.Response:
    """Returns a response with the document as JSON, and encodes its long lists in slices."""
    fields = [f"{json.dumps(name)}: {await _text(value)}" for name, value in document.items()]
    return web.json_response(text="{" + ", ".join(fields) + "}\n")


async def _text(value: object) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(await in_slices(map(json.dumps, value))) + "]"
    return json.dumps(value)


def refusal(status: int, message: str, error: str = "", code: int = -1) -> web.Response:
    """Returns a response with an error: Kafka's code or -1, its name, and a sentence."""
    document: Document = {"errorCode": code, "error": error, "message": message}
    return json_response(document, status)


def refusal_of(error: web.HTTPException) -> web.Response:
    """Returns the error of aiohttp as a response."""
    name = error.reason.upper().replace(" ", "_")
    return refusal(error.status, error.text or error.reason, name)
