"""The results of calls; times are milliseconds since the epoch, None if the server sent none."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Broker:
    """A registered broker, at the address that it advertises on the listener of the request.

    `start_time_ms` is sent by kraftsim with `kraftsim.start.time.tag=true` only.
    """

    id: int
    host: str
    port: int
    rack: str | None
    is_fenced: bool
    start_time_ms: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterDescription:
    """The brokers in order of id."""

    cluster_id: str
    brokers: tuple[Broker, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Controller:
    """A registered controller."""

    id: int
    host: str
    port: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllersDescription:
    """The controllers in order of id; `leader_id` is None if the server knows no leader."""

    cluster_id: str
    leader_id: int | None
    controllers: tuple[Controller, ...]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address of a listener, such as Endpoint("CONTROLLER", "127.0.0.1", 9990)."""

    listener: str
    host: str
    port: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Replica:
    """A voter or an observer, as the leader sees it (KIP-836, KIP-853).

    The times are of the leader's clock; the leader's own may be None. `directory_id` is None if the
    server has none. An observer has no endpoints.
    """

    id: int
    directory_id: str | None
    log_end_offset: int
    last_fetch_time_ms: int | None
    last_caught_up_time_ms: int | None
    endpoints: tuple[Endpoint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuorumDescription:
    """The quorum; voters and observers in order of id."""

    leader_id: int
    leader_epoch: int
    high_watermark: int
    voters: tuple[Replica, ...]
    observers: tuple[Replica, ...]


@dataclass(frozen=True, slots=True)
class LevelRange:
    """The lowest and the highest level of a feature, both included."""

    min: int
    max: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FeaturesDescription:
    """The features by name: the levels that the server supports, and the finalized levels.

    `finalized_epoch` is the offset of the metadata log up to which the server knows the finalized
    levels, None if it knows none.
    """

    finalized_epoch: int | None
    finalized: Mapping[str, int]
    supported: Mapping[str, LevelRange]
