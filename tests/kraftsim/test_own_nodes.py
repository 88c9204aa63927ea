"""The nodes of a scenario run a user's code, which swarm, hunt, explain and shrink judge."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from kraftsim.cli.main import main
from kraftsim.files.own_files import load
from kraftsim.files.scenario_files import read_sound
from kraftsim.scenarios.document.plan import expand
from kraftsim.scenarios.document.scenario import Scenario, read_scenario
from kraftsim.scenarios.language.positions import found
from kraftsim.scenarios.language.selectors import Selector
from kraftsim.scenarios.running.run import Result, run
from kraftsim.scenarios.shrinking.search import Tries
from kraftsim.scenarios.shrinking.shrink import shrink

ROLLING = """
async def main(kraft):
    for broker in (1, 2, 3):
        await kraft.brokers.restart(broker, wait="30s")
        kraft.nodes.report("restarted", broker=broker)
"""
TICKING = """
import asyncio, time

async def main(kraft):
    loop = asyncio.get_running_loop()
    while True:
        kraft.nodes.report("ticked", at=loop.time(), wall=time.time())
        await asyncio.sleep(10)
"""
FAILING = """
import asyncio

async def main(kraft):
    await asyncio.sleep(5)
    raise ValueError("no cluster")
"""
ASKING = """
import asyncio

async def main(kraft):
    loop = asyncio.get_running_loop()
    host, port = kraft.bootstrap_servers.split(",")[0].split(":")
    while True:
        began = loop.time()
        _, writer = await asyncio.open_connection(host, int(port))
        kraft.nodes.report("asked", took_s=loop.time() - began)
        writer.close()
        await asyncio.sleep(1)
"""
CONNECTING = """
import asyncio

async def main(kraft):
    host, port = kraft.bootstrap_servers.split(",")[0].split(":")
    while True:
        try:
            _, writer = await asyncio.open_connection(host, int(port))
            writer.close()
            kraft.nodes.report("tried", connects=True)
        except ConnectionError:
            kraft.nodes.report("tried", connects=False)
        await asyncio.sleep(1)
"""
PRODUCING = """
from aiokafka import AIOKafkaProducer

async def main(kraft):
    async with AIOKafkaProducer(
        bootstrap_servers=kraft.bootstrap_servers, acks="all", enable_idempotence=True
    ) as producer:
        for number in range(100):
            sent = await producer.send_and_wait("orders", b"%d" % number)
            kraft.nodes.report("sent", offset=sent.offset, at_ms=sent.timestamp)
