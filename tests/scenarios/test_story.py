"""The story of a run: what was hit, which partitions changed and how, when, and what is folded."""

import re
from itertools import pairwise

from kraftsim.controller.time.timeline import Timeline
from kraftsim.scenarios.document.scenario import read_scenario
from kraftsim.scenarios.running.partition_changes import PartitionChange, PartitionState
from kraftsim.scenarios.running.partition_words import partitions_text
from kraftsim.scenarios.running.run import Run
from kraftsim.scenarios.running.story import story, times_text
from kraftsim.scenarios.running.story_groups import grouped
from kraftsim.simulation.copying import copied
from kraftsim.simulation.journal import Journal

LEADER_LOST = {"on": {"leader_of": "t"}, "for": "12s"}
MOVES = ((1, (1, 2, 3)), (2, (2, 3)), (3, (3,)))
ISOLATED = {"net.partition": {"between": [3001, [3000, 3002]], "for": "20s"}}


def run_of(*steps, seed=3, controllers=1, brokers=3, topics=None):
    """A run of these steps that has not begun."""
    document = {
        "schema": "kraftsim/scenario/1",
        "name": "one",
        "claim": "It is told.",
        "cluster": {"controllers": controllers, "brokers": brokers, "topics": topics or {}},
        "time": {"warmup": "1s", "run": "25s", "calm": "5s"},
        "do": list(steps),
    }
    return Run(read_scenario(document), seed, ())


def told(*steps, folds=True, **shape):
    """The story of a whole run."""
    run = run_of(*steps, **shape)
    run.finish()
    return story(run.world, run.stage, folds=folds)


def texts(lines, kind):
    return [line.text for line in lines if line.kind == kind]


def topic(partitions, replication):
    return {"t": {"partitions": partitions, "replication": replication}}


# Faults


def test_a_fault_says_what_it_hits_then_its_caption_and_its_end_says_it_again():
    lines = told({"at": "10s", "say": "It stops.", "proc.pause": {"on": 2, "for": "3s"}})

    assert [">> proc.pause: broker 2 (3s): It stops."] == texts(lines, "fault_begins")
    assert ["<< proc.pause ends: broker 2"] == texts(lines, "fault_ends")


def test_an_id_that_a_user_gave_tells_two_faults_apart():
    first = {"at": "1s", "id": "short", "net.partition": {"on": 1, "for": "2s"}}
    second = {"at": "1s", "id": "long", "net.partition": {"on": 1, "for": "8s"}}
    lines = told(first, second)

    assert [
        "<< net.partition [short] ends: every link of broker 1",
        "<< net.partition [long] ends: every link of broker 1",
    ] == texts(lines, "fault_ends")


# Partitions


def test_a_partition_has_its_leader_and_isr_before_and_after():
    lines = told({"at": "1s", "proc.crash": LEADER_LOST}, topics=topic(1, 3))

    lost, back = texts(lines, "partition_changed")[:2]
    leader, heir, isr, left = re.fullmatch(
        r"t-0: leader (\d) -> (\d), ISR (\d,\d,\d) -> (\d,\d)", lost
    ).groups()
    assert set("1,2,3") == set(isr)
    assert {heir, *left.split(",")} == {*isr.split(",")} - {leader}
    assert f"t-0: ISR {left} -> {left},{leader}" == back


def test_a_partition_without_a_leader_names_the_last_leader():
    lines = told({"at": "1s", "proc.crash": LEADER_LOST}, topics=topic(1, 1))

    lost, *_ = changed = texts(lines, "partition_changed")
    leader = re.fullmatch(r"t-0: no leader \(was (\d)\), ISR (\d) -> none, ELR none -> \2", lost)[1]
    assert f"t-0: leader none -> {leader}, ISR none -> {leader}" in changed


