"""The rules in which releases differ, in sentences: what a comparison of releases names as a cause.

Each sentence is made from the values of a profile and of the cluster's settings, and names its rule
in docs/rules.md. Releases that say the same about a topic follow the same rule.
"""

from kraftsim.controller.core.feature_levels import (
    ELIGIBLE_LEADER_REPLICAS,
    KRAFT_VERSION,
    LEVEL_NAMES,
    METADATA_VERSION,
)
from kraftsim.controller.core.profile import KIP_631, Profile
from kraftsim.controller.core.settings import Settings

from .documents import ReleaseRule

# Kinds of events; CAUSE>KIND is an event whose cause is of the first kind, KIND:WHAT one with this
# verb or API.
CLEAN = "broker_in_controlled_shutdown>broker_fenced"
RETURN = ("fault_ends>broker_unfenced", "fault_ends>agent_state", "agent_state>broker_unfenced")
SESSION = ("lease_expired", "lease_expired>broker_fenced")
STEP = ("fault_begins", "fault_ends", CLEAN, *RETURN)
ELECTION = ("controller_stands", "controller_elected", "controller_resigns")
SHUTDOWN = ("agent_state>broker_fenced", CLEAN)
PROCESS = ("broker_registered", "clone_state")
FEATURES = ("admin_refused:UpdateFeatures",)
CONFIGS = ("admin_refused:IncrementalAlterConfigs", "admin_refused:CreateTopics")
ALWAYS = (METADATA_VERSION, KRAFT_VERSION)  # features of every release
DRAFT_MS = KIP_631.settings.broker_session_timeout_ms


def release_rules(profile: Profile, settings: Settings) -> list[ReleaseRule]:
    """Returns the rules of a release by topic, each with the events that it decides."""
    return [
        _session(profile, settings),
        _elections(profile),
        _heartbeat(settings),
        _shutdown(profile),
        _second_process(profile),
        _retry(profile, settings),
        _eligible_leaders(profile),
        _replicas_of_a_registration(profile),
        _reassignment(profile),
        _feature_levels(profile),
        _configurations(profile),
    ]


def _rule(topic: str, on: tuple[str, ...], says: str, source: str) -> ReleaseRule:
    return {"topic": topic, "on": list(on), "says": says, "source": source}


def _session(profile: Profile, settings: Settings) -> ReleaseRule:
    session_ms, checks = settings.broker_session_timeout_ms, profile.expiry_checks_per_session
    lease = f"A lease lasts {_seconds(session_ms)}; the controller"
    if checks is None:
        says, source = f"{lease} fences the broker as soon as it is over.", "rule 2.34"
    else:
        every = _seconds(session_ms / checks)
        says = f"{lease} looks every {every}, and fences a broker up to that much later."
        source = "rule 2.47"
    return _rule(
        "session", SESSION, says, f"KIP-631, {source}" if session_ms == DRAFT_MS else source
    )


def _elections(profile: Profile) -> ReleaseRule:
    if profile.has_pre_votes:
        says = (
            "A voter that hears no leader asks for pre-votes before it raises its epoch (KIP-996)."
        )
    else:
        says = "A voter that hears no leader raises its epoch at once, and asks for votes."
    return _rule("elections", ELECTION, says, "rule 10.18")


def _heartbeat(settings: Settings) -> ReleaseRule:
    session, every = settings.broker_session_timeout_ms, settings.broker_heartbeat_interval_ms
    says = (
        f"A lease lasts {_seconds(session)}, a heartbeat comes every {_seconds(every)}; this event "
        "waits for them."
    )
    return _rule("heartbeat", STEP, says, "rule 7.1")


def _shutdown(profile: Profile) -> ReleaseRule:
    if profile.contacts_by_epoch:
        says = "The contact of a broker that has shut down expires later: it is fenced once more."
    else:
        says = "A broker that has shut down is fenced once."
    return _rule("shutdown", SHUTDOWN, says, "rules 2.38, 2.47")


def _second_process(profile: Profile) -> ReleaseRule:
    if profile.contacts_by_epoch:
        says = (
            "A new process gets the id once the registered one is silent for a session, fenced or "
            "not."
        )
        return _rule("registration", PROCESS, says, "rules 1.12, 1.37")
    says = "A new process gets the id once the registered broker is fenced or its session is over."
    return _rule("registration", PROCESS, says, "rule 1.11")


def _retry(profile: Profile, settings: Settings) -> ReleaseRule:
    if profile.retries_at_heartbeat_interval:
        every = _seconds(settings.broker_heartbeat_interval_ms)
        says = f"A broker that had no success tries again every {every}."
    else:
        says = "A broker that had no success tries again after 0.1 s, then after twice as long."
    return _rule("retry", (*PROCESS, *RETURN), says, "rule 1.46")


def _eligible_leaders(profile: Profile) -> ReleaseRule:
    kinds = ("partition_changed:in sync", "records_truncated")
    if any(name == ELIGIBLE_LEADER_REPLICAS for name, _, _ in profile.supported_features):
        says = "A replica that leaves an ISR at its minimum stays eligible to lead (ELR)."
        return _rule("elr", kinds, says, "rule 4.25")
    says = "Without eligible leader replicas (ELR) the last replica stays in the ISR."
    return _rule("elr", kinds, says, "rule 4.12")


def _replicas_of_a_registration(profile: Profile) -> ReleaseRule:
    if profile.cleans_up_at_registration:
        says = "A registration takes the replicas of the former process out of ISRs and ELRs."
    else:
        says = "A registration changes no partition: the fence before it has."
    return _rule("replicas", ("broker_registered>partition_changed",), says, "rule 1.37")


def _reassignment(profile: Profile) -> ReleaseRule:
    if profile.reassignment_awaits_every_replica:
        says = (
            "A reassignment is complete once each new replica is in the ISR, also those that stay."
        )
    else:
        says = "A reassignment is complete once each added replica is in the ISR."
    return _rule("reassignment", ("partition_changed:replicas",), says, "rule 4.36")


def _feature_levels(profile: Profile) -> ReleaseRule:
    newest = LEVEL_NAMES[profile.metadata_version - 1]
    others = [name for name, _, _ in profile.supported_features if name not in ALWAYS]
    says = (
        f"The newest metadata.version is {newest}; further features: {', '.join(others) or 'none'}."
    )
    return _rule("levels", FEATURES, says, "rule 5.50")


def _configurations(profile: Profile) -> ReleaseRule:
    says = f"Topics and nodes have the configurations of Kafka {profile.topic_configs}"
    says += "." if profile.has_group_configs else "; groups have none (KIP-848)."
    return _rule("configurations", CONFIGS, says, "rules 4.54, 7.1")


def _seconds(milliseconds: float) -> str:
    return f"{milliseconds / 1000:g} s"
