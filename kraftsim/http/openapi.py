"""The OpenAPI document, generated from the operations and from the schemas of Kafka's APIs.

The schemas of responses are those of the types that the functions of the operations return. The
examples are requests to a real cluster and their responses: `python -m tools.http_examples` records
them in `examples.json`.
"""

import json
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec

from kraftsim.controller.core.configs.resources import RESOURCES
from kraftsim.controller.core.partitions.elect_leaders import ELECTIONS
from kraftsim.controller.wire.json.document import Document
from kraftsim.controller.wire.json.json_form import json_schema
from kraftsim.scenarios.language.suggestions import DIGITS_MAX
from kraftsim.simulation.event_row import EVENTS

from ..api.administration.config_words import SCOPES
from ..api.argument_checks import LIMIT_MAX
from ..api.states import STATES
from ..operations.operation import Operation, Parameter
from ..operations.table import LIST_EVENTS, OPERATIONS, SHOW_LOG
from ..options import SPEED_MAX, SPEED_MIN
from .kafka_json import KAFKA_APIS
from .paths import LIVENESS, METRICS, OPENAPI, PAGE, READINESS, kafka_path

JSON = "application/json"
REFERENCE = "#/components/schemas/{name}"
VERSION = "API version; an unsupported version is refused (default: no check)"
EXAMPLES = Path(__file__).with_name("examples.json")
_TYPES = {int: "integer", bool: "boolean", str: "string", list: "array", dict: "object"}
_WHOLE_MAX = 10**DIGITS_MAX - 1
_WHOLE_MIN = -(10 ** (DIGITS_MAX - 1)) + 1  # the sign counts as a digit


def package_version() -> str:
    """Returns the version of the installed package, or "0+unknown" in a source tree."""
    try:
        return version("kraftsim")
    except PackageNotFoundError:  # a source tree that is not installed
        return "0+unknown"


def openapi_document() -> Document:
    """Returns the OpenAPI document."""
    examples: dict[str, Document] = json.loads(EXAMPLES.read_text("utf-8"))
    types = sorted({kind for operation in OPERATIONS for kind in operation.responses}, key=_name)
    _, components = msgspec.json.schema_components(
        types, schema_hook=_any_value, ref_template=REFERENCE
    )
    paths: dict[str, Document] = {}
    for operation in OPERATIONS:
        example = examples.get(operation.name, {})
        document = _operation(operation, example)
        paths.setdefault(operation.path, {})[operation.method.lower()] = document
    for name in KAFKA_APIS:
        paths[kafka_path(name)] = {"post": _kafka(name, examples.get(name, {}))}
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
ERROR_EXAMPLE = {
    "errorCode": 42,
    "error": "INVALID_REQUEST",
    "message": "limit: expected 1 to 10000, got 0",
}
FIXED: dict[str, tuple[str, str, Document, object]] = {  # summary, media type, schema and example
    LIVENESS: (
        "Report that the process runs.",
        JSON,
        _object(status="string"),
        {"status": "alive"},
    ),
    READINESS: (
        "Report whether a controller is active.",
        JSON,
        _object(ready="boolean"),
        {"ready": True},
    ),
    OPENAPI: ("Return this document.", JSON, {"type": "object"}, {"openapi": "3.1.0"}),
    PAGE: (
        "Return the page that shows the cluster, and lessons.",
        "text/html",
        {"type": "string"},
        "<!doctype html>",
    ),
    METRICS: (
        "Return the metrics of the cluster in the text format of Prometheus.",
        "text/plain",
        {"type": "string"},
        "kafka_controller_kafkacontroller_activebrokercount 3.0\n",
    ),
}
BOUNDS: dict[str, Document] = {
    "limit": {"minimum": 1, "maximum": LIMIT_MAX},
    "from_": {"minimum": 0},
    "factor": {"anyOf": [{"const": 0}, {"minimum": SPEED_MIN, "maximum": SPEED_MAX}]},
}
CHOICES: dict[str, Document] = {
    "state": {"enum": list(STATES)},
    "kind": {"enum": list(EVENTS)},
    "election": {"enum": list(ELECTIONS)},
    "resource": {"enum": list(RESOURCES)},
    "scope": {"enum": list(SCOPES)},
}
CONFIG: Document = {"type": ["string", "number", "boolean"]}
IDS: Document = {"type": "array", "items": {"type": "integer"}}
PARTS: dict[str, Document] = {  # of arrays and objects
    "assignments": {"items": IDS},
    "config": {"additionalProperties": CONFIG},
    "delete": {"items": {"type": "string"}},
    "lines": {"items": {"type": "string"}},
    "replicas": {"additionalProperties": IDS},
    "values": {"additionalProperties": CONFIG},
}
STREAMS = {LIST_EVENTS: "text/event-stream", SHOW_LOG: "application/x-ndjson"}


