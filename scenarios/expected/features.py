"""Levels of features that are raised, lowered and removed (rules 5.54 to 5.60, KIP-584).

The supported levels of a release come from its profile, as in the core; `make differential`
compares them with released controllers.
"""

import re
from collections.abc import Iterator

from kraftsim.controller.core.rpc import FeatureUpdate, UpdateFeaturesRequest

from ..oracles.breach_words import words
from ..oracles.log_configs import ELR_FEATURE, MIN_ISR
from ..oracles.shadow import Fact, Key
from .ask import Ask, Done, Draw, codes_of, exactly, refused
from .configs import BROKER
from .partition import Changes
from .view import ELR_FROM, METADATA_VERSION, View

INVALID_UPDATE_VERSION = 95
UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE = 1, 2, 3
CONTROLLERS_FROM = 15  # metadata.version 3.7-IV0
LOWEST = 4  # 3.3-IV0
# Levels of metadata.version whose records older levels cannot hold (MetadataVersion.java).
LOSSY = (5, 6, 7, 8, 11, 13, 14, 15, 17, 23, 30, 32, 33)
OTHERS = ("group.version", "share.version", "transaction.version", "streams.version", ELR_FEATURE)
LEVELS = (1, 0, 2, 3)
Wanted = tuple[str, int, int]  # feature, level, type of the update


def _update(*wanted: Wanted, validate_only: bool = False) -> UpdateFeaturesRequest:
    updates = tuple(
        FeatureUpdate(feature=name, max_version_level=level, upgrade_type=kind)
        for name, level, kind in wanted
    )
    return UpdateFeaturesRequest(feature_updates=updates, validate_only=validate_only)


def _current(view: View, name: str) -> int:
    return int(view.finalized.get(name, 1 if name == METADATA_VERSION else 0))


def _is_supported(view: View, name: str, level: int) -> bool:
    """Returns True if every node that the log has supports the level (rules 5.56, 5.58)."""
    own = {of: (low, high) for of, low, high in view.profile.supported_features}
    ranges = [own, *map(_ranges, view.brokers)]
    if view.level >= CONTROLLERS_FROM:
        controllers = view.shadow.of("Controller").values()
        ranges += [_ranges(of) for of in controllers if of["controller_id"] != view.node_id]
    return all(low <= level <= high for low, high in (of.get(name, (0, 0)) for of in ranges))


def _ranges(node: Fact) -> dict[str, tuple[int, int]]:
    return {
        feature.name: (feature.min_supported_version, feature.max_supported_version)
        for feature in node["features"]
    }


def _is_permitted(view: View, name: str, level: int, kind: int) -> bool:
    """Returns True if the rules permit the update alone."""
    current = _current(view, name)
    if not _is_supported(view, name, level):
        return False
    if (level < current and kind == UPGRADE) or (level > current and kind != UPGRADE):
        return False
    if name == METADATA_VERSION:
        return level >= LOWEST and not any(level < lossy <= current for lossy in LOSSY)
    if not view.profile.updates_features_together:
        return True
    listed = {of for of, _, _ in view.profile.supported_features}
    if name not in {*listed, *view.profile.unlisted_features}:
        return False
    if level == 0:
        return True
    return view.level >= (ELR_FROM if name == ELR_FEATURE else view.profile.least_metadata_version)


def _after(view: View, *wanted: Wanted) -> Changes:
    """Returns the facts that change with the levels (rule 5.59)."""
    before = view.finalized
    levels = before | {name: level for name, level, _ in wanted}
    after = {name: level for name, level in levels.items() if level}
    changes: Changes = {} if after == before else {("Features",): after}
    if any(name == ELR_FEATURE and level for name, level, _ in wanted):
        changes |= dict(_min_isrs(view))
    return changes


def _min_isrs(view: View) -> Iterator[tuple[Key, Fact | None]]:
    """Yields the changes that leave one min ISR, that of the cluster (KIP-966, rule 0A.11)."""
    default: Key = "Config", BROKER, ""
    before = view.shadow.facts.get(default, {})
    if MIN_ISR not in before:
        yield default, before | {MIN_ISR: str(view.settings.min_insync_replicas)}
    for key, fact in view.shadow.of("Config").items():
        if key[1] == BROKER and key != default and MIN_ISR in fact:
            yield key, {name: value for name, value in fact.items() if name != MIN_ISR} or None


