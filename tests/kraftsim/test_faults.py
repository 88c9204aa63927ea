"""Faults of a running cluster: the verbs of scenario files in Python, over HTTP and in a shell."""

import sys

import pytest

from kraftsim import Cluster, CommandError
from kraftsim.api.running import added_faults
from kraftsim.scenarios.document.fault import FAULTS
from tests.kraftsim.conftest import Http, Service
from tests.kraftsim.fault_words import WORDS
from tests.test_architecture import loaded_by

CUT = {"net.partition": {"on": 2}}


async def test_a_partition_fences_a_broker_until_it_is_removed(kraft: Cluster) -> None:
    cut = await kraft.faults.add(CUT)
    await kraft.wait(broker=2, state="fenced")
    hits = cut.hits

    await cut.remove()
    await kraft.wait(broker=2, state="unfenced")

    assert (hits > 0, cut.hits, cut.is_open) == (True, hits, False)


async def test_a_fault_ends_when_its_time_is_over(kraft: Cluster) -> None:
    pause = await kraft.faults.add({"proc.pause": {"on": 1, "for": {"of": "heartbeat"}}})
    paused = kraft.brokers.states_of(1)
    await kraft.clock.advance("2s")

    assert ("PAUSED" in paused, "PAUSED" in kraft.brokers.states_of(1)) == (True, False)
    assert (pause.hits, pause.is_open) == (1, False)


@pytest.mark.parametrize(
    ("verb", "words"),
    [("rpc.drop", {"api": "BrokerHeartbeat"}), ("net.surgery", {"message": "BrokerHeartbeat"})],
)
async def test_a_fault_is_spent_once_it_has_acted_as_often_as_it_may(
    kraft: Cluster, http: Http, verb: str, words: dict[str, object]
) -> None:
    fault = await kraft.faults.add({verb: {**words, "count": 2}})
    before = fault.is_spent
    await fault.wait(2)

    shown = (await http.get(f"/sim/faults/{fault.id}")).document
    assert (before, fault.is_spent, shown["spent"], shown["open"]) == (False, True, True, True)


async def test_a_fault_without_a_count_is_never_spent(kraft: Cluster) -> None:
    drop = await kraft.faults.add({"rpc.drop": {"api": "BrokerHeartbeat"}})
    await drop.wait(5)

    assert not drop.is_spent


async def test_the_fault_is_the_cause_of_the_fence(kraft: Cluster) -> None:
    await kraft.faults.add(CUT | {"say": "the cable breaks"})
    await kraft.wait(broker=2, state="fenced")
    fence = [row for row in await kraft.events.list() if row["kind"] == "broker_fenced"][-1]

    lines = await kraft.explain(fence["seq"])

    assert lines[0].endswith(">> net.partition: every link of broker 2: the cable breaks")


async def test_a_wait_for_hits_returns_their_number_or_says_how_many_came(kraft: Cluster) -> None:
    cut = await kraft.faults.add(CUT)

    assert await cut.wait(3) == 3
    with pytest.raises(
        TimeoutError, match=r"expected 1000 hits of fault net.partition-1 within 2s"
    ):
        await cut.wait(1000, timeout="2s")


