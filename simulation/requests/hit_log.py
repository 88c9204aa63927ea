"""What a fault did to messages: the newest hits, each with its time and the nodes concerned."""

from collections import deque

from kraftsim.controller.core.node_id import NodeId
from kraftsim.controller.core.value import value
from kraftsim.controller.time.timeline import Timeline

HITS_MAX = 100  # newest hits of one fault; a cluster may have 1,000 faults


@value(kw_only=False)
class Hit:
    """One effect of a fault.

    `kind` says what was done to the `request`, such as request_lost. `receiver` is the node that
    the request or reply would have reached, `broker_id` the broker that it concerns, -1 without
    one.
    """

    t_us: int
    kind: str
    request: type
    receiver: NodeId
    broker_id: int


class HitLog:
    """The newest HITS_MAX hits of a fault."""

    def __init__(self, timeline: Timeline) -> None:
        self.hits: deque[Hit] = deque(maxlen=HITS_MAX)
        self._timeline = timeline

    def note(self, kind: str, request: object, receiver: NodeId, broker_id: int) -> None:
        """Adds a hit that happens now."""
        self.hits.append(Hit(self._timeline.now_us, kind, type(request), receiver, broker_id))
