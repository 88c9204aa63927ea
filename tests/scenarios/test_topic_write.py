"""`topic.write`: clients write and read a topic of a world, and disks lose what a fault says."""

import pytest

from kraftsim.broker_agent.log.log import Log
from kraftsim.controller.core.errors import ErrorCode
from kraftsim.controller.core.rpc import FetchResponse
from kraftsim.controller.core.rpc.stored_messages import ProduceResponse
from kraftsim.scenarios.language.reading import read
from kraftsim.scenarios.oracles.written_messages import fields_of, split
from kraftsim.scenarios.properties.messages import clients, replicas
from kraftsim.scenarios.running.watch import Watch
from kraftsim.scenarios.stage.stage import Fault, Stage
from kraftsim.scenarios.verbs import VERBS
from kraftsim.simulation.clients.listeners import Listeners
from kraftsim.simulation.clients.partition_client import PartitionClient
from kraftsim.simulation.message import Exchange
from kraftsim.simulation.world import World
from tests.scenarios.watched import settled_world
from tests.worlds import create_topic, node, partition, pass_time

SESSION_S = 9
RECORDS = 3
CLASSES = (*clients.CLASSES, *replicas.CLASSES)


class Written:
    """A topic of one partition on these brokers, which a client writes from the start."""

    def __init__(
        self, *replicas: int, log_dirs: int = 1, min_isr: int = 1, **words: object
    ) -> None:
        self.watching: Watch
        self.world: World
        self.world, self.watching = settled_world(
            classes=CLASSES, log_dirs=log_dirs, min_insync_replicas=min_isr
        )
        self.stage, self.begun = Stage(self.world), 0
        self.codes: list[int] = []
        self.world.exchange_listeners.append(self._note)
        create_topic(self.world, "t", replicas)
        pass_time(self.world, 2)
        self.writing = self.begin(
            "topic.write", {"name": "t", "every": "100ms", "records": RECORDS, **words}
        )

    def begin(self, verb: str, words: dict[str, object]) -> Fault:
        self.begun += 1
        return self.stage.begin(read(VERBS[verb], words), verb, f"fault-{self.begun}")

    def log(self, broker_id: int) -> Log:
        (log,) = self.world.agents[broker_id].store.logs.values()
        return log

    def stop_writing(self) -> int:
        """Ends the client; returns the number of acknowledged records."""
        self.stage.lift(self.writing)
        return self.writing.effects()

    def exercised(self, name: str) -> int:
        (found,) = [one for one in self.watching.properties.values() if one.name == name]
        return found.exercised

    def _note(self, exchange: Exchange) -> None:
        if isinstance(exchange.response, ProduceResponse):
            (topic,) = exchange.response.responses
            self.codes += [answer.error_code for answer in topic.partition_responses]


def test_an_effect_is_an_acknowledged_record() -> None:
    written = Written(1, 2, 3)
    pass_time(written.world, 3.05)  # the last batch has been acknowledged

    acknowledged = written.stop_writing()

    assert acknowledged == written.log(1).end_offset == 30 * RECORDS
    assert written.exercised("messages-are-as-produced") == 30
    assert written.watching.finish() == ()


def test_a_consumer_reads_the_batch_at_which_a_reply_ends() -> None:
    """A reply has one MiB, and ends in the midst of a batch."""
    written = Written(1, records=1, size=20_000)
    pass_time(written.world, 12)
    acknowledged = written.stop_writing()
    read = set[int]()

    def note(exchange: Exchange) -> None:
        if isinstance(exchange.response, FetchResponse):
            data = exchange.response.responses[0].partitions[0]
            records = b"".join(batch.encoded[0] for batch in data.records or ())
            read.update(fields_of(batch).base_offset for batch in split(records))

    written.world.exchange_listeners.append(note)
    listeners = Listeners(written.world)
    PartitionClient(written.world, listeners, "t", 0, records=1, size=1, loses=lambda: False).read()

    assert acknowledged * 20_000 > 2 * 1_048_576
    assert read == set(range(acknowledged))


def test_a_client_that_ended_writes_nothing() -> None:
    written = Written(1)
    pass_time(written.world, 1)
    acknowledged = written.stop_writing()

    pass_time(written.world, 5)

    assert written.log(1).end_offset == acknowledged == written.writing.effects()


