"""Runs CPython's own tests of asyncio on a simulated loop: `python cpython_tests.py`.

They make their loops by the policy. The modules here test what asyncio promises of futures, tasks
and their helpers; those of sockets, servers, pipes and subprocesses want the real system.
"""

import asyncio
import sys
import unittest
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from kraftsim.simulated_loop import real_clocks
from kraftsim.simulated_loop.replacing import Replacing
from kraftsim.simulated_loop.runner import new_loop

MODULES = (
    "futures",
    "futures2",
    "tasks",
    "locks",
    "queues",
    "taskgroups",
    "timeouts",
    "waitfor",
    "eager_task_factory",  # from 3.12 on
    "pep492",
    "threads",
    "sslproto",
)


class Policy(asyncio.DefaultEventLoopPolicy):
    """Makes simulated loops."""

    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        return new_loop()


def main() -> None:
    real_clocks._replace_blocking_methods(Replacing({}))  # threads wait for futures of the loop
    failed = False
    for name in MODULES:
        if name == "eager_task_factory" and sys.version_info < (3, 12):
            continue
        module = import_module(f"test.test_asyncio.test_{name}")
        asyncio.set_event_loop_policy(Policy())  # the module has set another one
        suite = unittest.defaultTestLoader.loadTestsFromModule(module)
        result = unittest.TextTestRunner(stream=sys.stderr, verbosity=0).run(suite)
        print(name, result.testsRun, len(result.failures) + len(result.errors))
        failed = failed or not result.wasSuccessful()
    sys.exit(failed)


if __name__ == "__main__":
    main()
