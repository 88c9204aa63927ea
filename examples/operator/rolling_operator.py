"""An operator that restarts every broker once, one after the other."""

import asyncio


async def main(kraft):
    """Writes to a topic which brokers it has begun with, and so goes on after a crash."""
    records = (await kraft.topics.read("rollout"))["records"]
    begun = {int(record["value"]) for record in records}
    for broker in (1, 2, 3):
        if broker not in begun:
            await kraft.topics.write("rollout", [str(broker)])
            await restart(kraft, broker)


async def forgetful(kraft):
    """Begins anew after a crash: a mistake, which takes a fault to show."""
    for broker in (1, 2, 3):
        await restart(kraft, broker)


async def restart(kraft, broker):
    """Restarts a broker once every replica is in sync."""
    while not await is_healthy(kraft):  # noqa: ASYNC110  # no event tells of it
        await asyncio.sleep(1)
    await kraft.brokers.restart(broker, wait="5m")
    kraft.nodes.report("restarted", broker=broker)


async def is_healthy(kraft):
    """Returns whether every replica of every partition is in sync."""
    for topic in await kraft.topics.list():
        for partition in (await kraft.topics.describe(topic["name"]))["partitions"]:
            if len(partition["isr"]) < len(partition["replicas"]):
                return False
    return True