async def test_real_time_waits_for_hits_too() -> None:
    async with Cluster(brokers=1, clock=20, seed=1) as kraft:
        cut = await kraft.faults.add({"net.partition": {"on": 1}})

        assert await cut.wait(1) >= 1
        with pytest.raises(TimeoutError, match="within 1ms"):
            await cut.wait(100_000, timeout="1ms")


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ({"net.partion": {}}, r"unknown verb 'net.partion': expected 'net.partition' \(nearest\)"),
        ({"net.partition": {"onn": 2}}, r"fault: net.partition.onn: unknown key 'onn'"),
        ({"net.partition": {"on": 9}}, "no node 9: expected one of 1, 2, 3, 3000"),
        ({"net.partition": {"on": "$victim"}}, r"\$victim, which only a scenario binds"),
        ({"net.loss": {"on": 1, "p": 2}}, "net.loss.p: expected 0 to 1, got 2"),
        ({}, "expected one verb, got none"),
        (CUT | {"proc.pause": {"on": 1}}, "expected one verb, got net.partition, proc.pause"),
        (CUT | {"at": "1s"}, "unknown verb 'at'"),
        (CUT | {"id": "a/b"}, "expected 1 to 64 letters"),
        (CUT | {"id": "catalog"}, "not 'catalog'"),
        ({"topic.create": {"name": "orders"}}, "unknown verb 'topic.create'"),
        ({"proc.crash": {"on": {"pick": 9, "of": "brokers"}}}, "pick: expected at most 3, got 9"),
    ],
)
async def test_a_mistake_is_refused_with_its_place(
    kraft: Cluster, fault: dict[str, object], message: str
) -> None:
    with pytest.raises(CommandError, match=message):
        await kraft.faults.add(fault)

    assert await kraft.faults.list() == []


async def test_ids_are_unique_and_an_unknown_id_names_the_known_ones(kraft: Cluster) -> None:
    await kraft.faults.add(CUT | {"id": "cut"})

    with pytest.raises(CommandError, match="expected an id that no other fault has, got 'cut'"):
        await kraft.faults.add(CUT | {"id": "cut"})
    with pytest.raises(CommandError, match="no fault 'cat': expected one of cut"):
        await kraft.faults.show("cat")


