"""The cluster in Python: brokers die and come back, time passes, and nothing is slept through."""

import asyncio
import contextlib
from operator import attrgetter

import pytest

from kraftsim import Cluster
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.rpc import (
    BrokerListener,
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
)
from kraftsim.errors import CommandError, PortUnavailable, UnknownBroker
from tests.kraftsim.loop_passes import others_run


def virtual(brokers: int = 3, **options: object) -> Cluster:
    return Cluster(brokers=brokers, clock="virtual", seed=1, **options)


async def start_time(kraft: Cluster, broker_id: int) -> int:
    cluster = await kraft.describe_cluster(include_fenced=True)
    return cluster.broker(broker_id).start_time_ms


async def test_every_broker_is_unfenced_once_a_cluster_is_started() -> None:
    async with virtual(brokers=3) as kraft:
        cluster = await kraft.describe_cluster()

    assert [(broker.broker_id, broker.fenced) for broker in cluster.brokers] == [
        (1, False),
        (2, False),
        (3, False),
    ]
    assert cluster.cluster_id == kraft.cluster_id
    assert cluster.controller_id == 3000


async def test_a_cluster_without_brokers_is_a_cluster() -> None:
    async with virtual(brokers=0) as kraft:
        assert (await kraft.describe_cluster(include_fenced=True)).brokers == ()
        assert await kraft.brokers.add() == 1
        await kraft.wait(broker=1, state="unfenced")


async def test_a_killed_broker_is_fenced_and_listed_only_on_request() -> None:
    async with virtual() as kraft:
        await kraft.brokers.kill(2)
        await kraft.wait(broker=2, state="NOT_RUNNING", timeout="0s")
        await kraft.wait(broker=2, state="fenced")

        assert (await kraft.describe_cluster(include_fenced=True)).broker(2).fenced
        with pytest.raises(UnknownBroker, match="no broker 2: expected one of 1, 3"):
            (await kraft.describe_cluster()).broker(2)


@pytest.mark.parametrize(
    "verb",
    [
        *("brokers.kill", "brokers.stop", "brokers.pause", "brokers.resume", "brokers.restart"),
        *("brokers.mute", "brokers.unmute", "brokers.deafen", "brokers.undeafen", "brokers.show"),
        *("unregister", "decommission", "controllers.show", "controllers.kill"),
        *("controllers.start", "controllers.pause", "controllers.resume"),
        "quorum.transfer_leadership",
    ],
)
async def test_an_id_that_is_a_text_is_refused_as_a_text(verb: str) -> None:
    async with virtual(brokers=1) as kraft:
        with pytest.raises(CommandError, match=r": expected an int, such as 1, got the str '1'$"):
            await attrgetter(verb)(kraft)("1")
        with pytest.raises(CommandError, match="broker: expected an int"):
            await kraft.wait("1", "fenced")


@pytest.mark.rule("8.12", "8.13")
async def test_a_restart_gives_a_broker_a_new_start_time_and_its_neighbours_keep_theirs() -> None:
    async with virtual() as kraft:
        before = await start_time(kraft, 1), await start_time(kraft, 2)
        await kraft.brokers.kill(2)
        await kraft.wait(broker=2, state="fenced")
        fenced = await start_time(kraft, 2)
        await kraft.brokers.restart(2)
        await kraft.wait(broker=2, state="RUNNING")

        assert fenced == before[1]
        assert await start_time(kraft, 2) >= before[1] + 9000
        assert await start_time(kraft, 1) == before[0]


@pytest.mark.rule("8.13", "1.27")
async def test_an_amended_registration_keeps_its_start_time() -> None:
    async with virtual(brokers=1) as kraft:
        before = await start_time(kraft, 1)
        stored = kraft.world.committed.brokers[1]
        await kraft.clock.advance("5s")
        moved = BrokerListener(name="PLAINTEXT", host="elsewhere", port=9)
        reply = await kraft.request(
            BrokerRegistrationRequest(
                broker_id=1,
                cluster_id=kraft.cluster_id,
                incarnation_id=stored.incarnation_id,
                listeners=(moved,),
                log_dirs=stored.log_dirs,
            )
        )

        assert isinstance(reply, BrokerRegistrationResponse)
        assert reply.broker_epoch == stored.broker_epoch
        described = (await kraft.describe_cluster(include_fenced=True)).broker(1)
        assert (described.host, described.start_time_ms) == ("elsewhere", before)


