"""Configuration of a simulated broker."""

from collections.abc import Mapping
from dataclasses import field

from kraftsim.controller.core.profile import DEFAULT_PROFILE, Profile
from kraftsim.controller.core.rpc import BrokerFeature, BrokerListener
from kraftsim.controller.core.value import value

from .directories.log_directories import LogDirectory

CLIENT_LISTENER = "PLAINTEXT"


@value
class AgentConfig:
    """Configuration of one broker.

    `metadata_linger_ms` spaces the fetches of a large fleet. `replica_lag_ms` is
    `replica.lag.time.max.ms`; followers fetch again after `replica_fetch_wait_ms`, and after an
    error `replica_fetch_backoff_ms`. `inter_broker_listener` is the name of
    the listener at which brokers talk to each other. `log_dirs` has the directory of the metadata
    log first; `cordoned_log_dirs` is the static value of `cordoned.log.dirs`, `static` are further
    texts of the broker's property file. `profile` is the release that the process runs, `features`
    are the levels that it supports.
    """

    broker_id: int
    cluster_id: str
    listeners: tuple[BrokerListener, ...]
    features: tuple[BrokerFeature, ...]
    log_dirs: tuple[LogDirectory, ...]
    heartbeat_interval_ms: int
    session_timeout_ms: int
    registration_timeout_ms: int
    replica_lag_ms: int
    replica_fetch_wait_ms: int
    replica_fetch_backoff_ms: int
    inter_broker_listener: str = CLIENT_LISTENER
    cordoned_log_dirs: str = ""
    rack: str | None = None
    static: Mapping[str, str] = field(default_factory=dict)
    metadata_linger_ms: int = 0
    profile: Profile = DEFAULT_PROFILE

    def number(self, name: str, default: int) -> int:
        """Returns a whole number of the property file, which has been checked; else `default`."""
        return int(self.static.get(name, default))

    @property
    def lease_timeout_ms(self) -> int:
        """How long a registration or a heartbeat waits for its reply, in milliseconds.

        With a session of 0 or less (rule 7.5) it waits for one heartbeat interval.
        """
        if self.session_timeout_ms > 1:
            return self.session_timeout_ms // 2
        return self.heartbeat_interval_ms
