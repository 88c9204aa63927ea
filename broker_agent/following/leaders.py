"""Brokers of a process as followers of leaders in other processes (rule B5).

Such a leader is a released broker, or a broker of another `kraftsim`. Nothing runs while no broker
of another process leads a partition with a replica here. The modules of logs are imported with the
first such partition.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Protocol

from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.image.partition import Partition, PartitionKey
from kraftsim.controller.core.rpc import FetchResponse, Request, Response
from kraftsim.controller.time.timeline import NEVER_MS

from ..hosted_agent import HostedAgent
from ..leading import throttles
from ..leading.stored_logs import settings_of
from ..process_state import FOLLOWS, ProcessState

if TYPE_CHECKING:
    from .fetching import Changes, Fetcher, Led, Question

SOCKET_TIMEOUT_MS = 30_000  # replica.socket.timeout.ms
ATTEMPT_MS = 20  # between two attempts to reach leaders that were not reached, of all brokers

Address = tuple[str, int]  # host and port
NoteAppend = Callable[[int, PartitionKey, int], None]
"""Called with a broker, a partition and the bytes of an append; 0 if another end has changed."""


class Lines(Protocol):
    """Connections to brokers of other processes, one for each two brokers."""

    def send(
        self,
        sender_id: int,
        leader_id: int,
        address: Address,
        request: Request,
        version_max: int,
        on_answer: Callable[[Response | None], None],
    ) -> None:
        """Sends a request; `on_answer` gets None if the connection fails."""

    def hang_up(self, sender_id: int, leader_id: int) -> None:
        """Closes a connection; a reply that is still to come is dropped."""

    def after(self, delay_ms: int, action: Callable[[], None]) -> None:
        """Runs an action after a delay."""


class Following:
    """The brokers of a process as followers of leaders in other processes.

    `open_lines()` returns the connections, None if no other process can be reached: where time is
    not real. `note_append` is called with what has changed.
    """

    def __init__(
        self,
        agents: Mapping[int, HostedAgent],
        open_lines: Callable[[], Lines | None],
        note_append: NoteAppend,
    ) -> None:
        self._agents, self._open_lines, self.note_append = agents, open_lines, note_append
        self._links: dict[int, dict[int, _Link]] = {}  # by follower and leader
        self._unreachable: set[_Link] = set()
        self._offset = -1  # of the change of partitions of which `_abroad` is
        self._abroad: dict[int, dict[int, list[PartitionKey]]] = {}

    def observe(self, broker_id: int) -> None:
        """Follows whom the broker should follow by its state and the metadata that it has."""
        hosted = self._agents[broker_id]
        wanted = self._wanted(hosted)
        links = self._links.get(broker_id, {})
        for leader_id in [leader_id for leader_id in links if leader_id not in wanted]:
            link = links.pop(leader_id)
            link.end()
            self._unreachable.discard(link)
        lines = self._open_lines() if wanted else None
        if lines is None:
            return
        links = self._links.setdefault(broker_id, {})
        for leader_id, partitions in wanted.items():
            if leader_id not in links:
                links[leader_id] = _Link(self, hosted, leader_id, lines)
            links[leader_id].follow(partitions)

    def note_answer(self, link: "_Link", *, is_reached: bool) -> int:
        """Notes whether a leader was reached; returns for how long to back off if it was not.

        Brokers of `kraftsim agent` may have no listener at all: thousands of them are not tried
        each second.
        """
        if is_reached:
            self._unreachable.discard(link)
        else:
            self._unreachable.add(link)
        return len(self._unreachable) * ATTEMPT_MS

    def _wanted(self, hosted: HostedAgent) -> "dict[int, dict[PartitionKey, Led]]":
        """Returns what the broker follows, by leader."""
        agent = hosted.agent
        if not hosted.is_alive or hosted.is_paused or agent.state not in FOLLOWS:
            return {}
        image, broker_id = agent.image, agent.config.broker_id
        abroad = self._led_abroad(image).get(broker_id)
        if not abroad:
            return {}
        from .fetching import Led

        wanted: dict[int, dict[PartitionKey, Led]] = {}
        for leader_id, keys in abroad.items():
            if _address_of(hosted, leader_id) is None:
                continue  # B5.6
            for key in keys:
                partition = image.partition(key)
                if _may_fetch(hosted, partition):
                    led = Led(image.topics[key[0]].name, partition.leader_epoch)
                    wanted.setdefault(leader_id, {})[key] = led
        return wanted

    def _led_abroad(self, image: Image) -> dict[int, dict[int, list[PartitionKey]]]:
        """Returns the partitions that brokers of other processes lead, by follower and leader.

        All brokers of the process apply the same metadata, so that one look is enough for them.
        """
        if image.partitions_offset != self._offset:
            self._offset, self._abroad = image.partitions_offset, {}
            index = image.index
            for leader_id in set(image.brokers).difference(self._agents):
                for key in sorted({*index.led(leader_id), *index.ailing(leader_id)}):
                    for replica in image.partition(key).replicas:
                        if replica in self._agents:
                            led = self._abroad.setdefault(replica, {})
                            led.setdefault(leader_id, []).append(key)
        return self._abroad


def _address_of(hosted: HostedAgent, leader_id: int) -> Address | None:
    """Returns where other brokers reach a leader; None if the broker does not know it."""
    leader, config = hosted.agent.image.brokers.get(leader_id), hosted.agent.config
    endpoint = None if leader is None else leader.listener(config.inter_broker_listener)
    return None if endpoint is None else (endpoint.host, endpoint.port)


def _may_fetch(hosted: HostedAgent, partition: Partition) -> bool:
    """True if a follower fetches a partition as far as its own process is concerned."""
    failed = hosted.store.failed
    if failed and hosted.directory_of(partition) in failed:
        return False
    is_draining = hosted.agent.state is ProcessState.PENDING_CONTROLLED_SHUTDOWN
    return not is_draining or hosted.agent.config.broker_id in partition.isr  # B6.72


class _Link:
    """A broker and one leader that it follows, with at most one request in flight."""

    def __init__(
        self, following: Following, hosted: HostedAgent, leader_id: int, lines: Lines
    ) -> None:
        self._following, self._hosted = following, hosted
        self._leader_id, self._lines = leader_id, lines
        self._broker_id = hosted.agent.config.broker_id
        self._fetcher = _fetcher_of(hosted)
        self._sent: Question | None = None  # the request in flight
        self._sent_ms = 0
        self._armed_ms = NEVER_MS
        self._has_ended = False

    def follow(self, partitions: "Mapping[PartitionKey, Led]") -> None:
        """Follows these partitions of the leader."""
        self._report(self._fetcher.follow(partitions))
        self._look()

    def end(self) -> None:
        """Follows the leader no more."""
        self._has_ended, self._sent = True, None
        self._lines.hang_up(self._broker_id, self._leader_id)

    def _look(self) -> None:
        """Sends the next request, unless one is in flight or no partition may be fetched."""
        hosted = self._hosted
        if self._has_ended or self._sent is not None:
            return
        now_ms = hosted.clock.now_ms
        address = _address_of(hosted, self._leader_id)
        if address is None or hosted.is_cut_off(self._leader_id):
            self._fetcher.on_failure(now_ms)
        epoch = hosted.agent.broker_epoch
        request = self._fetcher.request(epoch, now_ms, self._is_held)
        if request is None or address is None:
            self._arm(self._fetcher.ready_ms)
            return
        from .fetching import version_max

        self._sent, self._sent_ms = request, now_ms
        self._arm(now_ms + SOCKET_TIMEOUT_MS)
        version = version_max(request, hosted.agent.image.metadata_version)
        answered = partial(self._answered, request)
        ends = (self._broker_id, self._leader_id)
        self._lines.send(*ends, address, request, version, answered)

    def _is_held(self, key: PartitionKey) -> bool:
        """True if a fault has stopped the fetcher of a partition, or a throttle holds (B5.51)."""
        hosted = self._hosted
        if hosted.known(key) is None or hosted.fetcher_faults.stop(key):
            return True  # of a deleted topic the broker will be told
        return self._fetcher.is_behind(key) and throttles.holds_itself_back(
            hosted, key[1], settings_of(hosted, key)
        )

    def _answered(self, request: "Question", response: Response | None) -> None:
        """Takes a response; a slow fetcher or disk takes its time, and nothing is fetched then."""
        sizes = _sizes(response) if self._is_slow else {}
        take = partial(self._take, request, response)
        if not any(sizes.values()):
            take()
            return
        faults = self._hosted.fetcher_faults
        taking_ms = max(faults.taking_us(*of) for of in sizes.items()) // 1000
        self._sent_ms = self._hosted.clock.now_ms + taking_ms
        self._lines.after(taking_ms, partial(self._hosted.disk.write, take))

    @property
    def _is_slow(self) -> bool:
        return bool(self._hosted.fetcher_faults.slow) or self._hosted.disk.is_slow

    def _take(self, request: "Question", response: Response | None) -> None:
        from ..log.log import Instant

        if self._has_ended or self._sent is not request:
            return
        self._sent = None
        clock = self._hosted.clock
        at = Instant(clock.now_ms, clock.now_ms + clock.wall_offset_ms)
        backoff_ms = self._following.note_answer(self, is_reached=response is not None)
        if response is None or self._hosted.is_cut_off(self._leader_id):
            self._fetcher.on_failure(at.now_ms, backoff_ms)
        else:
            self._report(self._fetcher.on_response(request, response, at))
        self._look()

    def _report(self, changes: "Changes") -> None:
        for key, truncated in changes.truncated.items():
            if self._hosted.known(key) is None:
                continue  # its topic has been deleted
            self._hosted.report_truncated(key, truncated)
            self._following.note_append(self._broker_id, key, 0)
        for key, size in changes.appended.items():
            throttles.note_taken(self._hosted, key[1], size, settings_of(self._hosted, key))
            self._following.note_append(self._broker_id, key, size)

    def _arm(self, at_ms: int) -> None:
        """Looks again at a time, unless it looks earlier."""
        if at_ms < self._armed_ms:
            self._armed_ms = at_ms
            delay_ms = max(at_ms - self._hosted.clock.now_ms, 0)
            self._lines.after(delay_ms, partial(self._ring, at_ms))

    def _ring(self, at_ms: int) -> None:
        if at_ms != self._armed_ms or self._has_ended:
            return  # an earlier time was armed since, or another link has the connection
        self._armed_ms = NEVER_MS
        now_ms, due_ms = self._hosted.clock.now_ms, self._sent_ms + SOCKET_TIMEOUT_MS
        if self._sent is not None and self._hosted.disk.is_slow:
            due_ms = max(due_ms, now_ms + SOCKET_TIMEOUT_MS)  # the response may be on its way there
        if self._sent is not None and now_ms < due_ms:
            self._arm(due_ms)
            return
        if self._sent is not None:  # B5.40
            self._lines.hang_up(self._broker_id, self._leader_id)
            self._sent = None
            self._fetcher.on_failure(now_ms)
        self._look()


def _sizes(response: Response | None) -> dict[PartitionKey, int]:
    """Returns the bytes of each partition in a response."""
    if not isinstance(response, FetchResponse):
        return {}
    return {
        (topic.topic_id, data.partition_index): sum(
            len(batch.encoded[0]) for batch in data.records or ()
        )
        for topic in response.responses
        for data in topic.partitions
    }


def _fetcher_of(hosted: HostedAgent) -> "Fetcher":
    from .fetching import Fetcher

    def may_append(key: PartitionKey) -> bool:
        partition = hosted.known(key)
        return partition is not None and hosted.can_write_to(partition)

    settings = partial(settings_of, hosted)
    return Fetcher(hosted.agent.config, hosted.store.logs, settings, may_append)
