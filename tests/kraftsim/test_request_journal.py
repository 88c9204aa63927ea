"""The journal of requests: what did my client send?"""

import pytest

from kraftsim import Cluster
from kraftsim.controller.time.timeline import Timeline
from kraftsim.controller.wire.frames import RequestHeader
from kraftsim.errors import CommandError
from kraftsim.service.request_journal import JSON_BODY, RequestJournal
from kraftsim.service.request_search import find
from tests.kraftsim.conftest import Http
from tests.kraftsim.loop_passes import passes_during
from tests.server.kafka_client import connected


async def test_a_request_over_http_is_found_by_its_fields(http: Http, kraft: Cluster) -> None:
    await http.kafka("UnregisterBroker", brokerId=77)
    await http.kafka("DecommissionBroker", brokerId=3, force=True)

    found = (await http.get("/v1/requests", where="brokerId=77")).document["requests"]
    assert [(request["api"], request["body"]) for request in found] == [
        ("UnregisterBroker", {"brokerId": 77})
    ]
    decommissions = await kraft.requests.count("DecommissionBroker", "brokerId=3,force=true")
    assert decommissions == {"count": 1, "nearMisses": []}


async def test_a_request_over_a_socket_names_its_client() -> None:
    async with Cluster(brokers=1, clock="virtual", seed=1, kafka_port=0) as kraft:
        async with connected(kraft.bootstrap_servers) as client:
            assert await client.is_served()
        (request,) = await kraft.requests.list("ApiVersions")

    assert request["listener"] == "broker-1"
    assert request["clientAddress"] == "127.0.0.1"
    assert request["clientId"]


async def test_a_near_miss_says_what_was_otherwise(http: Http, kraft: Cluster) -> None:
    for broker_id in (7, 8):
        await http.kafka("UnregisterBroker", brokerId=broker_id)

    counted = (await http.get("/v1/requests/count", where="brokerId=9")).document

    assert counted["count"] == 0
    newest, older = counted["nearMisses"]
    assert newest["unmet"] == ["brokerId: expected 9, got 8"]
    assert older["unmet"] == ["brokerId: expected 9, got 7"]


async def test_lists_are_searched_for_any_element(http: Http, kraft: Cluster) -> None:
    names = ("orders", "payments")
    await http.kafka("CreateTopics", topics=[{"name": name, "numPartitions": 1} for name in names])

    assert len(await kraft.requests.list("CreateTopics", "topics.name=payments")) == 1
    (miss,) = (await kraft.requests.count(None, "topics.colour=red"))["nearMisses"]  # type: ignore[misc]
    assert miss["unmet"] == ["topics.colour: expected red, got no such field"]


async def test_pages_follow_one_another(http: Http) -> None:
    for broker_id in range(5):
        await http.kafka("UnregisterBroker", brokerId=broker_id)

    first = (await http.get("/v1/requests", limit=3)).document
    second = (await http.get("/v1/requests", limit=3, from_=first["next"])).document

    ids = [request["body"]["brokerId"] for page in (first, second) for request in page["requests"]]
    assert ids == [0, 1, 2, 3, 4]
    assert (await http.get("/v1/requests", from_=second["next"])).document["requests"] == []


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"api": "Unregister"}, "api: expected .UnregisterBroker"),
        ({"where": "brokerId"}, "where: expected FIELD=VALUE"),
        ({"limit": 0}, "limit: expected 1 to 10000"),
    ],
)
async def test_a_question_without_sense_is_refused(
    kraft: Cluster, query: dict[str, str], message: str
) -> None:
    with pytest.raises(CommandError, match=message):
        await kraft.requests.list(**query)  # type: ignore[arg-type]  # on purpose


async def test_old_requests_make_room_for_new_ones() -> None:
    journal = RequestJournal(Timeline(wall_start_ms=0), requests_max=3, bytes_max=100)

    async def noted(size_bytes: int) -> list[int]:
        header = RequestHeader(64, 0, 1, "x", JSON_BODY)
        journal.note("http", "", header, b"{}".ljust(size_bytes))
        return [request["number"] async for request in find(journal, None, {}, 0)]

    assert [await noted(10) for _ in range(4)][-1] == [1, 2, 3]
    assert await noted(85) == [3, 4]
    assert await noted(101) == []


async def test_a_large_request_is_kept_without_its_body(http: Http, kraft: Cluster) -> None:
    names = [{"name": f"topic-{number}"} for number in range(2_000)]
    await http.kafka("DeleteTopics", topics=names)

    (request,) = await kraft.requests.list("DeleteTopics")
    assert request["body"] == {}


async def test_a_reader_of_the_journal_holds_up_nobody(http: Http, kraft: Cluster) -> None:
    """A page of the journal once took seconds, in which no heartbeat was served."""
    for number in range(300):
        await http.kafka("UnregisterBroker", brokerId=number)

    counting, passes = await passes_during(kraft.requests.count(None, "brokerId=1000"))

    assert counting.result()["count"] == 0
    assert passes >= 600
