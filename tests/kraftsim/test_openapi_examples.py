"""The examples of the OpenAPI document are requests and responses of a real cluster."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from kraftsim.http.openapi import EXAMPLES, METRICS, openapi_document
from tools.http_examples import recorded

DOCUMENT: Any = openapi_document()
OPERATIONS = {
    (method, path): operation
    for path, item in DOCUMENT["paths"].items()
    for method, operation in item.items()
}
IN_REAL_TIME = ("lock_clock", "speed_clock")  # whose responses depend on how fast the machine is


def fits(schema: Any, value: object) -> bool:
    whole = schema | {"components": DOCUMENT["components"]}
    return Draft202012Validator(whole).is_valid(value)


def media_of(operation: Any) -> Iterator[Any]:
    """The body and the responses of an operation that are not streams."""
    contents = [operation.get("requestBody", {}).get("content", {})]
    contents += [response["content"] for response in operation["responses"].values()]
    for content in contents:
        for media_type, media in content.items():
            if media_type in ("application/json", "text/plain"):
                yield media


def body_schema(path: str) -> Any:
    return OPERATIONS["post", path]["requestBody"]["content"]["application/json"]["schema"]


def query_schema(path: str, name: str) -> Any:
    parameters = OPERATIONS["get", path]["parameters"]
    return next(parameter for parameter in parameters if parameter["name"] == name)["schema"]


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_every_operation_has_examples_that_fit_its_schemas(method: str, path: str) -> None:
    """A new operation needs a line in tools/http_examples.py."""
    operation = OPERATIONS[method, path]
    parameters = [given for given in operation.get("parameters", ()) if "example" in given]

    media = [*media_of(operation), *parameters]

    assert [medium for medium in media if medium["example"] is None] == []
    assert [medium for medium in media if not fits(medium["schema"], medium["example"])] == []
    in_path = {given["name"] for given in parameters if given["in"] == "path"}
    assert in_path == {part[1:-1] for part in path.split("/") if part.startswith("{")}


@pytest.mark.realtime
async def test_the_examples_are_what_a_cluster_answers_now() -> None:
    """Mend it with `python -m tools.http_examples`."""
    kept = json.loads(EXAMPLES.read_text("utf-8"))

    live = await recorded()

    assert list(live) == list(kept)
    for name in live:
        if name not in IN_REAL_TIME:
            assert live[name] == kept[name]
    by_name = {operation["operationId"]: operation for operation in OPERATIONS.values()}
    for name, example in live.items():
        content = by_name[name]["responses"]["200"]["content"]["application/json"]
        assert fits(content["schema"], example["response"]), name


def test_the_metrics_have_an_example_as_text() -> None:
    (media,) = OPERATIONS["get", METRICS]["responses"]["200"]["content"].values()

    assert media["example"].startswith("kafka_controller_")


@pytest.mark.parametrize(
    ("path", "refused", "accepted"),
    [
        ("/sim/clock/advance", {}, {"by": "11s"}),
        ("/sim/clock/advance", {"by": -1}, {"by": 1.5}),
        ("/sim/clock/speed", {"factor": 0.0001}, {"factor": 2}),
        ("/sim/clock/speed", {"factor": -1}, {"factor": 0}),
        ("/sim/clock/speed", {"factor": 1001}, {"factor": "0.5"}),
        ("/sim/clock/lock", {"expiry": "1s"}, {"owner": "a", "expiry": 1}),
        ("/sim/clock/run-until", {"kind": "broker_fence"}, {"kind": "broker_fenced"}),
        ("/sim/clock/run-until", {"timeout": "1s"}, {"kind": "broker_fenced", "timeout": 1}),
        ("/sim/reset", {"seed": 2**70}, {"seed": -7}),
        ("/sim/brokers", {"rack": 5}, {}),
    ],
)
async def test_a_body_schema_refuses_what_the_service_refuses(
    path: str, refused: object, accepted: object
) -> None:
    assert not fits(body_schema(path), refused)
    assert fits(body_schema(path), accepted)


def test_a_state_is_one_of_a_list() -> None:
    schema = query_schema("/v1/wait", "state")

    assert fits(schema, "fenced")
    assert not fits(schema, "fence")
