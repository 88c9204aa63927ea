"""Topics are created, grown and deleted alike in Python, over HTTP and on the command line."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from kraftsim import Cluster, CommandError
from kraftsim.cli.main import main
from kraftsim.controller.core.errors import ApiError, ErrorCode
from tests.kraftsim.conftest import Http, Service


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    service = Service(brokers=3)
    monkeypatch.setenv("KRAFTSIM_HTTP", service.kraft.http_url)
    yield service
    service.close()


async def test_a_topic_has_the_given_replicas_and_configurations() -> None:
    async with Cluster(brokers=3, clock="virtual", seed=1) as kraft:
        config = {"retention.ms": 1000, "cleanup.policy": "compact", "preallocate": True}
        await kraft.topics.create("orders", assignments=[[2, 3], [3, 1]], config=config)

        topic = await kraft.topics.describe("orders")
        records = [record["data"] for record in await kraft.log.show() if "data" in record]
        assert [partition["replicas"] for partition in topic["partitions"]] == [[2, 3], [3, 1]]
        assert {
            (record["name"], record["value"])
            for record in records
            if isinstance(record, dict) and record.get("resourceName") == "orders"
        } == {("retention.ms", "1000"), ("cleanup.policy", "compact"), ("preallocate", "true")}


async def test_a_topic_grows_and_never_shrinks() -> None:
    async with Cluster(brokers=3, clock="virtual", seed=1) as kraft:
        await kraft.topics.create("orders", partitions=2, replication_factor=2)
        await kraft.topics.alter("orders", 3)
        await kraft.topics.alter("orders", 5, assignments=[[1, 3], [3, 2]])

        replicas = [
            partition["replicas"]
            for partition in (await kraft.topics.describe("orders"))["partitions"]
        ]
        assert (len(replicas), replicas[3:]) == (5, [[1, 3], [3, 2]])
        with pytest.raises(ApiError) as shrunk:
            await kraft.topics.alter("orders", 4)
        assert shrunk.value.code is ErrorCode.INVALID_PARTITIONS


async def test_an_unknown_topic_is_refused_with_the_nearest_name(
    http: Http, kraft: Cluster
) -> None:
    await kraft.topics.create("orders")

    for path in ("/sim/topics/ordrs/delete", "/sim/topics/ordrs/alter"):
        refused = await http.post(path, {"partitions": 2} if "alter" in path else {})
        assert refused.refusal == (404, 3, "UNKNOWN_TOPIC_OR_PARTITION")
        assert refused.message == "no topic 'ordrs': expected 'orders' (nearest)"


async def test_a_second_topic_of_the_name_is_a_conflict(http: Http) -> None:
    body = {"partitions": 1, "replicationFactor": 3, "config": {"retention.ms": 5}}
    created = await http.post("/sim/topics/orders/create", body)
    again = await http.post("/sim/topics/orders/create", body)

    assert (created.status, len(created.document["partitions"])) == (200, 1)
    assert again.refusal == (409, 36, "TOPIC_ALREADY_EXISTS")
    assert (await http.post("/sim/topics/orders/delete")).document == {"name": "orders"}
    assert (await http.get("/v1/topics")).document["topics"] == []


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"assignments": "1:2"}, "assignments: expected an array, got '1:2'"),
        (
            {"assignments": [1, 2]},
            r"assignments: expected the brokers of each partition, .* \[1, 2\]",
        ),
        ({"assignments": [["1"]]}, "assignments: expected the brokers of each partition"),
        ({"config": ["a=b"]}, "config: expected an object, got"),
        ({"config": {"retention.ms": None}}, r"config.retention.ms: expected a text, .* got None"),
        ({"partitions": 2**31}, "partitions: expected at most 2147483647, got 2147483648"),
        ({"replicationFactor": 2**15}, "replication_factor: expected at most 32767, got 32768"),
        ({"replication": 3}, "expected 'replicationFactor'"),
        ({"config": {"retention.mss": "1"}}, "Unknown topic config name: retention.mss"),
    ],
)
async def test_what_no_topic_can_have_is_named(http: Http, body: object, message: str) -> None:
    refused = await http.post("/sim/topics/orders/create", body)

    assert refused.status == 400
    with pytest.raises(CommandError, match=message):
        raise CommandError(refused.message)


def test_the_command_line_prints_the_topic(service: Service, run: Any) -> None:
    line = "topic create orders --assignments 1:2,2:3 --config retention.ms=5 --config a=b=c"
    assert run(line)[0] == 1, "a is no configuration of a topic"
    code, out, _ = run(line.removesuffix(" --config a=b=c") + " --json")
    assert code == 0
    assert [row["replicas"] for row in json.loads(out)["partitions"]] == [[1, 2], [2, 3]]

    code, out, _ = run("topic alter orders --partitions 3 --assignments 3:1")
    assert (code, out.splitlines()[-1].split()[:2]) == (0, ["2", "3"])
    assert run("topic delete orders") == (0, "name: orders\n", "")
    code, _, err = run("topic delete orders")
    assert (code, "no topic 'orders': expected a topic, but the cluster has none" in err) == (
        1,
        True,
    )


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("topic create", "the following arguments are required: NAME"),
        ("topic create a --assignments 1:x", "expected the brokers of each partition, such as"),
        ("topic create a --config retention.ms", "expected KEY=VALUE, got 'retention.ms'"),
        ("topic create a --config b=1 --config b=2", "expected b once, got it twice"),
        ("topic create a --partitions 99999999999", "partitions: expected at most 2147483647"),
        ("topic create a --replicas 3", "did you mean '--replication-factor'?"),
        ("topic alter a", "the following arguments are required: --partitions"),
        ("topic creat a", "did you mean 'create'?"),
    ],
)
def test_a_wrong_line_is_usage_and_names_what_was_expected(
    run: Any, line: str, message: str
) -> None:
    code, _, err = run(line)

    assert (code, message in err) == (2, True), err


@pytest.mark.parametrize("verb", ["create", "describe", "delete"])
def test_an_empty_name_is_not_a_path(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["topic", verb, ""]) == 2
    assert "name: expected a text of at least one character, got ''" in capsys.readouterr().err
