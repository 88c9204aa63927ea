"""What led to an event, from rows alone: each names the one that caused it."""

from random import Random

import pytest

from kraftsim.controller.core.image.image import Image
from kraftsim.controller.core.log.batch import Batch
from kraftsim.controller.core.log.records import PartitionChangeRecord
from kraftsim.controller.core.uuid import random_uuid
from kraftsim.controller.time.timeline import Timeline
from kraftsim.explanation import explanation
from kraftsim.scenarios.document.scenario import read_scenario
from kraftsim.scenarios.running.beside_rows import beside_rows
from kraftsim.scenarios.running.explain import LINES_MAX, chain
from kraftsim.scenarios.running.run import Run
from kraftsim.simulation.journal import Journal


def run_of(*steps, seed=3, controllers=1, brokers=2, topics=None, run="25s"):
    """A finished run of these steps."""
    document = {
        "schema": "kraftsim/scenario/1",
        "name": "one",
        "claim": "It is explained.",
        "cluster": {"controllers": controllers, "brokers": brokers, "topics": topics or {}},
        "time": {"warmup": "1s", "run": run, "calm": "5s"},
        "do": list(steps),
    }
    finished = Run(read_scenario(document), seed, ())
    finished.finish()
    return finished


def rows_in(run):
    """What the run has written."""
    return run.world.journal.since(0)


def why(run, kind, which=-1):
    """What led to the last row of a kind, without the times."""
    rows = rows_in(run)
    row = [row for row in rows if row.kind == kind][which]
    lines = explanation(rows, row.seq, beside_rows(run.world, run.stage.faults, rows))
    return [line.partition(" s  ")[2] for line in lines]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (
            {"proc.pause": {"on": 1, "for": "15s"}},
            [">> proc.pause: broker 1 (15s)", "broker 1 is PAUSED"],
        ),
        (
            {"proc.crash": {"on": 1, "for": "15s"}},
            [">> proc.crash: broker 1 (15s)", "broker 1 enters NOT_RUNNING"],
        ),
        ({"net.partition": {"on": 1}}, [">> net.partition: every link of broker 1"]),
    ],
    ids=["paused", "crashed", "cut off"],
)
def test_a_fence_goes_back_to_the_fault_by_way_of_the_lease(fault, said):
    told = why(run_of({"at": "5s"} | fault), "broker_fenced")

    assert said == told[:-2]
    assert told[-2].startswith("controller 3000: lease of broker 1 expired, no heartbeat for 9")
    assert told[-1].startswith("broker 1 is fenced")


def test_a_fence_that_a_broker_asks_for_goes_back_to_its_shutdown():
    told = why(run_of({"at": "5s", "proc.stop": {"on": 1}}), "broker_fenced")

    assert [">> proc.stop: broker 1", "broker 1 enters PENDING_CONTROLLED_SHUTDOWN"] == told[:2]
    assert not any("lease of broker" in line for line in told)


def test_the_second_fence_after_a_shutdown_goes_back_to_the_end_of_the_process():
    """The broker's contact expires a session after the first fence (rule 2.38)."""
    run = run_of({"at": "5s", "proc.stop": {"on": 1, "for": "15s"}})
    told = why(run, "broker_fenced")

    assert 2 == sum(row.kind == "broker_fenced" for row in rows_in(run))
    begun = [">> proc.stop: broker 1 (15s)", "broker 1 enters PENDING_CONTROLLED_SHUTDOWN"]
    assert begun == told[:2]
    assert "broker 1 enters NOT_RUNNING" == told[-2]


def test_a_step_without_effect_is_the_cause_of_nothing():
    """The broker still shuts down as it is to be started."""
    stop, start = {"at": "5s", "proc.stop": {"on": 1}}, {"at": "5001ms", "proc.start": {"on": 1}}
    told = why(run_of(stop, start), "broker_fenced", 0)

    assert [">> proc.stop: broker 1", "broker 1 enters PENDING_CONTROLLED_SHUTDOWN"] == told[:2]


def test_an_unfence_goes_back_to_what_the_broker_did():
    crash = {"at": "5s", "proc.crash": {"on": 1, "for": "15s"}}
    told = why(run_of(crash), "broker_unfenced")

    assert [
        ">> proc.crash: broker 1 (15s)",
        "<< proc.crash ends: broker 1",
        "broker 1 enters STARTING",
        "broker 1 is registered",
        "broker 1 enters RECOVERY",
        "broker 1 is unfenced",
    ] == [line.partition(" (epoch")[0] for line in told]


def test_an_election_goes_back_to_the_end_of_the_leader():
    run = run_of({"at": "5s", "proc.crash": {"on": "active"}}, controllers=3)
    elected = (row for row in rows_in(run) if row.kind == "controller_elected")
    old, new = (row.detail["leader_id"] for row in elected)

    told = why(run, "controller_elected")
    assert [
        f">> proc.crash: controller {old}",
        f"controller {old} is NOT_RUNNING",
        f"controller {new} starts an election",
    ] == told[:-1]
    assert told[-1].startswith(f"controller {new} is elected leader of epoch 2 (votes of ")


def test_what_befell_a_node_first_counts_while_it_is_still_gone():
    """A second fault of one that stands still explains nothing."""
    pause = {"at": "5s", "proc.pause": {"on": 1}}
    later = {"at": "8s", "net.delay": {"on": 1, "low": "1ms", "high": "2ms"}}

    told = why(run_of(pause, later), "broker_fenced")
    assert [">> proc.pause: broker 1", "broker 1 is PAUSED"] == told[:2]