def test_a_batch_whose_response_is_lost_is_sent_again_and_stored_once() -> None:
    written = Written(1, 2, 3, lost=0.5)
    pass_time(written.world, 3)

    acknowledged = written.stop_writing()

    assert 0 < acknowledged < len(written.codes) * RECORDS
    assert written.log(1).end_offset in (acknowledged, acknowledged + RECORDS)
    assert written.exercised("no-duplicates") > 0
    assert written.watching.finish() == ()


def test_two_producers_that_wait_for_the_isr_may_be_answered_in_any_order() -> None:
    """The first of them may have sent its batch last."""
    written = Written(1, 2)
    others = [written.begin("topic.write", {"name": "t", "every": "70ms"}) for _ in range(3)]
    pass_time(written.world, 2)
    for _ in range(4):
        written.begin("replica.stop", {"on": 2, "for": "1s"})
        pass_time(written.world, 3)

    assert all(other.effects() > 0 for other in others)
    assert written.exercised("offsets-never-repeat") > 0
    assert written.watching.finish() == ()


def test_one_partition_of_several_is_written() -> None:
    written = Written(1)
    create_topic(written.world, "two", (1, 2), (2, 1))
    pass_time(written.world, 1)
    topic_id = written.world.committed.topic_ids["two"]

    written.begin("topic.write", {"name": "two", "partition": 1, "every": "1s"})
    pass_time(written.world, 3)

    logs = written.world.agents[2].store.logs
    assert {key for key in logs if key[0] == topic_id} == {(topic_id, 1)}


def test_a_topic_that_does_not_exist_is_not_written() -> None:
    written = Written(1)

    unknown = written.begin("topic.write", {"name": "none", "every": "1s"})
    pass_time(written.world, 3)

    assert unknown.effects() == 0


def test_the_next_leader_has_what_a_killed_leader_acknowledged() -> None:
    written = Written(1, 2, 3, lost=0.5)
    pass_time(written.world, 2)
    before = written.log(1).end_offset

    written.world.agents[1].kill()
    pass_time(written.world, 2 * SESSION_S)

    assert partition(written.world, "t").leader == 2
    assert written.log(2).end_offset > before
    assert written.exercised("acknowledged-messages-stay") > 0
    assert written.watching.finish() == ()


@pytest.mark.rule("B8.41")
def test_a_power_cut_takes_the_records_that_it_says_from_the_last_replica() -> None:
    written = Written(1)
    pass_time(written.world, 2)
    written.stop_writing()
    before = written.log(1).end_offset

    written.begin("log.lose_tail", {"on": 1, "records": 2 * RECORDS})

    assert written.log(1).end_offset == before - 2 * RECORDS


def test_a_client_writes_on_behind_what_a_power_cut_left() -> None:
    """Its producer begins anew, as the next sequence is not the expected one."""
    written = Written(1)
    pass_time(written.world, 2)

    cut = written.begin("log.lose_tail", {"on": 1, "records": RECORDS})
    left = written.log(1).end_offset
    written.stage.lift(cut)
    pass_time(written.world, 2 * SESSION_S)

    assert ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER in written.codes
    assert written.log(1).end_offset > left
    assert written.watching.finish() == ()


def test_a_power_cut_of_one_replica_of_three_takes_nothing() -> None:
    written = Written(1, 2, 3)
    pass_time(written.world, 2)
    acknowledged = written.stop_writing()

    written.begin("log.lose_tail", {"on": 1})
    pass_time(written.world, 2 * SESSION_S)

    assert partition(written.world, "t").leader == 2
    assert written.log(2).end_offset == acknowledged


def test_a_wiped_broker_takes_the_messages_of_its_lone_replica() -> None:
    written = Written(1)
    pass_time(written.world, 2)
    assert written.stop_writing() > 0

    written.begin("proc.amnesia", {"on": 1, "for": "1s"})
    pass_time(written.world, 2 * SESSION_S)

    assert written.world.agents[1].is_running
    assert written.world.agents[1].store.logs == {}


