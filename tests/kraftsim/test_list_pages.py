"""Brokers and topics are read in pages, in HTTP, on the command line and in Python alike."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from kraftsim import Cluster
from kraftsim.errors import CommandError
from tests.kraftsim.conftest import Http, Service

NAMES = ["a", "b", "b-", "b.c", "b0", "bb"]
KEYS = {"brokers": "brokerId", "topics": "name"}


async def with_topics(kraft: Cluster) -> None:
    for name in NAMES:
        await kraft.create_topic(name, partitions=1)


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


async def test_python_reads_the_same_pages(kraft: Cluster) -> None:
    await with_topics(kraft)

    assert [broker["brokerId"] for broker in await kraft.brokers(2, 1)] == [2]
    assert [topic["name"] for topic in await kraft.topics("b", limit=2)] == ["b", "b-"]
    assert len(await kraft.brokers()) == 3
    with pytest.raises(CommandError, match="limit: expected 1 to 10000, got 0"):
        await kraft.topics(limit=0)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/v1/brokers?limit=0", "limit: expected 1 to 10000, got 0"),
        ("/v1/topics?limit=10001", "limit: expected 1 to 10000, got 10001"),
        ("/v1/brokers?from=-1", "from: expected 0 or above, got -1"),
        ("/v1/brokers?from=a", "from: expected a whole number, got 'a'"),
        ("/v1/controllers?limit=1", "list_controllers: expected no parameters, got 'limit'"),
        ("/v1/brokers?limt=1", "list_brokers: expected 'limit' (nearest), got 'limt'"),
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
