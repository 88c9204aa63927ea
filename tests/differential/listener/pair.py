"""A released broker, one process that is its own controller, and ours, a `kraftsim up`."""

import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NoReturn

from tests.differential.listener.judge import ListenerBench
from tests.differential.listener.settings import OUR_OPTIONS, OUR_SETTINGS, released_settings
from tests.differential.listener.sides import Listener
from tests.differential.pair import CLUSTER_ID, MEMORY, Pair
from tests.free_ports import free_port
from tests.interop.running import kraftsim_up
from tests.released.controller import await_listener, released_controller
from tests.released.releases import Release

BROKER_ID = 1


class ListenerPair(Pair):
    """No logs are compared: what they hold is fetched."""

    outlives_differences = True

    @property
    def ends(self) -> tuple[int, int]:
        return 0, 0

    def renew(self) -> None:
        """Goes on as it is: each judgement has topics of its own."""

    def logs_differ(self) -> list[str]:
        return []


def _no_controller() -> NoReturn:
    raise RuntimeError("expected no controller of ours where listeners are judged")


@contextmanager
def started_listeners(release: Release) -> Iterator[Pair]:
    place = MEMORY if MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="kraftsim-judge-", dir=place) as name:
        folder, port = Path(name), free_port()
        with (
            released_controller(
                release,
                folder / "kafka",
                cluster_id=CLUSTER_ID,
                client_port=port,
                settings=released_settings(folder / "kafka", BROKER_ID),
            ) as controller,
            kraftsim_up(
                folder,
                *("--profile", release.profile_name, "--cluster-id", CLUSTER_ID),
                *OUR_OPTIONS,
                brokers=1,
                settings=OUR_SETTINGS,
            ) as kraft,
        ):
            await_listener(controller.process, port)
            our_port = int(kraft.broker_address(BROKER_ID).rpartition(":")[2])
            with listeners_at(port, our_port) as pair:
                yield pair


@contextmanager
def listeners_at(kafka_port: int, our_port: int) -> Iterator[Pair]:
    """The listeners of brokers that run."""
    with closing(Listener(kafka_port)) as kafka, closing(Listener(our_port)) as ours:
        kafka.await_producer_ids()
        bench: Any = ListenerBench(kafka, ours)
        yield ListenerPair(bench, Path(), make_ours=_no_controller)
