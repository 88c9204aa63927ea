"""The clusters of `kraft_sync`, each on a loop in a thread: for one test, a module or a session.

A cluster of several tests is reset before each, to the seed of the test.
"""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import pytest

from ..api.cluster import Cluster
from .blocking import call_in, loop_in_thread
from .blocking_cluster import BlockingCluster
from .factory import keep_after_failure
from .keys import RUNNING, SEED
from .leaks import Leaks
from .preparation import begin_chaos, prepare
from .requested import (
    has_simulated_loop,
    new_cluster,
    options_key,
    refuse,
    requested_options,
    requested_scope,
)


@dataclass(slots=True)
class Shared:
    """A running cluster, its loop, and how to end both."""

    cluster: Cluster
    loop: asyncio.AbstractEventLoop
    ending: ExitStack


POOL = pytest.StashKey[dict[str, Shared]]()  # of a module or a session, by options


@contextmanager
def blocking_cluster(test: pytest.Item) -> Iterator[BlockingCluster]:
    """Lends a test the cluster that its marker describes; it is new, or was reset."""
    shared = _started(test)
    call_in(shared.loop, begin_chaos(test, shared.cluster))
    leaks = call_in(shared.loop, _leaks(test))
    running = test.stash.setdefault(RUNNING, [])
    running.append(shared.cluster)
    blocking = BlockingCluster.lent(shared.cluster, shared.loop)
    try:
        yield blocking
    finally:
        try:
            call_in(shared.loop, keep_after_failure(test, [shared.cluster]))
            call_in(shared.loop, leaks.refuse([shared.cluster]))
        finally:
            running.remove(shared.cluster)
            blocking.end()
            if requested_scope(test) == "function":
                shared.ending.close()


async def _leaks(test: pytest.Item) -> Leaks:
    return Leaks(test)


def _started(test: pytest.Item) -> Shared:
    """Returns the cluster of the test: a new one, or that of an earlier test of its scope."""
    if has_simulated_loop(test):
        refuse('loop="simulated": kraft_sync has a loop of its own, beside the test: use kraft')
    scope, options = requested_scope(test), requested_options(test)
    seed = test.stash[SEED]
    if scope == "function":
        return _new(test, options | {"seed": seed})
    owner = test.session if scope == "session" else test.getparent(pytest.Module) or test.session
    pool = owner.stash.setdefault(POOL, {})
    key = options_key(options)
    if key in pool:
        shared: Shared = pool[key]
        prepare(test, shared.cluster)
        call_in(shared.loop, shared.cluster.reset(seed))
        return shared
    shared = pool[key] = _new(test, options | {"seed": seed})
    owner.addfinalizer(shared.ending.close)
    return shared


def _new(test: pytest.Item, options: dict[str, object]) -> Shared:
    cluster = new_cluster(options)
    prepare(test, cluster)
    with ExitStack() as stack:
        loop = stack.enter_context(loop_in_thread())
        stack.callback(lambda: call_in(loop, cluster.close()))
        call_in(loop, cluster.start())
        return Shared(cluster, loop, stack.pop_all())