def test_partitions_that_change_at_one_instant_are_one_line():
    lines = told({"at": "1s", "proc.crash": {"on": 1, "for": "20s"}}, topics=topic(6, 3))

    text = texts(lines, "partition_changed")[0]
    leaders = r"leader 1 -> \d \([\d, ]+\)(, 1 -> \d \([\d, ]+\))?"
    assert re.fullmatch(rf"t: 6 partitions: {leaders}, ISR loses 1 \([\d, -]+\)", text)


def test_two_brokers_fenced_at_one_instant_are_one_line_as_their_partitions_are():
    """A new leader begins all leases at once, so they expire at once; each fence has a batch."""
    crash = {"at": "1s", "proc.crash": {"on": [1, 2, "active"], "for": "20s"}}
    lines = told(crash, controllers=3, topics=topic(6, 2))

    fences = [line for line in lines if line.kind == "broker_fenced"]
    changes = [line for line in lines if line.t_us == fences[0].t_us and line not in fences]
    assert re.fullmatch(r"brokers 1, 2 are fenced \(epochs \d+, \d+\)", fences[0].text)
    assert ["partition_changed"] == [line.kind for line in changes]
    assert changes[0].seq < fences[0].seqs[-1]


def test_a_line_that_would_be_too_long_says_how_many_changes_it_leaves_out():
    crash = {"at": "1s", "proc.crash": {"on": [1, 2, 3, 4, 5]}}
    lines = told(crash, brokers=9, topics=topic(40, 3))

    longest = max((line for line in lines if line.left_out), key=lambda line: len(line.text))
    assert longest.text.endswith(f"... and {longest.left_out} more")
    assert len(longest.text) <= 110
    assert not any(
        line.left_out for line in told(crash, brokers=9, topics=topic(40, 3), folds=False)
    )


def test_the_state_before_a_change_is_that_of_the_log_and_not_of_the_rows():
    """No row has the leader that a partition was created with."""
    run = run_of({"at": "1s", "proc.crash": LEADER_LOST}, topics=topic(1, 3))
    run.finish()
    line = next(line for line in story(run.world, run.stage) if line.kind == "partition_changed")

    offset = line.facts["offset"]
    (topic_before,) = run.world.history.at(offset - 1).topics.values()
    before = topic_before.partitions[0]
    (change,) = line.facts["partitions"]
    assert (before.leader, before.isr) == (change["leaderBefore"], change["isrBefore"])


def test_two_changes_of_one_partition_at_one_instant_are_one_change():
    states = [PartitionState(leader=leader, isr=isr) for leader, isr in MOVES]
    changes = [PartitionChange("t", 0, *pair) for pair in pairwise(states)]

    assert "t-0: leader 1 -> 3, ISR 1,2,3 -> 3" == partitions_text(changes).text


# Elections


def test_elections_of_an_isolated_voter_are_one_line_with_their_number():
    lines = told({"at": "1s"} | ISOLATED, controllers=3, seed=7)

    (alone,) = (line for line in lines if "3001" in line.text and "elections" in line.text)
    count = int(re.search(r"starts (\d+) elections in [\d.]+ s and wins none", alone.text)[1])
    assert count == len(alone.seqs) > 3
    seqs = [line.seq for line in lines]
    assert sorted(seqs) == seqs


def test_an_election_that_is_won_has_a_line_of_its_own():
    lines = told({"at": "1s", "proc.crash": {"on": "active"}}, controllers=3)
    winner = [line for line in lines if line.kind == "controller_elected"][-1]

    leader = winner.facts["leaderId"]
    assert f"controller {leader} starts an election" in texts(lines, "controller_stands")
    assert re.fullmatch(
        rf"controller {leader} is elected leader of epoch 2 \(votes of \d+, \d+\)", winner.text
    )


def kinds_of_lines(*kinds):
    """The kinds of rows in each line, for rows of controller 3001 in this order."""
    journal = Journal(Timeline(wall_start_ms=0), run_id="r", seed=1)
    for kind in kinds:
        detail = {"controller_elected": {"leader_id": 3001}}.get(kind, {})
        journal.write("controller-3001", kind, detail=detail)
    return [[row.kind for row in group] for group in grouped(journal.since(0))]