async def test_ended_faults_make_room_and_open_ones_do_not(
    kraft: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(added_faults, "FAULTS_MAX", 2)
    first = await kraft.faults.add(CUT | {"id": "first"})
    await kraft.faults.add(CUT | {"id": "second"})
    with pytest.raises(CommandError, match="expected at most 2 open faults"):
        await kraft.faults.add(CUT)

    await first.remove()
    await kraft.faults.add(CUT | {"id": "third"})

    assert [fault["id"] for fault in await kraft.faults.list()] == ["second", "third"]


async def test_a_reset_cluster_has_no_faults(kraft: Cluster) -> None:
    crash = await kraft.faults.add({"proc.crash": {"on": 2}})
    former = kraft.world.journal
    events = former.next_seq
    await kraft.reset()
    listed = await kraft.faults.list()

    await crash.remove()  # which would start the broker of the former cluster

    assert (listed, former.next_seq) == ([], events)
    assert "RUNNING" in kraft.brokers.states_of(2)
    assert await kraft.faults.add(CUT | {"id": "cut"})


async def test_http_adds_shows_waits_and_removes(http: Http, kraft: Cluster) -> None:
    added = await http.post("/sim/faults", {"fault": CUT | {"id": "cut"}})
    waited = await http.get("/sim/faults/cut/wait", hits=2)
    removed = await http.post("/sim/faults/cut/remove", {})
    listed = await http.get("/sim/faults")

    assert added.document == {
        "id": "cut",
        "verb": "net.partition",
        "words": {"on": 2},
        "open": True,
        "spent": False,
        "hits": 0,
        "nodes": [2],
        "event": added.document["event"],
    }
    assert (waited.document["hits"] >= 2, removed.document["open"]) == (True, False)
    assert [fault["id"] for fault in listed.document["faults"]] == ["cut"]


async def test_http_refuses_with_the_nearest_word_and_knows_no_other_fault(http: Http) -> None:
    wrong = await http.post("/sim/faults", {"fault": {"proc.paus": {"on": 1}}})
    unknown = await http.get("/sim/faults/cut")
    text = await http.post("/sim/faults", {"fault": "net.partition"})
    late = await http.get("/sim/faults/cut/wait")

    assert (wrong.status, "'proc.pause' (nearest)" in wrong.message) == (400, True)
    assert unknown.refusal == (404, -1, "UNKNOWN_FAULT")
    assert (text.status, text.message) == (400, "fault: expected an object, got 'net.partition'")
    assert late.status == 404


@pytest.mark.parametrize("levels", [20, 200, 300, 350, 450, 900])
async def test_a_fault_that_is_nested_too_deeply_is_refused(http: Http, levels: int) -> None:
    nodes: object = 1
    for _ in range(levels):
        nodes = [nodes]

    refused = await http.post("/sim/faults", {"fault": {"proc.pause": {"on": nodes}}})

    assert refused.status in ((200,) if levels < 100 else (200, 400)), refused.document


async def test_the_catalogue_has_every_verb_with_its_words_and_its_meaning(http: Http) -> None:
    verbs = {row["verb"]: row for row in (await http.get("/sim/faults/catalog")).document["verbs"]}

    assert list(verbs) == list(FAULTS)
    assert verbs["proc.pause"]["words"] == ["on", "for"]
    assert verbs["proc.pause"]["meaning"].startswith("Suspends processes, as SIGSTOP")
    assert all(row["meaning"].endswith(".") for row in verbs.values())


def test_a_shell_adds_a_fault_as_a_scenario_writes_it(run, capsys, tmp_path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    from kraftsim.cli.main import main

    service = Service(brokers=3)
    monkeypatch.setenv("KRAFTSIM_HTTP", service.kraft.http_url)
    file = tmp_path / "fault.yaml"
    file.write_text("proc.pause: {on: 1}\nid: nap\n")
    try:
        assert main(["fault", "add", "net.partition: {on: 2, for: 5s}"]) == 0
        assert main(["fault", "add", f"@{file}"]) == 0
        added = capsys.readouterr().out
        code, listed, _ = run("fault list")
        waited = run("fault wait net.partition-1 --hits 2")
        removed = run("fault remove nap")
        catalogue = run("fault catalog")
        wrong = run("fault add net.partition:{")
        nearest = run("fault add {proc.paus:{}}")
        unknown = run("fault show cut")
    finally:
        service.close()

    assert "id: net.partition-1" in added
    assert (code, listed.splitlines()[2].split()[:4]) == (0, ["nap", "true", "false", "1"])
    assert (waited[0], "hits: 3" in waited[1]) == (0, True)
    assert "open: false" in removed[1]
    assert "proc.pause" in catalogue[1]
    assert (wrong[0], "argument FAULT: expected a mapping in YAML" in wrong[2]) == (2, True)
    assert (nearest[0], "'proc.pause' (nearest)" in nearest[2]) == (2, True)
    assert (unknown[0], "no fault 'cut'" in unknown[2]) == (1, True)


@pytest.mark.slow
@pytest.mark.python_modules
def test_a_cluster_without_faults_loads_no_verb() -> None:
    program = (
        "import asyncio\nfrom kraftsim import Cluster\n"
        "async def main():\n    async with Cluster(brokers=1, clock='virtual'): pass\n"
        "asyncio.run(main())"
    )

    loaded = loaded_by(program)

    assert {name for name in loaded if name.startswith("kraftsim.scenarios.")} <= {
        "kraftsim.scenarios.language",
        "kraftsim.scenarios.language.durations",
        "kraftsim.scenarios.language.suggestions",
    }
    assert sys.modules["kraftsim.scenarios.verbs"]


@pytest.mark.slow
@pytest.mark.parametrize("verb", FAULTS)
async def test_every_verb_of_the_catalogue_begins_and_ends_in_a_running_cluster(verb: str) -> None:
    ports = {"kafka_port": 0, "controller_port": 0}
    async with Cluster(brokers=2, controllers=3, clock="virtual", seed=1, **ports) as kraft:
        fault = await kraft.faults.add({verb: WORDS.get(verb, {})})
        await kraft.clock.advance("8s")
        await fault.remove()
        started = await kraft.faults.add({"proc.start": {"on": "all"}})
        await kraft.clock.advance("60s")

        assert (fault.is_open, started.is_open) == (False, True)
        assert "unfenced" in kraft.brokers.states_of(1) & kraft.brokers.states_of(2)
        assert kraft.world.request_rules.armed == {}
        assert kraft.world.network.rules == []
