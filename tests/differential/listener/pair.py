"""A released broker, one process that is its own controller, and ours, a `kraftsim up`."""

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, NoReturn

from tests.differential.listener.judge import ListenerBench
from tests.differential.listener.settings import (
    BROKER_ID,
    OUR_OPTIONS,
    OUR_SETTINGS,
    follower_settings,
    released_settings,
)
from tests.differential.listener.sides import Listener
from tests.differential.pair import CLUSTER_ID, MEMORY, Pair
from tests.free_ports import free_port
from tests.interop.running import kraftsim_up
from tests.released.broker import released_broker
from tests.released.controller import await_listener, released_controller
from tests.released.releases import Release


class ListenerPair(Pair):
    """No logs are compared: what they hold is fetched."""

    outlives_differences = True

    @property
    def ends(self) -> tuple[int, int]:
        return 0, 0

    @property
    def has_parted(self) -> bool:
        """False: a broker leads no quorum."""
        return False

    def renew(self) -> None:
        """Goes on as it is: each judgement has topics of its own."""

    def logs_differ(self) -> list[str]:
        return []


def _no_controller() -> NoReturn:
    raise RuntimeError("expected no controller of ours where listeners are judged")


@contextmanager
def started_listeners(release: Release, *, has_follower: bool = False) -> Iterator[Pair]:
    """Both brokers, and on each side one that follows, if the sequences want it."""
    place = MEMORY if MEMORY.is_dir() else None
    with (
        tempfile.TemporaryDirectory(prefix="kraftsim-judge-", dir=place) as name,
        _released(release, Path(name), has_follower=has_follower) as port,
        kraftsim_up(
            Path(name),
            *("--profile", release.profile_name, "--cluster-id", CLUSTER_ID),
            *OUR_OPTIONS,
            brokers=1 + has_follower,
            settings=OUR_SETTINGS,
        ) as kraft,
    ):
        our_port = int(kraft.broker_address(BROKER_ID).rpartition(":")[2])
        with listeners_at(port, our_port) as pair:
            yield pair


@contextmanager
def _released(release: Release, folder: Path, *, has_follower: bool) -> Iterator[int]:
    """A released broker that is its own controller; the port of its listener."""
    port, of_follower = free_port(), free_port()
    with ExitStack() as running:
        controller = running.enter_context(
            released_controller(
                release,
                folder / "kafka",
                cluster_id=CLUSTER_ID,
                client_port=port,
                settings=released_settings(folder / "kafka", BROKER_ID),
            )
        )
        await_listener(controller.process, port)
        if has_follower:
            settings = follower_settings(folder / "follower", controller.port, of_follower)
            lines = "".join(f"{name}={value}\n" for name, value in settings.items())
            running.enter_context(
                released_broker(release, folder / "follower", lines, cluster_id=CLUSTER_ID)
            )
            await_listener(controller.process, of_follower)
        yield port


@contextmanager
def listeners_at(kafka_port: int, our_port: int) -> Iterator[Pair]:
    """The listeners of brokers that run."""
    with closing(Listener(kafka_port)) as kafka, closing(Listener(our_port)) as ours:
        kafka.await_producer_ids()
        bench: Any = ListenerBench(kafka, ours)
        yield ListenerPair(bench, Path(), make_ours=_no_controller)
