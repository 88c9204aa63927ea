"""Random verbs on a cluster in virtual time: nothing hangs, and afterwards everybody is well."""

import random
from contextlib import suppress
from operator import attrgetter

import pytest

from kraftsim import Cluster
from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.image.loader import replay
from kraftsim.controller.core.profile import PROFILES
from kraftsim.errors import CommandError

pytestmark = pytest.mark.slow


OF_BROKERS = ("kill", "restart", "pause", "resume", "stop", "mute", "deafen", "unmute", "undeafen")
VERBS = (*(f"brokers.{verb}" for verb in OF_BROKERS), "unregister", "decommission")


async def disturb(kraft: Cluster, draw: random.Random) -> None:
    broker, verb = draw.randint(1, 4), draw.choice(VERBS)
    with suppress(ApiError, CommandError):  # the last replica, not registered, or no process
        await attrgetter(verb)(kraft)(broker)
    await kraft.clock.advance(draw.choice(["1ms", "100ms", "3s", "12s"]))


@pytest.mark.rule("9.20", "9.31")
@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("seed", range(4))
async def test_after_any_verbs_restarted_brokers_serve_and_every_isr_is_whole(
    profile: str, seed: int
) -> None:
    draw = random.Random(seed)
    async with Cluster(brokers=4, clock="virtual", seed=seed, profile=profile) as kraft:
        await kraft.topics.create("orders", partitions=4, replication_factor=3)
        for _ in range(25):
            await disturb(kraft, draw)

        for broker in range(1, 5):
            await kraft.brokers.unmute(broker)
            await kraft.brokers.undeafen(broker)
            await kraft.brokers.restart(broker)
        await kraft.clock.advance("60s")

        for broker in range(1, 5):
            assert {"unfenced", "RUNNING"} <= kraft.brokers.states_of(broker)
        image = kraft.world.committed
        for topic in image.topics.values():
            for partition in topic.partitions.values():
                assert set(partition.isr) == set(partition.replicas)
                assert partition.leader in partition.isr
        assert replay(kraft.world.controller.node.log.batches) == image
