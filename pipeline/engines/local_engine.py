"""Runs shards in processes of this machine: without a JVM, and as the baseline for Spark.

Each shard has its own process, forked from a server that has imported every module. A shard whose
process ends without a commit is retried, like a task of Spark.
"""

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import connection, forkserver, resource_tracker
from multiprocessing.context import ForkServerContext, ForkServerProcess
from pathlib import Path

from ..campaign.campaign import ATTEMPTS, POLL_EVERY_S, EngineError, Poll, Repetition
from ..campaign.commit_log import Folder
from ..campaign.plan import Plan, PlanError
from ..campaign.shard import repeat_shard, run_shard

Host = Callable[[], None]
HOPELESS = 74  # EX_IOERR of sysexits.h: the shard is not retried


def no_host() -> None:
    """Lets no node run a user's code."""


def run_shards(
    plan: Plan,
    folder: Folder,
    missing: Sequence[int],
    poll: Poll,
    *,
    workers: int,
    host: Host = no_host,
) -> None:
    """Runs the missing shards in `workers` processes; calls `poll` at least every POLL_EVERY_S.

    `host` is called in each process if nodes of a scenario run a user's code. Raises EngineError if
    a shard fails ATTEMPTS times or cannot be written.
    """
    context = _context()
    text = plan.to_json()
    waiting = deque((number, 0) for number in missing)
    running: dict[int, tuple[ForkServerProcess, int, int]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                number, attempt = waiting.popleft()
                process = context.Process(
                    target=_work, args=(text, number, str(folder.path), attempt, host)
                )
                process.start()
                running[process.sentinel] = (process, number, attempt)
            for sentinel in connection.wait(list(running), timeout=POLL_EVERY_S):
                assert isinstance(sentinel, int), sentinel
                process, number, attempt = running.pop(sentinel)
                process.join()
                if process.exitcode != 0:
                    _expect_another(number, attempt, process.exitcode)
                    waiting.appendleft((number, attempt + 1))
            poll()
    finally:
        _end([process for process, _, _ in running.values()])


def repeat_runs(plan: Plan, poll: Poll, *, workers: int, host: Host = no_host) -> list[Repetition]:
    """Runs the shards in `workers` processes and returns the results of the runs.

    `host` is as in `run_shards`. The runs of a shard whose process ends early are missing.
    """
    context = _context()
    text = plan.to_json()
    waiting = deque(range(len(plan.shards)))
    running: dict[connection.Connection, ForkServerProcess] = {}
    results: list[Repetition] = []
    try:
        while waiting or running:
            while waiting and len(running) < workers:
                reader, writer = context.Pipe(duplex=False)
                process = context.Process(
                    target=_repeat, args=(text, waiting.popleft(), writer, host)
                )
                process.start()
                writer.close()
                running[reader] = process
            for ready in connection.wait(list(running), timeout=POLL_EVERY_S):
                assert isinstance(ready, connection.Connection), ready
                with suppress(EOFError):
                    results += ready.recv()
                running.pop(ready).join()
            poll()
    finally:
        _end(list(running.values()))
    return results


def _context() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    _start_server()
    return context


def _start_server() -> None:
    """Starts the fork server with SIGINT blocked.

    Ctrl-C sends SIGINT to the server too, and would kill it during its imports; only the process
    that started the campaign must handle it. The resource tracker starts first, because its start
    unblocks SIGINT.
    """
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        forkserver.ensure_running()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(text: str, number: int, path: str, attempt: int, host: Host) -> None:
    threading.Thread(target=_end_with_driver, daemon=True).start()
    try:
        plan = _hosted(text, host)
        run_shard(plan, number, Folder(Path(path)), attempt, engine="local")
    except (OSError, PlanError) as error:  # a retry would fail in the same way
        print(f"shard {number}: {error}", file=sys.stderr)
        sys.exit(HOPELESS)


def _repeat(text: str, number: int, writer: connection.Connection, host: Host) -> None:
    threading.Thread(target=_end_with_driver, daemon=True).start()
    writer.send(list(repeat_shard(_hosted(text, host), number)))


def _hosted(text: str, host: Host) -> Plan:
    """Returns the plan, whose nodes can run their code in this process."""
    plan = Plan.from_json(text)
    if plan.has_nodes:
        host()
    return plan


def _end_with_driver() -> None:
    """Ends this worker when the driver ends.

    Otherwise a resumed campaign could run the same shard at the same time.
    """
    driver = multiprocessing.parent_process()
    assert driver is not None, "expected to be somebody's child"
    driver.join()
    os._exit(1)


def _expect_another(number: int, attempt: int, code: int | None) -> None:
    if code == HOPELESS:
        raise EngineError(f"shard {number} could not be stored")
    if attempt + 1 == ATTEMPTS:
        raise EngineError(
            f"shard {number} failed {ATTEMPTS} times; the last process exited with {code}"
        )


def _end(processes: list[ForkServerProcess]) -> None:
    for process in processes:
        process.terminate()
    began_s = time.monotonic()
    for process in processes:
        process.join(timeout=max(0.0, 1.0 - (time.monotonic() - began_s)))
        if process.is_alive():
            process.kill()
