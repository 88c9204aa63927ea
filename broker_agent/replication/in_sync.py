"""Regrows ISRs: a leader proposes each returned replica after it has had time to catch up.

No data is replicated here, so catching up is a delay (`replica_catch_up_ms`). It begins when the
leader first finds the replica assigned, unfenced and out of sync; a replica whose process cannot
fetch from the leader at its end is not proposed, but looked at again. Without such proposals no ISR
would grow: unfencing adds a broker to none (rule 4.21).
"""

from collections.abc import Callable

from kraftsim.controller.core import rpc
from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.image.partition import Partition, PartitionKey
from kraftsim.controller.core.log.records import RECOVERED
from kraftsim.controller.core.partitions.broker_changes import is_online
from kraftsim.controller.time.timeline import NEVER_MS

from .config import AgentConfig
from .conversation import Conversation, Send

PARTITIONS_PER_REQUEST_MAX = 1000
RETRY_MS = 1000  # a refused proposal is repeated if the metadata still requires it

Fetches = Callable[[PartitionKey, int], bool]
"""True if the process of a replica fetches the partition from the leader that asks."""


def _has_its_disk(image: Image, partition: Partition, replica: int) -> bool:
    """Returns False for a replica in a lost directory: it fetches nothing, and stays behind."""
    directory = partition.directory_of(replica)
    return directory is None or is_online(image.brokers[replica], directory)


class Healing:
    """The replicas that a leader waits for, and its AlterPartition requests."""

    def __init__(self, config: AgentConfig, conversation: Conversation) -> None:
        self._config = config
        self._conversation = conversation
        self._due_ms: dict[tuple[PartitionKey, int], int] = {}  # (partition, replica) -> time

    def observe(self, image: Image, now_ms: int) -> None:
        """Update the awaited replicas after a change of the metadata."""
        if not self._due_ms and not image.index.has_ailing(self._config.broker_id):
            return  # as after nearly every record
        missing = self._missing(image)
        if missing or self._due_ms:
            due_ms = now_ms + self._config.replica_catch_up_ms
            self._wait_for({entry: self._due_ms.get(entry, due_ms) for entry in missing})

    def _wait_for(self, due_ms: dict[tuple[PartitionKey, int], int]) -> None:
        self._due_ms = due_ms
        self._conversation.schedule(min(due_ms.values(), default=NEVER_MS))

    def due(
        self,
        image: Image,
        broker_epoch: int,
        now_ms: int,
        controller_id: int,
        fetches: Fetches,
    ) -> list[Send]:
        """Returns a request that proposes all replicas whose time has come."""
        self._conversation.timed_out(now_ms)
        if not self._due_ms or not self._conversation.is_idle:
            return []
        ready = [entry for entry, at_ms in self._due_ms.items() if at_ms <= now_ms]
        if not ready:
            return []
        missing = set(self._missing(image))  # the image may have changed since `observe`
        ready = [entry for entry in ready if entry in missing][:PARTITIONS_PER_REQUEST_MAX]
        again = dict.fromkeys(ready, now_ms + RETRY_MS)
        self._wait_for({k: at_ms for k, at_ms in self._due_ms.items() if k in missing} | again)
        ready = [(key, replica) for key, replica in ready if fetches(key, replica)]
        if not ready:
            return []
        request = self._request(image, broker_epoch, ready)
        return [self._conversation.send(request, now_ms, controller_id)]

    def on_reply(self, sent: Send, now_ms: int) -> None:
        """Permit the next request; the result of a proposal arrives through the metadata."""
        self._conversation.accept(sent)

    def _missing(self, image: Image) -> list[tuple[PartitionKey, int]]:
        """Returns assigned, unfenced replicas outside the ISR of partitions that this broker leads.

        A leader that recovers after an unclean election returns itself (rule 4.11).
        """
        me = self._config.broker_id
        # Where brokers have one directory, a new disk takes the place of one that the metadata has.
        has_one_disk = len(self._config.log_dirs) == 1
        replicas = []
        for key in image.index.ailing(me):
            partition = image.partition(key)
            if partition.leader_recovery_state != RECOVERED:
                replicas.append((key, me))
                continue  # a recovering leader may propose no other replica (4.34)
            replicas += [
                (key, replica)
                for replica in partition.replicas
                if replica not in partition.isr
                and image.is_active(replica)
                and (has_one_disk or _has_its_disk(image, partition, replica))
            ]
        return replicas

    def _request(
        self, image: Image, broker_epoch: int, ready: list[tuple[PartitionKey, int]]
    ) -> rpc.AlterPartitionRequest:
        returned: dict[PartitionKey, list[int]] = {}
        for key, replica in ready:
            returned.setdefault(key, []).append(replica)
        topics: dict[bytes, list[rpc.AlterPartitionData]] = {}
        for key, replicas in returned.items():
            topics.setdefault(key[0], []).append(self._proposal(image, key, replicas))
        return rpc.AlterPartitionRequest(
            broker_id=self._config.broker_id,
            broker_epoch=broker_epoch,
            topics=tuple(
                rpc.AlterPartitionTopic(topic_id=topic_id, partitions=tuple(partitions))
                for topic_id, partitions in topics.items()
            ),
        )

    def _proposal(
        self, image: Image, key: PartitionKey, replicas: list[int]
    ) -> rpc.AlterPartitionData:
        partition = image.partition(key)
        isr = tuple(dict.fromkeys((*partition.isr, *replicas)))
        return rpc.AlterPartitionData(
            partition_index=key[1],
            leader_epoch=partition.leader_epoch,
            new_isr=isr,
            new_isr_with_epochs=tuple(
                rpc.AlterPartitionBrokerState(
                    broker_id=member, broker_epoch=image.brokers[member].broker_epoch
                )
                for member in isr
            ),
            leader_recovery_state=RECOVERED,
            partition_epoch=partition.partition_epoch,
        )
