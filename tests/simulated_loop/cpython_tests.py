"""Runs CPython's own tests of asyncio on a simulated loop, which their modules get by the policy.

`python -m tests.simulated_loop.cpython_tests [MODULE ...]` prints each module with its tests and
those that failed. These modules of CPython are not run:

- `events`, `base_events`, `runners`, `selector_events`, `sock_lowlevel`, `sendfile`,
  `proactor_events`, `unix_events`, `windows_events` and `windows_utils` make loops of their own,
  or mock one, and `free_threading` makes threads with a loop each: none sees a simulated loop.
- `subprocess`: subprocesses are refused.
- `streams`, `server` and `ssl` connect to servers in threads, over real or UNIX sockets. The
  modules of this folder test streams, servers and TLS of a simulated loop.
- `graph` replaces asyncio's tasks by those written in Python; `tools` has no loop.
"""

import asyncio
import sys
import unittest
import warnings
from collections.abc import Iterator
from importlib import import_module

from kraftsim.simulated_loop.real_clocks import replace_blocking_methods
from kraftsim.simulated_loop.replacing import Replacing
from kraftsim.simulated_loop.runner import new_loop

MODULES = (
    "buffered_proto",
    "context",
    "eager_task_factory",
    "futures",
    "futures2",
    "locks",
    "pep492",
    "protocols",
    "queues",
    "sslproto",
    "staggered",
    "taskgroups",
    "tasks",
    "threads",
    "timeouts",
    "transports",
    "waitfor",
)
LATER = {"eager_task_factory": (3, 12), "staggered": (3, 13)}  # since which Python they exist
LEFT_OUT = {"test_connection_lost_when_busy": "calls a method that only selector loops have"}


class Policy(asyncio.DefaultEventLoopPolicy):
    """Makes simulated loops."""

    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        return new_loop()


def main(names: list[str]) -> None:
    """Runs the modules; the exit code is 1 if a test failed."""
    replace_blocking_methods(Replacing({}))  # threads wait for futures of the loop
    warnings.simplefilter("ignore", DeprecationWarning)  # of policies, from 3.14 on
    failed = False
    for name in names or [of for of in MODULES if sys.version_info >= LATER.get(of, ())]:
        module = import_module(f"test.test_asyncio.test_{name}")
        asyncio.set_event_loop_policy(Policy())  # the module has set another one
        loaded = unittest.defaultTestLoader.loadTestsFromModule(module)
        suite = unittest.TestSuite(_each(loaded))
        result = unittest.TextTestRunner(stream=sys.stderr, verbosity=0).run(suite)
        print(name, result.testsRun, len(result.failures) + len(result.errors))
        failed = failed or not result.wasSuccessful()
    sys.exit(failed)


def _each(suite: unittest.TestSuite) -> Iterator[unittest.TestCase]:
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from _each(test)
        elif test.id().rpartition(".")[2] not in LEFT_OUT:
            yield test


if __name__ == "__main__":
    main(sys.argv[1:])
