"""Snapshots of a running cluster: it goes back to them, and branches follow them."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from kraftsim import Cluster
from kraftsim.admin import Admin
from kraftsim.errors import CommandError, UsageError

from .loop_passes import others_run


@pytest_asyncio.fixture
async def kraft() -> AsyncIterator[Cluster]:
    async with Cluster(brokers=3, clock="virtual", seed=7) as cluster:
        yield cluster


@pytest_asyncio.fixture
async def served() -> AsyncIterator[Cluster]:
    async with Cluster(
        brokers=3, controllers=3, clock="auto", seed=7, kafka_port=0, controller_port=0, http_port=0
    ) as cluster:
        yield cluster


async def states(kraft: Cluster) -> dict[int, bool]:
    """Which brokers are fenced."""
    return {broker["brokerId"]: broker["fenced"] for broker in await kraft.brokers.list()}


async def test_a_cluster_goes_back_to_a_snapshot_as_often_as_one_likes(kraft: Cluster) -> None:
    await kraft.snapshots.save("before")
    endings = []
    for _ in range(3):
        await kraft.brokers.kill(2)
        await kraft.wait(broker=2, state="fenced")
        endings.append(kraft.world.journal.since(0))
        await kraft.snapshots.restore("before")
        assert await states(kraft) == {1: False, 2: False, 3: False}

    assert endings[0] == endings[1] == endings[2]


async def test_two_branches_of_one_moment_live_the_same_life(kraft: Cluster) -> None:
    async with kraft.branch() as ours, kraft.branch() as theirs:
        for each in (ours, theirs):
            await each.clock.advance("2m")

        assert ours.world.journal.since(0) == theirs.world.journal.since(0)
        assert ours.world.timeline.now_us > kraft.world.timeline.now_us


async def test_a_branch_and_its_cluster_do_not_affect_each_other(kraft: Cluster) -> None:
    async with kraft.branch() as branch:
        await branch.brokers.kill(1)
        await kraft.brokers.kill(2)
        await branch.clock.advance("20s")
        await kraft.clock.advance("20s")

        assert await states(branch) == {1: True, 2: False, 3: False}
        assert await states(kraft) == {1: False, 2: True, 3: False}


async def test_a_branch_tells_what_would_happen(kraft: Cluster) -> None:
    await kraft.snapshots.save("calm")
    calm = await kraft.snapshots.branch("calm", by="30s")
    crash = await kraft.snapshots.branch("calm", "30s", {"proc.crash": {"on": 2}})

    assert not [event for event in calm["events"] if event["kind"] == "broker_fenced"]
    fenced = [event["brokerId"] for event in crash["events"] if event["kind"] == "broker_fenced"]
    assert fenced == [2]
    assert await states(kraft) == {1: False, 2: False, 3: False}


async def test_faults_go_back_too(kraft: Cluster) -> None:
    cut = await kraft.faults.add({"net.partition": {"on": 2}, "id": "cut"})
    await kraft.snapshots.save("cut")
    await cut.remove()
    await kraft.clock.advance("30s")
    await kraft.snapshots.restore("cut")

    [fault] = await kraft.faults.list()
    assert (fault["id"], fault["open"]) == ("cut", True)
    await kraft.wait(broker=2, state="fenced")
    await kraft.faults.remove("cut")
    await kraft.wait(broker=2, state="unfenced")


async def test_a_fault_of_a_snapshot_ends_when_its_time_is_over(kraft: Cluster) -> None:
    await kraft.faults.add({"proc.pause": {"on": 2, "for": "15s"}, "id": "gc"})
    async with kraft.branch() as branch:
        await branch.clock.advance("10s")
        assert (await branch.faults.show("gc"))["open"]
        await branch.clock.advance("10s")
        assert not (await branch.faults.show("gc"))["open"]
    assert (await kraft.faults.show("gc"))["open"]


async def test_clients_connect_again_at_the_old_addresses(served: Cluster) -> None:
    """And the brokers that were added since have no listener any more."""
    await served.snapshots.save("three")
    addresses = served.bootstrap_servers
    added = await served.brokers.add()
    await served.wait(broker=added, state="unfenced")
    host, port = served.bootstrap_servers.split(",")[-1].split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    await served.snapshots.restore("three")

    assert await reader.read() == b""
    writer.close()
    assert served.bootstrap_servers == addresses
    async with Admin(bootstrap_servers=served.bootstrap_servers) as admin:
        assert len((await admin.describe_cluster()).brokers) == 3


async def test_brokers_that_went_since_are_there_again(served: Cluster) -> None:
    added = await served.brokers.add()
    await served.wait(broker=added, state="unfenced")
    addresses = served.bootstrap_servers
    await served.snapshots.save("four")
    await served.reset()
    assert served.bootstrap_servers != addresses
    await served.snapshots.restore("four")

    assert served.bootstrap_servers == addresses
    async with Admin(bootstrap_servers=addresses.split(",")[-1]) as admin:
        assert len((await admin.describe_cluster()).brokers) == 4


async def test_listeners_are_as_the_processes_of_the_snapshot(served: Cluster) -> None:
    await served.brokers.kill(2)
    await served.snapshots.save("dead")
    await served.brokers.restart(2)
    await served.wait(broker=2, state="unfenced")
    await served.snapshots.restore("dead")

    host, port = served.bootstrap_servers.split(",")[1].split(":")
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(host, int(port))


async def test_a_wait_ends_when_its_cluster_goes_back(served: Cluster) -> None:
    await served.snapshots.save("calm")
    waiting = asyncio.ensure_future(served.wait(broker=2, state="fenced", timeout="1h"))
    await asyncio.sleep(0)
    await served.clock.lock("test")
    await served.snapshots.restore("calm")

    with pytest.raises((CommandError, TimeoutError)):
        await waiting


async def test_going_back_begins_a_generation(kraft: Cluster) -> None:
    await kraft.snapshots.save("calm")
    await kraft.snapshots.restore("calm")

    assert kraft.generation == 1


async def test_snapshots_are_listed_and_removed(kraft: Cluster) -> None:
    saved = await kraft.snapshots.save("a")
    await kraft.clock.advance("5s")
    await kraft.snapshots.save("b")

    assert [each["name"] for each in await kraft.snapshots.list()] == ["a", "b"]
    assert (await kraft.snapshots.remove("a")) == saved
    with pytest.raises(CommandError, match="no snapshot 'a': expected one of b"):
        await kraft.snapshots.restore("a")


async def test_mistakes_are_refused(kraft: Cluster) -> None:
    await kraft.snapshots.save("a")
    with pytest.raises(CommandError, match="snapshot a: there is one"):
        await kraft.snapshots.save("a")
    with pytest.raises(UsageError, match="name: expected 1 to 100"):
        await kraft.snapshots.save("../a")
    with pytest.raises(CommandError, match="no node 9"):
        await kraft.snapshots.branch("a", "1s", {"proc.crash": {"on": 9}})


async def test_a_cluster_keeps_a_hundred_snapshots(kraft: Cluster) -> None:
    for number in range(100):
        await kraft.snapshots.save(f"s{number}")

    with pytest.raises(CommandError, match="expected at most 100: remove some"):
        await kraft.snapshots.save("more")


async def test_every_reset_with_one_seed_gives_the_same_cluster(served: Cluster) -> None:
    """From the third on it is a copy of the second."""
    lives = []
    for _ in range(4):
        await served.reset()
        await served.brokers.kill(2)
        await served.wait(broker=2, state="fenced")
        lives.append(served.world.journal.since(0))

    assert lives[0] == lives[1] == lives[2] == lives[3]


async def test_a_reset_with_another_seed_gives_another_cluster(kraft: Cluster) -> None:
    for seed in (7, 7, 8, 8, 7):
        await kraft.reset(seed)
        async with Cluster(
            brokers=3, clock="virtual", seed=seed, cluster_id=kraft.cluster_id
        ) as new:
            assert new.world.journal.since(0) == kraft.world.journal.since(0)


async def test_handles_of_faults_follow_a_cluster_that_goes_back(kraft: Cluster) -> None:
    cut = await kraft.faults.add({"net.partition": {"on": 2}})
    await kraft.snapshots.save("cut")
    await kraft.wait(broker=2, state="fenced")
    await kraft.snapshots.restore("cut")
    await kraft.clock.advance("1s")
    assert cut.hits == (await kraft.faults.show(cut.id))["hits"]
    await cut.remove()
    await kraft.clock.advance("30s")

    assert await states(kraft) == {1: False, 2: False, 3: False}


async def test_a_request_that_a_fault_holds_ends_when_its_cluster_goes_back(
    served: Cluster,
) -> None:
    await served.snapshots.save("calm")
    held = await served.faults.add({"rpc.hold": {"api": "CreateTopics"}})
    creating = asyncio.ensure_future(served.topics.create("orders"))
    await held.wait(1)
    await served.snapshots.restore("calm")

    with pytest.raises(CommandError, match="restored while this call waited"):
        await creating


async def test_a_cluster_that_went_back_has_no_recording(kraft: Cluster) -> None:
    await kraft.snapshots.save("start")
    await kraft.snapshots.restore("start")

    assert kraft._live.recorder.refusal is not None
    assert "snapshot" in kraft._live.recorder.refusal


async def test_a_branch_lives_through_a_day_at_most(kraft: Cluster) -> None:
    await kraft.snapshots.save("start")
    with pytest.raises(UsageError, match="by: expected at most 24h"):
        await kraft.snapshots.branch("start", "25h")


@pytest.mark.realtime
async def test_a_snapshot_amid_a_large_request_goes_on_with_it() -> None:
    """In real time a pause, which the event loop ends, follows each step that leaves work."""
    async with Cluster(brokers=3, clock="real", seed=7) as kraft:
        asking = asyncio.create_task(kraft.topics.create("large", 9_000, 3))
        await others_run()
        await kraft.snapshots.save("amid")
        assert "large" not in kraft.world.committed.topic_ids
        await asking

        await kraft.snapshots.restore("amid")
        await kraft.topics.create("behind", 1, 3)

        assert "large" in kraft.world.committed.topic_ids
        async with kraft.branch("amid") as branch:
            await branch.clock.advance("1s")
            assert "large" in branch.world.committed.topic_ids
