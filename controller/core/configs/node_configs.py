"""The configurations in force on one node: a controller, or a simulated broker.

A value comes from the first level that has it: the dynamic configurations of the node, those of the
whole cluster, the node's static ones, the defaults.
"""

import re
from collections.abc import Iterator, Mapping

from ..errors import ApiError
from ..image.image import Image
from ..java_text import parse_integer, shown_double, trim
from ..log.records import BROKER_RESOURCE
from ..profile import Profile
from ..rpc.configs import DescribeConfigsSynonym
from ..settings import Settings
from ..value import value
from .node_definitions import Definition, described
from .node_values import KINDS, parse
from .topic_table import BROKER_NAMES
from .validators import DISTINCT_LIST, LIST, Kind, Value

# ConfigSource numbers of the wire.
FROM_TOPIC, FROM_NODE, FROM_CLUSTER_DEFAULT, FROM_STATIC, FROM_DEFAULT = 1, 2, 3, 4, 5
FROM_CLIENT_METRICS, FROM_GROUP = 7, 8

TYPE_NUMBERS = {
    "UNKNOWN": 0,
    "BOOLEAN": 1,
    "STRING": 2,
    "INT": 3,
    "SHORT": 4,
    "LONG": 5,
    "DOUBLE": 6,
    "LIST": 7,
    "CLASS": 8,
    "PASSWORD": 9,
}
_LISTENER = re.compile(r"listener\.name\.[^.]*\.(.*)")
_ADDRESS = re.compile(r"(.*)://(.*):(-?[0-9]+)")
_LISTENER_WIDE = ("max.connection.creation.rate", "max.connections", "num.network.threads")
_MECHANISM_CONFIGS = (
    "connections.max.reauth.ms",
    "sasl.jaas.config",
    "sasl.login.callback.handler.class",
    "sasl.login.class",
    "sasl.server.callback.handler.class",
)
_NEED_A_LISTENER = re.compile(
    r"ssl\.(key\.password|(keystore|truststore)\.(certificate\.chain|certificates|key|location"
    r"|password|type))"
)
_SYNONYMS = (
    ("log.roll.ms", "log.roll.hours"),
    ("log.roll.jitter.ms", "log.roll.jitter.hours"),
    ("log.retention.ms", "log.retention.minutes", "log.retention.hours"),
)
_MILLISECONDS = {".minutes": 60_000, ".hours": 3_600_000}
_OF_KRAFTSIM = ("start_time_tag",)
_SHIPPED = Settings()


def static_settings(settings: Settings) -> dict[str, str]:
    """Returns the settings that differ from the shipped defaults, as a properties file would."""
    return {
        name.replace("_", "."): _text(getattr(settings, name))
        for name in Settings.__dataclass_fields__
        if name not in _OF_KRAFTSIM and getattr(settings, name) != getattr(_SHIPPED, name)
    }


@value
class NodeView:
    """What a node knows when it describes configurations.

    `static` are the configurations with which its process was started, `kept` the dynamic ones, its
    own and the cluster's, that its process applied last (None: none).
    """

    node_id: int
    profile: Profile
    image: Image
    static: Mapping[str, str]
    kept: "tuple[Mapping[str, str], Mapping[str, str]] | None" = None

    @property
    def known(self) -> Mapping[str, Definition]:
        """The configurations of brokers and controllers in this release."""
        return described(self.profile.topic_configs)

    def dynamic(self, resource_name: str) -> dict[str, str]:
        """Returns the dynamic configurations of a node or of the cluster ("") that apply.

        Kafka ignores those that cannot change while a broker runs, that another level must set, or
        that do not parse or are out of their limits.
        """
        found = self.image.configs.get((BROKER_RESOURCE, resource_name), {})
        return self._applicable(found, is_default=not resource_name)

    def _applicable(self, found: Mapping[str, str], *, is_default: bool) -> dict[str, str]:
        return {
            name: text
            for name, text in found.items()
            if self._applies(name, text, is_default=is_default)
        }

    @property
    def kept_levels(self) -> Mapping[int, Mapping[str, str]]:
        """What the process applied last of its own dynamic values and of the cluster's."""
        own, of_all = self.kept or ({}, {})
        return {
            FROM_NODE: self._applicable(own, is_default=False),
            FROM_CLUSTER_DEFAULT: self._applicable(of_all, is_default=True),
        }

    def _applies(self, name: str, text: str, *, is_default: bool) -> bool:
        if is_default and needs_node(self, name):
            return False
        config = self.known.get(name)
        if config is None:
            return True
        if not config.is_dynamic or needs_listener(name):
            return False
        if config.type_name == "CLASS" and text != config.default:
            return False  # the class would have to be on the class path
        try:
            parse(self.profile.topic_configs, config, text)
        except ApiError:
            return False
        return True

    @property
    def levels(self) -> tuple[tuple[int, Mapping[str, str]], ...]:
        """The levels with their sources, the first that has a configuration decides it."""
        defaults = {n: c.default for n, c in self.known.items() if c.default is not None}
        return (
            (FROM_NODE, self.dynamic(str(self.node_id))),
            (FROM_CLUSTER_DEFAULT, self.dynamic("")),
            (FROM_STATIC, self.static),
            (FROM_DEFAULT, defaults),
        )


