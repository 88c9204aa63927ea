"""Plays the steps at a cluster, and returns what the tools printed."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic

from tests.interop.tools.cluster import LEADER_ID, Cluster, write_files
from tests.interop.tools.normal import Normal
from tests.interop.tools.steps import Act, Ask, Step
from tests.released.run_tools import Printed, Tools

UNTIL_LIMIT_S = 120.0
MAIN_CLASSES = {
    "acls": "org.apache.kafka.tools.AclCommand",
    "broker-api-versions": "org.apache.kafka.tools.BrokerApiVersionsCommand",
    "client-metrics": "org.apache.kafka.tools.ClientMetricsCommand",
    "cluster": "org.apache.kafka.tools.ClusterTool",
    "configs": "kafka.admin.ConfigCommand",
    "console-consumer": "org.apache.kafka.tools.consumer.ConsoleConsumer",
    "console-producer": "org.apache.kafka.tools.ConsoleProducer",
    "consumer-groups": "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand",
    "delegation-tokens": "org.apache.kafka.tools.DelegationTokenCommand",
    "delete-records": "org.apache.kafka.tools.DeleteRecordsCommand",
    "features": "org.apache.kafka.tools.FeatureCommand",
    "get-offsets": "org.apache.kafka.tools.GetOffsetShell",
    "groups": "org.apache.kafka.tools.GroupsCommand",
    "leader-election": "org.apache.kafka.tools.LeaderElectionCommand",
    "log-dirs": "org.apache.kafka.tools.LogDirsCommand",
    "metadata-quorum": "org.apache.kafka.tools.MetadataQuorumCommand",
    "producer-perf-test": "org.apache.kafka.tools.ProducerPerformance",
    "reassign-partitions": "org.apache.kafka.tools.reassign.ReassignPartitionsCommand",
    "share-groups": "org.apache.kafka.tools.consumer.group.ShareGroupCommand",
    "streams-groups": "org.apache.kafka.tools.streams.StreamsGroupCommand",
    "topics": "org.apache.kafka.tools.TopicCommand",
    "transactions": "org.apache.kafka.tools.TransactionsCommand",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool printed, line by line and normalised."""

    step: str
    exit: int
    stdout: list[str]
    stderr: list[str]

    def as_document(self) -> dict[str, object]:
        return asdict(self)


def play(steps: Iterable[Step], cluster: Cluster, tools: Tools, folder: Path) -> list[Answer]:
    """Returns the answers of the steps that are kept."""
    folder.mkdir()
    write_files(folder, cluster.addresses)
    player = _Player(cluster, tools, folder)
    return [answer for step in steps if (answer := player.played(step)) is not None]


class _Player:
    def __init__(self, cluster: Cluster, tools: Tools, folder: Path) -> None:
        self._cluster = cluster
        self._tools = tools
        self._folder = folder
        self._normal = Normal(cluster.addresses, folder)

    def played(self, step: Step) -> Answer | None:
        if isinstance(step, Act):
            act = self._cluster.stop if step.verb == "stop" else self._cluster.start
            act(step.broker_id)
            return None
        printed = self._printed(step)
        if not step.is_kept:
            return None
        stdout, stderr = (
            self._normal.lines(step.tool, text) for text in (printed.stdout, printed.stderr)
        )
        return Answer(step.line, printed.exit_code, stdout, stderr)

    def _printed(self, step: Ask) -> Printed:
        words = [part for word in step.words for part in self._expanded(word)]
        stdin = "" if step.stdin is None else (self._folder / step.stdin).read_text("utf-8")
        deadline = monotonic() + UNTIL_LIMIT_S
        while True:
            printed = self._tools.run(MAIN_CLASSES[step.tool], words, stdin=stdin)
            if step.until is None or step.until.search(printed.stdout.rstrip("\n")):
                return printed
            if monotonic() > deadline:
                raise TimeoutError(f"{step.line}: {printed}")

    def _expanded(self, word: str) -> list[str]:
        addresses = self._cluster.addresses
        if word == "SERVERS":
            return ["--bootstrap-server", addresses.brokers[1]]
        if word == "CONTROLLERS":
            return ["--bootstrap-controller", addresses.controllers[LEADER_ID]]
        if word.startswith("@"):
            return [str(self._folder / word[1:])]
        return [word.replace("DIRECTORY_OF_3002", addresses.directory_of_3002)]
