"""The OpenAPI document, generated from the operations and from the schemas of Kafka's APIs.

The schemas of responses are those of the types that the functions of the operations return.
"""

from importlib.metadata import PackageNotFoundError, version

import msgspec

from kraftsim.controller.wire.json.document import Document
from kraftsim.controller.wire.json.json_form import json_schema

from ..api.argument_checks import LIMIT_MAX
from ..operation import Operation, Parameter
from ..operations import LIST_EVENTS, OPERATIONS, SHOW_LOG
from .kafka_json import KAFKA_APIS
from .paths import LIVENESS, METRICS, OPENAPI, READINESS, kafka_path

JSON = "application/json"
REFERENCE = "#/components/schemas/{name}"
VERSION = "API version; an unsupported version is refused (default: no check)"
_TYPES = {int: "integer", bool: "boolean", str: "string", dict: "object"}


def package_version() -> str:
    """Returns the version of the installed package, or "0+unknown" in a source tree."""
    try:
        return version("kraftsim")
    except PackageNotFoundError:  # a source tree that is not installed
        return "0+unknown"


def openapi_document() -> Document:
    """Returns the OpenAPI document."""
    types = sorted({kind for operation in OPERATIONS for kind in operation.responses}, key=_name)
    _, components = msgspec.json.schema_components(
        types, schema_hook=_any_value, ref_template=REFERENCE
    )
    paths: dict[str, Document] = {}
    for operation in OPERATIONS:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation)
    paths |= {kafka_path(name): {"post": _kafka(name)} for name in KAFKA_APIS}
    paths |= {path: {"get": _fixed(path)} for path in FIXED}
    return {
        "openapi": "3.1.0",
        "info": {"title": "kraftsim", "version": package_version()},
        "paths": paths,
        "components": {
            "schemas": components | {"Error": ERROR},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
    }


def _object(**properties: str) -> Document:
    """Returns the schema of an object with these properties, all required, and their types."""
    named = {name: {"type": kind} for name, kind in properties.items()}
    return {"type": "object", "properties": named, "required": list(named)}


ERROR = _object(errorCode="integer", error="string", message="string")
FIXED: dict[str, tuple[str, str, Document]] = {  # summary, media type and schema
    LIVENESS: ("Report that the process runs.", JSON, _object(status="string")),
    READINESS: ("Report whether a controller is active.", JSON, _object(ready="boolean")),
    OPENAPI: ("Return this document.", JSON, {"type": "object"}),
    METRICS: (
        "Return the metrics of the cluster in the text format of Prometheus.",
        "text/plain",
        {"type": "string"},
    ),
}
BOUNDS: dict[str, Document] = {
    "limit": {"minimum": 1, "maximum": LIMIT_MAX},
    "from_": {"minimum": 0},
}
STREAMS = {LIST_EVENTS: "text/event-stream", SHOW_LOG: "application/x-ndjson"}


def _fixed(path: str) -> Document:
    summary, media_type, schema = FIXED[path]
    responses = _responses(schema, media_type)
    if path == READINESS:
        responses["503"] = {"description": "no controller is active", **_content(schema)}
    name = path.strip("/").replace(".json", "")
    return {"operationId": name, "summary": summary, "responses": responses}


def _kafka(name: str) -> Document:
    """Returns a POST of one of Kafka's APIs; its response adds the fields of an error."""
    api = KAFKA_APIS[name]
    schema = json_schema(api.response)
    error = {field: {"type": kind["type"]} for field, kind in ERROR["properties"].items()}  # type: ignore[attr-defined]  # an object
    schema["properties"] = error | schema["properties"]  # type: ignore[operator]  # an object
    return {
        "operationId": name,
        "summary": f"Send Kafka's {name} request in JSON.",
        "parameters": [_query("version", {"type": "integer"}, VERSION)],
        "requestBody": {"required": True, **_content(json_schema(api.request))},
        "responses": _responses(schema),
    }


def _any_value(kind: type) -> Document:
    """Returns the schema of `object`: fields of Kafka's messages and records have any type."""
    if kind is not object:
        raise NotImplementedError(f"expected a type with a schema, got {kind}")
    return {"description": "any JSON value"}


def _name(kind: type) -> str:
    return kind.__name__


def _response_schema(operation: Operation) -> Document:
    references: list[Document] = [
        {"$ref": REFERENCE.format(name=kind.__name__)} for kind in operation.responses
    ]
    return references[0] if len(references) == 1 else {"anyOf": references}


def _operation(operation: Operation) -> Document:
    in_path = operation.path_names
    outside_path = [
        parameter for parameter in operation.parameters if parameter.name not in in_path
    ]
    document: Document = {
        "operationId": operation.name,
        "summary": operation.summary,
        "responses": _responses(_response_schema(operation)),
    }
    if operation in STREAMS:
        stream = {STREAMS[operation]: {"schema": {"type": "string"}}}
        document["responses"]["200"]["content"] |= stream  # type: ignore[index]  # of _responses
    parameters = [
        _in_path(parameter) for parameter in operation.parameters if parameter.name in in_path
    ]
    if operation.method == "GET":
        parameters += [
            _query(
                parameter.json_name,
                _schema(parameter),
                parameter.help,
                required=parameter.is_required,
            )
            for parameter in outside_path
        ]
    else:  # an object even without properties: what changes must be JSON (docs/security.md)
        properties = {
            parameter.json_name: _schema(parameter) | {"description": parameter.help}
            for parameter in outside_path
        }
        body = _content({"type": "object", "properties": properties})
        document["requestBody"] = {"required": True, **body}
    return document | {"parameters": parameters}


def _in_path(parameter: Parameter) -> Document:
    return {
        "name": parameter.name,
        "in": "path",
        "required": True,
        "description": parameter.help,
        "schema": _schema(parameter),
    }


def _schema(parameter: Parameter) -> Document:
    schema: Document = {"type": _TYPES[parameter.kind]}
    return schema | (BOUNDS.get(parameter.name, {}) if parameter.kind is int else {})


def _query(name: str, schema: Document, description: str, *, required: bool = False) -> Document:
    return {
        "name": name,
        "in": "query",
        "required": required,
        "description": description,
        "schema": schema,
    }


def _content(schema: Document, media_type: str = JSON) -> Document:
    return {"content": {media_type: {"schema": schema}}}


def _responses(schema: Document, media_type: str = JSON) -> Document:
    error = _content({"$ref": "#/components/schemas/Error"})
    return {
        "200": {"description": "result", **_content(schema, media_type)},
        "default": {"description": "error", **error},
    }