def test_the_election_that_ends_a_series_is_apart_from_those_that_were_lost():
    stands, elected = "controller_stands", "controller_elected"

    assert [[stands, stands], [stands], [elected]] == kinds_of_lines(
        stands, stands, stands, elected
    )


def test_a_fault_divides_a_series_of_elections():
    stands, fault = "controller_stands", "fault_begins"

    assert [[stands, stands], [fault], [stands]] == kinds_of_lines(stands, stands, fault, stands)


# Times, start-up and other stops


def test_times_count_from_the_begin_of_the_timetable_as_in_the_file():
    lines = told({"at": "10s", "proc.pause": {"on": 2, "for": "1500ms"}})

    begins, ends = (line for line in lines if line.kind.startswith("fault_"))
    assert (10_000_000, 11_500_000) == (begins.elapsed_us, ends.elapsed_us)
    assert begins.t_us > begins.elapsed_us
    assert " T+10.0s    11.834 s" == times_text(11_834_000, 10_000_000)
    assert "   11.834 s" == times_text(11_834_000, None)


def test_the_start_up_is_one_line_and_unfolded_a_line_per_row():
    step = {"at": "10s", "proc.pause": {"on": 2, "for": "1s"}}
    lines, rows = told(step, topics=topic(1, 3)), told(step, topics=topic(1, 3), folds=False)

    first = lines[0]
    assert re.fullmatch(
        r"start-up: 1 controller, 3 brokers, leader 3000 of epoch 1, topic t; \d\.\d s", first.text
    )
    assert "start_up" == first.kind
    assert [line.seq for line in rows[: len(first.seqs)]] == list(first.seqs)
    assert "broker 1 enters STARTING" in [line.text for line in rows]


def test_every_row_is_in_one_line():
    crash = {"at": "1s", "proc.crash": {"on": [1, 2]}}
    lines = told(crash, {"at": "2s"} | ISOLATED, controllers=3, topics=topic(6, 3))

    seqs = sorted(seq for line in lines for seq in line.seqs)
    assert list(range(len(seqs))) == seqs


def test_a_run_has_a_story_at_any_time_and_reading_it_changes_nothing():
    steps = ({"at": "1s", "proc.crash": {"on": 1, "for": "12s"}},)
    run, unread = run_of(*steps, topics=topic(6, 3)), run_of(*steps, topics=topic(6, 3))
    assert [] == story(run.world, run.stage)
    run.begin()
    assert {None} == {line.elapsed_us for line in story(run.world, run.stage)}
    run.begin_steps()
    lengths = []
    for _ in range(25):
        run.move(1_000_000)
        lengths.append(len(story(run.world, run.stage)))
    run.begin_calm()
    run.move(5_000_000)

    assert sorted(lengths) == lengths
    assert lengths[0] < lengths[-1]
    assert unread.finish().digest == run.judge().digest


def test_the_copy_of_a_run_has_the_same_story():
    run = run_of({"at": "1s", "proc.crash": {"on": 1, "for": "12s"}}, topics=topic(6, 3))
    run.begin()
    run.begin_steps()
    run.move(14_000_000)

    world, stage = copied((run.world, run.stage))
    assert story(run.world, run.stage) == story(world, stage)


def test_a_log_that_begins_at_a_snapshot_leaves_out_only_what_nobody_knows():
    """Of its first change, the state before was in records that the snapshot has replaced."""
    crashes = {"every": "12s", "times": 2, "proc.crash": LEADER_LOST | {"for": "11s"}}
    run = run_of(crashes, topics=topic(1, 3))
    run.finish()
    whole = texts(story(run.world, run.stage), "partition_changed")
    run.world.history.forget_before(run.world.committed_log.batches[-1].base_offset)

    first, *others = texts(story(run.world, run.stage), "partition_changed")
    assert whole[1:] == others
    assert re.sub(r"(\d|\d,\d,\d) -> ", "", whole[0]) == first
