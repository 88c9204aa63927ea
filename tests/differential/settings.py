"""The configuration of both sides: nothing is written while nothing is asked, nothing lingers."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kraftsim.controller.core import feature_levels
from kraftsim.controller.core.policies import NO_POLICIES, Policies
from kraftsim.controller.core.settings import STANDARD_AUTHORIZER, Settings
from tests.released.releases import Release

NEVER_MS = 10**9
OUR_SETTINGS = Settings(
    authorizer_class_name=STANDARD_AUTHORIZER,
    auto_leader_rebalance_enable=False,
    unclean_leader_election_interval_ms=NEVER_MS,
    metadata_max_idle_interval_ms=0,
    metadata_log_max_snapshot_interval_ms=0,
    metadata_log_max_record_bytes_between_snapshots=2**40,
)
RELEASED_SETTINGS = {
    "authorizer.class.name": STANDARD_AUTHORIZER,
    "super.users": "User:ANONYMOUS",  # whoever asks over a PLAINTEXT listener
    "controller.quorum.append.linger.ms": "0",
    "metadata.max.idle.interval.ms": "0",
    "metadata.log.max.snapshot.interval.ms": "0",
    "metadata.log.max.record.bytes.between.snapshots": str(2**40),
    # Periodic elections would come between two requests.
    "auto.leader.rebalance.enable": "false",
    "unclean.leader.election.interval.ms": str(NEVER_MS),
}
# No lease runs out in a sequence without silence: not even while a request gets no answer.
USUAL_SESSION_MS = 600_000
SILENT_SESSION_MS = 20_000  # of silent sequences: what hundreds of them ask fits into one lease


@dataclass(frozen=True, slots=True)
class Options:
    """Settings of both sides beside the usual ones, by their names in Kafka, and policies.

    `classes` is a folder with the classes that Kafka loads for the policies.
    """

    settings: Mapping[str, int | bool] = field(default_factory=dict)
    policies: Policies = NO_POLICIES
    classes: Path | None = None

    def ours(self, session_timeout_ms: int) -> Settings:
        given = {name.replace(".", "_"): value for name, value in self.settings.items()}
        return replace(OUR_SETTINGS, broker_session_timeout_ms=session_timeout_ms, **given)

    def released(self, session_timeout_ms: int) -> dict[str, str]:
        given = {name: str(value).lower() for name, value in self.settings.items()}
        session = {"broker.session.timeout.ms": str(session_timeout_ms)}
        return {**RELEASED_SETTINGS, **session, **given, **dict(self.policies.names)}


@dataclass(frozen=True, slots=True)
class Start:
    """How a pair begins: who votes, which metadata.version is finalized (None: the newest),
    whether policies refuse some topics and configurations, whether a second controller runs,
    which may be added to the voters, whether the listeners of brokers are asked, and whether a
    second broker follows the one that is asked."""

    has_dynamic_voters: bool = True
    metadata_version: str | None = None
    has_policies: bool = False
    has_second_voter: bool = False
    has_listener: bool = False
    has_follower: bool = False

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "Start":
        """The start that the file of a sequence names; `USUAL` where it names none."""
        return cls(
            has_dynamic_voters=document.get("has_dynamic_voters", True),
            metadata_version=document.get("metadata_version"),
            has_policies=document.get("has_policies", False),
            has_second_voter=document.get("has_second_voter", False),
            has_listener=document.get("has_listener", False),
            has_follower=document.get("has_follower", False),
        )

    @property
    def level(self) -> int | None:
        return feature_levels.level_of(self.metadata_version) if self.metadata_version else None


USUAL = Start()
NO_OPTIONS = Options()
UNUSUAL = (
    Start(has_dynamic_voters=False),
    Start(metadata_version="3.9-IV0"),
    Start(has_dynamic_voters=False, metadata_version="3.7-IV0"),
    Start(has_dynamic_voters=False, metadata_version="3.5-IV2"),
    Start(has_policies=True),
    Start(has_second_voter=True),
    Start(metadata_version="4.3-IV0"),  # ACLs have networks from 4.4-IV1 on
)


def unusual_starts(release: Release) -> tuple[Start, ...]:
    """The unusual starts below the level that a release begins with by default."""
    newest = release.profile.metadata_version
    return tuple(start for start in UNUSUAL if start.level is None or start.level < newest)