async def test_a_stopped_broker_drains_and_ends() -> None:
    async with virtual() as kraft:
        await kraft.topics.create("orders", assignments=[(2, 1, 3)])
        await kraft.brokers.stop(2)
        await kraft.wait(broker=2, state="NOT_RUNNING")

        assert {"fenced", "in_controlled_shutdown"} <= kraft.brokers.states_of(2)
        image = kraft.world.committed
        assert image.topics[image.topic_ids["orders"]].partitions[0].leader == 1


async def test_a_paused_broker_is_fenced_and_resumed_with_the_same_epoch() -> None:
    async with virtual() as kraft:
        epoch = kraft.world.committed.brokers[3].broker_epoch
        await kraft.brokers.pause(3)
        await kraft.wait(broker=3, state="fenced")
        assert "PAUSED" in kraft.brokers.states_of(3)
        await kraft.brokers.resume(3)
        await kraft.wait(broker=3, state="unfenced")

        assert kraft.world.committed.brokers[3].broker_epoch == epoch


async def test_a_mute_broker_is_fenced_until_its_link_is_mended() -> None:
    async with virtual() as kraft:
        await kraft.brokers.mute(2)
        await kraft.wait(broker=2, state="fenced")
        await kraft.brokers.unmute(2)
        await kraft.wait(broker=2, state="unfenced")


async def test_a_deaf_broker_stays_unfenced_while_its_heartbeats_arrive() -> None:
    async with virtual() as kraft:
        await kraft.brokers.deafen(2)
        await kraft.clock.advance("30s")

        assert "unfenced" in kraft.brokers.states_of(2)


async def test_a_last_replica_is_decommissioned_by_force_only() -> None:
    async with virtual() as kraft:
        await kraft.topics.create("alone", assignments=[(2,)])

        with pytest.raises(ApiError) as refused:
            await kraft.decommission(2)
        assert refused.value.code is ErrorCode.BROKER_REQUIRED_FOR_PARTITIONS
        assert "registered" in kraft.brokers.states_of(2)

        await kraft.decommission(2, force=True)
        assert "unregistered" in kraft.brokers.states_of(2)


async def test_an_unregistered_broker_is_gone_and_unknown_ones_are_refused() -> None:
    async with virtual() as kraft:
        await kraft.unregister(3)
        await kraft.wait(broker=3, state="unregistered")

        with pytest.raises(ApiError) as refused:
            await kraft.unregister(3)
        assert refused.value.code is ErrorCode.BROKER_ID_NOT_REGISTERED


async def test_a_topic_is_created_once_and_deleted_once() -> None:
    async with virtual() as kraft:
        await kraft.topics.create("orders", partitions=2, replication_factor=3)
        with pytest.raises(ApiError) as existing:
            await kraft.topics.create("orders")
        await kraft.topics.delete("orders")
        with pytest.raises(ApiError) as missing:
            await kraft.topics.delete("orders")

    assert existing.value.code is ErrorCode.TOPIC_ALREADY_EXISTS
    assert missing.value.code is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


@pytest.mark.parametrize("verb", ["stop", "kill", "pause", "resume", "restart", "mute", "deafen"])
async def test_a_verb_on_an_unknown_broker_names_those_there_are(verb: str) -> None:
    async with virtual(brokers=2) as kraft:
        with pytest.raises(UnknownBroker, match="no broker 9: expected one of 1, 2"):
            await getattr(kraft.brokers, verb)(9)


async def test_an_added_broker_gets_the_next_free_id_and_its_rack() -> None:
    async with virtual(brokers=2) as kraft:
        assert await kraft.brokers.add(rack="r2") == 3
        assert await kraft.brokers.add(broker_id=10) == 10
        await kraft.wait(broker=10, state="RUNNING")
        with pytest.raises(CommandError, match="got 2"):
            await kraft.brokers.add(broker_id=2)

        assert (await kraft.describe_cluster()).broker(3).rack == "r2"


async def test_a_wait_that_ends_in_vain_says_in_which_state_the_broker_is() -> None:
    async with virtual(brokers=20) as kraft:
        with pytest.raises(TimeoutError) as over:
            await kraft.wait(broker=15, state="fenced", timeout="3s")

    assert str(over.value) == (
        "expected broker 15 fenced within 3s; broker 15: RUNNING, registered, unfenced"
    )


async def test_a_wait_for_a_broker_that_never_was_says_that_it_is_unregistered() -> None:
    async with virtual() as kraft:
        await kraft.wait(broker=77, state="unregistered")
        with pytest.raises(TimeoutError, match="broker 77: unregistered"):
            await kraft.wait(broker=77, state="registered", timeout="1s")


