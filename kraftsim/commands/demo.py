"""What `kraftsim up --demo` does to its cluster: something that a visitor of the page can watch.

Every 40 s a broker pauses for 12 s, which is longer than its lease, and comes back; every third
time, another controller leads afterwards.
"""

import asyncio
import sys
from collections.abc import Iterator
from itertools import count, cycle
from typing import Final

from ..api.cluster import Cluster
from ..errors import CommandError

FIRST_S: Final = 4.0
REST_S: Final = 28.0
PAUSE_S: Final = 12
TOPIC: Final = "orders"


async def demonstrate(kraft: Cluster) -> None:
    """Prints the address of the page, creates a topic, and pauses one broker after another.

    Does not end, except without brokers. Whatever a visitor has done, such as killing every broker,
    is no error.
    """
    print(f"Open {kraft.http_url} in a browser: the page of this cluster", file=sys.stderr)
    replicas = min(3, kraft.options.brokers)
    if not replicas:
        return
    await kraft.topics.create(TOPIC, partitions=6, replication_factor=replicas)
    await asyncio.sleep(FIRST_S)
    for number, broker_id in zip(count(1), _in_turn(kraft), strict=False):
        try:
            await _pause(kraft, broker_id)
            if number % 3 == 0 and kraft.options.controllers > 1:
                await kraft.quorum.transfer_leadership()
        except (CommandError, TimeoutError):
            await asyncio.sleep(REST_S)


def _in_turn(kraft: Cluster) -> Iterator[int]:
    return cycle(range(kraft.options.brokers, 0, -1))


async def _pause(kraft: Cluster, broker_id: int) -> None:
    say = f"Broker {broker_id} stops: a {PAUSE_S} s pause. Its lease lasts 9 s."
    await kraft.faults.add({"proc.pause": {"on": broker_id, "for": f"{PAUSE_S}s"}, "say": say})
    await asyncio.sleep(PAUSE_S + REST_S)
