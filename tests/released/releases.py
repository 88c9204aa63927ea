"""The releases of Kafka that judge ours: versions, jars and main classes."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from kraftsim.controller.core.profile import PROFILES, Profile

_POMS = Path(__file__).parent / "poms"


@dataclass(frozen=True, slots=True)
class Release:
    """`dump_class` is None where the release is fetched without its tools."""

    version: str
    profile_name: str
    pom_name: str
    dump_class: str | None
    newest_versions: Mapping[str, int]
    """Of the APIs whose newest version is not the same in every release."""

    def newest(self, api_name: str) -> int:
        return self.newest_versions[api_name]

    @property
    def pom(self) -> Path:
        return _POMS / f"{self.pom_name}.xml"

    @property
    def profile(self) -> Profile:
        """The profile of kraftsim that promises the rules of this release."""
        return PROFILES[self.profile_name]

    @property
    def uses_log4j2(self) -> bool:
        return not self.version.startswith("3.")


_NEWEST_3_9 = {"BrokerHeartbeat": 1, "DescribeCluster": 1, "UpdateFeatures": 1, "AddRaftVoter": 0}
_NEWEST_4_1 = _NEWEST_3_9 | {"DescribeCluster": 2, "UpdateFeatures": 2}
_NEWEST_4_3 = _NEWEST_4_1 | {"BrokerHeartbeat": 2, "AddRaftVoter": 1}
_DUMP = "org.apache.kafka.tools.DumpLogSegments"
_DUMP_BEFORE_4_3 = "kafka.tools.DumpLogSegments"

RELEASES = {
    release.version: release
    for release in (
        Release("4.4.0", "kafka-4.4", "4.4", None, _NEWEST_4_3),
        Release("4.3.1", "kafka-4.3", "4", _DUMP, _NEWEST_4_3),
        Release("4.1.1", "kafka-4.1", "4", _DUMP_BEFORE_4_3, _NEWEST_4_1),
        Release("3.9.1", "kafka-3.9", "3.9", _DUMP_BEFORE_4_3, _NEWEST_3_9),
    )
}
NEWEST_WITH_TOOLS = RELEASES["4.3.1"]
