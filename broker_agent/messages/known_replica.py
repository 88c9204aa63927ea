"""A replica for which a connection asks again and again."""

from kraftsim.controller.core.uuid import Uuid

from ..log.log import Instant
from .replicas import Replica, Replicas

_UNKNOWN = -2  # an offset that no metadata has


class KnownReplica:
    """The replica of one partition of a topic; a topic without a name is meant by its id.

    What is found depends on the process of the broker, on its metadata, on the log and the
    directories of its disk, and on when the broker looks next at what is to be deleted. All of
    these are looked at each time, and the replica is looked up again if one has changed, or if
    something has kept its high watermark below the end of the log.
    `has_quotas`: some client has a quota.
    """

    __slots__ = (
        "_agent",
        "_hosted",
        "_index",
        "_look_ms",
        "_name",
        "_offset",
        "_position",
        "_replica",
        "_replicas",
        "_topic_id",
        "has_quotas",
    )

    def __init__(self, replicas: Replicas, name: str, topic_id: Uuid, index: int) -> None:
        hosted = replicas.hosted
        self._hosted, self._replicas = hosted, replicas
        self._name, self._topic_id, self._index = name, topic_id, index
        self._agent, self._position = hosted.agent, hosted.agent.position
        self._offset, self._look_ms = _UNKNOWN, 0
        self._replica: Replica | None = None
        self.has_quotas = False

    def at(self, at: Instant) -> Replica:
        """Returns what `Replicas.find` returns at this time; raises ApiError."""
        hosted, replica = self._hosted, self._replica
        store = hosted.store
        if (
            replica is None
            or hosted.agent is not self._agent
            or self._position.applied_offset != self._offset
            or at.now_ms >= self._look_ms
            or store.failed
            or replica.log.high_watermark < replica.log.end_offset
            or store.logs.get(replica.key) is not replica.log
        ):
            return self._look_up(at)
        return replica

    def _look_up(self, at: Instant) -> Replica:
        replicas, agent = self._replicas, self._hosted.agent
        self._replica, self._agent, self._position = None, agent, agent.position
        self._offset = agent.metadata_offset
        topic = replicas.topic(self._name, self._topic_id, by_id=not self._name)
        replica = replicas.find(topic, self._index, at)
        self._look_ms = replicas.next_look_ms(replica)
        self.has_quotas = bool(replicas.image.client_quotas)
        self._replica = replica
        return replica
