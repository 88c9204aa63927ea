"""The fixture `kraft_faults`: faults of a test, in two forms, that must have an effect."""

import pytest

pytestmark = pytest.mark.realtime

AIMED = """
@pytest.mark.asyncio
async def test_fence(kraft, kraft_clock, kraft_faults):
    drop = {add}kraft_faults.add(api="BrokerHeartbeat", broker=2, action="drop", count=-1)
    await kraft_clock.advance("11s")
    await kraft.wait(broker=2, state="fenced")
    assert drop.hits > 0
    await drop.remove()
    await kraft.wait(broker=2, state="unfenced")
"""


@pytest.mark.parametrize("add", ["", "await "])
def test_lost_heartbeats_fence_a_broker(suite, add):
    assert "1 passed" in suite.run(AIMED.format(add=add), "-W", "error", plugins="asyncio")


def test_a_blocking_test_adds_both_forms_of_the_same_fault(suite):
    text = """
@pytest.mark.kraft(clock="virtual")
def test_forms(kraft_faults, kraft_sync):
    words = {"api": "Fetch", "broker": 1, "direction": "reply"}
    short = kraft_faults.add(action="drop", **words, for_="5s", id="short")
    long = kraft_faults.add({"rpc.drop": words, "id": "long"})
    kraft_sync.clock.advance("4s")
    assert long.wait(2) >= 2
    assert short.hits == 1
    assert [fault["words"] for fault in kraft_sync.faults.list()] == [
        {"api": "Fetch", "broker": 1, "count": 1, "direction": "reply", "for": "5s"},
        {"api": "Fetch", "broker": 1, "direction": "reply"},
    ]
    long.remove()
"""
    assert "1 passed" in suite.run(text)


MISSED = """
def test_missed(kraft_sync, kraft_faults):
    kraft_faults.add(api="UnregisterBroker", action="drop")
"""


def test_a_fault_without_an_effect_fails_the_test_in_one_line(suite):
    output = suite.run(MISSED)

    assert "kraft: fault rpc.drop-1 never fired (rpc.drop: {api: UnregisterBroker, " in output
    assert "allow it with kraft_faults.add(..., may_miss=True)" in output
    assert "1 failed" in output
    assert "Traceback" not in output


@pytest.mark.parametrize(
    "text",
    [
        MISSED.replace('"drop"', '"drop", may_miss=True'),
        f"@pytest.mark.kraft(may_miss=True){MISSED}",
    ],
)
def test_a_fault_may_be_allowed_to_miss(suite, text):
    assert "1 passed" in suite.run(text)


def test_a_test_that_fails_by_itself_is_reported_as_it_failed(suite):
    output = suite.run(MISSED + "    assert 1 == 2\n")

    assert "assert 1 == 2" in output
    assert "never fired" not in output


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("add(api='Fetch', action='dorp')", "action: expected 'drop' (nearest), got 'dorp'"),
        ("add(api='Fech', action='drop')", "'Fetch' (nearest), got 'Fech'"),
        ("add(api='Fetch')", "expected either a fault or an action"),
        ("add({'rpc.drop': {}}, api='Fetch')", "api: expected in the fault"),
        ("add(api='Fetch', action='drop', brokr=2)", "unknown key 'brokr': expected 'broker'"),
    ],
)
def test_a_mistake_names_the_nearest_word(suite, call, message):
    assert message in suite.run(f"\ndef test_it(kraft_sync, kraft_faults): kraft_faults.{call}\n")


def test_faults_need_a_cluster(suite):
    output = suite.run("\ndef test_it(kraft_faults): kraft_faults.add(action='drop')\n")

    assert "kraft: kraft_faults needs kraft or kraft_sync" in output


def test_a_process_has_faults_too(suite):
    text = """
def test_faults(kraft_proc):
    cut = kraft_proc.faults.add({"net.partition": {"on": 2}, "id": "cut"})
    assert kraft_proc.faults.wait("cut", hits=1)["hits"] >= 1
    assert not kraft_proc.faults.remove("cut")["open"]
    assert [fault["id"] for fault in kraft_proc.faults.list()["faults"]] == ["cut"]
"""
    assert "1 passed" in suite.run(text)


@pytest.mark.parametrize("fixture", ["kraft_sync", "kraft_proc"])
def test_the_handle_of_a_fault_is_the_same_in_a_process(suite, fixture):
    text = f"""
@pytest.mark.kraft(clock="virtual")
def test_faults({fixture}):
    drop = {fixture}.faults.add({{"rpc.drop": {{"api": "BrokerHeartbeat", "count": 2}}}})
    assert (drop.id, drop.hits, drop.is_open, drop.is_spent) == ("rpc.drop-1", 0, True, False)
    assert drop.wait(2) == drop.hits == 2 and drop.is_spent
    assert [event["kind"] for event in drop.events][-1] == "request_lost"
    with pytest.raises(TimeoutError, match="expected 3 hits of fault rpc.drop-1 within 1s, got 2"):
        drop.wait(3, timeout="1s")
    assert drop.remove() is None and not drop.is_open
    assert drop.text() == "rpc.drop: {{api: BrokerHeartbeat, count: 2}}"
    assert drop.document()["hits"] == 2
"""
    assert "1 passed" in suite.run(text)
