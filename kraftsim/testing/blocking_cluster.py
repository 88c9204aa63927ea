"""A cluster for blocking code. Its types are in blocking_cluster.pyi."""

import asyncio
import threading
from contextlib import AbstractContextManager, ExitStack
from typing import Any

from ..api.cluster import Cluster
from ..errors import CommandError
from .blocking import Blocking, call_in, loop_in_thread, refuse_late_call


class BlockingCluster(Blocking):
    """A cluster whose methods block: those of `Cluster`, without `await`.

    `with BlockingCluster(brokers=3) as kraft:`, with the arguments of `Cluster`, starts a cluster
    on a loop in another thread, so that its listeners respond while this thread blocks in a Kafka
    client, and ends both with the block: for `unittest`, a script, a notebook.
    """

    _target: Cluster
    _ending: ExitStack | None = None  # of the cluster and of its loop, if this object started them

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self._target = Cluster(*arguments, **options)
        self._ended = threading.Event()

    @classmethod
    def lent(
        cls,
        cluster: Cluster,
        loop: asyncio.AbstractEventLoop,
        ended: threading.Event | None = None,
    ) -> "BlockingCluster":
        """Returns a view of a cluster on `loop`, whose owner starts and closes it."""
        lent = cls.__new__(cls)
        Blocking.__init__(lent, cluster, loop, ended)
        return lent

    def __getattr__(self, name: str) -> Any:
        if name == "_loop":
            raise CommandError("the cluster is not started: `with BlockingCluster(...)` starts it")
        return super().__getattr__(name)

    def patch_sleep(self) -> AbstractContextManager[None]:
        """Context manager: `time.sleep` of this process sleeps in the cluster's time.

        In the block the clocks of `time` and `datetime` go on by what was slept. Raises
        CommandError if the test of the cluster has ended.
        """
        refuse_late_call(self._ended)
        from ..simulated_loop.patched_sleep import sleep_patched  # few tests sleep

        return sleep_patched(self.clock.sleep, call_in(self._loop, _thread_id()))

    def end(self) -> None:
        """Refuses every later call: the cluster may belong to another test by then."""
        self._ended.set()

    def __enter__(self) -> "BlockingCluster":
        if "_loop" in vars(self):  # a branch, which its cluster's loop runs
            call_in(self._loop, self._target.start())
            return self
        with ExitStack() as stack:
            self._loop = stack.enter_context(loop_in_thread())
            stack.callback(lambda: call_in(self._loop, self._target.close()))
            call_in(self._loop, self._target.start())
            self._ending = stack.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        if self._ending is None:
            call_in(self._loop, self._target.close())
        else:
            self._ending.close()
            self.end()

    def _wrapped(self, result: object) -> object:
        """Returns the result; a branch of the cluster blocks, too."""
        if isinstance(result, Cluster):
            return BlockingCluster.lent(result, self._loop, self._ended)
        return super()._wrapped(result)


async def _thread_id() -> int:
    return threading.get_ident()
