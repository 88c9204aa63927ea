"""franz-go's own tests of its client pass at simulated brokers, but for those that need a group."""

import os
import re
import subprocess
from collections.abc import Collection
from pathlib import Path

import pytest

from tests.interop.foreign.released import released_cluster
from tests.interop.foreign.simulated import simulated_cluster
from tests.interop.foreign.toolchains import kgo_sources, kgo_tests
from tests.limits import LIMIT_S
from tests.toolchains import ToolchainMissing
from tools.foreign_clients.kgo import LONG, PASSING, WAITING

pytestmark = [pytest.mark.interop, pytest.mark.slow]

QUICK = [name for name in PASSING if name not in LONG]
LONG_LIMIT_S = 5 * LIMIT_S
ONE_REPLICA = {"KGO_TEST_RF": "1"}

_TEST = re.compile(r"^func (Test\w+)\(t \*testing\.T\) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
_ASKS = re.compile(r"newTestClient\(|\badm\(\)|\btmp\w*Topic|scramSeeds|test(?:Group|Txn)")
_VERDICT = re.compile(r"^--- (PASS|FAIL|SKIP): (\w+)", re.MULTILINE)


def verdicts(
    servers: str, names: Collection[str], limit_s: float, **settings: str
) -> dict[str, str]:
    """Runs the tests of these names at the brokers; returns what each one came to."""
    try:
        program = kgo_tests()
    except ToolchainMissing as missing:
        pytest.skip(str(missing))
    pattern = f"^({'|'.join(names)})$"
    options = ["-test.v", f"-test.run={pattern}", "-test.parallel=32", f"-test.timeout={limit_s}s"]
    environment = os.environ | {"KGO_SEEDS": servers, "KGO_LOG_LEVEL": "none"} | settings
    done = subprocess.run(
        [program, *options], env=environment, capture_output=True, text=True, check=False
    )
    found = {name: verdict for verdict, name in _VERDICT.findall(done.stdout)}
    if set(found.values()) != {"PASS"}:
        print(done.stdout)
    return found


def test_the_short_tests_that_need_no_group_pass(tmp_path: Path) -> None:
    with simulated_cluster(tmp_path) as cluster:
        found = verdicts(cluster.servers, QUICK, LIMIT_S)

    assert dict.fromkeys(QUICK, "PASS") == found


@pytest.mark.soak
def test_all_tests_that_need_no_group_pass(tmp_path: Path) -> None:
    with simulated_cluster(tmp_path) as cluster:
        found = verdicts(cluster.servers, PASSING, LONG_LIMIT_S)

    assert dict.fromkeys(PASSING, "PASS") == found


@pytest.mark.soak
@pytest.mark.released
def test_a_released_broker_passes_the_same_tests(tmp_path: Path) -> None:
    skipped = "TestIssueProduceBrokerTooOldFailsRecords"
    names = [*PASSING, skipped]

    with released_cluster(tmp_path / "released") as cluster:
        found = verdicts(cluster.servers, names, LONG_LIMIT_S, **ONE_REPLICA)

    assert dict.fromkeys(PASSING, "PASS") | {skipped: "SKIP"} == found


def test_each_test_that_talks_to_a_broker_is_listed() -> None:
    try:
        sources = kgo_sources()
    except ToolchainMissing as missing:
        pytest.skip(str(missing))

    texts = [file.read_text("utf-8") for file in sorted(sources.glob("*_test.go"))]
    tests = [found for text in texts for found in _TEST.findall(text)]

    assert len(tests) > 100
    assert {name for name, body in tests if _ASKS.search(body)} == {*PASSING, *WAITING}
