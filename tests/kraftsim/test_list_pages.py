"""Brokers and topics are read in pages, in HTTP, on the command line and in Python alike."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

from kraftsim import Cluster
from kraftsim.errors import CommandError
from kraftsim.http.kafka_json import KAFKA_APIS
from tests.kraftsim.conftest import Http, Service

NAMES = ["a", "b", "b-", "b.c", "b0", "bb"]
KEYS = {"brokers": "brokerId", "topics": "name"}


async def with_topics(kraft: Cluster) -> None:
    for name in NAMES:
        await kraft.topics.create(name, partitions=1)


async def pages_of(http: Http, listed: str, limit: int) -> list[list[object]]:
    """The keys of every page, read until no page follows."""
    pages, query = [], {}
    while True:
        page = (await http.get(f"/v1/{listed}", limit=limit, **query)).document
        pages.append([item[KEYS[listed]] for item in page[listed]])
        if page["next"] is None:
            return pages
        query = {"from": page["next"]}


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 10_000])
@pytest.mark.parametrize("listed", KEYS)
async def test_pages_have_every_item_once_and_the_last_page_names_no_next(
    http: Http, kraft: Cluster, listed: str, limit: int
) -> None:
    await with_topics(kraft)
    whole = (await http.get(f"/v1/{listed}")).document
    keys = [item[KEYS[listed]] for item in whole[listed]]

    pages = await pages_of(http, listed, limit)

    assert whole["next"] is None
    assert [key for page in pages for key in page] == keys
    assert [len(page) for page in pages[:-1]] == [limit] * (len(pages) - 1)
    assert 0 < len(pages[-1]) <= limit


async def test_a_page_begins_at_the_next_item_if_there_is_none_with_the_key(
    http: Http, kraft: Cluster
) -> None:
    await with_topics(kraft)

    page = (await http.get("/v1/topics", from_="b/", limit=1)).document

    assert ([topic["name"] for topic in page["topics"]], page["next"]) == (["b0"], "bb")
    assert (await http.get("/v1/brokers", from_=77)).document == {"brokers": [], "next": None}


@pytest.mark.parametrize(
    ("listed", "items", "following"),
    [
        ("brokers", "brokers", 3),
        ("topics", "topics", "b-"),
        ("events", "events", 2),
        ("requests", "requests", 2),
        ("log", "records", 2),
    ],
)
async def test_python_reads_the_same_pages_of_every_list(
    kraft: Cluster, http: Http, listed: str, items: str, following: object
) -> None:
    await with_topics(kraft)
    for _ in range(3):
        await http.kafka("DescribeCluster")
    shown = (await http.get(f"/v1/{listed}", limit=2)).document

    part = getattr(kraft, listed)
    pages = part.show if listed == "log" else part.list
    page = await pages(limit=2)
    rest = await pages(from_=page.next, limit=1)

    assert (page, page.next) == (shown[items], shown["next"]) == (shown[items], following)
    assert rest == (await http.get(f"/v1/{listed}", limit=1, from_=following)).document[items]
    assert len(rest) == 1


async def test_every_broker_and_topic_is_on_the_page_unless_there_is_a_limit(
    kraft: Cluster,
) -> None:
    await with_topics(kraft)

    brokers, topics = await kraft.brokers.list(), await kraft.topics.list()

    assert ([broker["brokerId"] for broker in brokers], brokers.next) == ([1, 2, 3], None)
    assert ([topic["name"] for topic in topics], topics.next) == (NAMES, None)
    with pytest.raises(CommandError, match="limit: expected 1 to 10000, got 0"):
        await kraft.topics.list(limit=0)


@pytest.mark.parametrize("listed", ["events", "log", "requests"])
async def test_a_list_that_grows_always_has_a_next_and_never_one_below_from(
    http: Http, listed: str
) -> None:
    await http.kafka("DescribeCluster")
    for start in (0, 1, 2, 9, 5000):
        page = (await http.get(f"/v1/{listed}", from_=start)).document

        assert page["next"] >= start


async def test_a_request_that_comes_during_the_search_is_on_the_next_page(
    http: Http, kraft: Cluster
) -> None:
    for _ in range(3):
        await http.kafka("DescribeCluster")
    search = asyncio.create_task(kraft.requests.list(api="DescribeCluster"))
    await asyncio.sleep(0)  # the search has begun
    kraft._live.service.requests.note_json(KAFKA_APIS["DescribeCluster"], {})

    page = await search

    assert len(page) == 3
    assert len(await kraft.requests.list(from_=page.next)) == 1


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/v1/brokers?limit=0", "limit: expected 1 to 10000, got 0"),
        ("/v1/topics?limit=10001", "limit: expected 1 to 10000, got 10001"),
        ("/v1/brokers?from=-1", "from: expected 0 or above, got -1"),
        ("/v1/brokers?from=a", "from: expected a whole number of at most 19 characters, got 'a'"),
        ("/v1/controllers?limit=1", "GET /v1/controllers: expected no parameters, got 'limit'"),
        ("/v1/brokers?limit=2&limit=3", "limit: expected once in the query, got it 2 times"),
        (
            f"/v1/brokers?from={10**19}",
            f"from: expected a whole number of at most 19 characters, got '{10**19}'",
        ),
        ("/v1/brokers?limt=1", "GET /v1/brokers: expected 'limit' (nearest), got 'limt'"),
    ],
)
async def test_a_wrong_page_is_refused_with_a_whole_sentence(
    http: Http, path: str, message: str
) -> None:
    answer = await http.get(path)

    assert (answer.status, answer.message) == (400, message)


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    service = Service()
    monkeypatch.setenv("KRAFTSIM_HTTP", service.kraft.http_url)
    yield service
    service.close()


@pytest.mark.realtime
def test_a_page_on_the_command_line_names_the_next(service: Service, run: Any) -> None:
    service.do(with_topics(service.kraft))

    code, out, err = run("topic list --limit 2 --json")
    assert (code, json.loads(out)["next"]) == (0, "b-")
    assert err == "next page: the same command with --from b-\n"
    assert run("broker list --from 2 --limit 1")[2] == (
        "next page: the same command with --from 3\n"
    )
    rest = run("broker list --from 3 --limit 1")
    assert [line.split()[0] for line in rest[1].splitlines()] == ["id", "3"]
    assert rest[2] == ""
