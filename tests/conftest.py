"""What holds for every test: who may run beside whom, and what `docs/fidelity.md` is made of."""

import gc
import os
from collections.abc import Generator
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import settings

from kraftsim import machine_code
from tests import grouping, running_order
from tools import fidelity
from tools.fidelity_page import Proof

# How long an example takes is no promise here. The gate judges a change, not a draw: only a soak
# draws new examples in each run, and many.
SOAK = "KRAFTSIM_SOAK_EXAMPLES" in os.environ
EXAMPLES = int(os.environ.get("KRAFTSIM_SOAK_EXAMPLES", "25"))
settings.register_profile("any machine", deadline=None, derandomize=not SOAK, max_examples=EXAMPLES)
settings.load_profile("any machine")

# What tests share asserts as well: `python -O` drops every assert that pytest has not written anew.
SHARED = (
    "tests.builders",
    "tests.worlds",
    "tests.core",
    "tests.page",
    "tests.raft",
    "tests.scenarios",
)
pytest.register_assert_rewrite(*SHARED)

TESTS = Path(__file__).parent

PROOFS = pytest.StashKey[list[Proof]]()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collects without the garbage collector: the tests live as long as the process.

    It would look at all of them again and again, later too: that is a quarter of the time.
    """
    gc.disable()
    result = yield
    gc.freeze()
    gc.enable()
    return result


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(grouping)


@pytest.hookimpl(tryfirst=True)  # before -m and -k deselect
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    config.stash[PROOFS] = fidelity.proofs_of(items)
    for item in items:
        if machine_code.is_used() and item.get_closest_marker("python_modules"):
            item.add_marker(pytest.mark.skip(reason="needs the Python modules"))
        if group := running_order.group_of(item):
            item.add_marker(pytest.mark.xdist_group(group))
    items.sort(key=running_order.place_of)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    files = running_order.slowest_files(chain(*terminalreporter.stats.values()))
    if len(files) == running_order.SLOWEST:
        terminalreporter.section("the slowest files")
        for path, seconds in files:
            terminalreporter.write_line(f"{seconds:7.1f} s  {path}")


@pytest.fixture
def proofs(request: pytest.FixtureRequest) -> list[Proof]:
    """What the whole suite proves, also when only a part of it runs."""
    if collects_everything(request.config):
        return request.config.stash[PROOFS]
    return fidelity.collect_apart()


def collects_everything(config: pytest.Config) -> bool:
    whole = {TESTS, TESTS.parent}
    return {Path(config.invocation_params.dir, arg).resolve() for arg in config.args} <= whole