async def test_an_unknown_state_names_the_nearest() -> None:
    async with virtual() as kraft:
        with pytest.raises(CommandError, match=r"expected 'fenced' .nearest., got 'fencd'"):
            await kraft.wait(broker=1, state="fencd")


async def test_virtual_time_moves_only_when_it_is_told_to() -> None:
    async with virtual() as kraft:
        before = kraft.world.timeline.now_us
        await kraft.describe_cluster()
        await others_run()
        assert kraft.world.timeline.now_us == before
        await kraft.clock.advance("11s")

        assert kraft.world.timeline.now_us == before + 11_000_000


async def test_a_seed_repeats_a_run_to_the_last_record() -> None:
    logs, ids = [], set()
    for _ in range(2):
        async with virtual() as kraft:
            await kraft.topics.create("orders", partitions=4, replication_factor=2)
            await kraft.brokers.kill(2)
            await kraft.wait(broker=2, state="fenced")
            logs.append(kraft.world.controller.node.log.read(0))
            ids.add(kraft.cluster_id)

    assert list(logs[0]) == list(logs[1])
    assert len(ids) == 1


async def test_settings_and_racks_reach_the_brokers() -> None:
    settings = {"broker.session.timeout.ms": 3000, "broker_heartbeat_interval_ms": "500"}
    async with virtual(settings=settings, racks=("a", "b")) as kraft:
        await kraft.brokers.kill(1)
        await kraft.wait(broker=1, state="fenced", timeout="4s")
        cluster = await kraft.describe_cluster(include_fenced=True)

    assert [broker.rack for broker in cluster.brokers] == ["a", "b", "a"]


async def test_a_cluster_that_is_not_started_says_how_to_start_it() -> None:
    kraft = Cluster()

    with pytest.raises(CommandError, match="async with"):
        await kraft.describe_cluster()
    await kraft.close()


async def test_down_ends_the_cluster_and_whoever_waits_for_that() -> None:
    async with virtual(brokers=1) as kraft:
        waiting = asyncio.ensure_future(kraft.until_down())
        await kraft.down()
        await waiting

        with pytest.raises(CommandError, match="the cluster is closed"):
            await kraft.clock.show()


async def test_closing_twice_is_closing() -> None:
    async with virtual(http_port=0, kafka_port=0) as kraft:
        await kraft.close()


@pytest.mark.realtime
async def test_a_start_that_fails_leaves_no_port_behind() -> None:
    async with Cluster(brokers=0, http_port=0) as first:
        taken = int(first.http_url.rpartition(":")[2])
        second = Cluster(brokers=1, kafka_port=0, controller_port=0, http_port=taken)
        with pytest.raises(PortUnavailable, match=r"^http_port: 127\.0\.0\.1:\d+ cannot"):
            await second.start()

        for address in (second.bootstrap_servers, second.bootstrap_controllers):
            with pytest.raises(OSError, match=r"Connect call failed|refused"):
                await asyncio.open_connection(*address.split(":"))


@pytest.mark.realtime
async def test_on_a_real_clock_a_broker_comes_and_goes() -> None:
    settings = {"broker_session_timeout_ms": 200, "broker_heartbeat_interval_ms": 50}
    async with Cluster(brokers=2, settings=settings) as kraft:
        before = await start_time(kraft, 2)
        await kraft.brokers.kill(2)
        await kraft.wait(broker=2, state="fenced")
        await kraft.brokers.restart(2)
        await kraft.wait(broker=2, state="unfenced")

        assert await start_time(kraft, 2) > before


@pytest.mark.realtime
async def test_a_scaled_clock_runs_ahead_of_the_real_one() -> None:
    async with Cluster(brokers=2, clock=100) as kraft:
        await kraft.brokers.kill(2)
        await kraft.wait(broker=2, state="fenced")
        with pytest.raises(TimeoutError):
            await kraft.wait(broker=2, state="unfenced", timeout="2s")
        await kraft.clock.advance("1s")


@pytest.mark.realtime
async def test_waiters_do_not_disturb_each_other() -> None:
    settings = {"broker_session_timeout_ms": 200, "broker_heartbeat_interval_ms": 50}
    async with Cluster(brokers=3, settings=settings) as kraft:
        waits = [
            asyncio.ensure_future(kraft.wait(broker=broker_id, state="fenced"))
            for broker_id in (1, 2, 3)
        ]
        waits[0].cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await waits[0]
        await kraft.brokers.kill(2)
        await kraft.brokers.kill(3)
        await asyncio.gather(*waits[1:])

        assert "unfenced" in kraft.brokers.states_of(1)
        assert kraft.world.journal.listeners == []
