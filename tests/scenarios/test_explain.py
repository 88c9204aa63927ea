"""What led to an event, in the order of time and in a few lines."""

import pytest

from kraftsim.scenarios.explain import LINES_MAX, explain
from kraftsim.scenarios.scenario import read_scenario


def explained(*steps, seed=3, controllers=1):
    rows, chains = explain(
        read_scenario(
            {
                "schema": "kraftsim/scenario/1",
                "name": "one",
                "claim": "It is explained.",
                "cluster": {"controllers": controllers, "brokers": 2},
                "time": {"warmup": "1s", "run": "25s", "calm": "5s"},
                "do": list(steps),
            }
        ),
        seed,
    )
    return {row.kind: chains[row.seq] for row in rows}


def texts(chain):
    return [line.partition("  ")[2] for line in chain]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ({"proc.pause": {"on": 1, "for": "15s"}}, "broker 1 is PAUSED"),
        ({"proc.crash": {"on": 1, "for": "15s"}}, "broker 1 is NOT_RUNNING"),
    ],
    ids=["paused", "crashed"],
)
def test_a_fence_names_the_fault_the_last_heartbeat_and_the_lease(fault, said):
    chain = texts(explained({"at": "5s"} | fault)["broker_fenced"])

    assert [f"{next(iter(fault))} begins", said, "its lease of 9s is over"] == chain[-4:-1]
    assert any("the last heartbeat of broker 1 reached 3000" in line for line in chain)
    assert chain[-1].startswith("broker fenced: 1, at offset")


def test_a_fence_by_a_cut_names_what_did_not_arrive():
    chain = texts(explained({"at": "5s", "net.partition": {"on": 1}})["broker_fenced"])

    assert any("BrokerHeartbeat from 1 did not arrive" in line for line in chain)


def test_an_election_tells_who_was_asked_and_what_they_said():
    crash = {"at": "5s", "proc.crash": {"on": "active"}}
    chain = explained(crash, controllers=3)["controller_elected"]

    said = texts(chain)
    assert any("is NOT_RUNNING" in line for line in said)
    assert any("pre-vote with yes" in line for line in said)
    assert "leads epoch 2" in said[-1]


def test_a_chain_is_short_and_in_the_order_of_time():
    chains = explained(
        {"every": "1s", "times": 20, "net.delay": {"on": "all", "low": "1ms", "high": "2ms"}},
        {"at": "5s", "proc.crash": {"on": 1}},
    )

    for chain in chains.values():
        times = [float(line.split()[0]) for line in chain]
        assert times == sorted(times)
        assert len(chain) <= LINES_MAX
