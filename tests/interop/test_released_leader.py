"""Our broker follows a released one: it fetches, is in the ISR, and leads with all of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest

from kraftsim.cli.main import main
from tests.interop.running import Service, eventually, kraftsim_up
from tests.interop.test_released_broker import LEASE, RECORDS, attached, write
from tests.interop.test_released_follower import read
from tests.released.broker import ReleasedBroker
from tests.released.releases import RELEASES

pytestmark = [pytest.mark.interop, pytest.mark.released]

OURS, RELEASED = 1, 10
SEGMENT = "00000000000000000000.log"


@contextmanager
def both(folder: Path, version: str = "4.3.1") -> Iterator[tuple[Service, ReleasedBroker, str]]:
    """A cluster of one of our brokers and a released one, with the address of the latter."""
    options = ("--controllers", "1", "--profile", RELEASES[version].profile_name)
    with (
        kraftsim_up(folder, *options, brokers=1, settings=LEASE) as kraft,
        attached(kraft, folder / "kafka", RELEASED, version) as (broker, servers),
    ):
        kraft.wait(RELEASED, "unfenced")
        yield kraft, broker, servers


@pytest.mark.rule("B5.1", "B5.20", "B6.23", "B6.50")
def test_our_broker_replicates_from_a_released_one_and_leads_with_all_of_it(
    tmp_path: Path,
) -> None:
    with both(tmp_path) as (kraft, broker, servers):
        kraft.create("orders", [RELEASED, OURS])
        write(servers, "orders")  # with acks=all: ours has them

        assert kraft.in_sync("orders") == [OURS, RELEASED]
        assert ours(kraft, tmp_path / "before") == theirs(tmp_path)

        kraft.kill(OURS)
        write(servers, "orders")  # acknowledged without it
        assert kraft.in_sync("orders") == [RELEASED]
        kraft.restart(OURS)
        eventually(lambda: kraft.in_sync("orders"), [OURS, RELEASED], ignoring=OSError)
        assert ours(kraft, tmp_path / "after") == theirs(tmp_path)

        broker.kill()
        kraft.wait(RELEASED, "fenced")
        assert kraft.leaders("orders") == [OURS]
        values = read(kraft.broker_address(OURS))
        assert (len(values), set(values)) == (2 * len(RECORDS), RECORDS)
        assert broker.errors() == []


@pytest.mark.rule("B5.10", "B5.11", "B6.80")
def test_what_our_leader_alone_had_is_given_up_to_a_released_one(tmp_path: Path) -> None:
    with both(tmp_path) as (kraft, broker, servers):
        unclean = {"unclean.leader.election.enable": "true"}
        kraft.create("orders", [RELEASED, OURS], configs=unclean)
        write(servers, "orders")
        broker.kill()
        kraft.wait(RELEASED, "fenced")
        write(kraft.broker_address(OURS), "orders")  # into the log of ours alone
        kraft.kill(OURS)
        kraft.wait(OURS, "fenced")

        broker.start()
        eventually(lambda: kraft.leaders("orders"), [RELEASED], ignoring=OSError)
        write(servers, "orders")
        kraft.restart(OURS)
        eventually(lambda: kraft.in_sync("orders"), [OURS, RELEASED], ignoring=OSError)

        assert ours(kraft, tmp_path / "after") == theirs(tmp_path)
        (lost,) = kraft.events("records_truncated")
        detail = lost["detail"]
        assert isinstance(detail, dict)
        assert (detail["fromOffset"], detail["records"]) == (len(RECORDS), len(RECORDS))
        assert broker.errors() == []


def test_our_broker_joins_again_while_a_released_one_is_written(tmp_path: Path) -> None:
    with both(tmp_path) as (kraft, broker, servers):
        kraft.create("orders", [RELEASED, OURS], [RELEASED, OURS], [OURS, RELEASED])
        with writing(servers, "orders"):
            eventually(lambda: isr(kraft, "orders"), [[OURS, RELEASED]] * 3, ignoring=OSError)
            kraft.kill(OURS)
            eventually(lambda: isr(kraft, "orders"), [[RELEASED]] * 3, ignoring=OSError)
            kraft.restart(OURS)
            eventually(lambda: isr(kraft, "orders"), [[OURS, RELEASED]] * 3, ignoring=OSError)
        write(servers, "orders")  # all have these, and so all before

        for partition in range(3):
            part = tmp_path / f"partition-{partition}"
            assert ours(kraft, part, partition) == theirs(tmp_path, partition)
        assert broker.errors() == []


@pytest.mark.rule("B5.1")
@pytest.mark.parametrize("version", ["3.9.1", "4.1.1"])
def test_our_broker_follows_leaders_of_older_releases(tmp_path: Path, version: str) -> None:
    with both(tmp_path, version) as (kraft, broker, servers):
        kraft.create("orders", [RELEASED, OURS])
        write(servers, "orders")

        assert kraft.in_sync("orders") == [OURS, RELEASED]
        assert ours(kraft, tmp_path / "after") == theirs(tmp_path)
        assert broker.errors() == []


@contextmanager
def writing(servers: str, topic: str) -> Iterator[None]:
    """Writes in a thread of its own while the block runs."""
    done = Event()

    def go_on() -> None:
        while not done.is_set():
            write(servers, topic)

    thread = Thread(target=go_on)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def isr(kraft: Service, topic: str) -> list[list[int]]:
    """The ISR of each partition."""
    return [sorted(partition["isr"]) for partition in kraft.partitions(topic)]


def ours(kraft: Service, folder: Path, partition: int = 0) -> bytes:
    """The bytes of a log at our broker."""
    words = ("--broker", str(OURS), "--partition", str(partition), "--url", kraft.url)
    assert main(["log", "export", "orders", str(folder), *words]) == 0
    return (folder / f"orders-{partition}" / SEGMENT).read_bytes()


def theirs(folder: Path, partition: int = 0) -> bytes:
    """The bytes of a log at the released broker."""
    return (folder / "kafka" / "broker-1" / f"orders-{partition}" / SEGMENT).read_bytes()
