"""Runs an explored test; if it fails, finds the fewest of its faults with which it still fails.

The test is run again with the same seed, while some of its faults are left out. A run counts as the
same failure if the same line of the test file raises the same type of exception, or the same
properties are broken.
"""

from collections.abc import Callable, Collection
from typing import Any, NamedTuple, cast

import pytest

from .chosen_faults import ChosenFaults
from .failure_report import TITLE, repeat_line
from .keys import CHOSEN, FAILED, FAILURE, FAULTS, INVARIANTS, RUNNING

RERUNS_MAX = 30  # runs of one failed test in which faults are left out
OF_ONE_RUN = (RUNNING, FAULTS, INVARIANTS, FAILED, FAILURE)


class Failure(NamedTuple):
    """What two runs that fail in the same way have in common."""

    exception: str
    place: str


def run_explored(test: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Runs the test as pytest does, and adds to the report of a failure which faults it needs."""
    hook, location = test.ihook, test.location
    hook.pytest_runtest_logstart(nodeid=test.nodeid, location=location)
    kept = kept_faults(test.config)
    chosen = test.stash[CHOSEN] = ChosenFaults(kept)
    reports = _reports(test, nextitem)
    if FAILURE in test.stash and kept is None and not test.config.getoption("kraft_keep"):
        _add(reports, _shrunk(test, nextitem, chosen.texts))
    for report in reports:
        hook.pytest_runtest_logreport(report=report)
    hook.pytest_runtest_logfinish(nodeid=test.nodeid, location=location)


def kept_faults(config: pytest.Config) -> frozenset[int] | None:
    """Returns the positions of the faults that --kraft-faults keeps; None without the option.

    Raises UsageError unless it is "none" or positive whole numbers.
    """
    option = config.getoption("kraft_faults")
    if option is None:
        return None
    words = [] if option == "none" else option.split(",")
    if not all(word.isdecimal() and int(word) for word in words):
        raise pytest.UsageError(
            f"--kraft-faults: expected none or numbers from 1 on such as 1,3, got {option!r}"
        )
    return frozenset(map(int, words))


def failure_of(test: pytest.Item, error: pytest.ExceptionInfo[BaseException]) -> Failure:
    """Returns what identifies the failure of a run of the test."""
    lines = [entry.lineno + 1 for entry in error.traceback if entry.path == test.path]
    if lines:
        return Failure(error.typename, f"line {lines[-1]}")
    broken = test.stash[INVARIANTS].broken() if INVARIANTS in test.stash else ()
    names = sorted(violation.name for violation in broken)
    return Failure(error.typename, ", ".join(names) or str(error.value))


def _shrunk(test: pytest.Item, nextitem: pytest.Item | None, texts: list[str]) -> list[str]:
    """Returns lines that name the needed faults and a command that repeats the failure."""
    if not texts:
        return []
    wanted = test.stash[FAILURE]

    def fails(kept: Collection[int]) -> bool:
        between = cast(Any, test.parent)  # what tests share lives on until the last run
        return bool(_failure(test, between, kept) == wanted)

    kept = fewest(len(texts), fails)
    if _failure(test, nextitem, kept) != wanted:
        return ["shrunk: not possible, the failure does not repeat with this seed"]
    return [f"shrunk: {_needs(kept, texts)}", _repeat_line(test, kept)]


def _failure(test: pytest.Item, nextitem: Any, kept: Collection[int]) -> Failure | None:
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


def fewest(count: int, fails: Callable[[Collection[int]], bool]) -> tuple[int, ...]:
    """Returns the fewest of the numbers 1 to `count` for which `fails` is True.

    Without each one of the others it is False, unless RERUNS_MAX calls have been made. All of them
    are taken to fail.
    """
    if fails(()):
        return ()
    kept, is_smaller, left = tuple(range(1, count + 1)), True, RERUNS_MAX - 1
    while is_smaller and len(kept) > 1:
        is_smaller = False
        for number in kept:
            fewer = tuple(other for other in kept if other != number)
            if left and fewer and fails(fewer):
                kept, is_smaller = fewer, True
            left = max(left - 1, 0)
    return kept


def _needs(kept: tuple[int, ...], texts: list[str]) -> str:
    if not kept:
        return "fails without any fault"
    named = "; ".join(f"{number}: {texts[number - 1]}" for number in kept)
    return f"needs {len(kept)} of {len(texts)} faults: {named}"


def _repeat_line(test: pytest.Item, kept: tuple[int, ...]) -> str:
    """Returns the command that repeats the test with its seed and these faults."""
    return f"{repeat_line(test)} --kraft-faults={','.join(map(str, kept)) or 'none'}"


def _add(reports: list[pytest.TestReport], lines: list[str]) -> None:
    """Adds lines to the section "kraftsim" of the failed report."""
    for report in reports:
        report.sections[:] = [
            (title, "\n".join([text, *lines]) if title == TITLE else text)
            for title, text in report.sections
        ]
