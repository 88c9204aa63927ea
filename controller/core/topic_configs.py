"""A topic's configurations: names, kinds and defaults, as 4.3.1 lists them (golden A6, seq 108).

Only what CreateTopics needs: is the name known, is the value of its kind, what is in force.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from .errors import ApiError, ErrorCode
from .profile import Profile
from .records import BROKER_RESOURCE
from .rpc import CreatableTopicConfig
from .state import State

# ConfigSource numbers of the wire.
FROM_TOPIC, FROM_BROKER, FROM_CLUSTER_DEFAULT, FROM_DEFAULT = 1, 2, 3, 5

_WIDTH = {"SHORT": 16, "INT": 32, "LONG": 64}


@dataclass(frozen=True, slots=True)
class TopicConfig:
    kind: str
    default: str
    valid: tuple[str, ...] = ()
    """Allowed words (STRING) or words of a list (LIST)."""
    minimum: int | None = None


_NEVER = str(2**63 - 1)
_COMPRESSIONS = ("uncompressed", "zstd", "lz4", "snappy", "gzip", "producer")

TOPIC_CONFIGS: dict[str, TopicConfig] = {
    "cleanup.policy": TopicConfig("LIST", "delete", ("compact", "delete")),
    "compression.gzip.level": TopicConfig("INT", "-1"),
    "compression.lz4.level": TopicConfig("INT", "9"),
    "compression.type": TopicConfig("STRING", "producer", _COMPRESSIONS),
    "compression.zstd.level": TopicConfig("INT", "3"),
    "delete.retention.ms": TopicConfig("LONG", "86400000", minimum=0),
    "file.delete.delay.ms": TopicConfig("LONG", "60000", minimum=0),
    "flush.messages": TopicConfig("LONG", _NEVER, minimum=1),
    "flush.ms": TopicConfig("LONG", _NEVER, minimum=0),
    "follower.replication.throttled.replicas": TopicConfig("LIST", ""),
    "index.interval.bytes": TopicConfig("INT", "4096", minimum=0),
    "leader.replication.throttled.replicas": TopicConfig("LIST", ""),
    "local.retention.bytes": TopicConfig("LONG", "-2", minimum=-2),
    "local.retention.ms": TopicConfig("LONG", "-2", minimum=-2),
    "max.compaction.lag.ms": TopicConfig("LONG", _NEVER, minimum=1),
    "max.message.bytes": TopicConfig("INT", "1048588", minimum=0),
    "message.timestamp.after.max.ms": TopicConfig("LONG", "3600000", minimum=0),
    "message.timestamp.before.max.ms": TopicConfig("LONG", _NEVER, minimum=0),
    "message.timestamp.type": TopicConfig("STRING", "CreateTime", ("CreateTime", "LogAppendTime")),
    "min.cleanable.dirty.ratio": TopicConfig("DOUBLE", "0.5"),
    "min.compaction.lag.ms": TopicConfig("LONG", "0", minimum=0),
    "min.insync.replicas": TopicConfig("INT", "1", minimum=1),
    "preallocate": TopicConfig("BOOLEAN", "false"),
    "remote.log.copy.disable": TopicConfig("BOOLEAN", "false"),
    "remote.log.delete.on.disable": TopicConfig("BOOLEAN", "false"),
    "remote.storage.enable": TopicConfig("BOOLEAN", "false"),
    "retention.bytes": TopicConfig("LONG", "-1"),
    "retention.ms": TopicConfig("LONG", "604800000", minimum=-1),
    "segment.bytes": TopicConfig("INT", "1073741824", minimum=1024 * 1024),
    "segment.index.bytes": TopicConfig("INT", "10485760", minimum=4),
    "segment.jitter.ms": TopicConfig("LONG", "0", minimum=0),
    "segment.ms": TopicConfig("LONG", "604800000", minimum=1),
    "unclean.leader.election.enable": TopicConfig("BOOLEAN", "false"),
}


# What 3.9.1 had besides, or otherwise (golden 3.9.1 A6, seq 106).
TOPIC_CONFIGS_3_9: dict[str, TopicConfig] = TOPIC_CONFIGS | {
    "message.downconversion.enable": TopicConfig("BOOLEAN", "true"),
    "message.format.version": TopicConfig("STRING", "3.0-IV1", ("3.0-IV1",)),
    "message.timestamp.after.max.ms": TopicConfig("LONG", _NEVER, minimum=0),
    "message.timestamp.difference.max.ms": TopicConfig("LONG", _NEVER, minimum=0),
}


def configs_of(profile: Profile) -> dict[str, TopicConfig]:
    return TOPIC_CONFIGS_3_9 if profile.has_message_format_configs else TOPIC_CONFIGS


def check(name: str, value: str, profile: Profile) -> None:
    """INVALID_CONFIG in Kafka's words for an unknown name or a value of the wrong kind (4.54)."""
    config = configs_of(profile).get(name)
    if config is None:
        raise _invalid(f"Unknown topic config name: {name}")
    _CHECKS[config.kind](name, value, config)


