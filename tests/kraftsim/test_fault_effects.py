"""What a fault of a running cluster did, for which requests, and how time passes for them."""

import asyncio
import json
from typing import Any

import pytest

from kraftsim import Cluster, CommandError
from kraftsim.cli.main import main
from kraftsim.simulation.requests import hit_log
from tests.kraftsim.conftest import Http, Service

LOST = {"rpc.drop": {"api": "BrokerHeartbeat", "broker": 2}, "id": "lost"}


def kinds(events: list[Any]) -> list[str]:
    return [event["kind"] for event in events]


async def test_the_events_name_the_request_its_receiver_and_what_was_done(kraft: Cluster) -> None:
    lost = await kraft.faults.add(LOST)
    await lost.wait(2)

    begin, first, *_ = lost.events
    assert (begin["kind"], begin["node"]) == ("fault_begins", "scenario")
    assert {**first, "tUs": 0, "timeMs": 0} == {
        "tUs": 0,
        "timeMs": 0,
        "node": "controller-3000",
        "kind": "request_lost",
        "brokerId": 2,
        "detail": {"api": "BrokerHeartbeat"},
    }
    assert begin["tUs"] < first["tUs"] <= kraft.world.timeline.now_us
    assert first["timeMs"] == kraft.world.timeline.wall_ms_at(first["tUs"])


@pytest.mark.parametrize(
    ("verb", "words", "kind"),
    [
        ("rpc.error", {"code": 41}, "request_refused"),
        ("rpc.drop", {"direction": "reply"}, "reply_lost"),
        ("rpc.delay", {"by": "1s", "direction": "reply"}, "reply_delayed"),
        ("rpc.reorder", {}, "request_reordered"),
        ("rpc.duplicate", {}, "request_repeated"),
        ("rpc.hold", {}, "request_held"),
        ("rpc.observe", {"direction": "reply"}, "reply_observed"),
        ("rpc.close", {}, "connection_closed"),
        ("rpc.truncate", {}, "reply_damaged"),
        ("rpc.throttle", {"by": "1s"}, "reply_throttled"),
        ("rpc.forget", {}, "request_met"),
    ],
)
async def test_each_action_has_a_kind_of_event(
    kraft: Cluster, verb: str, words: dict[str, object], kind: str
) -> None:
    fault = await kraft.faults.add({verb: {"api": "BrokerHeartbeat", "broker": 1, **words}})
    await fault.wait(1)

    assert kind in kinds(fault.events)


async def test_a_fault_of_links_lists_messages_and_a_fault_of_processes_their_states(
    kraft: Cluster,
) -> None:
    cut = await kraft.faults.add({"net.partition": {"on": 2}})
    crash = await kraft.faults.add({"proc.crash": {"on": 1}})
    await cut.wait(3)
    await crash.remove()

    assert "request_blocked" in kinds(cut.events)
    assert cut.events[1]["brokerId"] == 2
    assert kinds(crash.events) == ["fault_begins", "agent_state", "fault_ends", "agent_state"]


async def test_only_the_newest_events_are_kept(
    kraft: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hit_log, "HITS_MAX", 3)
    seen = await kraft.faults.add({"rpc.observe": {}})
    await seen.wait(10)

    assert seen.hits >= 10
    assert len(seen.events) == 4  # its begin, and three hits


async def test_http_shows_the_events_and_the_list_leaves_them_out(
    http: Http, kraft: Cluster
) -> None:
    await http.post("/sim/faults", {"fault": LOST})
    await http.get("/sim/faults/lost/wait", hits=2)

    shown = (await http.get("/sim/faults/lost")).document
    (listed,) = (await http.get("/sim/faults")).document["faults"]

    assert shown == listed | {"events": kraft._added.handle("lost").events}
    assert "events" not in listed


