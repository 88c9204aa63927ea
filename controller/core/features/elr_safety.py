"""What turning eligible leader replicas on writes besides (KIP-966, rules 0A.11 and 4.23).

ELR is only as safe as min.insync.replicas, so that is one for the whole cluster from then on: the
cluster's own is written down, and what single brokers have of their own is taken away.
"""

from ..image.image import Image
from ..log.records import BROKER_RESOURCE, ConfigRecord
from ..settings import Settings

MIN_INSYNC_REPLICAS = "min.insync.replicas"
WHOLE_CLUSTER = ""  # the name of the resource that stands for every broker


def elr_safety_records(image: Image, settings: Settings) -> tuple[ConfigRecord, ...]:
    """Nothing where all is as it should be already."""
    named = {
        name
        for (resource_type, name), values in image.configs.items()
        if resource_type == BROKER_RESOURCE and MIN_INSYNC_REPLICAS in values
    }
    taken_away = (_record(name, None) for name in sorted(named - {WHOLE_CLUSTER}, key=int))
    if WHOLE_CLUSTER in named:
        return tuple(taken_away)
    return (_record(WHOLE_CLUSTER, str(settings.min_insync_replicas)), *taken_away)


def _record(resource_name: str, value: str | None) -> ConfigRecord:
    return ConfigRecord(
        resource_type=BROKER_RESOURCE,
        resource_name=resource_name,
        name=MIN_INSYNC_REPLICAS,
        value=value,
    )