def _fixed(path: str) -> Document:
    summary, media_type, schema, example = FIXED[path]
    responses = _responses(schema, example, media_type)
    if path == READINESS:
        content = _content(schema, {"ready": False})
        responses["503"] = {"description": "no controller is active", **content}
    name = path.strip("/").replace(".json", "") or "page"
    return {"operationId": name, "summary": summary, "responses": responses}


def _kafka(name: str, example: Document) -> Document:
    """Returns a POST of one of Kafka's APIs; its response adds the fields of an error."""
    api = KAFKA_APIS[name]
    schema = json_schema(api.response)
    error = {field: {"type": kind["type"]} for field, kind in ERROR["properties"].items()}  # type: ignore[attr-defined]  # an object
    schema["properties"] = error | schema["properties"]  # type: ignore[operator]  # an object
    body = _content(json_schema(api.request), example.get("body"))
    return {
        "operationId": name,
        "summary": f"Send Kafka's {name} request in JSON.",
        "parameters": [_query("version", {"type": "integer"}, VERSION)],
        "requestBody": {"required": True, **body},
        "responses": _responses(schema, example.get("response")),
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


def _operation(operation: Operation, example: Document) -> Document:
    in_path = operation.path_names
    outside_path = [
        parameter for parameter in operation.parameters if parameter.name not in in_path
    ]
    document: Document = {
        "operationId": operation.name,
        "summary": operation.summary,
        "responses": _responses(_response_schema(operation), example.get("response")),
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
        required = [parameter.json_name for parameter in outside_path if parameter.is_required]
        schema: Document = {"type": "object", "properties": properties, "required": required}
        document["requestBody"] = {"required": True, **_content(schema, example.get("body"))}
    return document | {"parameters": _with_examples(parameters, example)}


def _with_examples(parameters: list[Document], example: Document) -> list[Document]:
    """Returns the parameters of a path and a query, with the values of the recorded request."""
    values = example.get("parameters", {})
    assert isinstance(values, dict), values
    return [
        parameter | ({"example": values[name]} if (name := parameter["name"]) in values else {})
        for parameter in parameters
    ]


def _in_path(parameter: Parameter) -> Document:
    return {
        "name": parameter.name,
        "in": "path",
        "required": True,
        "description": parameter.help,
        "schema": _schema(parameter),
    }


def _schema(parameter: Parameter) -> Document:
    if parameter.kind is int:
        bounds: Document = {"minimum": _WHOLE_MIN, "maximum": _WHOLE_MAX}
        return {"type": "integer"} | bounds | BOUNDS.get(parameter.name, {})
    if parameter.takes_number:  # the minimum is that of numbers; a text has none
        return {"type": ["string", "number"]} | BOUNDS.get(parameter.name, {"minimum": 0})
    shape = CHOICES.get(parameter.name, {}) | PARTS.get(parameter.name, {})
    return {"type": _TYPES[parameter.kind]} | shape


def _query(name: str, schema: Document, description: str, *, required: bool = False) -> Document:
    return {
        "name": name,
        "in": "query",
        "required": required,
        "description": description,
        "schema": schema,
    }


def _content(schema: Document, example: object, media_type: str = JSON) -> Document:
    return {"content": {media_type: {"schema": schema, "example": example}}}


def _responses(schema: Document, example: object, media_type: str = JSON) -> Document:
    error = _content({"$ref": "#/components/schemas/Error"}, ERROR_EXAMPLE)
    return {
        "200": {"description": "result", **_content(schema, example, media_type)},
        "default": {"description": "error", **error},
    }
