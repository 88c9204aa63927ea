"""What the configurations of a property file, of `--set` or of `settings=` mean for a node."""

from collections.abc import Iterator, Mapping

from kraftsim.controller.core.configs.configuration import RELEASES
from kraftsim.controller.core.configs.node_definitions import (
    Definition,
    definitions,
    definitions_of,
)
from kraftsim.controller.core.configs.validators import Value
from kraftsim.controller.core.profile import Profile
from kraftsim.controller.core.value import value
from kraftsim.scenarios.language.suggestions import nearest

from .bounds import check_ids
from .listeners import PLAINTEXT, PROTOCOL_MAP, protected, protocol_map
from .names import (
    DRAFT_NAMES,
    OF_BROKERS,
    OF_THE_NODE,
    OF_ZOOKEEPER,
    OWN_PREFIX,
    PLUGIN_PREFIXES,
    REMOVED,
    SETTINGS,
    own_keys,
    setting_name,
)
from .policies import POLICIES
from .quorum import SERVERS, VOTERS, QuorumAddress, servers_of, voters_of
from .roles import NodeRoles, roles_of
from .values import Values

Pairs = Mapping[str, object]
"""Texts by key, as in a property file; Python's numbers and booleans stand for their texts."""
ROLES = "process.roles"


@value
class Configuration:
    """The meaning of configurations.

    `settings` maps attributes of Settings to values. `node` is None without process.roles,
    `node_id` without node.id and broker.id. `of_the_node` and `without_effect` are keys that were
    given; `unknown` are keys that the release does not have. `policies` has the functions named for
    `POLICIES`, `protected` the protocols of the listeners that have TLS or SASL. `log_dirs` is
    empty unless paths were given. `static` has the texts of Kafka's configurations that describe
    neither the node nor its addresses.
    """

    settings: Mapping[str, Value]
    static: Mapping[str, str]
    node: NodeRoles | None
    node_id: int | None
    voters: Mapping[int, QuorumAddress]
    servers: tuple[QuorumAddress, ...]
    rack: str | None
    log_dirs: tuple[str, ...]
    cordoned_log_dirs: str
    policies: Mapping[str, str]
    protected: Mapping[str, str]
    of_the_node: tuple[str, ...]
    without_effect: tuple[str, ...]
    unknown: tuple[str, ...]


def configuration_of(profile: Profile, pairs: Pairs) -> Configuration:
    """Returns what the pairs mean to a node with the profile's rules.

    Raises ValueError for an invalid value, with Kafka's message; for a name of an older Kafka that
    has another name now; and for an unknown name that begins with `kraftsim.`. With process.roles
    the pairs must describe a whole node, as for Kafka.
    """
    keys = {**definitions_of(profile.topic_configs), **own_keys()}
    named = dict(_named(profile, pairs, keys))
    values = Values(profile.topic_configs, keys, named, is_complete=ROLES in named)
    node = roles_of(values) if ROLES in named else None
    if node is None:
        check_ids(values)
    rack = values.value("broker.rack")
    known = [name for name in named if name in keys]
    settings = {
        setting_name(name): given
        for name in known
        if setting_name(name) in SETTINGS and (given := values.value(name)) is not None
    }
    return Configuration(
        settings=settings,
        static=dict(_static(named, keys)),
        node=node,
        node_id=values.integer("node.id") if values.is_set("node.id") else None,
        voters=voters_of(values.words(VOTERS)),
        servers=servers_of(values.words(SERVERS)),
        rack=None if rack is None else str(rack),
        log_dirs=_log_dirs(values),
        cordoned_log_dirs=named.get("cordoned.log.dirs", ""),
        policies={name: named[name] for name in POLICIES if name in named},
        protected=protected(values.words("listeners"), protocol_map(_text(values, PROTOCOL_MAP))),
        of_the_node=tuple(name for name in known if name in OF_THE_NODE),
        without_effect=tuple(
            name
            for name in named
            if (name in keys or _is_of_a_plugin(name))
            and name not in (*OF_THE_NODE, *OF_BROKERS, *POLICIES)
            and setting_name(name) not in SETTINGS
        ),
        unknown=tuple(name for name in named if name not in keys and not _is_of_a_plugin(name)),
    )


