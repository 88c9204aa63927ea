"""A fleet of brokers over sockets, on real time: `make soak` runs 1,000 of them for an hour."""

import os
import time
from contextlib import closing
from pathlib import Path
from statistics import quantiles

import pytest

from tests.interop.heartbeats import TimedBroker
from tests.interop.running import eventually, kraftsim_agents, kraftsim_up

pytestmark = pytest.mark.interop

SOAK_S = float(os.environ.get("KRAFTSIM_SOAK_SECONDS", "0"))  # `make soak` runs an hour
BROKERS = 1_000 if SOAK_S else 50
PAUSE_S = 0.05 if SOAK_S else 0.0  # between two timed heartbeats
SETTINGS = ""  # Kafka's own: a heartbeat every 2 s, a lease of 9 s
SESSION_S = 9.0
P99_MAX_MS = 50.0
TIMED_ID = 1
FLOOD_S, AFTER_S = (60.0, 2 * SESSION_S) if SOAK_S else (1.0, 0.0)


def test_no_broker_of_a_fleet_is_fenced_while_it_sends_heartbeats(tmp_path: Path) -> None:
    with (
        kraftsim_up(tmp_path, brokers=0, settings=SETTINGS) as kraft,
        kraftsim_agents(tmp_path, kraft, count=BROKERS, settings=SETTINGS),
        closing(TimedBroker(kraft, TIMED_ID)) as broker,
    ):
        cpu_s, began_s = _cpu_s(kraft.process.pid), time.monotonic()
        took_ms = _heartbeats_ms(broker, SOAK_S)
        cores = (_cpu_s(kraft.process.pid) - cpu_s) / (time.monotonic() - began_s)

        assert kraft.events("broker_fenced") == []
        assert len(kraft.events("broker_unfenced")) == BROKERS + 1

    p99_ms = quantiles(took_ms, n=100)[98]
    print(f"{BROKERS} brokers, {SOAK_S:g} s: heartbeats' p99 {p99_ms:.1f} ms, {cores:.2f} cores")
    if SOAK_S:
        assert p99_ms <= P99_MAX_MS
        assert cores <= 1.0


def test_a_fleet_recovers_from_a_flood_of_heartbeats(tmp_path: Path) -> None:
    with (
        kraftsim_up(tmp_path, brokers=0, settings=SETTINGS) as kraft,
        kraftsim_agents(tmp_path, kraft, count=BROKERS, settings=SETTINGS),
        closing(TimedBroker(kraft, TIMED_ID)) as broker,
    ):
        replies = broker.flood(FLOOD_S)
        ended_s = time.monotonic()
        eventually(kraft.fenced, [], ignoring=OSError)
        recovered_s = time.monotonic() - ended_s
        fences = len(kraft.events("broker_fenced"))
        took_ms = _heartbeats_ms(broker, AFTER_S)

        assert len(kraft.events("broker_fenced")) == fences

    print(
        f"flood of {replies / FLOOD_S:,.0f} heartbeats/s for {FLOOD_S:g} s: {fences} fences, "
        f"all unfenced {recovered_s:.1f} s later, then at most {max(took_ms):.1f} ms"
    )
    if SOAK_S:
        assert recovered_s <= SESSION_S


def _heartbeats_ms(broker: TimedBroker, for_s: float) -> list[float]:
    """The milliseconds of each heartbeat, for so long and at least a hundred heartbeats."""
    end_s, took_ms = time.monotonic() + for_s, list[float]()
    while time.monotonic() < end_s or len(took_ms) < 100:
        took_ms.append(broker.heartbeat_ms())
        time.sleep(PAUSE_S)
    return took_ms


def _cpu_s(pid: int) -> float:
    """The user and system time of a process in seconds."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
