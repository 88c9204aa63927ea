"""The replicas of one broker as requests find them: by name or id, hosted, led, up to date.

A broker knows its partitions from the metadata that it has fetched, and their logs from its disk.
"""

from collections.abc import Iterator
from typing import NamedTuple

from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.image.partition import Partition, PartitionKey, Topic
from kraftsim.controller.core.log.records import NO_LEADER
from kraftsim.controller.core.uuid import ZERO_UUID, Uuid

from ..configurations import log_settings
from ..hosted_agent import HostedAgent
from ..leading import leader, throttles
from ..log.compaction import compact
from ..log.log import Instant, Log
from ..log.periodic import CLEANING, Periodic
from ..log.settings import LogSettings
from ..process_state import FOLLOWS
from ..replication.copying import follow_marks

PRODUCER_CHECK_MS = 600_000  # producer.id.expiration.check.interval.ms
PRODUCER_LIFE_MS = 86_400_000  # producer.id.expiration.ms

UNKNOWN = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
NOT_LEADER = ErrorCode.NOT_LEADER_OR_FOLLOWER
_EMPTY = Log(0)  # of a follower that has had no message


class Replica(NamedTuple):
    """A replica on this broker.

    `name` is that of the partition in texts; `has_enough`: enough replicas are in sync.
    """

    key: PartitionKey
    topic: Topic
    partition: Partition
    log: Log
    settings: LogSettings
    name: str
    has_enough: bool


