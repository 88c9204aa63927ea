"""The rules in which releases differ, in sentences: what a comparison of releases names as a cause.

Each sentence is made from the values of a profile and of the cluster's settings, and names its rule
in docs/rules.md. Releases that say the same about a topic follow the same rule.
"""

from kraftsim.controller.core.feature_levels import ELIGIBLE_LEADER_REPLICAS
from kraftsim.controller.core.profile import KIP_631, Profile
from kraftsim.controller.core.settings import Settings

from .documents import ReleaseRule

# Kinds of events; CAUSE>KIND is an event whose cause is of the first kind.
SESSION = ("lease_expired", "lease_expired>broker_fenced")
STEP = ("fault_begins", "fault_ends", "broker_in_controlled_shutdown>broker_fenced")
SHUTDOWN = ("agent_state>broker_fenced",)
PROCESS = ("broker_registered", "clone_state")
DRAFT_MS = KIP_631.settings.broker_session_timeout_ms


def release_rules(profile: Profile, settings: Settings) -> list[ReleaseRule]:
    """Returns the rules of a release by topic, each with the events that it decides."""
    return [
        _session(profile, settings),
        _heartbeat(settings),
        _shutdown(profile),
        _second_process(profile),
        _retry(profile, settings),
        _eligible_leaders(profile),
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
        return _rule("retry", PROCESS, f"A refused broker tries again every {every}.", "rule 1.46")
    says = "A refused broker tries again after 0.1 s, then after twice as long each time."
    return _rule("retry", PROCESS, says, "rule 1.46")


def _eligible_leaders(profile: Profile) -> ReleaseRule:
    kinds = ("partition_changed",)
    if any(name == ELIGIBLE_LEADER_REPLICAS for name, _, _ in profile.supported_features):
        says = "A replica that leaves an ISR at its minimum stays eligible to lead (ELR)."
        return _rule("elr", kinds, says, "rule 4.25")
    says = "Without eligible leader replicas (ELR) the last replica stays in the ISR."
    return _rule("elr", kinds, says, "rule 4.12")


def _seconds(milliseconds: float) -> str:
    return f"{milliseconds / 1000:g} s"
