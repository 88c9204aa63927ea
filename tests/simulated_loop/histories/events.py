"""What the journal of a cluster says, with the microseconds."""

from kraftsim import Cluster

Rows = list[tuple[object, ...]]


async def events_of(kraft: Cluster) -> Rows:
    """Returns every event of a cluster."""
    events = await kraft.events.list(limit=10_000)
    return [(event["tUs"], event["kind"], event["detail"]) for event in events]