class Replicas:
    """The replicas of one broker, whose id is `broker_id`, and whose process is `hosted`."""

    def __init__(self, hosted: HostedAgent, retention: Periodic) -> None:
        self.broker_id = hosted.agent.config.broker_id
        self.hosted = hosted
        self._retention = retention

    @property
    def image(self) -> Image:
        """The metadata that the broker has fetched."""
        return self.hosted.agent.image

    def topic(self, name: str, topic_id: Uuid, *, by_id: bool) -> Topic:
        """Returns the topic of a request; raises ApiError for an unknown one (B2.3)."""
        image = self.image
        if by_id:
            found = image.topics.get(topic_id)
            if found is None or topic_id == ZERO_UUID:
                raise ApiError(ErrorCode.UNKNOWN_TOPIC_ID, "")
            return found
        known = image.topic_ids.get(name)
        if known is None:
            raise ApiError(UNKNOWN, "")
        return image.topics[known]

    def find(self, topic: Topic, index: int, at: Instant) -> Replica:
        """Returns the broker's replica; raises ApiError if it has none (B2.20).

        The log is as it is at this time: what retention deletes by then is deleted.
        """
        partition = topic.partitions.get(index)
        if partition is None:
            raise ApiError(UNKNOWN, "")
        if self.broker_id not in partition.replicas:
            raise ApiError(NOT_LEADER, "")
        store = self.hosted.store
        if store.failed and self.hosted.directory_of(partition) in store.failed:
            raise ApiError(ErrorCode.KAFKA_STORAGE_ERROR, "")
        key = (topic.topic_id, index)
        log = store.logs.get(key)
        if log is None:
            store.forget_removed(self.image, self.broker_id)
            log = store.logs[key] = Log(at.now_ms)
        settings = self.settings(topic.name)
        name, is_enough = f"{topic.name}-{index}", settings.is_enough(partition)
        replica = Replica(key, topic, partition, log, settings, name, is_enough)
        self._bring_up_to_date(replica, at)
        return replica

    def next_look_ms(self, replica: Replica) -> int:
        """Returns when the broker looks next at what is to be deleted of a log."""
        turns = CLEANING if replica.settings.is_compacted else self._retention
        return turns.next_ms(self.hosted.started_ms, replica.log.looked_ms)

    def led(self, topic: Topic, index: int, at: Instant) -> Replica:
        """Returns the replica that the broker leads; raises ApiError if it leads none."""
        replica = self.find(topic, index, at)
        self.check_leads(replica.partition)
        return replica

    def check_writes(self, partition: Partition) -> None:
        """Raises ApiError if the directory of the replica is full, and takes it offline (B7.62)."""
        if not self.hosted.can_write_to(partition):
            raise ApiError(ErrorCode.KAFKA_STORAGE_ERROR, "")

    def check_leads(self, partition: Partition) -> None:
        """Raises ApiError if the broker does not lead the partition, or is not in service yet."""
        if partition.leader != self.broker_id or not self.hosted.is_in_service:
            raise ApiError(NOT_LEADER, "")

    def check_epoch(self, partition: Partition, epoch: int) -> None:
        """Raises ApiError if a client's leader epoch is not the broker's; -1 is not checked."""
        if epoch == -1 or epoch == partition.leader_epoch:
            return
        if epoch < partition.leader_epoch:
            raise ApiError(ErrorCode.FENCED_LEADER_EPOCH, "")
        raise ApiError(ErrorCode.UNKNOWN_LEADER_EPOCH, "")

    def settings(self, name: str) -> LogSettings:
        """Returns the settings of a topic as they are now."""
        agent = self.hosted.agent
        return log_settings(agent.config, agent.image, name, self.hosted.usage.log_settings)

    def leader_of(self, partition: Partition, listener: str) -> tuple[str, int, str | None] | None:
        """Returns host, port and rack of the leader at a listener; None if it is unknown."""
        if partition.leader == NO_LEADER:
            return None
        broker = self.image.brokers.get(partition.leader)
        endpoint = None if broker is None else broker.listener(listener)
        if broker is None or endpoint is None:
            return None
        return endpoint.host, endpoint.port, broker.rack

    def preferred(self, replica: Replica, rack: str, offset: int, listener: str) -> int | None:
        """Returns the follower that a client in a rack reads from; None for the leader (B4.42)."""
        partition = replica.partition
        if partition.leader != self.broker_id or self._rack_at(self.broker_id, listener) == rack:
            return None
        found = [
            (log.end_offset, peer.agent.config.broker_id)
            for peer, follower in self._peers(replica)
            if (log := follower or _EMPTY).start_offset <= offset <= log.end_offset
            and peer.agent.config.broker_id in partition.isr
            and self._rack_at(peer.agent.config.broker_id, listener) == rack
        ]
        return max(found)[1] if found else None

    def _rack_at(self, broker_id: int, listener: str) -> str | None:
        """Returns the rack of a broker in service that has the listener."""
        broker = self.image.brokers.get(broker_id)
        is_reachable = broker is not None and not broker.fenced and broker.listener(listener)
        return broker.rack if broker is not None and is_reachable else None

    def _bring_up_to_date(self, replica: Replica, at: Instant) -> None:
        """Lets everything happen to a log that has happened by this time.

        A leader takes up the partition as the process knows it, where it had no log of it.
        """
        log = replica.log
        leader.take_up(self.hosted, replica.key, replica.partition, log)
        if self._look(self.hosted, replica, log, at):
            for peer, follower in self._peers(replica):
                if peer.is_alive and follower is not None:
                    self._look(peer, replica, follower, at)

    def _look(self, host: HostedAgent, replica: Replica, log: Log, at: Instant) -> bool:
        """Lets a broker delete and compact what is due; returns whether it had a look.

        Of several looks that are due, the first finds what the last left, and the last what only
        time makes due.
        """
        settings = replica.settings
        turns = CLEANING if settings.is_compacted else self._retention
        looks = turns.since(host.started_ms, log.looked_ms, at.now_ms)
        for look_ms in looks:
            if look_ms // PRODUCER_CHECK_MS > log.looked_ms // PRODUCER_CHECK_MS:
                log.producers.expire(at.wall_ms - PRODUCER_LIFE_MS)
            log.looked_ms = look_ms
            if settings.is_compacted and replica.key not in host.store.moves:  # B7.54
                compact(log, Instant(look_ms, at.wall_ms - at.now_ms + look_ms), settings)
            log.retain(look_ms, settings)
        return bool(looks)

    def in_step(self, replica: Replica) -> list[Log] | None:
        """Returns the logs of the followers if each of them takes the next batch at its append.

        None if a follower may not, or takes its time: `replicate` looks at each of them then.
        """
        found: list[Log] = []
        hosted, key, log, settings = self.hosted, replica.key, replica.log, replica.settings
        if len(replica.partition.replicas) == 1:
            return found
        followers, offset = hosted.agent.followers, hosted.agent.position.applied_offset
        if (
            hosted.host.network_delays
            or not _is_undisturbed(hosted)
            or followers.is_behind(key)
            or settings.throttled_at_leader
            or settings.throttled_at_follower
        ):
            return None
        for broker_id in replica.partition.replicas:
            peer = hosted.peer(broker_id)
            if broker_id == self.broker_id or (peer is None and broker_id not in followers.others):
                continue
            if peer is None or not _is_undisturbed(peer) or hosted.is_cut_off(broker_id):
                return None
            follower = peer.store.logs.get(key)
            if follower is None or not _end_alike(log, follower):
                return None
            if peer.agent.position.applied_offset != offset:  # it may know another leader
                return None
            found.append(follower)
        return found

    def lacks_a_follower(self, replica: Replica) -> bool:
        """True if a member of the ISR does not fetch."""
        return any(
            peer.agent.config.broker_id in replica.partition.isr
            and not self.hosted.is_fetched_by(peer, replica.key)
            for peer in self._others(replica.partition)
        )

    def _others(self, partition: Partition) -> Iterator[HostedAgent]:
        """Yields the other brokers of the partition that can be reached."""
        for broker_id in partition.replicas:
            peer = None if broker_id == self.broker_id else self.hosted.peer(broker_id)
            if peer is not None:
                yield peer

    def _peers(self, replica: Replica) -> Iterator[tuple[HostedAgent, Log | None]]:
        """Yields the other brokers that know no newer leader, and their logs of the partition."""
        for peer in self._others(replica.partition):
            if peer.leader_epoch(replica.key) <= replica.partition.leader_epoch:
                yield peer, peer.store.logs.get(replica.key)

    def replicate(
        self,
        replica: Replica,
        batch: bytes,
        from_offset: int,
        at: Instant,
        in_step: list[Log] | None,
    ) -> None:
        """Lets the followers fetch the batch that was appended last, at `from_offset`.

        `in_step` are the logs of all followers before the append, if they were in step.
        """
        if in_step is None:
            self._replicate_to_each(replica, from_offset, at)
            return
        log = replica.log
        if replica.has_enough:
            log.high_watermark = log.end_offset
        log.copy_to(in_step, batch, at, replica.settings)
        for follower in in_step:
            follow_marks(log, follower, at.now_ms)

    def _replicate_to_each(self, replica: Replica, from_offset: int, at: Instant) -> None:
        hosted, key, log, partition = self.hosted, replica.key, replica.log, replica.partition
        settings = replica.settings
        reached: list[Log] = []
        full: list[HostedAgent] = []
        for peer in self._others(partition):
            broker_id = peer.agent.config.broker_id
            if peer.store.full and peer.directory_of(partition) in peer.store.full:
                full.append(peer)
            elif hosted.is_fetched_by(peer, key) and peer.can_write_to(partition):
                if leader.takes_time(hosted, peer, key, settings):
                    leader.note_lag(hosted, key, partition, broker_id, from_offset)
                    leader.send_copy(hosted, peer, key, log)
                    continue
                if leader.copy(hosted, peer, key, log, settings):
                    reached.append(peer.store.logs[key])
                    continue
            leader.note_lag(hosted, key, partition, broker_id, from_offset)
        if hosted.agent.followers.others:
            leader.note_lags_of_others(hosted, key, partition)
        if not hosted.agent.followers.is_behind(key) and replica.has_enough:
            log.high_watermark = log.end_offset
        else:
            leader.raise_high_watermark(hosted, key, partition, log, settings)
        for follower in reached:
            follow_marks(log, follower, at.now_ms)
        for peer in full:  # who learns that it loses its directory finds every lag noted
            if hosted.is_fetched_by(peer, key):
                peer.can_write_to(partition)

    def holds_back(self, replica: Replica, follower: int) -> bool:
        """True if a follower gets nothing of the partition now, because it is throttled (B5.50)."""
        index, partition = replica.key[1], replica.partition
        return follower >= 0 and throttles.holds_back(
            self.hosted, index, partition, follower, replica.settings
        )

    def note_sent(self, key: PartitionKey, size: int) -> None:
        """Counts bytes that a follower gets of a partition."""
        topic = self.image.topics.get(key[0])
        if topic is not None:
            throttles.note_sent(self.hosted, key[1], size, self.settings(topic.name))

    def delete_on_followers(self, replica: Replica, at: Instant) -> None:
        """Raises the log start of the followers to that of the leader (B7.33)."""
        for peer, follower in self._peers(replica):
            if follower is not None and self.hosted.is_fetched_by(peer, replica.key):
                follow_marks(replica.log, follower, at.now_ms)


def _is_undisturbed(hosted: HostedAgent) -> bool:
    """True if a process has registered, its disks are whole, and no fault meets its fetchers."""
    store, faults = hosted.store, hosted.fetcher_faults
    return not (
        hosted.is_paused
        or not hosted.is_alive
        or hosted.agent.state not in FOLLOWS
        or store.failed
        or store.full
        or faults.stopped
        or faults.slow
        or hosted.disk.is_slow
    )


def _end_alike(log: Log, follower: Log) -> bool:
    """True if two logs end with the same batch."""
    ends = log.batches and follower.batches and follower.batches[-1] is log.batches[-1]
    return bool(ends) and follower.end_offset == log.end_offset