def test_a_lost_directory_takes_its_replicas_only() -> None:
    written = Written(1, log_dirs=2)
    pass_time(written.world, 2)
    directories = [of.directory_id for of in written.world.hosts[node(1)].log_dirs]
    number = 1 + directories.index(partition(written.world, "t").directory_of(1))
    before = written.log(1).end_offset

    written.begin("disk.fail_directory", {"on": 1, "number": number})
    pass_time(written.world, SESSION_S)

    assert written.log(1).end_offset == before
    assert partition(written.world, "t").leader == -1


def test_a_full_disk_refuses_the_next_batch_and_another_broker_leads() -> None:
    written = Written(1, 2, log_dirs=2)
    pass_time(written.world, 2)
    directories = [of.directory_id for of in written.world.hosts[node(1)].log_dirs]
    number = 1 + directories.index(partition(written.world, "t").directory_of(1))

    written.begin("disk.full", {"on": 1, "number": number})
    pass_time(written.world, 2 * SESSION_S)

    assert ErrorCode.KAFKA_STORAGE_ERROR in written.codes
    assert partition(written.world, "t").leader == 2
    assert written.log(2).end_offset == written.stop_writing()
    assert written.watching.finish() == ()


def test_a_damaged_batch_is_served_as_it_is_and_judged_by_nobody() -> None:
    written = Written(1)
    pass_time(written.world, 2)

    written.begin("log.corrupt", {"on": 1, "offset": 0})
    again = written.begin("topic.write", {"name": "t", "every": "1s"})  # reads from the start
    pass_time(written.world, 2)

    assert again.effects() > 0
    assert written.watching.finish() == ()


@pytest.mark.rule("B2.23")
def test_the_brokers_have_the_min_isr_of_their_nodes() -> None:
    written = Written(1, 2, min_isr=2)
    pass_time(written.world, 2)

    written.world.agents[2].kill()
    pass_time(written.world, 5 * SESSION_S)  # the batch that waits times out first

    assert ErrorCode.NOT_ENOUGH_REPLICAS in written.codes
    assert written.watching.finish() == ()


def test_a_client_that_waits_for_the_leader_alone_goes_on_without_followers() -> None:
    """What it was told is no promise: the next leader need not have it."""
    written = Written(1, 2, 3, acks="leader")
    written.begin("replica.stop", {"on": [2, 3]})
    pass_time(written.world, 3)
    alone = written.log(1).end_offset

    written.world.agents[1].kill()
    pass_time(written.world, 2 * SESSION_S)

    assert alone > 5 * RECORDS
    assert written.log(2).batches[0] != written.log(1).batches[-1]
    assert written.watching.finish() == ()


def test_a_client_with_old_metadata_writes_on_at_a_leader_that_is_cut_off() -> None:
    written = Written(1, 2, 3, acks="leader", refresh="60s")
    pass_time(written.world, 2)
    before = written.log(1).end_offset

    written.begin("net.partition", {"on": 1})
    pass_time(written.world, 2 * SESSION_S)

    assert partition(written.world, "t").leader == 2
    assert written.log(1).end_offset > before + 100 * RECORDS
    assert written.log(2).end_offset <= before


def test_a_client_learns_the_next_leader_from_an_error() -> None:
    written = Written(1, 2, 3, refresh="60s")
    pass_time(written.world, 2)

    cut = written.begin("net.partition", {"on": 1})
    pass_time(written.world, 2 * SESSION_S)
    written.stage.lift(cut)
    pass_time(written.world, 2 * SESSION_S)

    assert ErrorCode.NOT_LEADER_OR_FOLLOWER in written.codes
    assert written.log(2).epochs.latest == partition(written.world, "t").leader_epoch
    assert written.watching.finish() == ()


def test_a_log_that_was_cut_to_nothing_was_told_of() -> None:
    """It is empty at one look, and has other batches at the next."""
    written = Written(1, 2, acks="leader")
    written.stop_writing()
    written.begin("net.partition", {"on": 1})
    written.begin("topic.write", {"name": "t", "every": "1s", "acks": "leader", "refresh": "60s"})
    pass_time(written.world, 2 * SESSION_S)
    written.stage.world.network.heal()
    written.begin("topic.write", {"name": "t", "every": "10ms", "for": "5s"})
    pass_time(written.world, SESSION_S)

    assert partition(written.world, "t").leader == 2
    assert written.watching.finish() == ()
