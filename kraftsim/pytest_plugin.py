"""The pytest plugin: the fixtures whose names begin with `kraft`, a marker, and options.

pytest imports this module at every start, so it imports the rest of kraftsim inside functions.
"""

from inspect import isasyncgenfunction, iscoroutinefunction

import pytest

from .testing.keys import (
    CHOSEN,
    CLOCKS,
    EXPLORED,
    FAILED_AT,
    FAILURE,
    FAULTS,
    INVARIANTS,
    POOL,
    PROCESSES,
    RUNNING,
    SIMULATED,
)

TYPE_CHECKING = False  # importing typing takes time at every start of pytest
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Generator, Iterator
    from typing import Any

    from .api.clock import Clock
    from .api.cluster import Cluster
    from .testing.aimed_faults import AimedFaults
    from .testing.blocking_cluster import BlockingCluster
    from .testing.factory import Factory
    from .testing.loop_pool import LoopPool
    from .testing.process_cluster import ProcessCluster
    from .testing.processes import Processes

MARKER = (
    "kraft(brokers=3, controllers=1, clock='auto', seed=None, scope='function', loop='asyncio', "
    "chaos=False, may_leak=False, may_miss=False, may_break=False, ...): the cluster of the "
    "fixtures kraft and kraft_sync; any argument of kraftsim.Cluster"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options of the plugin."""
    group = parser.getgroup("kraftsim", "kraftsim, a simulated Kafka cluster")
    group.addoption(
        "--kraft-seed",
        type=int,
        metavar="N",
        help="seed of every cluster whose marker has no seed (default: chosen for each test)",
    )
    group.addoption(
        "--kraft-explore",
        type=int,
        metavar="N",
        help="run every test that has a cluster N times, with N seeds from --kraft-seed on (or 0)",
    )
    group.addoption(
        "--kraft-faults",
        metavar="N,...",
        help="with --kraft-explore: which faults of a test take effect, by their numbers in the "
        "order in which the test adds them, random ones by their ids, or none (default: all)",
    )
    group.addoption(
        "--kraft-keep",
        action="store_true",
        help="after a failed test keep its cluster running until Ctrl-C, and print its addresses",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker; refuses options that nothing can follow.

    Worker processes of pytest-xdist have no terminal, which --kraft-keep needs.
    """
    config.addinivalue_line("markers", MARKER)
    if config.getoption("kraft_faults") is not None:
        from .testing.exploring.explored_run import kept_faults

        kept_faults(config)
        if not config.getoption("kraft_explore"):
            raise pytest.UsageError("--kraft-faults needs --kraft-explore")
    if config.getoption("kraft_keep") and config.getoption("numprocesses", None):
        raise pytest.UsageError("--kraft-keep needs one process: run without -n, or with -n 0")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Makes N tests of each test that has a cluster, with --kraft-explore=N."""
    count = metafunc.config.getoption("kraft_explore")
    if count and any(name.startswith("kraft") for name in metafunc.fixturenames):
        first = metafunc.config.getoption("kraft_seed") or 0
        seeds = range(first, first + count)
        metafunc.fixturenames.append(EXPLORED)
        metafunc.parametrize(EXPLORED, seeds, ids=[f"seed {seed}" for seed in seeds])


@pytest.fixture
async def kraft_factory(request: pytest.FixtureRequest) -> "AsyncIterator[Factory]":
    """Starts clusters: `await kraft_factory(brokers=5)` returns a running cluster.

    The arguments are those of `kraftsim.Cluster`; the marker has the defaults. Each cluster of a
    test has the next seed, and so another id.
    """
    from .testing.factory import factory_of

    async with factory_of(request.node) as factory:
        yield factory


@pytest.fixture(scope="module")
async def _kraft_of_module() -> "AsyncIterator[LoopPool]":
    from .testing.loop_pool import loop_pool

    async with loop_pool() as pool:
        yield pool


@pytest.fixture(scope="session")
async def _kraft_of_session() -> "AsyncIterator[LoopPool]":
    from .testing.loop_pool import loop_pool

    async with loop_pool() as pool:
        yield pool


@pytest.fixture
async def kraft(request: pytest.FixtureRequest, kraft_factory: "Factory") -> "Cluster":
    """A running cluster on the test's event loop, for tests of pytest-asyncio and anyio.

    With `scope="module"` or `scope="session"` in the marker, tests on one event loop whose markers
    describe the same cluster share it; it is reset before each of them.
    """
    pool = request.node.stash.get(POOL, None)
    return await (kraft_factory() if pool is None else kraft_factory.borrow(pool))


@pytest.fixture
async def kraft_clock(kraft: "Cluster") -> "Clock":
    """The clock of the cluster `kraft`: `await kraft_clock.advance("11s")`."""
    return kraft.clock


@pytest.fixture
def kraft_faults(request: pytest.FixtureRequest) -> "AimedFaults":
    """The faults of the test's cluster: `kraft_faults.add(api="BrokerHeartbeat", action="drop")`.

    A test that passes although one of its faults had no effect fails, unless the fault was added
    with `may_miss=True` or the marker has it.
    """
    from .testing.aimed_faults import AimedFaults

    faults = AimedFaults(request)
    request.node.stash[FAULTS] = faults
    return faults


@pytest.fixture
def kraft_sync(request: pytest.FixtureRequest) -> "Iterator[BlockingCluster]":
    """A running cluster in a thread of its own, for blocking clients; its methods block.

    With `scope="module"` or `scope="session"` in the marker, tests whose markers describe the same
    cluster share it; it is reset before each of them.
    """
    from .testing.shared import blocking_cluster

    with blocking_cluster(request.node) as cluster:
        yield cluster


@pytest.fixture(scope="session")
def _kraft_processes(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[Processes]":
    from .testing.processes import processes

    with processes(tmp_path_factory) as running:
        yield running


@pytest.fixture
def kraft_proc(request: pytest.FixtureRequest, _kraft_processes: "Processes") -> "ProcessCluster":
    """A cluster in a process of its own, which is reset before each test; its methods block.

    Tests of a session whose markers describe the same cluster share a process. If KRAFTSIM_HTTP is
    set, the cluster is the one at that address, and it runs on afterwards.
    """
    return _kraft_processes.lend(request.node)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_fixture_setup(
    fixturedef: "pytest.FixtureDef[Any]", request: pytest.FixtureRequest
) -> "Generator[None, object, object]":
    """Lets the plugin that runs the test run the asyncio fixtures too."""
    function = fixturedef.func
    is_asynchronous = iscoroutinefunction(function) or isasyncgenfunction(function)
    if is_asynchronous and function.__module__ == __name__:
        from .testing.event_loops import prepared

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(fixturedef, "func", prepared(function, request))
            return (yield)
    return (yield)


@pytest.hookimpl(wrapper=True, trylast=True)  # inside of the wrappers whose teardown it skips
def pytest_runtest_setup(item: pytest.Item) -> "Generator[None, object, object]":
    """Lets a test whose marker has the simulated loop run in one.

    Before another test the real clocks are put back, not after each: that takes time.
    """
    if any("loop" in marker.kwargs for marker in item.iter_markers("kraft")):
        from .testing.requested import has_simulated_loop

        if has_simulated_loop(item):
            from contextlib import ExitStack

            from .testing.simulated_tests import simulated

            item.stash[SIMULATED] = stack = ExitStack()
            stack.enter_context(simulated(item))
    if SIMULATED not in item.stash:
        _restore_clocks(item.config)
    return (yield)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Puts the real clocks back after the last test."""
    _restore_clocks(config)


def _restore_clocks(config: pytest.Config) -> None:
    if CLOCKS in config.stash:
        from .testing.simulated_tests import restore_clocks

        restore_clocks(config)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> "Generator[None, object, object]":
    """Ends what the setup of a test with a simulated loop began, and lets go of its clusters.

    A session keeps its tests, and with them it would keep every simulation that was watched.
    """
    try:
        return (yield)
    finally:
        if SIMULATED in item.stash:
            item.stash[SIMULATED].close()
            del item.stash[SIMULATED]
        for key in (INVARIANTS, FAULTS):
            if key in item.stash:
                del item.stash[key]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Runs a test of --kraft-explore, and again with fewer faults if it fails."""
    if EXPLORED not in getattr(getattr(item, "callspec", None), "params", {}):
        return None
    from .testing.exploring.explored_run import run_explored

    run_explored(item, nextitem)
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> "Generator[None, object, object]":
    """Fails a test that passed although a property was broken, or a fault of it had no effect."""
    result = yield
    if INVARIANTS in item.stash:
        item.stash[INVARIANTS].refuse_broken()
    if FAULTS in item.stash:
        item.stash[FAULTS].refuse_missed()
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: "pytest.CallInfo[None]"
) -> "Generator[None, pytest.TestReport, pytest.TestReport]":
    """Adds the section "kraftsim" to the report of a failed test that has a cluster."""
    report = yield
    if report.failed and (item.stash.get(RUNNING, []) or PROCESSES in item.stash):
        from .testing.failure_report import add_section

        add_section(item, report)
        if CHOSEN in item.stash and call.excinfo is not None:
            from .testing.exploring.explored_run import failed_at_us, failure_of

            item.stash[FAILURE] = failure_of(item, call.excinfo)
            item.stash[FAILED_AT] = failed_at_us(item)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(
    terminalreporter: "Any", config: pytest.Config
) -> "Generator[None, None, None]":
    """Shows equal failures of --kraft-explore once, and counts the seeds of each test."""
    if not config.getoption("kraft_explore"):
        return (yield)
    from .testing.exploring.summary import folded, summary_lines

    with folded(terminalreporter):
        yield
    lines = [*summary_lines(terminalreporter)]
    if lines:
        terminalreporter.section("kraftsim")
    for line in lines:
        terminalreporter.write_line(line)
    return None
