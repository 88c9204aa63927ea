"""Elections and reassignments as operations, in Python, over HTTP and on the command line."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from kraftsim import Cluster, CommandError
from kraftsim.controller.core.errors import ApiError, ErrorCode
from tests.kraftsim.conftest import Http, Service
from tests.kraftsim.test_terminal import on_terminal


async def partition_of(kraft: Cluster, number: int = 0) -> Any:
    return (await kraft.topics.describe("orders"))["partitions"][number]


async def fenced(kraft: Cluster, broker: int) -> None:
    await kraft.brokers.kill(broker)
    await kraft.wait(broker, "fenced")


async def test_a_preferred_election_brings_the_first_replica_back() -> None:
    async with Cluster(brokers=2, clock="virtual", seed=1) as kraft:
        await kraft.topics.create("orders", assignments=[[1, 2], [2, 1]])
        await fenced(kraft, 1)
        await kraft.brokers.restart(1, wait="60s")
        await kraft.clock.advance("10s")
        assert (await partition_of(kraft))["leader"] == 2

        await kraft.topics.elect_leaders("orders")

        assert [(await partition_of(kraft, number))["leader"] for number in (0, 1)] == [1, 2]


async def test_an_unclean_election_takes_a_replica_that_is_not_in_sync() -> None:
    async with Cluster(brokers=2, clock="virtual", seed=1) as kraft:
        await kraft.topics.create("orders", assignments=[[1, 2]])
        await fenced(kraft, 1)
        await fenced(kraft, 2)
        await kraft.brokers.restart(1, wait="60s")
        with pytest.raises(ApiError) as refused:
            await kraft.topics.elect_leaders("orders", 0)
        assert refused.value.code is ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE
        assert (await partition_of(kraft))["leader"] == -1

        await kraft.topics.elect_leaders("orders", 0, "unclean")

        assert (await partition_of(kraft))["leader"] == 1


async def test_a_reassignment_completes_or_is_cancelled() -> None:
    async with Cluster(brokers=3, clock="virtual", seed=1) as kraft:
        await kraft.topics.create("orders", assignments=[[1, 2], [1, 2]])
        await kraft.reassignments.start("orders", {0: [2, 3], 1: [3, 1]})
        assert [
            (of["partition"], of["addingReplicas"], of["removingReplicas"])
            for of in await kraft.reassignments.list()
        ] == [(0, [3], [1]), (1, [3], [2])]

        await kraft.reassignments.cancel("orders", 1)
        await kraft.clock.advance("10s")

        assert await kraft.reassignments.list() == []
        replicas = [(await partition_of(kraft, number))["replicas"] for number in (0, 1)]
        assert replicas == [[2, 3], [1, 2]]
        with pytest.raises(ApiError, match="partition 0: expected a reassignment in progress"):
            await kraft.reassignments.cancel("orders")


@pytest.mark.parametrize(
    ("path", "body", "status", "message"),
    [
        ("reassignments/ordrs/start", {"replicas": {"0": [1]}}, 404, "expected 'orders' (nearest)"),
        ("reassignments/ordrs/cancel", {}, 404, "no topic 'ordrs': expected 'orders' (nearest)"),
        ("topics/ordrs/elect-leaders", {}, 404, "no topic 'ordrs': expected 'orders' (nearest)"),
        ("topics/orders/elect-leaders", {"partition": 9}, 404, "partition 9: expected 0 to 1"),
        ("topics/orders/elect-leaders", {"election": "uncleen"}, 400, "'unclean' (nearest)"),
        ("reassignments/orders/start", {"replicas": {"7": [1]}}, 404, "partition 7: expected 0"),
        ("reassignments/orders/start", {"replicas": {"0": [9]}}, 400, "partition 0: "),
        ("reassignments/orders/start", {"replicas": {"0": "1"}}, 400, "got '0': '1'"),
        ("reassignments/orders/start", {"replicas": {"x": [1]}}, 400, "got 'x': [1]"),
        ("reassignments/orders/start", {"replicas": {}}, 400, "expected brokers by partition"),
    ],
)
async def test_a_refusal_names_the_topic_the_partition_and_what_was_expected(
    http: Http, kraft: Cluster, path: str, body: object, status: int, message: str
) -> None:
    await kraft.topics.create("orders", partitions=2)

    refused = await http.post(f"/sim/{path}", body)

    assert (refused.status, message in refused.message) == (status, True), refused.message


async def test_python_refuses_brokers_that_are_no_list() -> None:
    async with Cluster(brokers=1, clock="virtual", seed=1) as kraft:
        with pytest.raises(CommandError, match="replicas: expected brokers by partition"):
            await kraft.reassignments.start("orders", [1, 2])  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    service = Service(brokers=3)
    long_name = "a-topic-with-quite-a-long-name.of-a-team"
    for name in ("orders", long_name):
        service.do(service.kraft.topics.create(name, assignments=[[1, 2], [2, 3]]))
    service.do(service.kraft.reassignments.start(long_name, {0: [3, 1], 1: [1, 2]}))
    yield service
    service.close()


def test_the_command_line_starts_lists_and_cancels(
    service: Service, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KRAFTSIM_HTTP", service.kraft.http_url)
    code, out, _ = run("reassignment start orders 0=2,3 1=1,3 --json")
    assert code == 0
    started = json.loads(out)["reassignments"]
    assert [of["addingReplicas"] for of in started] == [[3], [1]]
    listed = json.loads(run("reassignment list --json")[1])["reassignments"]
    assert [of for of in listed if of["topic"] == "orders"] == started

    code, out, _ = run("reassignment cancel orders --partition 1")
    assert (code, [line.split()[0] for line in out.splitlines()]) == (0, ["topic", "orders"])
    assert json.loads(run("reassignment cancel orders --json")[1]) == {"reassignments": []}
    assert run("reassignment cancel orders")[0] == 1
    assert run("topic elect-leaders orders --json")[0] == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("reassignment start orders", "the following arguments are required: PARTITION=IDS"),
        ("reassignment start orders 0:1", "expected PARTITION=IDS such as 0=1,2,3, got '0:1'"),
        ("reassignment start orders 0=1 0=2", "expected 0 once, got it twice"),
        ("reassignment begin orders", "invalid choice: 'begin'"),
        ("topic elect-leaders orders --election clean", "expected 'unclean' (nearest), got"),
    ],
)
def test_a_wrong_line_is_usage(run: Any, line: str, message: str) -> None:
    code, _, err = run(line)

    assert (code, message in err) == (2, True), err


@pytest.mark.parametrize("columns", [50, 80, 160])
def test_reassignments_fit_the_terminal(
    service: Service, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("KRAFTSIM_HTTP", service.kraft.http_url)
    printed = on_terminal("reassignment list", columns, NO_COLOR="1").splitlines()

    assert printed[0].split()[0] == "topic"
    assert [text for text in printed if len(text) > columns] == []