def test_a_shell_shows_the_events(
    run: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    service = Service(brokers=3)
    monkeypatch.setenv("KRAFTSIM_HTTP", service.kraft.http_url)
    try:
        assert (
            main(["fault", "add", "{rpc.drop: {api: BrokerHeartbeat, broker: 2}, id: lost}"]) == 0
        )
        run("fault wait lost --hits 2")
        code, text, _ = run("fault show lost")
        _, document, _ = run("fault show lost --json")
    finally:
        service.close()

    assert (code, text.count("request_lost") >= 2) == (0, True)
    assert kinds(json.loads(document)["events"])[:2] == ["fault_begins", "request_lost"]


async def test_a_function_names_the_requests(kraft: Cluster) -> None:
    fault = await kraft.faults.add(
        {"rpc.error": {"api": "CreateTopics", "code": "POLICY_VIOLATION"}},
        when=lambda request: request.topics[0].name.startswith("tmp-"),
    )

    await kraft.topics.create("orders")
    with pytest.raises(Exception, match="POLICY_VIOLATION"):
        await kraft.topics.create("tmp-1")

    assert fault.hits == 1


async def test_a_function_that_raises_is_reported_by_the_handle_and_affects_nothing(
    kraft: Cluster,
) -> None:
    fault = await kraft.faults.add({"rpc.drop": {}}, when=lambda request: request.nonsense)
    await kraft.clock.advance("20s")

    assert "unfenced" in kraft.brokers.states_of(1)
    with pytest.raises(CommandError, match=r"fault rpc.drop-1: when: AttributeError.*nonsense"):
        await fault.wait(1)


async def test_a_function_is_refused_for_a_fault_of_anything_but_requests(kraft: Cluster) -> None:
    with pytest.raises(CommandError, match=r"when: expected a fault of requests \(rpc\.\*\)"):
        await kraft.faults.add({"proc.pause": {"on": 1}}, when=lambda request: True)

    assert await kraft.faults.list() == []


async def test_a_function_belongs_to_its_fault_only(kraft: Cluster) -> None:
    none = await kraft.faults.add({"rpc.observe": {}}, when=lambda request: False)
    every = await kraft.faults.add({"rpc.observe": {}})
    await every.wait(5)

    assert none.hits == 0


async def test_a_document_has_no_function(http: Http) -> None:
    in_words = await http.post("/sim/faults", {"fault": {"rpc.drop": {"when": "broker == 2"}}})
    beside = await http.post("/sim/faults", {"fault": LOST, "when": "broker == 2"})

    assert (in_words.status, "unknown key 'when'" in in_words.message) == (400, True)
    assert (beside.status, "got 'when'" in beside.message) == (400, True)


# How time passes for requests that a fault holds or loses


@pytest.fixture
async def auto() -> Any:
    async with Cluster(brokers=1, clock="auto", seed=1) as cluster:
        yield cluster


@pytest.mark.parametrize("direction", ["request", "reply"])
async def test_time_stands_still_for_a_request_of_python_that_a_barrier_holds(
    auto: Cluster, direction: str
) -> None:
    hold = await auto.faults.add({"rpc.hold": {"api": "CreateTopics", "direction": direction}})
    before_us = auto.world.timeline.now_us
    creating = asyncio.create_task(auto.topics.create("orders"))
    await asyncio.wait({creating}, timeout=0.05)  # a clock that moved would pass 30 s in it
    assert hold.hits == 1
    passed_us = auto.world.timeline.now_us - before_us

    await auto.clock.advance("3s")  # another waiter moves the time
    is_waiting = not creating.done()
    await hold.remove()
    await creating

    assert passed_us < 1_000_000
    assert is_waiting
    assert [topic["name"] for topic in await auto.topics.list()] == ["orders"]


async def test_a_lost_request_of_python_times_out_in_virtual_time(auto: Cluster) -> None:
    await auto.faults.add({"rpc.drop": {"api": "CreateTopics"}})
    before_us = auto.world.timeline.now_us

    async with asyncio.timeout(15):  # of real time
        with pytest.raises(Exception, match="no controller answered within 30 s"):
            await auto.topics.create("orders")

    assert auto.world.timeline.now_us - before_us == pytest.approx(30_000_000, abs=1_000_000)


async def test_a_delayed_request_of_python_takes_as_long_as_its_delay(auto: Cluster) -> None:
    await auto.faults.add({"rpc.delay": {"api": "CreateTopics", "by": "7s"}})
    before_us = auto.world.timeline.now_us

    await auto.topics.create("orders")

    assert auto.world.timeline.now_us - before_us == pytest.approx(7_000_000, abs=100_000)


async def test_a_running_clock_wakes_a_wait_for_hits_of_any_kind() -> None:
    async with Cluster(brokers=1, clock=50, seed=1) as kraft:
        began_us = kraft.world.timeline.now_us
        slow = await kraft.faults.add({"disk.slow": {"on": 3000, "low": "1ms", "high": "2ms"}})
        await slow.wait(1, timeout="500s")

        assert kraft.world.timeline.now_us - began_us < 250_000_000  # it did not wait to the end
