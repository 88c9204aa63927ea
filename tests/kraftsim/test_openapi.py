"""The OpenAPI document says what the router serves, all of it and nothing else."""

import ast
import re
from functools import cache
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from kraftsim import Cluster
from kraftsim.controller.wire.json import log_paths
from kraftsim.http.app import http_application
from kraftsim.http.connections import HttpConnections
from kraftsim.http.kafka_json import KAFKA_APIS
from kraftsim.http.openapi import openapi_document
from kraftsim.operations.table import OPERATIONS
from tests.kraftsim.conftest import Http
from tests.test_architecture import modules, nodes_of, place

PATH = re.compile(r"/(v1|sim|kafka)/|/(livez|readyz|metrics|openapi\.json)$")
PATHS = re.compile(r"/(v1|sim|kafka|livez|readyz|metrics|openapi)")  # anywhere in a source text


async def unscraped(_: web.Request) -> web.Response:
    return web.Response()


def unnoted(api: object, body: object) -> None:
    """No journal: no request is sent."""


@cache
def described() -> Any:
    return openapi_document()


@cache
def application() -> web.Application:
    return http_application(Cluster(), unnoted, HttpConnections(), unscraped)


def documented() -> set[tuple[str, str]]:
    paths: Any = described()["paths"]
    return {(method.upper(), path) for path, item in paths.items() for method in item}


def served() -> set[tuple[str, str]]:
    """HEAD comes with every GET; a route of all Kafka's APIs counts for each of them."""
    found = set()
    for route in application().router.routes():
        assert route.resource is not None
        path = route.resource.canonical
        names = KAFKA_APIS if path == "/kafka/{api}" else [""]
        found |= {(route.method, path.replace("{api}", name)) for name in names}
    files = ("GET", "/page/{name}")  # what the page loads is no interface
    return {(method, path) for method, path in found if method != "HEAD"} - {files}


def test_the_document_and_the_router_name_the_same_routes() -> None:
    assert documented() == served()


@pytest.mark.parametrize(("method", "path"), sorted(documented()))
async def test_a_documented_route_is_found(method: str, path: str) -> None:
    values = {"id": "1", "event": "1", "name": "a", "resource": "topic", "api": "ElectLeaders"}
    concrete = re.sub(r"\{(\w+)\}", lambda name: values[name[1]], path)

    found = await application().router.resolve(make_mocked_request(method, concrete))

    assert found.http_exception is None


def test_a_path_is_written_in_the_table_or_in_the_list_beside_it() -> None:
    """Pipelines may not import the face: the two paths that they read are in the wire."""
    tables = (
        "kraftsim.operations.table",
        "kraftsim.operations.clock",
        "kraftsim.operations.configs",
        "kraftsim.operations.faults",
        "kraftsim.operations.lessons",
        "kraftsim.operations.log",
        "kraftsim.operations.nodes",
        "kraftsim.operations.reassignments",
        "kraftsim.operations.snapshots",
        "kraftsim.operations.topics",
    )
    homes = (*tables, "kraftsim.http.paths", log_paths.__name__)

    written = [
        f"{place(module, node.lineno)}: {node.value}"
        for module, path in modules().items()
        if module not in homes and PATHS.search(path.read_text("utf-8"))
        for node in nodes_of(module)
        if isinstance(node, ast.Constant) and PATH.match(str(node.value))
    ]
    assert written == []
    assert {log_paths.LOG, log_paths.LOG_END} <= {operation.path for operation in OPERATIONS}


def test_every_operation_has_a_name_of_its_own_and_says_what_it_does() -> None:
    paths: Any = described()["paths"]
    operations = [operation for item in paths.values() for operation in item.values()]

    names = [operation["operationId"] for operation in operations]
    assert len(names) == len(set(names))
    assert [operation["operationId"] for operation in operations if not operation["summary"]] == []
    assert all("200" in operation["responses"] for operation in operations)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda described: described.name)
def test_the_arguments_of_an_operation_are_documented(operation: Any) -> None:
    paths: Any = described()["paths"]
    document = paths[operation.path][operation.method.lower()]

    named = {parameter["name"] for parameter in document["parameters"]}
    if "requestBody" in document:
        schema = document["requestBody"]["content"]["application/json"]["schema"]
        named |= set(schema["properties"])
    assert named == {parameter.json_name for parameter in operation.parameters}


@pytest.mark.parametrize("name", sorted(KAFKA_APIS))
def test_the_fields_of_an_api_are_documented(name: str) -> None:
    paths: Any = described()["paths"]
    body = paths[f"/kafka/{name}"]["post"]["requestBody"]["content"]["application/json"]

    fields = KAFKA_APIS[name].request.struct.fields
    assert list(body["schema"]["properties"]) == [field.json for field in fields]
    assert body["schema"]["additionalProperties"] is False


@pytest.mark.realtime
async def test_the_document_is_served(http: Http) -> None:
    answer = await http.get("/openapi.json")

    assert answer.status == 200
    assert answer.document == described()
    assert answer.document["openapi"].startswith("3.")
