"""The read side, the control side, health and events over HTTP."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp import ClientResponse

from kraftsim import Cluster
from kraftsim.controller.core.profile import DEFAULT_PROFILE
from kraftsim.http import app
from kraftsim.simulation.world import VIRTUAL_WALL_START_MS
from tests.kraftsim.conftest import CLUSTER_ID, Http
from tests.other_controllers import lost_leadership
from tests.worlds import node

pytestmark = pytest.mark.realtime


async def test_the_process_is_alive_and_ready(http: Http) -> None:
    assert (await http.get("/livez")).document == {"status": "alive"}
    assert (await http.get("/readyz")).document == {"ready": True}


async def test_the_cluster_at_a_glance(http: Http, kraft: Cluster) -> None:
    await kraft.brokers.kill(2)
    await kraft.wait(broker=2, state="fenced")

    shown = (await http.get("/v1/cluster")).document

    assert shown["clusterId"] == CLUSTER_ID
    assert (shown["controllerId"], shown["controllerEpoch"]) == (3000, 1)
    assert (shown["brokers"], shown["fencedBrokers"], shown["topics"]) == (3, 1, 0)
    assert shown["profile"] == DEFAULT_PROFILE.name
    assert shown["metadataVersion"] == DEFAULT_PROFILE.metadata_version
    assert shown["highWatermark"] == shown["logEndOffset"]


async def test_a_broker_is_shown_alike_alone_and_in_the_list(http: Http) -> None:
    listed = (await http.get("/v1/brokers")).document["brokers"]

    assert [row["brokerId"] for row in listed] == [1, 2, 3]
    alone = (await http.get("/v1/brokers/2")).document
    assert alone.pop("outage")["replicas"] == 0
    assert alone == listed[1]
    assert listed[1]["registered"] is True
    assert (listed[1]["fenced"], listed[1]["inControlledShutdown"]) == (False, False)
    assert (listed[1]["brokerEpoch"], listed[1]["rack"]) == (14, None)
    assert len(listed[1]["incarnationId"]) == 22
    assert listed[1]["listeners"] == [
        {"name": "PLAINTEXT", "host": "127.0.0.1", "port": 9093, "securityProtocol": 0}
    ]
    assert listed[1]["agent"]["state"] == "RUNNING"


@pytest.mark.rule("8.12")
async def test_every_view_of_a_broker_has_its_start_time(http: Http, kraft: Cluster) -> None:
    start = kraft.world.committed.brokers[2].start_time_ms
    assert start >= VIRTUAL_WALL_START_MS

    listed = (await http.get("/v1/brokers")).document["brokers"][1]
    described = (await http.kafka("DescribeCluster")).document["brokers"]

    assert listed["startTimeMs"] == start
    assert (await http.get("/v1/brokers/2")).document["startTimeMs"] == start
    assert {row["brokerId"]: row["startTimeMs"] for row in described}[2] == start


async def test_an_unregistered_simulated_broker_is_still_shown_as_a_process(http: Http) -> None:
    await http.kafka("UnregisterBroker", brokerId=3)

    shown = (await http.get("/v1/brokers/3")).document

    assert shown["registered"] is False
    assert shown["agent"]["state"] == "RUNNING"
    assert "brokerEpoch" not in shown


async def test_topics_show_leaders_and_replicas(http: Http, kraft: Cluster) -> None:
    await kraft.topics.create("orders", assignments=[(2, 3)])

    (topic,) = (await http.get("/v1/topics")).document["topics"]

    assert topic["name"] == "orders"
    (partition,) = topic["partitions"]
    assert (partition["leader"], partition["leaderEpoch"]) == (2, 0)
    assert partition["replicas"] == partition["isr"] == [2, 3]


async def test_the_log_is_read_page_by_page_without_a_gap(http: Http) -> None:
    whole = (await http.get("/v1/log")).document
    pages: list[dict[str, Any]] = []
    next_offset = 0
    while next_offset < whole["highWatermark"]:
        page = (await http.get("/v1/log", from_=next_offset, limit=4)).document
        pages += page["records"]
        next_offset = page["next"]

    assert pages == whole["records"]
    assert [page["offset"] for page in pages] == list(range(whole["highWatermark"]))
    registered = [page for page in pages if page["type"] == "REGISTER_BROKER_RECORD"]
    assert [row["data"]["brokerId"] for row in registered] == [1, 2, 3]


async def test_beyond_the_end_the_log_has_nothing_yet(http: Http) -> None:
    beyond = (await http.get("/v1/log", from_=5000)).document

    assert (beyond["records"], beyond["next"]) == ([], 5000)


@pytest.mark.rule("10.47")
async def test_the_log_is_told_from_where_a_snapshot_leaves_it(kraft: Cluster, http: Http) -> None:
    whole = (await http.get("/v1/log")).document
    kraft.world.history.forget_before(12)

    rest = (await http.get("/v1/log")).document
    assert 12 == rest["startOffset"] == (await http.get("/v1/log/end")).document["startOffset"]
    assert whole["records"][12:] == rest["records"]


async def test_an_offset_before_the_log_is_refused_unlike_one_after_it(
    kraft: Cluster, http: Http
) -> None:
    kraft.world.history.forget_before(12)

    before = await http.get("/v1/log", from_=11)
    after = await http.get("/v1/log", from_=5000)
    assert before.refusal == (416, 1, "OFFSET_OUT_OF_RANGE")
    assert "expected 12 or above, the start offset of the log, got 11" in before.message
    assert 200 == after.status


async def test_the_end_of_the_log_says_whose_it_is_and_what_stands_before_it(http: Http) -> None:
    last = (await http.get("/v1/log")).document["records"][-1]

    end = (await http.get("/v1/log/end")).document
    assert end == {
        "clusterId": CLUSTER_ID,
        "leaderEpoch": 1,
        "startOffset": 0,
        "highWatermark": last["offset"] + 1,
        "lastEpoch": last["epoch"],
        "lastTimestamp": last["timestamp"],
    }


async def test_the_log_comes_in_lines_where_the_client_wants_lines(
    http: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kraftsim.api.views.log_views.ITEMS_AT_ONCE", 3)
    whole = (await http.get("/v1/log")).document["records"]

    assert whole == await lines(http, "/v1/log")
    assert whole[2:9] == await lines(http, "/v1/log?from=2&limit=7")
    assert [] == await lines(http, "/v1/log?from=5000")


async def test_lines_end_where_an_answer_is_long_enough(
    http: Http, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kraftsim.api.views.log_views.ITEMS_AT_ONCE", 2)
    monkeypatch.setattr("kraftsim.api.views.log_views.LINES_BYTES_MAX", 1)
    whole = (await http.get("/v1/log")).document["records"]

    assert whole[:2] == await lines(http, "/v1/log")


async def lines(http: Http, path: str) -> list[dict[str, Any]]:
    async with http.session.get(http.url + path, headers=LINES) as response:
        assert response.content_type == "application/x-ndjson"
        return [json.loads(line) async for line in response.content]


async def test_events_are_read_page_by_page_without_a_gap(http: Http) -> None:
    whole = (await http.get("/v1/events")).document
    first = (await http.get("/v1/events", limit=3)).document
    rest = (await http.get("/v1/events", from_=first["next"])).document

    assert first["events"] + rest["events"] == whole["events"]
    assert [event["seq"] for event in whole["events"]] == list(range(whole["next"]))
    assert whole["events"][0]["kind"] == "controller_elected"


async def test_a_cluster_that_runs_can_be_asked_why(http: Http) -> None:
    await http.post("/sim/brokers/2/kill")
    await http.get("/v1/wait", broker=2, state="fenced")
    events = (await http.get("/v1/events")).document["events"]
    fence = next(event for event in reversed(events) if event["kind"] == "broker_fenced")

    answer = await http.get(f"/sim/explain/{fence['seq']}")
    assert (200, fence["seq"]) == (answer.status, answer.document["event"])
    killed, silent, fenced = (line.partition(" s  ")[2] for line in answer.document["lines"])
    assert "broker 2 enters NOT_RUNNING" == killed
    assert silent.startswith("controller 3000: lease of broker 2 expired, no heartbeat for ")
    assert fenced.startswith("broker 2 is fenced")


async def test_an_event_that_is_not_kept_cannot_be_explained(http: Http) -> None:
    answer = await http.get("/sim/explain/99999")

    assert answer.refusal == (404, -1, "UNKNOWN_EVENT")
    assert "no event 99999: expected a number of an event in the journal (0 to" in answer.message


@pytest.mark.parametrize(
    ("verbs", "states"),
    [
        (["kill"], {"NOT_RUNNING", "registered", "unfenced"}),
        (["pause"], {"PAUSED", "registered", "unfenced"}),
        (["pause", "resume"], {"RUNNING", "registered", "unfenced"}),
        (["kill", "restart"], {"STARTING", "registered", "unfenced"}),
        (["stop"], {"NOT_RUNNING", "registered", "fenced"}),
    ],
)
async def test_a_verb_answers_with_the_states_that_follow(
    http: Http, verbs: list[str], states: set[str]
) -> None:
    for verb in verbs:
        answer = await http.post(f"/sim/brokers/2/{verb}")

    assert answer.status == 200
    assert set(answer.document["states"]) == states


async def test_a_link_is_cut_and_mended(http: Http, kraft: Cluster) -> None:
    await http.post("/sim/brokers/2/mute")
    await http.post("/sim/brokers/3/deafen", {})
    assert ({node(2)}, {node(3)}) == (kraft.world.network.mute, kraft.world.network.deaf)
    await http.post("/sim/brokers/2/unmute")
    await http.post("/sim/brokers/3/undeafen")

    assert (set(), set()) == (kraft.world.network.mute, kraft.world.network.deaf)


async def test_a_broker_is_added_and_waited_for(http: Http) -> None:
    added = await http.post("/sim/brokers", {"rack": "r9"})
    waited = await http.get("/v1/wait", broker=4, state="unfenced")

    assert added.document == {"brokerId": 4}
    assert waited.document == {"brokerId": 4, "states": ["RUNNING", "registered", "unfenced"]}
    assert (await http.get("/v1/brokers/4")).document["rack"] == "r9"


async def test_a_wait_in_vain_is_504_and_says_where_the_broker_stands(http: Http) -> None:
    over = await http.get("/v1/wait", broker=1, state="fenced", timeout="2s")

    assert (over.status, over.document["error"]) == (504, "TIMED_OUT")
    assert over.message == (
        "expected broker 1 fenced within 2s; broker 1: RUNNING, registered, unfenced"
    )


async def test_an_inactive_controller_is_not_ready_and_refuses_with_421(
    http: Http, kraft: Cluster
) -> None:
    controller = kraft.world.controller
    controller.hosted.step(lost_leadership(controller.node, -1))

    async with http.session.get(http.url + "/readyz") as ready:
        assert ready.status == 503
    refused = await http.kafka("UnregisterBroker", brokerId=1)
    assert refused.refusal == (421, 41, "NOT_CONTROLLER")
    assert refused.message == "No controller appears to be active."


async def stream_of(response: ClientResponse) -> AsyncIterator[dict[str, Any]]:
    """Rows of the stream; the id of each is its number."""
    number = None
    async for line in response.content:
        name, _, value = line.decode().rstrip("\n").partition(": ")
        if name == "id":
            number = int(value)
        elif name == "data":
            row = json.loads(value)
            assert row["seq"] == number
            yield row


async def rows(stream: AsyncIterator[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    async with asyncio.timeout(20):
        return [await anext(stream) for _ in range(count)]


LINES = {"Accept": "application/x-ndjson"}
STREAM = {"Accept": "text/event-stream"}


async def test_events_stream_from_the_past_into_the_present(http: Http, kraft: Cluster) -> None:
    past = (await http.get("/v1/events")).document["events"]
    url = http.url + "/v1/events?from=0"
    async with http.session.get(url, headers=STREAM) as response:
        assert response.content_type == "text/event-stream"
        stream = stream_of(response)
        assert await rows(stream, len(past)) == past

        await kraft.brokers.kill(2)
        await kraft.wait(broker=2, state="fenced")
        died, silent, fenced = await rows(stream, 3)

    assert (died["kind"], died["detail"]) == ("agent_state", {"state": "NOT_RUNNING"})
    assert (fenced["kind"], fenced["brokerId"]) == ("broker_fenced", 2)
    assert [died["seq"], silent["seq"]] == [silent["causeSeq"], fenced["causeSeq"]]


async def test_a_stream_begins_at_its_cursor_and_goes_on_after_a_reconnection(http: Http) -> None:
    url = http.url + "/v1/events"
    async with http.session.get(url, params={"from": "4"}, headers=STREAM) as response:
        first = await rows(stream_of(response), 2)
    last = {"Last-Event-ID": str(first[-1]["seq"])}
    async with http.session.get(url, headers=STREAM | last) as response:
        again = await rows(stream_of(response), 2)

    assert [row["seq"] for row in first + again] == [4, 5, 6, 7]


async def test_a_stream_without_a_cursor_begins_at_the_newest_event(http: Http) -> None:
    newest = (await http.get("/v1/events")).document["events"][-1]
    async with http.session.get(http.url + "/v1/events", headers=STREAM) as response:
        assert await rows(stream_of(response), 1) == [newest]


async def test_a_quiet_stream_says_that_there_is_nothing(http: Http, monkeypatch) -> None:
    """Or an interrupted client would notice only with the next event, which may never come."""
    monkeypatch.setattr(app, "QUIET_S", 0.01)
    params = {"from": "1000000"}
    async with http.session.get(http.url + "/v1/events", params=params, headers=STREAM) as response:
        async with asyncio.timeout(20):
            assert await response.content.readline() == b": nothing new\n"


async def test_a_reader_who_goes_away_is_forgotten(http: Http, kraft: Cluster) -> None:
    lasting = len(kraft.world.journal.listeners)
    async with http.session.get(http.url + "/v1/events", headers=STREAM) as response:
        await rows(stream_of(response), 1)
        assert len(kraft.world.journal.listeners) == lasting + 1
    async with asyncio.timeout(20):
        while len(kraft.world.journal.listeners) > lasting:  # until a write fails
            await kraft.brokers.kill(1)
            await kraft.brokers.restart(1)
            await http.get("/livez")


async def test_a_reader_who_lags_too_far_is_cut_off_and_others_are_not(
    http: Http, kraft: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kraftsim.http.app.EVENTS_QUEUED_MAX", 5)
    url = http.url + "/v1/events?from=1000000"
    async with http.session.get(url, headers=STREAM) as response:
        heard: list[int] = []
        kraft.world.journal.listeners.append(lambda row: heard.append(row.seq))
        first = len(kraft.world.journal.since(0))
        for _ in range(10):
            kraft.world.journal.write("test", "note")
        async with asyncio.timeout(20):
            told = [row["seq"] async for row in stream_of(response)]

    assert told == list(range(first, first + 5))
    assert heard == list(range(first, first + 10))
