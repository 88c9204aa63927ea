"""The waits for messages of a cluster, once its brokers store some."""

from kraftsim.broker_agent.data_plane import DataPlane
from kraftsim.broker_agent.hosted_agent import HostedAgent
from kraftsim.broker_agent.log.waits import FetchWaits

from .garbage_collection import keep_freed_memory


def message_waits(data_plane: DataPlane, agent: HostedAgent) -> FetchWaits:
    """Returns the waits, with the bound of the bytes in all logs; `agent` is any broker."""
    waits = data_plane.waits
    if waits.on_append is None:  # the first broker with messages in this world
        from kraftsim.broker_agent.messages.bound import bound_of

        waits.on_append = bound_of(agent, data_plane.retention_bytes, data_plane.note_dropped)
        keep_freed_memory()
    return waits
