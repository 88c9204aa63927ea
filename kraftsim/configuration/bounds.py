"""Checks values against each other that concern one node's data and network, in Kafka's order."""

from .values import Values

MEGABYTE = 1024 * 1024
_IDS_DIFFER_BEFORE_4_4 = "You must set `node.id` to the same value as `broker.id`."
_IDS_DIFFER = {
    "4.4": "`node.id` and `broker.id` must be set to the same value. "
    "`broker.id` is deprecated, please use `node.id` instead."
}


def check_ids(values: Values) -> None:
    """Raises ValueError if node.id and broker.id differ (rule 7.6)."""
    if values.value("node.id") != values.value("broker.id") and values.is_set("node.id"):
        raise ValueError(_IDS_DIFFER.get(values.release, _IDS_DIFFER_BEFORE_4_4))


def check_data(values: Values) -> None:
    """Raises ValueError, with Kafka's message, for times of the log that contradict each other."""
    roll_ms = _time_ms(values, "log.roll.ms", "log.roll.hours")
    jitter_ms = _time_ms(values, "log.roll.jitter.ms", "log.roll.jitter.hours")
    require(roll_ms >= 1, "log.roll.ms must be greater than or equal to 1")
    require(jitter_ms >= 0, "log.roll.jitter.ms must be greater than or equal to 0")
    retention_ms = _time_ms(
        values, "log.retention.ms", "log.retention.minutes", "log.retention.hours"
    )
    require(
        retention_ms < 0 or retention_ms >= 1,
        "log.retention.ms must be unlimited (-1) or, greater than or equal to 1",
    )
    threads = values.integer("log.cleaner.threads")
    if threads == 0:  # Kafka divides by it
        raise ValueError("log.cleaner.threads: expected 1 or more, got 0")
    require(
        values.integer("log.cleaner.dedupe.buffer.size") // threads > MEGABYTE,
        "log.cleaner.dedupe.buffer.size must be at least 1MB per cleaner thread.",
    )
    _check_fetches(values)


def _check_fetches(values: Values) -> None:
    wait_ms = values.integer("replica.fetch.wait.max.ms")
    require(
        wait_ms <= values.integer("replica.socket.timeout.ms"),
        "replica.socket.timeout.ms should always be at least replica.fetch.wait.max.ms to prevent "
        "unnecessary socket timeouts",
    )
    require(
        wait_ms <= values.integer("replica.lag.time.max.ms"),
        "replica.fetch.wait.max.ms should always be less than or equal to replica.lag.time.max.ms "
        "to prevent frequent changes in ISR",
    )


def check_cordoned(values: Values) -> None:
    """Raises ValueError, with Kafka's message, for cordoned directories that the node has not."""
    cordoned = values.words("cordoned.log.dirs")
    if "*" in cordoned:
        require(
            len(cordoned) == 1,
            "When cordoned.log.dirs is set to *, it must not contain other values",
        )
        return
    own = values.words("log.dirs") or values.words("log.dir")
    missing = ",".join(path for path in cordoned if path not in own)
    require(
        not missing,
        "All entries in cordoned.log.dirs must be present in log.dirs or log.dir. "
        f"Missing entries : {missing}",
    )


def check_network(values: Values) -> None:
    """Raises ValueError, with Kafka's message, for limits of connections that cannot be kept."""
    queued = values.integer("queued.max.request.bytes")
    require(
        queued <= 0 or queued >= values.integer("socket.request.max.bytes"),
        "queued.max.request.bytes must be larger or equal to socket.request.max.bytes",
    )
    require(
        values.integer("max.connections.per.ip") != 0
        or bool(values.value("max.connections.per.ip.overrides")),
        "max.connections.per.ip can be set to zero only if max.connections.per.ip.overrides "
        "property is set.",
    )
    delay_ms = values.integer("connection.failed.authentication.delay.ms")
    idle_ms = values.integer("connections.max.idle.ms")
    require(
        idle_ms < 0 or delay_ms < idle_ms,
        f"connection.failed.authentication.delay.ms={delay_ms} should always be less than "
        f"connections.max.idle.ms={idle_ms} to prevent failed authentication responses from timing "
        "out",
    )


_MILLISECONDS = {"ms": 1, "minutes": 60_000, "hours": 3_600_000}


def _time_ms(values: Values, *names: str) -> int:
    """Returns the time of the first of these keys that has a value, in milliseconds."""
    for name in names:
        if values.value(name) is not None:
            return values.integer(name) * _MILLISECONDS[name.rpartition(".")[2]]
    raise KeyError(f"{', '.join(names)}: expected a default for one of them")


def require(is_met: bool, message: str) -> None:
    """Raises ValueError with the words of Scala's `require` unless a condition is met."""
    if not is_met:
        raise ValueError(f"requirement failed: {message}")
