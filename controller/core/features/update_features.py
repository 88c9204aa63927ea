"""UpdateFeatures: changes the finalized levels of features (rules 5.54 to 5.60).

Kafka 4.x refuses the whole request with error 95 and the reason of the first feature that fails;
Kafka 3.9 decides each feature separately.
"""

from collections.abc import Iterable, Mapping

from .. import feature_levels, rpc
from ..errors import ErrorCode
from ..hash_order import in_hash_order
from ..log.control_records import ControlRecord, KRaftVersion, Voters
from ..log.records import FeatureLevelRecord, FeatureRange, NoOpRecord, Record
from ..state import Decision, State
from .elr_safety import elr_safety_records

UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE = 1, 2, 3
_NO_END = 2**15 - 1  # the highest level of a range that has no end
_PREFIX = "The update failed for all features since the following feature had an error: "


def update_features(state: State, request: rpc.UpdateFeaturesRequest, now_ms: int) -> Decision:
    """Decide an UpdateFeatures request.

    `validate_only` writes nothing. A level equal to the finalized level is written again (rule
    5.57), as is level 0 (rule 5.59).
    """
    updates = _in_hash_order(request.feature_updates)
    proposed = state.image.features | {
        update.feature: update.max_version_level for update in updates
    }
    reasons = {update.feature: _refusal(state, update, proposed) for update in updates}
    refused = [reason for reason in reasons.values() if reason is not None]
    if state.profile.updates_features_together:
        if refused:
            return Decision(reply=_refused_together(refused[0]))
        reply = _updated_together(request)
    else:
        reply = _answered_apart(reasons)
    accepted = tuple(update for update in updates if reasons[update.feature] is None)
    if request.validate_only:
        return Decision(reply=reply)
    control = _control(state, accepted)
    return Decision(_records(state, accepted), reply, control=control, is_atomic=True)


def _in_hash_order(updates: tuple[rpc.FeatureUpdate, ...]) -> tuple[rpc.FeatureUpdate, ...]:
    """Returns the updates in the order of Kafka's HashMap, in which it checks and writes them."""
    by_name = {update.feature: update for update in updates}
    return tuple(by_name[name] for name in in_hash_order(by_name))


def _records(state: State, updates: tuple[rpc.FeatureUpdate, ...]) -> tuple[Record, ...]:
    levels = tuple(record for update in updates for record in _level_records(state, update))
    turns_elr_on = any(
        update.feature == feature_levels.ELIGIBLE_LEADER_REPLICAS and update.max_version_level > 0
        for update in updates
    )
    return (*elr_safety_records(state.image, state.settings), *levels) if turns_elr_on else levels


def _level_records(state: State, update: rpc.FeatureUpdate) -> tuple[Record, ...]:
    """The quorum writes kraft.version; the NoOp gives the reply a record whose commit it awaits."""
    if _is_of_the_quorum(state, update.feature):
        return (NoOpRecord(),) if update.upgrade_type == UPGRADE else ()
    return (FeatureLevelRecord(name=update.feature, feature_level=update.max_version_level),)


def _is_of_the_quorum(state: State, feature: str) -> bool:
    """True if the quorum writes the level of this feature: kraft.version from Kafka 4.1 on.

    Kafka 3.9 writes kraft.version like any feature, without effect on the quorum (KAFKA-18979).
    """
    return feature == feature_levels.KRAFT_VERSION and state.profile.upgrades_kraft_version


def _control(state: State, updates: tuple[rpc.FeatureUpdate, ...]) -> tuple[ControlRecord, ...]:
    """Returns the control records that raise kraft.version; from level 1 the log holds the voters.

    Source: KIP-853, rule 10.49.
    """
    for update in updates:
        level = update.max_version_level
        if _is_of_the_quorum(state, update.feature) and level > state.image.kraft_version:
            return (KRaftVersion(kraft_version=level), Voters(voters=state.voters()))
    return ()


def _refusal(state: State, update: rpc.FeatureUpdate, proposed: Mapping[str, int]) -> str | None:
    """Returns the first failed check, in Kafka's order (rule 5.56)."""
    reason = _common_refusal(state, update, proposed)
    if reason is not None:
        return (
            f"Invalid update version {update.max_version_level} for feature {update.feature}. "
            f"{reason}"
        )
    if update.feature == feature_levels.METADATA_VERSION:
        return _metadata_version_refusal(state, update)
    if _is_of_the_quorum(state, update.feature):
        return _kraft_version_refusal(state, update)
    return None


def _common_refusal(
    state: State, update: rpc.FeatureUpdate, proposed: Mapping[str, int]
) -> str | None:
    level = update.max_version_level
    current = _current_level(state, update.feature)
    if update.upgrade_type not in (UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE):
        return "The controller does not support the given upgrade type."
    if level < 0:
        return "A feature version cannot be less than 0."
    unsupported = _unsupported(state, update.feature, level)
    if unsupported is not None:
        return unsupported
    if level < current and update.upgrade_type == UPGRADE:
        return (
            "Can't downgrade the version of this feature without setting the upgrade type to "
            "either safe or unsafe downgrade."
        )
    if level > current and update.upgrade_type != UPGRADE:
        return "Can't downgrade to a newer version."
    if _is_of_the_quorum(state, update.feature):
        return "Can't downgrade the version of this feature." if level < current else None
    if not state.profile.updates_features_together:  # 3.9 checks no dependency
        return None
    if update.feature not in _known(state):
        return f"Feature {update.feature} not found."
    least = state.profile.least_metadata_version
    return feature_levels.unmet_dependency(update.feature, level, proposed, least)


