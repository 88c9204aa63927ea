"""The OpenAPI document, generated from the operations and from the schemas of Kafka's APIs."""

from importlib.metadata import PackageNotFoundError, version

from kraftsim.controller.wire.json.document import Document
from kraftsim.controller.wire.json.json_form import json_schema

from ..operation import Operation
from ..operations import OPERATIONS
from .kafka_json import KAFKA_APIS
from .paths import LIVENESS, METRICS, OPENAPI, READINESS, kafka_path

VERSION = "API version; an unsupported version is refused (default: no check)"
_TYPES = {int: "integer", bool: "boolean", str: "string"}


def package_version() -> str:
    """Returns the version of the installed package, or "0+unknown" in a source tree."""
    try:
        return version("kraftsim")
    except PackageNotFoundError:  # a source tree that is not installed
        return "0+unknown"


def openapi_document() -> Document:
    """Returns the OpenAPI document."""
    paths: dict[str, Document] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation)
    for name, api in KAFKA_APIS.items():
        paths[kafka_path(name)] = {
            "post": {
                "operationId": name,
                "summary": f"Send Kafka's {name} request in JSON.",
                "parameters": [_query("version", "string", VERSION)],
                "requestBody": _body(json_schema(api.request)),
                "responses": _responses(json_schema(api.response)),
            }
        }
    for path, summary in _FIXED.items():
        name = path.strip("/").replace(".json", "")
        paths[path] = {
            "get": {"operationId": name, "summary": summary, "responses": _responses({})}
        }
    return {
        "openapi": "3.1.0",
        "info": {"title": "kraftsim", "version": package_version()},
        "paths": paths,
    }


_FIXED = {
    LIVENESS: "Report that the process runs.",
    METRICS: "Return the metrics of the cluster in the text format of Prometheus.",
    READINESS: "Report whether a controller is active.",
    OPENAPI: "Return this document.",
}


def _operation(operation: Operation) -> Document:
    in_path = operation.path_names
    outside_path = [
        parameter for parameter in operation.parameters if parameter.name not in in_path
    ]
    document: Document = {
        "operationId": operation.name,
        "summary": operation.summary,
        "responses": _responses({}),
    }
    named: list[Document] = [
        {
            "name": parameter.name,
            "in": "path",
            "required": True,
            "description": parameter.help,
            "schema": {"type": _TYPES[parameter.kind]},
        }
        for parameter in operation.parameters
        if parameter.name in in_path
    ]
    if operation.method == "GET":
        named += [
            _query(
                parameter.json_name,
                _TYPES[parameter.kind],
                parameter.help,
                required=parameter.is_required,
            )
            for parameter in outside_path
        ]
    elif outside_path:
        properties = {
            parameter.json_name: {"type": _TYPES[parameter.kind], "description": parameter.help}
            for parameter in outside_path
        }
        document["requestBody"] = _body({"type": "object", "properties": properties})
    return document | {"parameters": named}


def _query(name: str, kind: str, description: str, *, required: bool = False) -> Document:
    return {
        "name": name,
        "in": "query",
        "required": required,
        "description": description,
        "schema": {"type": kind},
    }


def _body(schema: Document) -> Document:
    return {"content": {"application/json": {"schema": schema}}}


def _responses(schema: Document) -> Document:
    error: Document = {
        "type": "object",
        "properties": {
            "errorCode": {"type": "integer"},
            "error": {"type": "string"},
            "message": {"type": "string"},
        },
    }
    return {
        "200": {"description": "result", **_body(schema or {"type": "object"})},
        "default": {"description": "error", **_body(error)},
    }
