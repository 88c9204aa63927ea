"""Runs an explored test; if it fails, finds the fewest of its faults with which it still fails.

The test is run again with the same seed, while some of its faults are left out. A run counts as the
same failure if the same line of the test file raises the same type of exception, or the same
properties are broken. Once a failure of a test was shrunk, further seeds that fail alike are only
run without any fault.
"""

from collections.abc import Collection, Mapping
from re import fullmatch
from typing import Any, cast

import pytest

from ..failure_report import TITLE, repeat_line
from ..keys import CHOSEN, FAILED, FAILED_AT, FAILURE, FAULTS, INVARIANTS, RUNNING
from ..requested import explored_seed
from .chosen_faults import ChosenFaults
from .explored import Explored, Failure, put, test_name
from .fewest import fewest

NAME = r"(chaos[0-9]*-)?[1-9][0-9]*"  # of a fault
OF_ONE_RUN = (RUNNING, FAULTS, INVARIANTS, FAILED, FAILURE, FAILED_AT)
SHRUNK = pytest.StashKey[set[tuple[str, Failure]]]()  # of a session, by the test


def run_explored(test: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Runs the test as pytest does, and adds to the report of a failure which faults it needs."""
    hook, location = test.ihook, test.location
    hook.pytest_runtest_logstart(nodeid=test.nodeid, location=location)
    kept = kept_faults(test.config)
    chosen = test.stash[CHOSEN] = ChosenFaults(kept)
    reports = _reports(test, nextitem)
    explored = Explored(test_name(test), explored_seed(test) or 0)
    if FAILURE in test.stash:
        explored.failure = test.stash[FAILURE]
        explored.faults, explored.at_us = len(chosen.texts), test.stash[FAILED_AT]
        if chosen.texts and kept is None and not test.config.getoption("kraft_keep"):
            _add(reports, _shrunk(test, nextitem, chosen.texts, explored))
    for report in reports:
        put(report, explored)
        hook.pytest_runtest_logreport(report=report)
    hook.pytest_runtest_logfinish(nodeid=test.nodeid, location=location)


def kept_faults(config: pytest.Config) -> frozenset[str] | None:
    """Returns the names of the faults that --kraft-faults keeps; None without the option.

    Raises UsageError unless it is "none", or positive whole numbers and ids of random faults.
    """
    option = config.getoption("kraft_faults")
    if option is None:
        return None
    words = [] if option == "none" else option.split(",")
    if not all(fullmatch(NAME, word) for word in words):
        raise pytest.UsageError(
            "--kraft-faults: expected none, or numbers from 1 on and ids of random faults such as "
            f"1,chaos-3, got {option!r}"
        )
    return frozenset(words)


def failure_of(test: pytest.Item, error: pytest.ExceptionInfo[BaseException]) -> Failure:
    """Returns what identifies the failure of a run of the test."""
    lines = [entry.lineno + 1 for entry in error.traceback if entry.path == test.path]
    if lines:
        return Failure(error.typename, f"line {lines[-1]}")
    broken = test.stash[INVARIANTS].broken() if INVARIANTS in test.stash else ()
    names = sorted(violation.name for violation in broken)
    return Failure(error.typename, ", ".join(names) or str(error.value))


def failed_at_us(test: pytest.Item) -> int:
    """Returns the time of the test's clusters in microseconds."""
    running = (cluster._live.running for cluster in test.stash.get(RUNNING, []))
    return max((of.world.timeline.now_us for of in running if of is not None), default=0)


def _shrunk(
    test: pytest.Item,
    nextitem: pytest.Item | None,
    texts: Mapping[str, str],
    explored: Explored,
) -> list[str]:
    """Returns lines that name the needed faults and a command that repeats the failure."""
    wanted: Failure = test.stash[FAILURE]
    shrunk = test.config.stash.setdefault(SHRUNK, set())
    if (explored.test, wanted) in shrunk:
        explored.needs = 0 if _failure(test, nextitem, ()) == wanted else None
        return []

    def fails(kept: Collection[str]) -> bool:
        between = cast(Any, test.parent)  # what tests share lives on until the last run
        return bool(_failure(test, between, kept) == wanted)

    kept = fewest([*texts], fails)
    if _failure(test, nextitem, kept) != wanted:
        return ["shrunk: not possible, the failure does not repeat with this seed"]
    shrunk.add((explored.test, wanted))
    explored.needs = len(kept)
    return [f"shrunk: {_needs(kept, texts)}", _repeat_line(test, kept)]


def _failure(test: pytest.Item, nextitem: Any, kept: Collection[str]) -> Failure | None:
    """Runs the test with these faults only; returns its failure, or None if it passes."""
    for key in OF_ONE_RUN:
        test.stash.setdefault(cast(Any, key), None)
        del test.stash[cast(Any, key)]
    test.stash[CHOSEN] = ChosenFaults(frozenset(kept))
    _reports(test, nextitem)
    return test.stash.get(FAILURE, None)


def _reports(test: pytest.Item, nextitem: Any) -> list[pytest.TestReport]:
    """Runs the test once; returns its reports, which pytest does not log."""
    runner: Any = test.config.pluginmanager.getplugin("runner")
    reports: list[pytest.TestReport] = runner.runtestprotocol(test, log=False, nextitem=nextitem)
    return reports


def _needs(kept: tuple[str, ...], texts: Mapping[str, str]) -> str:
    if not kept:
        return "fails without any fault"
    named = "; ".join(f"{name}: {texts[name]}" for name in kept)
    return f"needs {len(kept)} of {len(texts)} faults: {named}"


def _repeat_line(test: pytest.Item, kept: tuple[str, ...]) -> str:
    """Returns the command that repeats the test with its seed and these faults."""
    return f"{repeat_line(test)} --kraft-faults={','.join(kept) or 'none'}"


def _add(reports: list[pytest.TestReport], lines: list[str]) -> None:
    """Adds lines to the section "kraftsim" of the failed report."""
    for report in reports:
        report.sections[:] = [
            (title, "\n".join([text, *lines]) if title == TITLE else text)
            for title, text in report.sections
        ]
