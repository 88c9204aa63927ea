"""Records by the names that users know: Kafka's own names, and names of registration changes.

A fence is a FenceBrokerRecord only in old logs; in newer logs it is a field of a
BrokerRegistrationChangeRecord.
"""

from collections.abc import Callable

from kraftsim.controller.core.log import control_records as c
from kraftsim.controller.core.log import records as r

Test = Callable[[object], bool]
_CONTROL = (c.LeaderChange, c.KRaftVersion, c.Voters)


def _is_a(*kinds: type) -> Test:
    return lambda record: isinstance(record, kinds)


def _is_change(old: type | None, field: str, value: int) -> Test:
    def matches(record: object) -> bool:
        if old is not None and isinstance(record, old):
            return True
        is_change = isinstance(record, r.BrokerRegistrationChangeRecord)
        return is_change and getattr(record, field) == value

    return matches


RECORDS: dict[str, Test] = {
    **{kind.__name__.removesuffix("Record"): _is_a(kind) for kind in r.Record.__subclasses__()},
    **{kind.__name__: _is_a(kind) for kind in _CONTROL},
    "FenceBroker": _is_change(r.FenceBrokerRecord, "fenced", r.FENCE),
    "UnfenceBroker": _is_change(r.UnfenceBrokerRecord, "fenced", r.UNFENCE),
    "InControlledShutdown": _is_change(None, "in_controlled_shutdown", r.IN_CONTROLLED_SHUTDOWN),
}


def node_of(record: object) -> int | None:
    """Returns the id of the broker, controller or new leader in a record, or None."""
    for name in ("broker_id", "id", "controller_id", "leader_id"):
        node_id: object = getattr(record, name, None)
        if isinstance(node_id, int):
            return node_id
    return None
