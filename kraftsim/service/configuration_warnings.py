"""Warnings about dynamic configurations and client quotas without effect in a simulated cluster.

The log keeps them and DescribeConfigs or DescribeClientQuotas shows them, as in Kafka, so no reply
says that they change nothing here.
"""

import logging
from functools import cache

from kraftsim.controller.core.configs.resources import RESOURCES
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.records import ClientQuotaRecord, ConfigRecord
from kraftsim.controller.core.profile import Profile

log = logging.getLogger("kraftsim")

OF_EVERY_CLUSTER = "min.insync.replicas"
"""A configuration in the first records of a cluster. It has an effect, and to look that up at every
start would take longer than an election."""


class ConfigurationWarnings:
    """Logs a warning once for each kind of resource and configuration, whatever the values.

    So it does for each quota, whatever its entities.
    """

    def __init__(self) -> None:
        self._logged: set[tuple[int, str]] = set()
        self._logged_quotas: set[str] = set()

    def check(self, profile: Profile, batch: Batch) -> None:
        """Warns of the configurations and quotas in a committed batch that have no effect."""
        for record in batch.records:
            if isinstance(record, ConfigRecord) and record.value is not None:
                self._check(profile, record.resource_type, record.name)
            elif isinstance(record, ClientQuotaRecord) and not record.remove:
                self._check_quota(record.key)

    def _check(self, profile: Profile, resource_type: int, name: str) -> None:
        if name == OF_EVERY_CLUSTER or (resource_type, name) in self._logged:
            return
        from kraftsim.configuration.effects import reason_without_effect  # reads a table

        why = reason_without_effect(profile, resource_type, name)
        if why is not None:
            self._logged.add((resource_type, name))
            log.warning("%s of a %s has no effect: %s", name, _words()[resource_type], why)

    def _check_quota(self, key: str) -> None:
        if key in self._logged_quotas:
            return
        from kraftsim.configuration.effects import QUOTAS  # reads a table

        if key in QUOTAS:
            self._logged_quotas.add(key)
            log.warning("%s of a client quota has no effect: %s", key, QUOTAS[key])


@cache
def _words() -> dict[int, str]:
    return {kind: word for word, kind in RESOURCES.items()}