def effective(state: State, own: Mapping[str, str]) -> tuple[CreatableTopicConfig, ...]:
    """Every configuration in force for a topic with these of its own, sorted by name."""
    return tuple(_in_force(state, name, own) for name in sorted(configs_of(state.profile)))


def _in_force(state: State, name: str, own: Mapping[str, str]) -> CreatableTopicConfig:
    configs = state.image.configs
    layers = (
        (FROM_TOPIC, own),
        (FROM_BROKER, configs.get((BROKER_RESOURCE, str(state.node_id)), {})),
        (FROM_CLUSTER_DEFAULT, configs.get((BROKER_RESOURCE, ""), {})),
    )
    for source, values in layers:
        if name in values:
            return CreatableTopicConfig(name=name, value=values[name], config_source=source)
    default = configs_of(state.profile)[name].default
    return CreatableTopicConfig(name=name, value=default, config_source=FROM_DEFAULT)


def _invalid(message: str) -> ApiError:
    return ApiError(ErrorCode.INVALID_CONFIG, message)


def _wrong(name: str, value: str, why: str) -> ApiError:
    return _invalid(f"Invalid value {value} for configuration {name}: {why}")


def _check_integer(name: str, value: str, config: TopicConfig) -> None:
    try:
        number = int(value)
    except ValueError:
        number = 1 << 64
    limit = 1 << (_WIDTH[config.kind] - 1)
    if "_" in value:  # Python reads 1_000, Kafka does not
        number = limit
    if not -limit <= number < limit:
        raise _wrong(name, value, f"Not a number of type {config.kind}")
    if config.minimum is not None and number < config.minimum:
        raise _wrong(name, value, f"Value must be at least {config.minimum}")


def _check_double(name: str, value: str, config: TopicConfig) -> None:
    try:
        ratio = float(value)
    except ValueError:
        raise _wrong(name, value, "Not a number of type DOUBLE") from None
    if not 0 <= ratio <= 1:
        raise _wrong(name, value, "Value must be between 0 and 1")


def _check_boolean(name: str, value: str, config: TopicConfig) -> None:
    if value.strip().lower() not in ("true", "false"):
        raise _wrong(name, value, "Expected value to be either true or false")


def _check_word(name: str, value: str, config: TopicConfig) -> None:
    if value not in config.valid:
        raise _wrong(name, value, f"String must be one of: {', '.join(config.valid)}")


def _check_list(name: str, value: str, config: TopicConfig) -> None:
    for word in filter(None, (part.strip() for part in value.split(","))):
        if config.valid and word not in config.valid:
            raise _wrong(name, word, f"String must be one of: {', '.join(config.valid)}")


_CHECKS = {
    "INT": _check_integer,
    "LONG": _check_integer,
    "DOUBLE": _check_double,
    "BOOLEAN": _check_boolean,
    "STRING": _check_word,
    "LIST": _check_list,
}