def expect_plaintext(configuration: Configuration) -> None:
    """Raises ValueError for a listener with TLS or SASL.

    A plaintext port in place of one that the user protects would let every client in.
    """
    for name, protocol in configuration.protected.items():
        raise ValueError(
            f"listeners: expected {PLAINTEXT}, because kraftsim has no TLS and no SASL, got "
            f"{protocol} for {name}: leave this listener out, or map it to {PLAINTEXT} in "
            f"{PROTOCOL_MAP}"
        )


def _static(named: Mapping[str, str], keys: Mapping[str, Definition]) -> Iterator[tuple[str, str]]:
    others = {*OF_THE_NODE, *POLICIES, *own_keys()}
    for name, text in named.items():
        is_known = name in keys or _is_of_a_plugin(name)
        if is_known and name not in others:
            yield name, text


def _text(values: Values, name: str) -> str:
    text = values.value(name)
    assert isinstance(text, str), (name, text)
    return text


def _log_dirs(values: Values) -> tuple[str, ...]:
    """Returns the paths of log.dirs, else those of log.dir, without the default."""
    given = (name for name in ("log.dirs", "log.dir") if values.is_set(name))
    return next((values.words(name) for name in given), ())


def names_of(profile: Profile) -> list[str]:
    """Returns the names that property files of the profile may have."""
    draft_names = DRAFT_NAMES if profile.has_draft_names else ()
    return [*draft_names, *definitions_of(profile.topic_configs), *own_keys()]


def releases_with(name: str) -> str | None:
    """Returns the releases that have a configuration, such as "3.9"; None if no release has it."""
    found = [key for key in definitions() if key.name == name and not key.is_rate]
    if not found:
        return None
    first = min((key.since for key in found), key=RELEASES.index)
    last = max((key.until for key in found), key=RELEASES.index)
    return first if first == last else f"{first} to {last}"


def _named(
    profile: Profile, pairs: Pairs, keys: Mapping[str, Definition]
) -> Iterator[tuple[str, str]]:
    for given, text in pairs.items():
        name = _dotted(given, keys)
        if profile.has_draft_names:
            name = DRAFT_NAMES.get(name, name)
        _expect_current(name, profile, keys)
        yield name, str(text).lower() if isinstance(text, bool) else str(text)


def _dotted(name: str, keys: Mapping[str, Definition]) -> str:
    """Returns the key that Python may write with underscores, and without `kraftsim.`."""
    dotted = name.replace("_", ".")
    return next((known for known in (dotted, OWN_PREFIX + dotted) if known in keys), name)


def _expect_current(name: str, profile: Profile, keys: Mapping[str, Definition]) -> None:
    """Raises ValueError for a name that means something, but not to the release."""
    if name.startswith(OWN_PREFIX) and name not in keys:
        raise ValueError(f"expected {nearest(name, own_keys())}, got {name!r}")
    if name in DRAFT_NAMES:
        raise ValueError(
            f"{name} is a name of KIP-631's draft: set {DRAFT_NAMES[name]} instead, or choose the "
            "profile kip-631"
        )
    for start, instead in OF_ZOOKEEPER.items():
        if name == start or (start.endswith(".") and name.startswith(start)):
            raise ValueError(
                f"{name} belongs to clusters with ZooKeeper, which kraftsim has not: set {instead} "
                "instead"
            )
    if name in REMOVED and name not in keys:
        raise ValueError(
            f"{name} is not a configuration of Kafka {profile.topic_configs} any more: set "
            f"{REMOVED[name]} instead"
        )


def _is_of_a_plugin(name: str) -> bool:
    """Returns True for overrides of a listener, and for remote storage and authorizers."""
    return name.startswith(PLUGIN_PREFIXES)
