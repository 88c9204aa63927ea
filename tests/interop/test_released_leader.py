"""Our broker follows a released one: it fetches, is in the ISR, and leads with all of it."""

from pathlib import Path

import pytest

from kraftsim.cli.main import main
from tests.interop.running import Service, eventually, kraftsim_up
from tests.interop.test_released_broker import LEASE, RECORDS, attached, write
from tests.interop.test_released_follower import read

pytestmark = [pytest.mark.interop, pytest.mark.released]

OURS, RELEASED = 1, 10
LOG = "orders-0/00000000000000000000.log"


@pytest.mark.rule("B5.1", "B5.20", "B6.23", "B6.50")
def test_one_of_our_brokers_replicates_from_a_released_one_and_leads_with_all_of_it(
    tmp_path: Path,
) -> None:
    options = ("--controllers", "1", "--profile", "kafka-4.3")
    with (
        kraftsim_up(tmp_path, *options, brokers=1, settings=LEASE) as kraft,
        attached(kraft, tmp_path / "kafka", RELEASED) as (broker, servers),
    ):
        kraft.wait(RELEASED, "unfenced")
        kraft.create("orders", [RELEASED, OURS])
        write(servers, "orders")  # with acks=all: ours has them

        assert kraft.in_sync("orders") == [OURS, RELEASED]
        theirs = tmp_path / "kafka" / "broker-1" / LOG
        assert exported(kraft, tmp_path / "before") == theirs.read_bytes()

        kraft.kill(OURS)
        write(servers, "orders")  # acknowledged without it
        assert kraft.in_sync("orders") == [RELEASED]
        kraft.restart(OURS)
        eventually(lambda: kraft.in_sync("orders"), [OURS, RELEASED], ignoring=OSError)
        assert exported(kraft, tmp_path / "after") == theirs.read_bytes()

        broker.kill()
        kraft.wait(RELEASED, "fenced")
        assert kraft.leaders("orders") == [OURS]
        values = read(kraft.broker_address(OURS))
        assert (len(values), set(values)) == (2 * len(RECORDS), RECORDS)
        assert broker.errors() == []


def exported(kraft: Service, folder: Path) -> bytes:
    """The bytes of the partition's log at our broker, which follows."""
    words = ("log", "export", "orders", str(folder), "--broker", str(OURS), "--url", kraft.url)
    assert main([*words]) == 0
    return (folder / LOG).read_bytes()
