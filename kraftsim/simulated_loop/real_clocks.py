"""Gives the time and the chance of a simulated loop to software that asks the system for them.

Where no simulated loop runs, in this thread, every replaced function does what it did before.
"""

import asyncio
import concurrent.futures
import gc
import logging
import os
import random
import socket
import sys
import threading
import time
import uuid
from asyncio import events
from collections import Counter
from collections.abc import Callable, Generator, Iterable
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

from .dates import pickled, simulated_dates
from .errors import BlockingCallRefused
from .libraries import replace_in_libraries
from .replacing import Replacing
from .threads import current_job
from .timed_loop import TimedLoop

log = logging.getLogger("kraftsim")

REPORTED_MAX = 20  # lines that asked the real clock
CLOCKS = ("monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "time", "time_ns")
DRAWS = ("choice", "choices", "sample", "shuffle")  # of which the first argument may be a set's
PAIRED = ("weights", "cum_weights", "counts")  # options that belong to the order of the first
SORTED_MAX = 1_000  # more is drawn from as it is: to sort it takes too long


def simulated_loop_here() -> TimedLoop | None:
    """Returns the simulated loop whose software asks, None if there is none."""
    running = events._get_running_loop()
    if isinstance(running, TimedLoop):
        return running
    job = current_job()
    return None if job is None else job.loop


@contextmanager
def real_clocks_patched(seed: int = 0) -> Generator[Callable[[int], None]]:
    """Context manager: in simulated loops, the clocks are theirs, and chance is of the seed.

    Import libraries before: what they bind while it holds is looked for once more at its end.
    Returns a function that begins another run with another seed: to look for everything again
    takes as long as a short run.
    """
    stream = random.Random(seed)
    replaced = ReplacedClocks(stream)
    with chance_seeded(seed), collected_by_loops():
        replaced.replace()
        try:
            yield partial(_begin_run, stream)
        finally:
            replaced.put_back()


@contextmanager
def chance_seeded(seed: int) -> Generator[None]:
    """Context manager: the module `random` draws from the seed."""
    state = random.getstate()
    random.seed(seed)
    try:
        yield
    finally:
        random.setstate(state)


class ReplacedClocks:
    """What asks for time or chance: in simulated loops it gets theirs, and draws of `stream`.

    It can be put back and replaced again, which is fast while no module is imported.
    """

    def __init__(self, stream: random.Random) -> None:
        self._stream = stream
        self._dates = simulated_dates(_wall_s)
        self._replacing: Replacing | None = None
        self._modules = 0  # that were imported when it was replaced
        self._undo = ExitStack()

    def replace(self) -> None:
        """Replaces it wherever a module or a default argument has it."""
        if self._replacing is not None and self._modules == len(sys.modules):
            self._replacing.redo()
        else:
            replacements = {**_clocks(), **_chance(self._stream), **_blocking()}
            replacements.update(self._dates.items())
            self._replacing = Replacing(replacements)
            self._replacing.walk()
            _replace_methods(self._replacing, self._stream)
            replace_in_libraries(self._replacing)
            self._modules = len(sys.modules)
        self._undo.enter_context(pickled(self._dates))

    def put_back(self) -> None:
        """Puts it back; in a module that was imported meanwhile, too."""
        self._undo.close()
        if self._replacing is not None:
            self._replacing.undo()
            if self._modules != len(sys.modules):
                Replacing({new: old for old, new in self._replacing.pairs}).walk()


@contextmanager
def collected_by_loops() -> Generator[None]:
    """Context manager: loops collect garbage by themselves, each few thousand callbacks."""
    frozen, collects = gc.get_freeze_count(), gc.isenabled()
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()
        if not frozen:
            gc.unfreeze()


def _begin_run(stream: random.Random, seed: int) -> None:
    """Seeds chance anew, and drops what is left of the run before."""
    gc.collect()
    gc.freeze()  # what has been imported meanwhile
    stream.seed(seed)
    random.seed(seed)
    vars(uuid)["_last_timestamp"] = None


@contextmanager
def real_clocks_counted() -> Generator[None]:
    """Context manager: warns at its end of each line that asked the real clock or chance.

    Only what runs in a simulated loop is counted.
    """
    asked: Counter[tuple[str, int, str]] = Counter()

    def counted(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def ask(*args: Any, **options: Any) -> Any:
            if simulated_loop_here() is not None:
                frame = sys._getframe(1)
                asked[frame.f_code.co_filename, frame.f_lineno, name] += 1
            return real(*args, **options)

        return ask

    of_system = {f"time.{name}": getattr(time, name) for name in CLOCKS} | {
        "os.urandom": os.urandom
    }
    replacing = Replacing({real: counted(name, real) for name, real in of_system.items()})
    try:
        replacing.walk()
        yield
    finally:
        replacing.undo()
        for (path, line, name), times in asked.most_common(REPORTED_MAX):
            log.warning("%s:%d asked %s %d times: pass patch=True", path, line, name, times)


def _clocks() -> dict[object, object]:
    def seconds(real: Callable[[], float], *, wall: bool) -> Callable[[], float]:
        def ask() -> float:
            loop = simulated_loop_here()
            return real() if loop is None else _now_us(loop, wall) / 1e6

        return ask

    def nanoseconds(real: Callable[[], int], *, wall: bool) -> Callable[[], int]:
        def ask() -> int:
            loop = simulated_loop_here()
            return real() if loop is None else _now_us(loop, wall) * 1000

        return ask

    return {
        time.monotonic: seconds(time.monotonic, wall=False),
        time.perf_counter: seconds(time.perf_counter, wall=False),
        time.time: seconds(time.time, wall=True),
        time.monotonic_ns: nanoseconds(time.monotonic_ns, wall=False),
        time.perf_counter_ns: nanoseconds(time.perf_counter_ns, wall=False),
        time.time_ns: nanoseconds(time.time_ns, wall=True),
        time.localtime: _of_now(time.localtime),
        time.gmtime: _of_now(time.gmtime),
    }


def _now_us(loop: TimedLoop, wall: bool) -> int:
    return loop.wall_us if wall else loop.now_us


def _wall_s() -> float | None:
    loop = simulated_loop_here()
    return None if loop is None else _now_us(loop, wall=True) / 1e6


def _of_now(real: Callable[..., time.struct_time]) -> Callable[..., time.struct_time]:
    def ask(at_s: float | None = None) -> time.struct_time:
        return real(_wall_s() if at_s is None else at_s)  # None: now, by the real clock

    return ask


def _chance(stream: random.Random) -> dict[object, object]:
    urandom = os.urandom

    def draw_bytes(size: int, /) -> bytes:
        return urandom(size) if simulated_loop_here() is None else stream.randbytes(size)

    draws = {getattr(random, name): _of_sorted(getattr(random, name)) for name in DRAWS}
    return {urandom: draw_bytes, random.seed: _seeds_common, **draws}


def _seeds_common(a: Any = None, version: int = 2) -> None:
    """Seeds the generator of the module: `random.seed` itself does not look at the class."""
    random._inst.seed(a, version)


def _blocking() -> dict[object, object]:
    sleep = time.sleep

    def sleep_or_refuse(delay_s: float, /) -> None:
        job = current_job()
        if job is not None:
            job.sleep(delay_s)
        elif simulated_loop_here() is not None:
            raise BlockingCallRefused(
                f"time.sleep({delay_s:g}) would block the simulated loop: use "
                f"await asyncio.sleep({delay_s:g}), or asyncio.to_thread(time.sleep, {delay_s:g})"
            )
        else:
            sleep(delay_s)

    return {sleep: sleep_or_refuse}


def _replace_methods(replacing: Replacing, stream: random.Random) -> None:
    """Replaces what libraries reach through a class or an instance, and not by a name."""
    replace_blocking_methods(replacing)
    _replace_seed(replacing, stream)
    replacing.set(uuid, "_generate_time_safe", None)  # uuid1 asks time.time_ns and random then
    replacing.set(uuid, "_last_timestamp", None)  # of another run
    as_completed = asyncio.as_completed

    def in_given_order(fs: Iterable[Any], *, timeout: float | None = None) -> Any:
        if simulated_loop_here() is not None:
            fs = [asyncio.ensure_future(of) for of in dict.fromkeys(fs)]
        return as_completed(fs, timeout=timeout)

    for module in (asyncio, asyncio.tasks):
        replacing.set(module, "as_completed", in_given_order)


def replace_blocking_methods(replacing: Replacing) -> None:
    """Refuses what would stop a loop; a thread of a loop waits for a future in virtual time."""
    start, wait = threading.Thread.start, threading.Condition.wait
    connect, result = socket.socket.connect, concurrent.futures.Future.result

    def start_or_refuse(thread: threading.Thread) -> None:
        if simulated_loop_here() is not None:
            raise BlockingCallRefused(
                f"the thread {thread.name!r} would run beside the simulated loop: use "
                "asyncio.to_thread"
            )
        start(thread)

    def connect_or_refuse(sock: socket.socket, address: Any, /) -> None:
        if simulated_loop_here() is not None:
            to = ":".join(map(str, address[:2])) if isinstance(address, tuple) else address
            raise BlockingCallRefused(
                f"a blocking connection to {to} would leave the simulated network: use aiokafka "
                "here, or kraft_proc with clock='auto'"
            )
        connect(sock, address)

    def result_of(of: "concurrent.futures.Future[Any]", timeout: float | None = None) -> Any:
        job = current_job()
        if job is not None:
            job.wait_for(of, timeout)
            timeout = 0.0
        return result(of, timeout)

    def wait_or_refuse(condition: threading.Condition, timeout: float | None = None) -> bool:
        if current_job() is None and simulated_loop_here() is not None:
            raise BlockingCallRefused(
                "a wait for another thread (Event.wait, Queue.get) would block the simulated loop: "
                "use those of asyncio, or asyncio.to_thread"
            )
        return wait(condition, timeout)

    replacing.set(threading.Condition, "wait", wait_or_refuse)
    replacing.set(threading.Thread, "start", start_or_refuse)
    replacing.set(socket.socket, "connect", connect_or_refuse)
    replacing.set(concurrent.futures.Future, "result", result_of)


def _replace_seed(replacing: Replacing, stream: random.Random) -> None:
    """Seeds generators that have no seed."""
    seed = random.Random.seed

    def seed_of(of: random.Random, a: Any = None, version: int = 2) -> None:
        if a is None and simulated_loop_here() is not None:
            a = stream.getrandbits(64)
        seed(of, a, version)

    replacing.set(random.Random, "seed", seed_of)


def _of_sorted(draw: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a draw that sorts its input first: the order of a set is that of the hash seed."""

    def draw_of(population: Any, *args: Any, **options: Any) -> Any:
        is_paired = bool(args and not isinstance(args[0], int)) or any(
            of in options for of in PAIRED
        )
        if simulated_loop_here() is None or is_paired:
            return draw(population, *args, **options)
        if draw.__name__ == "shuffle":
            population[:] = _in_order(population)
            return draw(population)
        return draw(_in_order(population), *args, **options)

    return draw_of


def _in_order(population: Any) -> Any:
    """Returns a list or a tuple sorted by its texts, and what has no stable texts as it is."""
    if not isinstance(population, list | tuple) or len(population) > SORTED_MAX:
        return population
    texts = [repr(of) for of in population]
    if any(" at 0x" in text for text in texts):
        return population  # by addresses: no order would repeat
    return [population[of] for of in sorted(range(len(texts)), key=texts.__getitem__)]
