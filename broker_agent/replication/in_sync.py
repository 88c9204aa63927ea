"""The ISRs of the partitions that a broker leads: whom it proposes to add and to remove (rule B6).

A replica that returns is proposed once it has fetched everything; unfencing adds a broker to no ISR
(rule 4.21). A follower in an ISR that lags for longer than `replica.lag.time.max.ms` is proposed
to leave, at a turn of Kafka's task `isr-expiration` (B6.10). A follower that has everything stays,
however long it does not fetch: nobody looks at its last fetch (B6.12).

The broker looks at those it waits for, instead of waiting for their requests: first when a Fetch
would have come that waited at the leader, then each time that a follower repeats a failed one.
"""

from collections.abc import Callable

from kraftsim.controller.core import rpc
from kraftsim.controller.core.errors import ApiError, ErrorCode
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.image.partition import Partition, PartitionKey
from kraftsim.controller.core.log.records import RECOVERED
from kraftsim.controller.core.partitions.broker_changes import is_online
from kraftsim.controller.time.timeline import NEVER_MS

from ..config import AgentConfig
from ..conversation import Conversation, Send
from ..log.periodic import Periodic
from .followers import Followers, Lag

PARTITIONS_PER_REQUEST_MAX = 1000
UNKNOWN_EPOCH = -1
GIVEN_UP = (ErrorCode.INELIGIBLE_REPLICA, ErrorCode.OPERATION_NOT_ATTEMPTED)
"""Errors after which a leader gives a proposal up; after others it waits for a record (B6.44)."""

CatchesUp = Callable[[PartitionKey, int], bool]
"""Lets a replica fetch from the leader that asks; True if it does, and has everything then."""

Entry = tuple[PartitionKey, int]  # a partition and a replica


def _has_its_disk(image: Image, partition: Partition, replica: int) -> bool:
    """Returns False for a replica in a lost directory: it fetches nothing, and stays behind."""
    directory = partition.directory_of(replica)
    return directory is None or is_online(image.brokers[replica], directory)