def test_a_change_of_partitions_names_the_fence_that_made_it():
    run = run_of(
        {"at": "5s", "proc.crash": {"on": 1}},
        brokers=3,
        topics={"t": {"partitions": 6, "replication": 3}},
    )
    rows = rows_in(run)
    fence = next(row for row in rows if row.kind == "broker_fenced")

    changed = [row for row in rows if row.kind == "partition_changed" and row.t_us == fence.t_us]
    assert len(changed) > 3
    assert {fence.seq} == {row.cause_seq for row in changed}


def test_the_first_replica_that_leaves_an_isr_by_lagging_names_what_stopped_it():
    write = {"at": "1s", "topic.write": {"name": "t", "every": "1s"}}
    slow = {"at": "3s", "replica.slow": {"on": 2, "bytes_per_second": 100_000}}
    stop = {"at": "2s", "replica.stop": {"on": 1, "topic": "t"}}
    run = run_of(write, stop, slow, run="60s", topics={"t": {"partitions": 1}})

    told = why(run, "partition_changed", 0)
    assert [">> replica.stop: broker 1 (topic t)", "t-0: ISR 2,1 -> 2"] == told


def test_what_an_admin_asked_for_names_the_request():
    run = run_of(
        {"at": "5s", "proc.crash": {"on": {"leader_of": "t"}, "for": "12s"}},
        {"at": "22s", "topic.elect_leaders": {"name": "t"}},
        {"at": "23s", "reassignment.start": {"name": "t", "to": [1, 2]}},
        brokers=3,
        topics={"t": {"partitions": 1, "replication": 2}},
    )

    elected, reassigned = (why(run, "partition_changed", which) for which in (2, 3))
    assert [">> topic.elect_leaders: t", "t-0: leader 1 -> 3"] == elected
    assert ">> reassignment.start: t (to brokers 1, 2)" == reassigned[0]
    assert ["t-0: replicas 3,1 -> 1,2,3"] == reassigned[1:]


def test_a_lease_that_runs_out_while_a_process_starts_names_what_ended_the_one_before():
    """A new process gets the id once the lease of the one before is over (rule 1.12)."""
    told = why(run_of({"at": "5s", "proc.crash": {"on": 1, "for": "2s"}}), "lease_expired")

    assert [">> proc.crash: broker 1 (2s)", "broker 1 enters NOT_RUNNING"] == told[:2]


def test_an_isr_that_grows_back_names_the_return_of_its_replica():
    """Rule 4.21: unfencing adds a broker to no ISR; a leader asks for that (AlterPartition)."""
    crash = {"at": "5s", "proc.crash": {"on": 1, "for": "1s"}}
    run = run_of(crash, brokers=3, topics={"t": {"partitions": 2, "replication": 3}})

    told = [line.partition(" (epoch")[0] for line in why(run, "partition_changed")]
    assert ["broker 1 is unfenced", "broker 1 enters RUNNING"] == told[-3:-1]
    assert "t-1: ISR 2,3 -> 2,3,1" == told[-1]
    assert ">> proc.crash: broker 1 (1s)" == told[0]


def test_an_isr_that_shrinks_names_what_befell_whoever_fell_out():
    """As real leaders ask for it: those of the simulation leave that to the fence."""
    journal = Journal(Timeline(wall_start_ms=0), run_id="r", seed=1)
    image, topic_id = Image(), random_uuid(Random(1).random)
    gone = journal.write("broker-2", "agent_state", broker_id=2, detail={"state": "NOT_RUNNING"})
    journal.write("broker-1", "agent_state", broker_id=1, detail={"state": "RUNNING"})
    for offset, isr in enumerate(((1, 2), (1,))):
        change = PartitionChangeRecord(partition_id=0, topic_id=topic_id, isr=isr)
        said = Batch(base_offset=offset, epoch=1, timestamp_ms=0, records=(change,), versions=(0,))
        journal.committed(said, image, 3000)

    assert gone.seq == journal.since(0)[-1].cause_seq


def test_every_fence_unfence_and_registration_has_a_cause():
    crashes = {"every": "6s", "times": 3, "proc.restart": {"on": {"pick": 1, "of": "brokers"}}}
    loss = {"at": "2s", "net.loss": {"on": "brokers", "p": 0.4, "burst": 5}}
    kinds = ("broker_fenced", "broker_unfenced", "broker_registered")

    rows = [row for row in rows_in(run_of(crashes, loss, controllers=3)) if row.kind in kinds]
    assert len(rows) > 5
    assert [] == [row for row in rows if row.cause_seq is None]


def test_causes_come_before_what_they_cause():
    loop = {"at": "2s", "proc.crashloop": {"on": 1, "up": "400ms", "down": "200ms"}}
    rows = rows_in(run_of(loop, controllers=3))

    assert [] == [row for row in rows if row.cause_seq is not None and row.cause_seq >= row.seq]


def test_of_a_long_chain_the_nearest_causes_are_told():
    journal = Journal(Timeline(wall_start_ms=0), run_id="r", seed=1)
    for number in range(30):
        journal.write("n", "note", cause_seq=number - 1 if number else None)

    links = [row.seq for row in chain(journal.since(0), 29)]
    assert [*range(30 - LINES_MAX, 30)] == links


def test_what_happens_while_a_fault_begins_or_ends_is_of_that_fault():
    crash = {"at": "5s", "id": "the-crash", "proc.crash": {"on": 1, "for": "15s"}}
    rows = rows_in(run_of(crash))

    of_it = [(row.kind, row.detail.get("state")) for row in rows if row.fault_id == "the-crash"]
    assert [
        ("fault_begins", None),
        ("agent_state", "NOT_RUNNING"),
        ("fault_ends", None),
        ("agent_state", "STARTING"),
    ] == of_it
