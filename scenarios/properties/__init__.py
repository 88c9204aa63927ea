"""All properties that a world can be checked against, in one table.

`ALWAYS` are those that Kafka keeps; `SAFETY` are those of `ALWAYS` that hold at every moment, not
only after a calm.
"""

from ..oracles.property import Property
from . import (
    active_state,
    api,
    broker_questions,
    data_loss,
    decisions,
    eligibility,
    image,
    leases,
    liveness,
    partition_index,
    partitions,
    periodic_elections,
    progress,
    prompt_replies,
    registration,
    rude_requests,
)
from .messages import clients, replicas
from .quorum import asking, elections, following, membership, protocol, quorum_log, tenability

ALL: tuple[type[Property], ...] = (
    *elections.CLASSES,
    *quorum_log.CLASSES,
    *image.CLASSES,
    *registration.CLASSES,
    *leases.CLASSES,
    *partitions.CLASSES,
    *api.CLASSES,
    *data_loss.CLASSES,
    *eligibility.CLASSES,
    *active_state.CLASSES,
    *tenability.CLASSES,
    *image.SHOWN,
    *rude_requests.CLASSES,
    *decisions.CLASSES,
    *protocol.CLASSES,
    *asking.CLASSES,
    *broker_questions.CLASSES,
    *membership.CLASSES,
    *following.CLASSES,
    *partition_index.CLASSES,
    *periodic_elections.CLASSES,
    *clients.CLASSES,
    *replicas.CLASSES,
    *liveness.CLASSES,
    *progress.CLASSES,
    *prompt_replies.CLASSES,
)
ALWAYS = tuple(property_ for property_ in ALL if property_.always)
SAFETY = tuple(property_ for property_ in ALWAYS if property_.number.startswith("S"))
GROUPS = {"all": ALWAYS, "safety": SAFETY}  # words for several properties
