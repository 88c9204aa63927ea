"""Worlds of voters without controllers and brokers."""

from .identities import FIRST_ID, Disk, identity_of
from .limits import Limits
from .lone_replica import LoneReplica
from .steps import Steps
from .world import World


def quorum_of(voters: int, limits: Limits) -> World:
    """Returns a world of `voters` voters with empty disks."""
    ids = tuple(range(FIRST_ID, FIRST_ID + voters))

    def unstarted(index: int) -> LoneReplica:
        return LoneReplica(identity_of(ids[index], ids), Disk(), asks_around=limits.asks_around)

    return World(Steps(ids, voters, limits.epoch, unstarted), limits, has_twins=True)
