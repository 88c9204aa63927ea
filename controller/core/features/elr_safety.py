"""The records that accompany the activation of eligible leader replicas (KIP-966, 0A.11 and 4.23).

ELR relies on min.insync.replicas, so the whole cluster must share one value: the cluster's value is
written to the log, and the values of single brokers are removed.
"""

from ..errors import ApiError, ErrorCode
from ..image.image import Image
from ..log.records import BROKER_RESOURCE, ConfigRecord
from ..settings import Settings

MIN_INSYNC_REPLICAS = "min.insync.replicas"
WHOLE_CLUSTER = ""  # resource name of the default for all brokers


def elr_safety_records(image: Image, settings: Settings) -> tuple[ConfigRecord, ...]:
    """Returns the records that unify min.insync.replicas; none if all brokers share one value.

    Raises UNKNOWN_SERVER_ERROR if a broker has configurations only by another spelling of its id,
    such as +1: 4.3.1 looks for those of 1, and fails.
    """
    names = (name for resource_type, name in image.configs if resource_type == BROKER_RESOURCE)
    broker_ids = sorted({int(name) for name in names if name != WHOLE_CLUSTER})
    removals = []
    for broker_id in broker_ids:
        values = image.configs.get((BROKER_RESOURCE, str(broker_id)))
        if values is None:
            raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR, "")
        if MIN_INSYNC_REPLICAS in values:
            removals.append(_record(str(broker_id), None))
    if MIN_INSYNC_REPLICAS in image.configs.get((BROKER_RESOURCE, WHOLE_CLUSTER), {}):
        return tuple(removals)
    return (_record(WHOLE_CLUSTER, str(settings.min_insync_replicas)), *removals)


def _record(resource_name: str, value: str | None) -> ConfigRecord:
    return ConfigRecord(
        resource_type=BROKER_RESOURCE,
        resource_name=resource_name,
        name=MIN_INSYNC_REPLICAS,
        value=value,
    )