"""
SCENARIO = """\
schema: kraftsim/scenario/1
name: mine
claim: The operator does its work.
cluster: {brokers: 3, controllers: 1}
time: {run: 40s, calm: 5s}
nodes: {operator: "roller.py:main"}
"""


Ran = Callable[..., Result]


@pytest.fixture
def ran(tmp_path: Path) -> Ran:
    """Runs a scenario whose node `operator` has this code, with more words of the file."""

    def ran(source: str, words: str = "", seed: int = 1, head: str = SCENARIO) -> Result:
        (tmp_path / "roller.py").write_text(source)
        path = tmp_path / "mine.yaml"
        path.write_text(head + words)
        file = read_sound(path)
        load(file, is_allowed=True)
        return run(file.scenario, seed)

    return ran


def reports(result: Result, fact: str) -> list[dict[str, Any]]:
    rows = [row for row in result.rows if row.kind == "node_reported"]
    return [dict(row.detail) for row in rows if row.detail["fact"] == fact]


def ticks_s(result: Result, clock: str = "at") -> list[float]:
    """The times of the ticks since the first one, by a clock of the node, in seconds."""
    first, *rest = (tick[clock] for tick in reports(result, "ticked"))
    return [round(at - first, 3) for at in rest]


def test_the_code_of_a_node_changes_the_cluster_and_a_claim_counts_what_it_reports(
    ran: Ran,
) -> None:
    result = ran(
        ROLLING,
        "expect:\n"
        "  sometimes: [{reported: restarted, by: operator, count: 3}]\n"
        "  calm: [{node: operator, state: done}]\n",
    )
    assert result.verdict == "pass"
    assert [report["broker"] for report in reports(result, "restarted")] == [1, 2, 3]


def test_a_seed_repeats_the_run_and_another_gives_another(ran: Ran) -> None:
    digests = [ran(ROLLING, seed=seed).digest for seed in (1, 1, 2)]
    assert digests[0] == digests[1] != digests[2]


def test_an_exception_is_a_violation_with_its_place(ran: Ran) -> None:
    result = ran(FAILING)
    (violation,) = result.violations
    assert violation.name == "node_failed"
    assert violation.what == "node operator failed: roller.py:6: ValueError: no cluster"
    assert violation.t_us - result.begin_us == 5_000_000


def test_a_scenario_may_claim_that_its_node_fails(ran: Ran) -> None:
    words = "expect: {fails_with: node_failed, sometimes: [{node: operator, state: failed}]}"
    assert ran(FAILING, words).verdict == "pass"


@pytest.mark.parametrize(
    ("fault", "expected_s"),
    [
        ("proc.pause: {on: {node: operator}, for: 7s}", [12, 22, 32, 42]),
        ("clock.freeze: {on: {node: operator}, for: 7s}", [17, 27, 37]),
        ("clock.drift: {on: {node: operator}, ppm: 250000, for: 30s}", [9, 17, 25, 33, 42]),
        ("proc.crash: {on: {node: operator}, for: 7s}", [12, 22, 32, 42]),
    ],
)
def test_a_fault_of_the_node_changes_when_its_code_runs(
    ran: Ran, fault: str, expected_s: list[int]
) -> None:
    result = ran(TICKING, f"do: [{{at: 5s, {fault}}}]\n")
    rows = [row for row in result.rows if row.kind == "node_reported"]
    assert result.verdict == "pass"
    assert [(row.t_us - rows[0].t_us) // 1_000_000 for row in rows][1:] == expected_s


def test_the_clocks_that_the_code_asks_are_those_of_its_node(ran: Ran) -> None:
    result = ran(TICKING, "do: [{at: 15s, clock.step: {on: {node: operator}, by: 1h}}]\n")
    assert ticks_s(result) == [10, 20, 30, 40]
    assert ticks_s(result, "wall") == [10, 3620, 3630, 3640]


def test_a_cut_by_its_rack_stops_what_the_node_sends(ran: Ran) -> None:
    head = SCENARIO.replace('"roller.py:main"', '{main: "roller.py:main", rack: a}')
    result = ran(
        ASKING, head=head, words="do: [{at: 5s, net.partition: {on: {rack: a}, for: 6s}}]\n"
    )
    assert result.verdict == "pass"
    asked_s = [report["took_s"] for report in reports(result, "asked")]
    assert max(asked_s) > 1
    assert "broker_fenced" not in [row.kind for row in result.rows]


def test_what_a_node_does_is_the_cause_of_what_follows(ran: Ran) -> None:
    result = ran(ROLLING)
    by_seq = {row.seq: row for row in result.rows}
    killed = next(row for row in result.rows if row.detail == {"state": "NOT_RUNNING"})
    assert killed.cause_seq is not None
    assert by_seq[killed.cause_seq].node == "operator"


def test_a_run_whose_node_fails_is_told_and_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("roller.py").write_text(FAILING)
    Path("mine.yaml").write_text(SCENARIO)
    assert main(["scenario", "run", "mine.yaml", "--allow-code"]) == 1
    told = capsys.readouterr().out
    assert "  repeat: kraftsim scenario run mine.yaml" in told
    assert "on a page" not in told  # a page refuses nodes of one's own
    assert main(["explain", "mine.yaml", "--allow-code"]) == 0
    explained = capsys.readouterr().out
    assert "expected  The code of a node of your own raises no exception." in explained
    assert "got       node operator failed: roller.py:6: ValueError: no cluster" in explained


def test_code_runs_only_where_it_is_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("roller.py").write_text("open('marker', 'w').close()\n" + ROLLING)
    Path("mine.yaml").write_text(SCENARIO)
    for verb in ("scenario run", "scenario shrink", "explain"):
        assert main([*verb.split(), "mine.yaml"]) == 2
        assert "read it, then add --allow-code" in capsys.readouterr().err
    for verb in ("scenario lint", "scenario show"):
        assert main([*verb.split(), "mine.yaml"]) == 0
    assert not Path("marker").exists()
    assert main(["scenario", "run", "mine.yaml", "--allow-code"]) == 0
    assert Path("marker").exists()


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        ('operator: "no_such_package:main"', "No module named 'no_such_package'"),
        ('operator: "roller.py:other"', "expected"),
        ('operator: "json:dumps"', "expected a function `async def dumps(kraft)`"),
        ("operator: main", "expected MODULE:FUNCTION or FILE.py:FUNCTION"),
        ('broker-1: "roller.py:main"', "no broker and no controller"),
    ],
)
def test_a_node_without_code_or_name_is_refused(
    tmp_path: Path, nodes: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "roller.py").write_text(ROLLING)
    path = tmp_path / "mine.yaml"
    path.write_text(SCENARIO.replace('operator: "roller.py:main"', nodes))
    assert main(["scenario", "run", str(path), "--allow-code"]) == 2
    assert said in capsys.readouterr().err


def test_a_claim_about_an_unknown_node_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(SCENARIO + "expect: {never: [{node: operatr, state: failed}]}\n")
    (tmp_path / "roller.py").write_text(ROLLING)
    assert main(["scenario", "run", str(path), "--allow-code"]) == 2
    assert "expected 'operator' (nearest), got 'operatr'" in capsys.readouterr().err


def test_properties_judge_what_the_code_produces(ran: Ran) -> None:
    head = SCENARIO.replace("brokers: 3", "brokers: 3, topics: {orders: {}}")
    result = ran(PRODUCING, "do: [{at: 1s, proc.restart: {on: {leader_of: orders}}}]\n", head=head)
    assert [report["offset"] for report in reports(result, "sent")] == [*range(100)]
    assert result.exercised["offsets-never-repeat"] >= 100
    assert result.verdict == "pass"


@pytest.mark.slow
def test_aiokafka_in_a_node_repeats_over_hash_seeds(tmp_path: Path) -> None:
    (tmp_path / "roller.py").write_text(PRODUCING)
    words = SCENARIO.replace("brokers: 3", "brokers: 3, topics: {orders: {}}")
    (tmp_path / "mine.yaml").write_text(words)
    command = [sys.executable, "-m", "kraftsim", "scenario", "run", "mine.yaml", "--allow-code"]
    told = set()
    for seed in ("0", "1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(OPERATOR.parents[1])}
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
        told.add(re.search(r"b2:\w+", done.stdout)[0])  # type: ignore[index]
    assert len(told) == 1


OPERATOR = Path(__file__).resolve().parents[2] / "examples" / "operator"


@pytest.mark.parametrize(
    ("name", "broken"), [("rolling", []), ("forgetful", ["never[0]"])], ids=lambda value: str(value)
)
def test_chaos_finds_the_mistake_of_the_example(name: str, broken: list[str]) -> None:
    file = read_sound(OPERATOR / f"{name}-operator.yaml")
    load(file, is_allowed=True)
    assert [violation.name for violation in run(file.scenario, 0).violations] == broken


def test_one_crash_is_left_of_the_chaos_when_the_run_is_shrunk() -> None:
    file = read_sound(OPERATOR / "forgetful-operator.yaml")
    load(file, is_allowed=True)
    small = shrink(file.scenario, 0, Tries(200)).plan
    assert faults_of_operator(small) == [step.word for step in small.do] == ["proc.crash"]


def test_a_shrunk_file_of_a_node_that_fails_can_be_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("roller.py").write_text(FAILING)
    Path("mine.yaml").write_text(SCENARIO + "expect: {calm: [{node: operator, state: done}]}\n")
    assert main(["scenario", "shrink", "mine.yaml", "--allow-code"]) == 0
    small = read_sound(Path("mine-small.yaml"))
    load(small, is_allowed=True)
    assert [of.name for of in run(small.scenario, 0).violations] == ["node_failed"]


def plan_of(words: str, seed: int) -> Scenario:
    return expand(read_scenario(yaml.safe_load(SCENARIO + words)), seed)


def faults_of_operator(plan: Scenario) -> list[str]:
    named = [
        selector.value
        for step in plan.do
        for _, selector in found(Selector, step.verb)
        if selector.word == "node"
    ]
    assert set(named) <= {"operator"}
    return [
        step.word
        for step in plan.do
        if any(of.word == "node" for _, of in found(Selector, step.verb))
    ]


def test_chaos_strikes_own_nodes_where_its_verb_does_something() -> None:
    delay = "net.delay: {of: own, low: 1ms, high: 2ms}"
    kinds = f"{{proc.pause: {{of: nodes}}, disk.stall: {{of: nodes}}, {delay}}}"
    words = f"chaos: {{kinds: {kinds}, every: 1s, lasting: 1s}}\n"
    struck = [word for seed in range(10) for word in faults_of_operator(plan_of(words, seed))]
    assert set(struck) == {"proc.pause", "net.delay"}


def test_a_swarm_of_everything_strikes_own_nodes_and_keeps_the_claims_about_them() -> None:
    words = "draw: everything\nexpect: {never: [{node: operator, state: failed}]}\n"
    document = yaml.safe_load(SCENARIO + words)
    del document["cluster"]
    plans = [expand(read_scenario(document), seed) for seed in range(10)]
    struck = {word.partition(".")[0] for plan in plans for word in faults_of_operator(plan)}
    assert struck == {"proc", "clock", "net"}
    assert all(plan.expect.never for plan in plans)


def test_a_drawn_run_with_own_nodes_repeats(ran: Ran, tmp_path: Path) -> None:
    first, again = (ran(TICKING, "draw: messages\n", seed=4) for _ in range(2))
    assert first.digest == again.digest
    assert {"node_failed"} & {violation.name for violation in first.violations} == set()


def test_a_campaign_runs_the_code_that_it_was_allowed_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("roller.py").write_text(FAILING)
    Path("mine.yaml").write_text(SCENARIO + "expect: {fails_with: node_failed}\n")
    local = ["--engine", "local", "--workers", "1"]
    words = ["mine.yaml", "--seeds", "1..3", "--out", "c", *local]
    assert main(["campaign", "run", *words]) == 2
    assert "read it, then add --allow-code" in capsys.readouterr().err
    assert main(["campaign", "run", *words, "--allow-code"]) == 0
    Path("roller.py").unlink()  # the plan has it
    assert main(["campaign", "verify", "c", *local]) == 2
    assert "run Python code (roller.py)" in capsys.readouterr().err
    assert main(["campaign", "verify", "c", *local, "--allow-code"]) == 0


def test_a_broker_that_a_fault_restarts_listens_again(ran: Ran) -> None:
    result = ran(CONNECTING, "do: [{at: 5s, proc.crash: {on: 1, for: 3s}}]\n")
    connected = [report["connects"] for report in reports(result, "tried")]
    assert connected[:5] == [True] * 5
    assert False in connected
    assert connected[-5:] == [True] * 5
