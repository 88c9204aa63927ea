"""Says which controller led when a property judged, and since when."""

from collections.abc import Sequence

from kraftsim.broker_agent.process_state import ProcessState
from kraftsim.controller.core.node_id import Kind, NodeId
from kraftsim.simulation.event_row import EventRow

from ..running.story import time_text


def leader_words(rows: Sequence[EventRow], nodes: Sequence[NodeId], begins_us: int | None) -> str:
    """Returns the leader after the last of the rows, with its epoch, and since when it leads.

    If several controllers were elected it is the last of those among `nodes`, else the last of
    all. A leader that has resigned or ended since is named with the time of its end.
    """
    elected = [row for row in rows if row.kind == "controller_elected"]
    controllers = {node.number for node in nodes if node.kind is Kind.CONTROLLER}
    judges = [row for row in elected if row.detail["leader_id"] in controllers]
    if not elected:
        return "none yet"
    election = (judges or elected)[-1]
    name = f"controller {election.detail['leader_id']}, of epoch {election.leader_epoch}"
    since = time_text(election.t_us, begins_us)
    end = next((row for row in rows if row.seq > election.seq and _ends(row, election)), None)
    if end is None:
        return f"{name} since {since}"
    return f"{name} from {since} to {time_text(end.t_us, begins_us)}"


def _ends(row: EventRow, election: EventRow) -> bool:
    """Returns True if the row is the end of a leadership."""
    leader_id = election.detail["leader_id"]
    if row.kind == "controller_resigns":
        return row.node == f"controller-{leader_id}"
    is_state = row.kind == "controller_state" and row.detail["controller_id"] == leader_id
    return is_state and row.detail["state"] == ProcessState.NOT_RUNNING.value
