"""Random faults in tests of users: the marker, the report of a failure, and what is shrunk."""

import re

import pytest

from tests.plugin.conftest import STRICT

MARKED = '@pytest.mark.kraft(brokers=4, controllers=3, loop="simulated", chaos={chaos})'
WATCHES = f"""
import asyncio, zlib

@pytest.mark.asyncio
{MARKED}
async def test_no_broker_is_ever_fenced(kraft):
    await asyncio.sleep(90)
    events = await kraft.events.list()
    print("digest", zlib.crc32(repr([(e["tUs"], e["kind"]) for e in events]).encode()))
    assert not [event for event in events if event["kind"] == "broker_fenced"]
"""
CHAOS = {"verbs": ["proc.crash", "proc.pause"]}
WORDS = ("-s", "--kraft-explore=3")


def digests(output):
    return re.findall(r"digest (\d+)", output)


def seeds(output):
    """How many of three seeds fail, how many of these need no fault, and the shortest one."""
    summary = r"(\d) of 3 seeds fail; (\d) need no fault; shortest: seed (\d); pass: "
    return tuple(map(int, re.search(summary, output).groups()))


def test_a_failure_shows_when_its_random_faults_began_and_which_one_it_needs(suite):
    output = suite.run(WATCHES.format(chaos=CHAOS), *WORDS, plugins="asyncio")

    failed, without, shortest = seeds(output)
    assert failed > without == 0
    name, verb = re.search(r"shrunk: needs 1 of \d+ faults: (\S+): (\S+): ", output).groups()
    assert re.search(rf"  {name} at [\d.]+ s: hits 1, (ended|open); {verb}: {{on: \d, ", output)
    assert f"--kraft-explore=1 --kraft-seed={shortest} --kraft-faults={name}\n" in output

    options = ("--kraft-explore=1", f"--kraft-seed={shortest}")
    text = WATCHES.format(chaos=CHAOS)
    assert "1 failed" in suite.run(text, *options, f"--kraft-faults={name}", plugins="asyncio")
    assert "1 passed" in suite.run(text, *options, "--kraft-faults=none", plugins="asyncio")


def test_a_seed_repeats_in_fresh_processes_and_beside_others_and_another_differs(suite):
    text = WATCHES.format(chaos=CHAOS).replace("    assert not", "    return\n    assert not")
    alone = [
        digests(suite.start(text, *STRICT, *WORDS[:1], "--kraft-seed=2", plugins="asyncio"))
        for _ in range(2)
    ]
    beside = digests(suite.run(text, *WORDS, plugins="asyncio"))

    assert alone[0] == alone[1] == [beside[2]]
    assert len(set(beside)) == len(beside) == 3


@pytest.mark.parametrize("fixture", ["kraft", "kraft_sync"])
def test_random_faults_act_on_every_clock_that_virtual_time_moves(suite, fixture):
    text = f"""
@pytest.mark.kraft(brokers=4, controllers=3, chaos=True)
async def test_it({fixture}):
    kraft = {fixture}
    ADVANCE
    ids = [fault["id"] for fault in FAULTS]
    assert ids[:3] == ["chaos-1", "chaos-2", "chaos-3"]
    END
    assert not [fault for fault in FAULTS if fault["open"]]
"""
    calls = {"ADVANCE": "clock.advance('3m')", "FAULTS": "faults.list()", "END": "chaos.end()"}
    for word, call in calls.items():
        text = text.replace(word, f"kraft.{call}" if "sync" in fixture else f"(await kraft.{call})")
    text = text.replace("async def", "def") if "sync" in fixture else "@pytest.mark.asyncio" + text

    assert "1 passed" in suite.run(text, plugins="asyncio")


BLOCK = """
@pytest.mark.kraft(brokers=4, controllers=3)
def test_it(kraft_sync):
    with kraft_sync.chaos(7, verbs=["proc.crash"], budget={"brokers": 2}):
        kraft_sync.clock.advance("3m")
    faults = kraft_sync.faults.list()
    assert {fault["verb"] for fault in faults} == {"proc.crash"}
    assert not any(row["fenced"] for row in kraft_sync.brokers.list())
"""


def test_a_blocking_test_has_random_faults_for_a_block(suite):
    assert "1 passed" in suite.run(BLOCK)


@pytest.mark.parametrize(
    ("chaos", "words"),
    [
        ("'yes'", 'chaos: expected True or {"verbs": '),
        ("{'verb': []}", "chaos: expected 'verbs' (nearest), got 'verb'"),
        ("{'verbs': ['net.los']}", "chaos: verbs: expected 'net.loss' (nearest), got 'net.los'"),
        ("{'budget': {'brokers': 4}}", "chaos: budget: brokers: expected 0 to 3, got 4"),
    ],
)
def test_wrong_chaos_fails_the_test_in_one_line(suite, chaos, words):
    text = f"@pytest.mark.kraft(chaos={chaos})\ndef test_it(kraft_sync): pass"

    assert words in suite.run(text)


def test_a_process_refuses_random_faults_and_names_the_fixture_for_them(suite):
    text = "@pytest.mark.kraft(chaos=True)\ndef test_it(kraft_proc): pass"

    assert "kraft_sync takes chaos" in suite.run(text)
