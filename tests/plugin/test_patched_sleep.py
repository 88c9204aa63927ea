"""`kraft_sync.patch_sleep()`: code that sleeps by itself lets the time of the cluster pass."""

import datetime
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from time import monotonic, sleep

import pytest

from kraftsim import BlockingCluster
from kraftsim.errors import CommandError

REAL = (time.sleep, time.monotonic, time.time, datetime.datetime)


@pytest.fixture
def cluster() -> Iterator[BlockingCluster]:
    with BlockingCluster(brokers=1, clock="virtual", seed=7) as kraft:
        yield kraft


def now_ms(kraft: BlockingCluster) -> int:
    return kraft.clock.show()["nowMs"]


def sleeps_by_default(nap: Callable[[float], None] = time.sleep) -> None:
    nap(600)


@pytest.mark.parametrize(
    "nap",
    [lambda: time.sleep(600), lambda: sleep(600), sleeps_by_default],
    ids=["module", "bound name", "default argument"],
)
def test_a_sleep_takes_the_time_of_the_cluster(
    cluster: BlockingCluster, nap: Callable[[], None]
) -> None:
    before = now_ms(cluster)

    with cluster.patch_sleep():
        nap()

    assert now_ms(cluster) == before + 600_000


def test_the_clocks_of_the_process_go_on_by_what_it_slept(cluster: BlockingCluster) -> None:
    asked: list[Callable[[], float]] = [
        lambda: time.monotonic(),
        lambda: monotonic(),
        lambda: time.perf_counter(),
        lambda: time.time(),
        lambda: time.monotonic_ns() / 1e9,
        lambda: time.time_ns() / 1e9,
        lambda: datetime.datetime.now().timestamp(),
        lambda: time.mktime(time.localtime()),
    ]
    with cluster.patch_sleep():
        before = [ask() for ask in asked]
        time.sleep(600)
        passed = [ask() - was for ask, was in zip(asked, before, strict=True)]

    assert all(600 - 1 <= s < 700 for s in passed), passed


def test_a_poll_for_what_never_comes_ends_at_its_own_time_out(cluster: BlockingCluster) -> None:
    looks = 0
    with cluster.patch_sleep():
        end_s = time.monotonic() + 60
        while time.monotonic() < end_s and "fenced" not in cluster.brokers.states_of(1):
            looks += 1
            time.sleep(1)

    assert looks <= 60


def test_threads_sleep_side_by_side(cluster: BlockingCluster) -> None:
    before = now_ms(cluster)

    with cluster.patch_sleep(), ThreadPoolExecutor() as pool:
        cluster.clock.lock("until both sleep")
        sleeping = [pool.submit(time.sleep, seconds) for seconds in (600, 300)]
        while len(cluster.clock.show()["waiters"]) < len(sleeping):
            pass
        cluster.clock.unlock("until both sleep")

    assert now_ms(cluster) == before + 600_000


def test_everything_is_undone_at_the_end(cluster: BlockingCluster) -> None:
    def fails() -> None:
        with cluster.patch_sleep():
            assert time.sleep is not REAL[0]
            assert sleep is not REAL[0]
            raise KeyError

    with pytest.raises(KeyError):
        fails()

    assert (time.sleep, time.monotonic, time.time, datetime.datetime) == REAL
    assert (sleep, monotonic) == REAL[:2]
    assert sleeps_by_default.__defaults__ == (REAL[0],)


def test_what_sleep_refuses_is_refused(cluster: BlockingCluster) -> None:
    before = now_ms(cluster)
    with cluster.patch_sleep():
        time.sleep(0)
        with pytest.raises(ValueError, match="non-negative"):
            time.sleep(-1)
        with pytest.raises(TypeError):
            time.sleep("1s")  # type: ignore[arg-type]

    assert now_ms(cluster) == before


def test_on_a_clock_that_runs_a_sleep_lasts_as_long_as_the_cluster_needs() -> None:
    with BlockingCluster(brokers=1, clock=50, seed=7) as kraft, kraft.patch_sleep():
        before, began_s = now_ms(kraft), time.monotonic()
        time.sleep(5)

        assert now_ms(kraft) >= before + 5_000
        assert time.monotonic() >= began_s + 5


def test_a_cluster_that_has_ended_patches_nothing(cluster: BlockingCluster) -> None:
    cluster.end()

    with pytest.raises(CommandError, match="has ended"):
        cluster.patch_sleep()
