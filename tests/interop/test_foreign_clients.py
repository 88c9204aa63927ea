"""Foreign clients make each of their calls once: no call hangs, no call tells a lie."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.interop.foreign.conversation import Said
from tests.interop.foreign.programs import JAVA, PROGRAMS, Program
from tests.interop.foreign.record import rows_of, spoken
from tests.interop.foreign.released import RELEASED_FILE, released_cluster
from tests.interop.foreign.simulated import simulated_cluster
from tests.interop.foreign.state import Cluster
from tests.toolchains import ToolchainMissing
from tools.foreign_clients.calls import (
    CONTROL_PLANE,
    DATA_PLANE,
    DIFFERENT_FROM_A_BROKER,
    EMPTY,
    FALSE_RESULTS,
    MESSAGES,
    NEVER_ENDING,
    is_false_result,
)

pytestmark = [pytest.mark.interop, pytest.mark.slow]
TIMEOUT = "timeout"
LATE = "REQUEST_TIMED_OUT"
TRUE = {*CONTROL_PLANE, *EMPTY, *MESSAGES}


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with simulated_cluster(tmp_path_factory.mktemp("simulated")) as cluster:
        yield cluster


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_each_call_ends_soon_tells_the_truth_and_has_the_recorded_outcome(
    simulated: Cluster, program: Program
) -> None:
    calls, uncalled = spoken_if_installed(program, simulated)

    assert [] == uncalled
    given_up = {said.call for said in calls if said.outcome == TIMEOUT}
    assert given_up == {call for name, call in NEVER_ENDING if name == program.name}
    results = {said.call for said in calls if said.outcome == "result"}
    false_results = {call for call in results if is_false_result(program.name, call)}
    assert results - TRUE <= false_results
    assert {call for name, call in FALSE_RESULTS if name == program.name} <= results
    assert recorded(program.recorded) == rows_of(calls)


@pytest.mark.soak
@pytest.mark.released
def test_a_released_cluster_refuses_what_ours_refuses(tmp_path: Path) -> None:
    """The data plane apart, a difference is one of those that calls.py explains."""
    for attempt in ("first", "again"):  # a released broker on a busy machine may be too late once
        with released_cluster(tmp_path / attempt) as cluster:
            calls, uncalled = spoken_if_installed(JAVA[-1], cluster)
        if late(rows_of(calls)) == late(recorded(RELEASED_FILE)):
            break

    released, ours = rows_of(calls), recorded(JAVA[-1].recorded)
    assert [] == uncalled
    assert recorded(RELEASED_FILE) == released
    differing = {call for call in ours if ours[call]["outcome"] != released[call]["outcome"]}
    assert differing - {*DATA_PLANE} == {*DIFFERENT_FROM_A_BROKER}


def spoken_if_installed(program: Program, cluster: Cluster) -> tuple[list[Said], list[str] | None]:
    try:
        return spoken(program, cluster)
    except ToolchainMissing as missing:
        pytest.skip(str(missing))


def late(rows: dict[str, Any]) -> set[str]:
    """The calls that the broker did not answer in time."""
    return {call for call, row in rows.items() if row["outcome"] == LATE}


def recorded(file: Path) -> dict[str, Any]:
    """What is recorded of each call."""
    rows: dict[str, Any] = json.loads(file.read_text("utf-8"))["calls"]
    return rows
