"""The records that accompany the activation of eligible leader replicas (KIP-966, 0A.11 and 4.23).

ELR relies on min.insync.replicas, so the whole cluster must share one value: the cluster's value is
written to the log, and the values of single brokers are removed.
"""

from ..image.image import Image
from ..log.records import BROKER_RESOURCE, ConfigRecord
from ..settings import Settings

MIN_INSYNC_REPLICAS = "min.insync.replicas"
WHOLE_CLUSTER = ""  # resource name of the default for all brokers


def elr_safety_records(image: Image, settings: Settings) -> tuple[ConfigRecord, ...]:
    """Returns the records that unify min.insync.replicas; none if all brokers share one value."""
    resource_names = {
        name
        for (resource_type, name), values in image.configs.items()
        if resource_type == BROKER_RESOURCE and MIN_INSYNC_REPLICAS in values
    }
    removals = (_record(name, None) for name in sorted(resource_names - {WHOLE_CLUSTER}, key=int))
    if WHOLE_CLUSTER in resource_names:
        return tuple(removals)
    return (_record(WHOLE_CLUSTER, str(settings.min_insync_replicas)), *removals)


def _record(resource_name: str, value: str | None) -> ConfigRecord:
    return ConfigRecord(
        resource_type=BROKER_RESOURCE,
        resource_name=resource_name,
        name=MIN_INSYNC_REPLICAS,
        value=value,
    )
