"""Groups the rows of a journal by the lines of a story.

Rows of one instant that report the same of several brokers, controllers or partitions are one
group, also if other rows stand between them: a batch fences a broker and changes its partitions,
the next batch another broker. Elections that one voter starts in succession and does not win are
one group, too.
"""

from collections.abc import Hashable, Iterable

from kraftsim.simulation.event_row import EventRow

SCENES = ("controller_elected", "fault_begins", "fault_ends", "calm_begins")
"""Kinds that end every group."""
OF_BROKERS = (
    "broker_registered",
    "broker_unregistered",
    "broker_fenced",
    "broker_unfenced",
    "broker_in_controlled_shutdown",
)

Group = list[EventRow]


def grouped(rows: Iterable[EventRow]) -> list[Group]:
    """Returns the groups in the order of their first rows."""
    groups: list[Group] = []
    open_groups: dict[Hashable, Group] = {}
    for row in rows:
        if row.kind in SCENES:
            groups += _won(row, open_groups)
            open_groups.clear()
        key = _key(row)
        if key in open_groups:
            open_groups[key].append(row)
            continue
        groups.append([row])
        if key is not None:
            open_groups[key] = groups[-1]
    return sorted(groups, key=lambda group: group[0].seq)


def _key(row: EventRow) -> Hashable:
    """Returns what rows of one group have in common; None for a row that stands alone."""
    detail = row.detail
    match row.kind:
        case "controller_stands":
            return row.kind, row.node
        case "partition_changed":
            return row.kind, row.t_us
        case "lease_expired":
            return row.kind, row.t_us, row.node
        case "agent_state" | "controller_state":
            return row.kind, row.t_us, detail["state"], detail.get("failure")
        case kind if kind in OF_BROKERS:
            return kind, row.t_us
        case _:
            return None


def _won(row: EventRow, open_groups: dict[Hashable, Group]) -> Iterable[Group]:
    """Takes the election that a voter won away from those that it did not win."""
    stood = open_groups.get(("controller_stands", f"controller-{row.detail.get('leader_id')}"), [])
    return [[stood.pop()]] if len(stood) > 1 else []