def needs_listener(name: str) -> bool:
    """True for a configuration that may change for a single listener only, by its prefix."""
    return _NEED_A_LISTENER.fullmatch(name) is not None


def needs_node(view: NodeView, name: str) -> bool:
    """True for a configuration that may not be set for the whole cluster."""
    match = _LISTENER.fullmatch(name)
    if match is not None:
        return match[1] not in _LISTENER_WIDE
    config = view.known.get(name)
    return config is not None and config.is_per_broker


Levels = tuple[tuple[int, Mapping[str, str]], ...]


def type_of(view: NodeView, name: str) -> str:
    """Returns the type of a broker's configuration; UNKNOWN if this release has none."""
    config = view.known.get(name)
    match = _LISTENER.fullmatch(name)
    if config is None and match is not None:
        base = match[1]
        base = next((of for of in _MECHANISM_CONFIGS if base.endswith(of)), base)
        config = view.known.get(base)
    return "UNKNOWN" if config is None else config.type_name


def applied(view: NodeView, levels: Levels) -> Levels:
    """Returns the levels whose values apply.

    A controller takes no dynamic values while they would give it listeners that are not a
    controller's, and keeps what it applied before (4.4.0 was asked); they are synonyms, though.
    """
    own = dict(levels).get(FROM_NODE, {})
    if has_listeners_of_its_kind(view.static, own):
        return levels
    kept = view.kept_levels
    return tuple((source, kept.get(source, values)) for source, values in levels)


def has_listeners_of_its_kind(static: Mapping[str, str], own: Mapping[str, str]) -> bool:
    """False if a controller's own dynamic `listeners` name one that is not a controller's."""
    text = own.get("listeners")
    if text is None or static.get("process.roles") != "controller":
        return True
    names = static.get("controller.listener.names", "").split(",")
    found = (_ADDRESS.fullmatch(part) for part in LIST("listeners", text))
    return all(match is not None and match[1].upper() in names for match in found)


def synonyms_of(levels: Levels, name: str, *, is_sensitive: bool) -> list[DescribeConfigsSynonym]:
    """Returns the values of a broker's configuration at every level, the one in force first.

    Kafka drops those of other names that precede the first of its own.
    """
    found = [
        DescribeConfigsSynonym(name=of, value=None if is_sensitive else values[of], source=source)
        for source, values in levels
        for of in _names_of(name)
        if of in values
    ]
    own = next((place for place, of in enumerate(found) if of.name == name), len(found))
    return found[own:]


def _names_of(name: str) -> tuple[str, ...]:
    for names in _SYNONYMS:
        if name in names:
            return names
    if name == "log.flush.interval.ms":
        return (name, "log.flush.scheduler.interval.ms")
    match = _LISTENER.fullmatch(name)
    if match is None:
        return (name,)
    base = next((of for of in _MECHANISM_CONFIGS if match[1].endswith(of)), match[1])
    return (name, base)


def in_force(levels: Levels, name: str) -> str | None:
    """Returns the text of the configuration at the first level that has it."""
    return next((values[name] for _, values in levels if name in values), None)


def topic_default(levels: Levels, name: str) -> str | None:
    """Returns what the node's own configurations make of a topic's; None if they say nothing."""
    for setting in BROKER_NAMES.get(name, ()):
        text = in_force(levels, setting)
        if text is not None:
            return in_milliseconds(setting, text)
    return None


def in_milliseconds(name: str, text: str) -> str:
    """Converts a broker's hours or minutes to milliseconds; Kafka reads an invalid number as 0."""
    for unit, milliseconds in _MILLISECONDS.items():
        if name.endswith(unit):
            return str((parse_integer(trim(text), 32) or 0) * milliseconds)
    return text


def kind_of(view: NodeView, type_name: str) -> Kind:
    """Returns how a node parses its own configurations of a type."""
    is_distinct = type_name == "LIST" and view.profile.shows_lists_once
    return DISTINCT_LIST if is_distinct else KINDS[type_name]


def shown(kind: Kind, name: str, text: str | None) -> str | None:
    """Returns the text of a parsed value, as Kafka writes it: "1e-1" is "0.1"."""
    return None if text is None else _text(kind(name, text))


def _text(parsed: Value) -> str:
    match parsed:
        case bool():
            return str(parsed).lower()
        case float():
            return shown_double(parsed)
        case tuple():
            return ",".join(parsed)
    return str(parsed)


def all_names(view: NodeView, levels: Levels) -> Iterator[str]:
    """Yields the names of all configurations of a node, but for internal ones that are not set."""
    is_set = {name for _, values in levels[:-1] for name in values}
    yield from (name for name, config in view.known.items() if not config.is_internal)
    yield from (n for n in is_set if n not in view.known or view.known[n].is_internal)
