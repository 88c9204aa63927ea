"""Virtual time of kraftsim and of other Python simulators, with the same workload (bench/peers).

All of them trace events and run on the same Python version in turn; figures are processor time.
"""

import json
import os
import subprocess
from statistics import median

from tests.other_pythons import ROOT, NoPython, python_with

from ..peers.workload import SIMULATED_S
from ..report import Row

ROUNDS = 5
VERSION = "3.12"  # the oldest Python that all of them support
GOALS = {"simloop": 5, "simloom": 10, "seedloop": 3}
PACKAGES = ["simloop==0.2.2", "simloom==0.5.0", "seedloop==0.4.1"]


def simulation_peers() -> list[Row]:
    """Returns the ratios to the other simulators."""
    try:
        python = python_with(VERSION, *PACKAGES)
    except NoPython as why:
        return [Row("virtual time, beside other simulators", f"not run: {why}")]
    programs = {"ours": "ours"} | {name: f"on_{name}" for name in GOALS}
    took: dict[str, list[float]] = {name: [] for name in programs}
    for _ in range(ROUNDS):
        for name, program in programs.items():
            took[name].append(_cpu_s(python, program))
    rates = {name: SIMULATED_S / median(times_s) for name, times_s in took.items()}
    return [
        Row(
            f"virtual time, heartbeats only, beside {name}",
            f"{rates['ours']:,.0f} x real time",
            f"{rates[name]:,.0f} x",
            rates["ours"] / rates[name],
            f">= {goal}",
        )
        for name, goal in GOALS.items()
    ]


def _cpu_s(python: str, program: str) -> float:
    """Returns the processor time of ten virtual minutes."""
    done = subprocess.run(
        [python, "-m", f"bench.peers.{program}"],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(json.loads(done.stdout)["cpu_s"])
