"""The answers of the lessons about replicas are true of the logs on the disks of the brokers."""

from dataclasses import replace

import pytest

from kraftsim.scenarios.running.explain import chain
from kraftsim.scenarios.running.play import Play
from kraftsim.scenarios.running.run import Run
from tests.scenarios.read_library import Library

LESSONS = Library("lesson-")
PARTING = "lesson-16-where-logs-part"
STANDING = "lesson-17-last-replica-standing"
WAITING = "lesson-18-reassignment-that-waits"
SEED = 17
S = 1_000_000


class Lesson:
    """A lesson that is played forward; times count from the first step, in seconds."""

    def __init__(self, name, release):
        self._play = Play(Run(replace(LESSONS[name], profile=release), SEED))
        self._play.advance(0)
        while self._play.begin_us is None:
            self._play.advance(self._play.next_us)

    def at(self, seconds):
        """Plays to a time, and returns the partition and the logs of its replicas by broker."""
        self._play.advance(self._play.begin_us + round(seconds * S))
        world = self._play.run.world
        (topic,) = world.committed.topics.values()
        logs = {
            broker_id: agent.store.logs[topic.topic_id, 0]
            for broker_id, agent in world.agents.items()
            if (topic.topic_id, 0) in agent.store.logs
        }
        return topic.partitions[0], logs

    def rows(self, kind):
        begin_us, rows = self._play.begin_us, self._play.run.world.journal.since(0)
        return [row for row in rows if row.kind == kind and row.t_us > begin_us]

    def causes(self, row):
        rows = self._play.run.world.journal.since(0)
        return [(cause.kind, cause.detail.get("verb")) for cause in chain(rows, row.seq)[:-1]]


@pytest.fixture(params=["kafka-4.4", "kafka-4.3", "kafka-3.9"])
def release(request):
    return request.param


@pytest.mark.slow
def test_a_follower_keeps_what_is_above_its_high_watermark(release):
    lesson = Lesson(PARTING, release)
    partition, logs = lesson.at(11.19)
    first, *others = partition.isr
    assert [logs[broker_id].end_offset for broker_id in partition.isr] == [9, 9, 9]
    assert [logs[broker_id].high_watermark for broker_id in (first, *others)] == [9, 6, 6]

    partition, logs = lesson.at(22)

    assert partition.leader not in (first, others[0])  # the first has left, the second is dead
    assert logs[partition.leader].end_offset > 9
    assert not lesson.rows("records_truncated")


@pytest.mark.slow
def test_a_leader_that_was_cut_off_gives_up_what_it_alone_wrote(release):
    lesson = Lesson(PARTING, release)
    former = lesson.at(40)[0].leader
    partition, logs = lesson.at(67)
    parting = logs[former].high_watermark
    assert logs[former].end_offset == parting + 3 < logs[partition.leader].end_offset
    assert logs[former].epochs.latest < logs[partition.leader].epochs.latest

    lesson.at(80)

    (row,) = lesson.rows("records_truncated")
    assert row.broker_id == former
    assert (row.detail["from_offset"], row.detail["records"]) == (parting, 3)
    assert row.detail["committed"] == 0
    kinds = [kind for kind, _ in lesson.causes(row)]
    assert kinds == ["fault_begins", "lease_expired", "broker_fenced", "partition_changed"]


@pytest.mark.slow
@pytest.mark.parametrize("release", ["kafka-4.4", "kafka-4.3"])
def test_the_last_replica_does_not_lead_after_it_has_lost_its_tail(release):
    lesson = Lesson(STANDING, release)
    partition, logs = lesson.at(45)
    last, (second,) = partition.leader, partition.elr
    acknowledged = logs[last].high_watermark
    assert partition.isr == (last,)
    assert logs[last].end_offset == acknowledged + 3  # the high watermark stands still
    assert logs[second].end_offset == acknowledged

    partition, logs = lesson.at(65)
    assert (partition.leader, partition.isr, partition.elr) == (-1, (), (second,))
    assert logs[last].end_offset == acknowledged - 3

    partition, logs = lesson.at(79)
    assert partition.leader == second
    assert logs[last].end_offset == logs[second].end_offset > acknowledged
    assert not lesson.rows("records_truncated")


@pytest.mark.slow
def test_without_an_elr_the_last_replica_leads_and_acknowledged_records_are_lost():
    lesson = Lesson(STANDING, "kafka-3.9")
    partition, logs = lesson.at(45)
    last, acknowledged = partition.leader, logs[partition.leader].high_watermark
    assert logs[last].end_offset == acknowledged + 3

    partition, logs = lesson.at(80)

    assert partition.leader == last
    (row,) = lesson.rows("records_truncated")
    assert (row.detail["from_offset"], row.detail["records"]) == (acknowledged - 3, 3)
    assert row.detail["committed"] == 3
    assert lesson.causes(row)[0] == ("fault_begins", "log.lose_tail")


@pytest.mark.slow
def test_a_reassignment_waits_for_its_new_replica_however_long_that_cannot_fetch(release):
    lesson = Lesson(WAITING, release)
    partition, logs = lesson.at(37)
    (old,), (new,) = partition.isr, partition.adding_replicas
    assert (partition.leader, partition.removing_replicas) == (old, (old,))
    assert new not in logs

    partition, logs = lesson.at(44)
    assert 0 < logs[new].end_offset < logs[old].end_offset
    assert partition.isr == (old,)
    written = logs[old].end_offset

    partition, logs = lesson.at(55)
    assert (partition.replicas, partition.isr, partition.leader) == ((new,), (new,), new)
    begun, ended = lesson.rows("partition_changed")
    assert lesson.causes(begun) == [("fault_begins", "reassignment.start")]
    assert lesson.causes(ended)[-1] == ("fault_ends", "replica.stop")
    assert logs[new].end_offset >= written
    assert old not in logs