def _granted(view: View, what: str, *wanted: Wanted, validate_only: bool = False) -> Ask:
    """Returns a permitted update, which an unregistered static voter makes fail (rule 5.56)."""
    request = _update(*wanted, validate_only=validate_only)
    expected = {} if validate_only else _after(view, *wanted)
    registered = {key[1] for key in view.shadow.of("Controller")}
    missing = view.static_voters - {view.node_id} - registered
    if not missing or view.level < CONTROLLERS_FROM:
        return Ask(what, request, changes=None, flaw=exactly(expected))

    def flaw(done: Done) -> str | None:
        named = _UNREGISTERED.search(str(done.reply))
        if named is None or int(named[1]) not in missing:
            return f"it does not name one of {words(sorted(missing))}: {words(done.reply)}"
        return exactly({})(done)

    codes = frozenset({0, INVALID_UPDATE_VERSION})  # 0: of the whole reply in 3.9
    return Ask(f"{what}, with a voter that is not registered", request, codes, None, flaw)


_UNREGISTERED = re.compile(r"controller (\d+) has not registered")


def _asked(view: View, what: str, wanted: Wanted, turn: int) -> Ask:
    if _is_permitted(view, *wanted):
        return _granted(view, what, wanted, validate_only=turn % 5 == 4)
    return refused(f"{what}, which is not permitted", _update(wanted), INVALID_UPDATE_VERSION)


def _raise_metadata_version(view: View, turn: int) -> Ask:
    level = view.level + 1 + turn % 3
    kind = UPGRADE if turn % 4 else SAFE_DOWNGRADE
    wanted = METADATA_VERSION, level, kind
    return _asked(view, f"metadata.version {level} by an update of type {kind}", wanted, turn)


def _lower_metadata_version(view: View, turn: int) -> Ask:
    level = view.level - 1 - turn % 4
    kind = (SAFE_DOWNGRADE, UNSAFE_DOWNGRADE, UPGRADE)[turn % 3]
    wanted = METADATA_VERSION, max(level, 0), kind
    return _asked(view, f"metadata.version {level} by an update of type {kind}", wanted, turn)


def _change_level(view: View, turn: int) -> Ask:
    name, level = OTHERS[turn % len(OTHERS)], LEVELS[turn % len(LEVELS)]
    kind = UPGRADE if level >= _current(view, name) else SAFE_DOWNGRADE
    return _asked(view, f"{name} {level}", (name, level, kind), turn)


def _keep_level(view: View, turn: int) -> Ask | None:
    """A request for the finalized level writes that level again (rule 5.57)."""
    levels = sorted(view.finalized.items())
    if not levels:
        return None
    name, level = levels[turn % len(levels)]
    if name == "kraft.version":
        return None
    return _asked(view, f"the level that {name} has", (name, level, UPGRADE), turn)


def _update_two(view: View, turn: int) -> Ask | None:
    """One of two updates is wrong: only 3.9 decides each by itself (rule 5.55)."""
    good: Wanted = METADATA_VERSION, view.level, UPGRADE
    bad: Wanted = "no.feature", 1, UPGRADE
    wanted = (good, bad) if turn % 2 else (bad, good)
    if not _is_permitted(view, *good):
        return None
    if view.profile.updates_features_together:
        return refused("two updates, one wrong", _update(*wanted), INVALID_UPDATE_VERSION)

    def flaw(done: Done) -> str | None:
        codes = {*codes_of(done.reply)}
        if INVALID_UPDATE_VERSION not in codes:
            return f"the reply has {words(codes)}"
        return exactly({})(done)

    codes = frozenset({0, INVALID_UPDATE_VERSION})
    return Ask("two updates, one wrong", _update(*wanted), codes, None, flaw)


def _update_wrongly(view: View, turn: int) -> Ask | None:
    level = view.level
    wrong: tuple[tuple[str, str, int, int], ...] = (
        ("of a feature that does not exist", "no.feature", 1, UPGRADE),
        ("below 0", METADATA_VERSION, -1, SAFE_DOWNGRADE),
        ("to a level that does not exist", METADATA_VERSION, 32_000, UPGRADE),
        ("that is a downgrade, and does not say so", METADATA_VERSION, level - 1, UPGRADE),
        ("of an unknown type", METADATA_VERSION, level, 9),
    )
    words, name, wanted, kind = wrong[turn % len(wrong)]
    return refused(f"an update {words}", _update((name, wanted, kind)), INVALID_UPDATE_VERSION)


DRAWS: tuple[Draw, ...] = (
    _raise_metadata_version,
    _lower_metadata_version,
    _change_level,
    _keep_level,
    _update_two,
    _update_wrongly,
)