def _known(state: State) -> list[str]:
    listed = [name for name, _, _ in state.profile.supported_features]
    return [*listed, *state.profile.unlisted_features]


def _current_level(state: State, feature: str) -> int:
    image = state.image
    if _is_of_the_quorum(state, feature):
        return image.kraft_version
    return image.features.get(feature, feature_levels.default_level(feature))


def _unsupported(state: State, feature: str, level: int) -> str | None:
    """Returns why a node does not support `level` of `feature`, or None.

    The nodes are this controller, every broker (fenced or not, 5.58), and every other registered
    controller. A static voter without a registration refuses the level, too.
    """
    image, me = state.image, state.node_id
    own = {name: (low, high) for name, low, high in state.profile.supported_features}
    reason = _reason(f"Local controller {me}", own, feature, level)
    for broker in image.brokers.values():
        ranges = _ranges(broker.features)
        reason = reason or _reason(f"Broker {broker.broker_id}", ranges, feature, level)
    if reason or image.metadata_version < feature_levels.CONTROLLER_REGISTRATION_FROM:
        return reason
    for controller_id, controller in image.controllers.items():
        ranges = _ranges(controller.features)
        if controller_id != me:
            reason = reason or _reason(f"Controller {controller_id}", ranges, feature, level)
    known = {me, *image.controllers}
    missing = [voter_id for voter_id in state.static_voter_ids if voter_id not in known]
    if reason is None and missing:
        return f"controller {missing[0]} has not registered, and may not support this feature"
    return reason


def _reason(
    node: str, ranges: Mapping[str, tuple[int, int]], feature: str, level: int
) -> str | None:
    """Returns why `node` does not support `level` of `feature`, or None.

    A feature that the node does not list is supported at level 0 only, which means "not finalized".
    """
    low, high = ranges.get(feature, (0, 0))
    if low <= level <= high:
        return None
    if high == 0:
        return f"{node} does not support this feature."
    return f"{node} only supports versions {_range_text(low, high)}"


def _range_text(low: int, high: int) -> str:
    """Kafka prints a range of one level as that level, and one without an end with a plus sign."""
    if low == high:
        return str(low)
    return f"{low}+" if high == _NO_END else f"{low}-{high}"


def _ranges(supported: Iterable[FeatureRange]) -> dict[str, tuple[int, int]]:
    return {
        feature.name: (feature.min_supported_version, feature.max_supported_version)
        for feature in supported
    }


def _metadata_version_refusal(state: State, update: rpc.FeatureUpdate) -> str | None:
    """Returns the error of a downgrade after which the log is not readable (rule 5.57)."""
    level, current = update.max_version_level, state.image.metadata_version
    if level < feature_levels.FIRST_BOOTSTRAP_LEVEL:
        name = feature_levels.LEVEL_NAMES[feature_levels.FIRST_BOOTSTRAP_LEVEL - 1]
        reason = f"Unable to set a metadata.version less than {name}"
        return f"Invalid metadata.version {level}. {reason}"
    if level >= current or not feature_levels.changes_metadata(level, current):
        return None
    reason = (
        "Unsafe metadata downgrade is not supported in this version."
        if update.upgrade_type == UNSAFE_DOWNGRADE
        else "Refusing to perform the requested downgrade because it might delete metadata "
        "information."
    )
    if not state.profile.names_downgraded_levels:
        return f"Invalid metadata.version {level}. {reason}"
    return f"Unsupported metadata.version downgrade from {current} to {level}. {reason}"


def _kraft_version_refusal(state: State, update: rpc.FeatureUpdate) -> str | None:
    """Returns the error of a kraft.version that a voter does not support.

    Every voter must have sent the leader a range that includes the level (KIP-853).
    """
    level = update.max_version_level
    ranges = (voter.k_raft_version_feature for voter in state.voters())
    if level == state.image.kraft_version or all(
        range_.min_supported_version <= level <= range_.max_supported_version for range_ in ranges
    ):
        return None
    return (
        f"Invalid upgrade of {update.feature} to KRAFT_VERSION_{level} because not all of the "
        f"voters support it"
    )


def _updated_together(request: rpc.UpdateFeaturesRequest) -> rpc.UpdateFeaturesResponse:
    """The response has no message; up to version 1 it has a result for each feature (rule 5.55)."""
    results = tuple(
        rpc.UpdatableFeatureResult(feature=update.feature, error_message="NONE")
        for update in request.feature_updates
    )
    return rpc.UpdateFeaturesResponse(error_message=None, results=results)


def _refused_together(reason: str) -> rpc.UpdateFeaturesResponse:
    code = ErrorCode.INVALID_UPDATE_VERSION
    return rpc.UpdateFeaturesResponse(error_code=code, error_message=_PREFIX + reason)


def _answered_apart(reasons: Mapping[str, str | None]) -> rpc.UpdateFeaturesResponse:
    """Returns the response of Kafka 3.9: a result for each feature, sorted by name."""
    results = tuple(
        rpc.UpdatableFeatureResult(
            feature=feature,
            error_code=0 if reason is None else ErrorCode.INVALID_UPDATE_VERSION,
            error_message=reason,
        )
        for feature, reason in sorted(reasons.items())
    )
    return rpc.UpdateFeaturesResponse(error_message="", results=results)