class InSync:
    """The replicas that a leader waits for, and its AlterPartition requests."""

    def __init__(self, config: AgentConfig, conversation: Conversation) -> None:
        self._config = config
        self._conversation = conversation
        self._followers: Followers | None = None
        self._started_ms = 0
        self._due_ms: dict[Entry, int] = {}  # when the leader looks at a replica next

    @property
    def followers(self) -> Followers:
        """What the process knows of its followers, made with the first message."""
        if self._followers is None:
            self._followers = Followers()
        return self._followers

    def start(self, now_ms: int) -> None:
        """Begin to count the turns of `isr-expiration`."""
        self._started_ms = now_ms

    def observe(self, image: Image, now_ms: int) -> None:
        """Update the awaited replicas after a change of the metadata, or of who lags."""
        has_ailing = image.index.has_ailing(self._config.broker_id)
        any_lags = self._followers is not None and self._followers.any_lags
        if not self._due_ms and not has_ailing and not any_lags:
            return  # as after nearly every record
        awaited = self._awaited(image)
        if awaited or self._due_ms:
            wait_ms, known_ms = self._config.replica_fetch_wait_ms, self._due_ms
            self._wait_for(
                {
                    entry: known_ms.get(entry, self._next_ms(lag, now_ms, wait_ms))
                    for entry, lag in awaited.items()
                }
            )

    def hurry(self, key: PartitionKey, broker_id: int, now_ms: int) -> None:
        """Looks at a replica at once, since it has fetched (B6.22)."""
        if self._due_ms.get((key, broker_id), 0) > now_ms:
            self._wait_for({**self._due_ms, (key, broker_id): now_ms})

    def _awaited(self, image: Image) -> dict[Entry, Lag | None]:
        """Returns the replicas that are missing, and those that lag."""
        me = self._config.broker_id
        lags = {
            (key, broker_id): lag
            for key, broker_id, lag in self.followers.lags()
            if (topic := image.topics.get(key[0])) is not None
            and (partition := topic.partitions.get(key[1])) is not None
            and partition.leader == me
        }
        return {**dict.fromkeys(self._missing(image)), **lags}

    def _wait_for(self, due_ms: dict[Entry, int]) -> None:
        self._due_ms = due_ms
        self._conversation.schedule(min(due_ms.values(), default=NEVER_MS))

    def _next_ms(self, lag: Lag | None, now_ms: int, wait_ms: int) -> int:
        """Returns when to look at a replica next: after a wait, or as it is out of sync."""
        if lag is None:
            return now_ms + wait_ms
        out_ms = self._out_of_sync_ms(lag)
        return min(now_ms + wait_ms, out_ms) if out_ms > now_ms else now_ms + wait_ms

    def _out_of_sync_ms(self, lag: Lag) -> int:
        """Returns the turn at which a follower that lags is found to be out of sync (B6.11)."""
        lag_ms = self._config.replica_lag_ms
        turns = Periodic(0, max(lag_ms // 2, 1))
        return turns.next_ms(self._started_ms, lag.caught_up_ms + lag_ms)

    def due(
        self,
        image: Image,
        broker_epoch: int,
        now_ms: int,
        controller_id: int,
        catches_up: CatchesUp,
    ) -> list[Send]:
        """Returns a request that proposes all replicas whose time has come."""
        self._conversation.timed_out(now_ms)
        if not self._due_ms or not self._conversation.is_idle:
            return []
        if all(at_ms > now_ms for at_ms in self._due_ms.values()):
            return []
        awaited = self._awaited(image)  # the image may have changed since `observe`
        due_ms = {entry: at_ms for entry, at_ms in self._due_ms.items() if entry in awaited}
        ready = [entry for entry, at_ms in due_ms.items() if at_ms <= now_ms]
        returned: list[Entry] = []
        out: list[Entry] = []
        for entry in ready[:PARTITIONS_PER_REQUEST_MAX]:
            lag = awaited[entry]
            due_ms[entry] = self._next_ms(lag, now_ms, self._config.replica_fetch_backoff_ms)
            # A proposal without an answer is sent again, whatever became of the replica (B6.41).
            if self._is_proposed(image, entry) or catches_up(*entry):
                if lag is None or self._is_proposed(image, entry):
                    returned.append(entry)
                else:
                    del due_ms[entry]
            elif lag is not None and self._out_of_sync_ms(lag) <= now_ms:
                out.append(entry)
        self._wait_for(due_ms)
        if not returned and not out:
            return []
        request = self._request(image, broker_epoch, returned, out)
        return [self._conversation.send(request, now_ms, controller_id)]

    def _is_proposed(self, image: Image, entry: Entry) -> bool:
        key, replica = entry
        partition = image.partition(key)
        return replica in self.followers.proposal(key, partition) and replica not in partition.isr

    def on_reply(self, sent: Send, reply: rpc.Response | ApiError | None) -> None:
        """Permit the next request; the result of a proposal arrives through the metadata."""
        is_current = self._conversation.accept(sent)
        if is_current and isinstance(reply, rpc.AlterPartitionResponse):
            for topic in reply.topics:
                for partition in topic.partitions:
                    if partition.error_code in GIVEN_UP:
                        self.followers.withdraw((topic.topic_id, partition.partition_index))

    def _missing(self, image: Image) -> list[Entry]:
        """Returns assigned, unfenced replicas outside the ISR of partitions that this broker leads.

        After an unclean election the controller learns with the next of them that the leader has
        recovered (B6.81).
        """
        me = self._config.broker_id
        # Where brokers have one directory, a new disk takes the place of one that the metadata has.
        has_one_disk = len(self._config.log_dirs) == 1
        replicas = []
        for key in image.index.ailing(me):
            partition = image.partition(key)
            replicas += [
                (key, replica)
                for replica in partition.replicas
                if replica not in partition.isr
                and image.is_active(replica)
                and (has_one_disk or _has_its_disk(image, partition, replica))
            ]
        return replicas

    def _request(
        self, image: Image, broker_epoch: int, returned: list[Entry], out: list[Entry]
    ) -> rpc.AlterPartitionRequest:
        changes: dict[PartitionKey, tuple[list[int], list[int]]] = {}
        for place, entries in enumerate((returned, out)):
            for key, replica in entries:
                changes.setdefault(key, ([], []))[place].append(replica)
        topics: dict[bytes, list[rpc.AlterPartitionData]] = {}
        for key, (added, removed) in changes.items():
            partition = image.partition(key)
            isr = dict.fromkeys((*partition.isr, *added))
            wanted = self.followers.proposal(key, partition) or tuple(
                member for member in isr if member not in removed
            )
            if added:
                self.followers.propose(key, partition, wanted)
            topics.setdefault(key[0], []).append(_proposal(image, key, wanted))
        return rpc.AlterPartitionRequest(
            broker_id=self._config.broker_id,
            broker_epoch=broker_epoch,
            topics=tuple(
                rpc.AlterPartitionTopic(topic_id=topic_id, partitions=tuple(partitions))
                for topic_id, partitions in topics.items()
            ),
        )


def _proposal(image: Image, key: PartitionKey, isr: tuple[int, ...]) -> rpc.AlterPartitionData:
    partition = image.partition(key)
    return rpc.AlterPartitionData(
        partition_index=key[1],
        leader_epoch=partition.leader_epoch,
        new_isr=isr,
        new_isr_with_epochs=tuple(_with_epoch(image, member) for member in isr),
        leader_recovery_state=RECOVERED,
        partition_epoch=partition.partition_epoch,
    )


def _with_epoch(image: Image, member: int) -> rpc.AlterPartitionBrokerState:
    """Returns a proposed member; one that was unregistered meanwhile is refused by its id."""
    broker = image.brokers.get(member)
    epoch = UNKNOWN_EPOCH if broker is None else broker.broker_epoch
    return rpc.AlterPartitionBrokerState(broker_id=member, broker_epoch=epoch)
