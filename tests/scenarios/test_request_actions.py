"""What rpc.* does to requests and replies, in what order, and from when to when."""

from statistics import mean

import pytest

from kraftsim.controller.core.rpc import CreatableTopic, CreateTopicsRequest
from kraftsim.scenarios.language.lags import Lag
from kraftsim.scenarios.language.reading import Problem, document_of, read
from kraftsim.scenarios.verbs import VERBS
from kraftsim.simulation.copying import copied
from kraftsim.simulation.streams import Streams
from tests.scenarios.request_worlds import SECOND_US, Asked, begin, running


@pytest.fixture
def world():
    return running()


@pytest.mark.parametrize(("direction", "is_handled_at_once"), [("request", False), ("reply", True)])
def test_a_delay_is_before_or_after_the_request_is_handled(world, direction, is_handled_at_once):
    begin(world, "rpc.delay", {"api": "DescribeCluster", "by": "1s", "direction": direction})
    asked, began_us = Asked(world), world.timeline.now_us

    asked.ask()
    world.advance(2 * SECOND_US)

    assert (asked.handled[0][1] == began_us) is is_handled_at_once
    assert asked.answered[0][1] == began_us + SECOND_US


@pytest.mark.parametrize(("direction", "handled"), [("request", 0), ("reply", 1)])
def test_a_barrier_holds_requests_or_replies_until_it_ends(world, direction, handled):
    stage, fault = begin(world, "rpc.hold", {"api": "DescribeCluster", "direction": direction})
    asked = Asked(world)

    asked.ask(1)
    asked.ask(2)
    world.advance(SECOND_US)
    before = len(asked.handled), len(asked.answered)
    stage.lift(fault)

    assert before == (2 * handled, 0)
    assert asked.order == [1, 2]


@pytest.mark.parametrize(("direction", "handled"), [("request", 0), ("reply", 1)])
def test_a_lost_reply_follows_a_handled_request(world, direction, handled):
    begin(world, "rpc.drop", {"api": "DescribeCluster", "direction": direction})
    asked = Asked(world)

    asked.ask()
    world.advance(SECOND_US)

    assert (len(asked.handled), asked.answered) == (handled, [])


def test_a_reply_counts_when_it_comes_and_not_when_its_request_does(world):
    stage, _ = begin(world, "rpc.hold", {"api": "DescribeCluster"}, "hold")
    words = {"api": "DescribeCluster", "direction": "reply"}
    replies = stage.begin(read(VERBS["rpc.observe"], words), "rpc.observe", "replies")
    asked = Asked(world)

    asked.ask()
    before = replies.effects()
    stage.lift(stage.faults[0])

    assert (before, replies.effects()) == (0, 1)


def test_the_first_of_two_faults_of_replies_acts_first(world):
    words = {"api": "DescribeCluster", "direction": "reply", "count": 1}
    stage, first = begin(world, "rpc.drop", words, "first")
    second = stage.begin(read(VERBS["rpc.drop"], words), "rpc.drop", "second")
    asked, hits = Asked(world), []

    for _ in range(3):
        asked.ask()
        hits.append((first.effects(), second.effects(), len(asked.answered)))

    assert hits == [(1, 0, 0), (1, 1, 0), (1, 1, 1)]


def test_requests_of_a_window_are_handled_in_a_drawn_order(world):
    begin(world, "rpc.reorder", {"api": "DescribeCluster", "window": 8, "within": "1s"})
    asked, began_us = Asked(world), world.timeline.now_us

    for number in range(20):
        asked.ask(number)
    at_once = list(asked.order)
    world.advance(2 * SECOND_US)

    assert sorted(at_once) == list(range(16))
    assert (sorted(at_once[:8]), sorted(at_once[8:])) == (list(range(8)), list(range(8, 16)))
    assert at_once[:8] != list(range(8))
    assert sorted(asked.order[16:]) == [16, 17, 18, 19]
    assert {at_us - began_us for _, at_us, _ in asked.answered[16:]} == {SECOND_US}


def test_a_full_window_does_not_shorten_the_time_of_the_next(world):
    begin(world, "rpc.reorder", {"api": "DescribeCluster", "window": 2, "within": "1s"})
    asked, began_us = Asked(world), world.timeline.now_us

    asked.ask()
    asked.ask()
    world.advance(SECOND_US // 2)
    asked.ask(3)
    world.advance(2 * SECOND_US)

    assert [at_us - began_us for number, at_us, _ in asked.answered if number == 3] == [1_500_000]


def test_a_connection_that_fails_with_its_process_is_no_reply():
    world = running(controllers=3)
    words = {"api": "CreateTopics", "direction": "reply"}
    _, fault = begin(world, "rpc.observe", words)
    topic = CreatableTopic(name="orders", num_partitions=1, replication_factor=1)
    answers = []

    world.dispatch(CreateTopicsRequest(topics=(topic,)), answers.append)  # waits for a majority
    world.kill_controller(world.active.node.config.node_id)

    assert (len(answers), fault.effects()) == (1, 0)


def test_the_order_repeats_with_the_seed():
    def order(seed, direction):
        world = running(seed=seed)
        words = {"api": "DescribeCluster", "window": 10, "direction": direction}
        begin(world, "rpc.reorder", words)
        asked = Asked(world)
        for number in range(10):
            asked.ask(number)
        return asked.order

    assert order(1, "request") == order(1, "request") == order(1, "reply")
    assert order(1, "request") != order(2, "request")


def test_the_end_of_the_fault_releases_what_a_window_has_collected(world):
    stage, fault = begin(world, "rpc.reorder", {"api": "DescribeCluster", "within": "9s"})
    asked = Asked(world)

    for number in range(3):
        asked.ask(number)
    before = asked.order
    stage.lift(fault)

    assert (before, sorted(asked.order)) == ([], [0, 1, 2])


def test_a_rule_acts_from_a_time_on_and_before_another(world):
    words = {"api": "DescribeCluster", "from": "2s", "until": "4s", "after": 1}
    _, fault = begin(world, "rpc.observe", words)
    asked, hits = Asked(world), []

    for _ in range(6):
        asked.ask()
        hits.append(fault.effects())
        world.advance(SECOND_US)

    assert hits == [0, 0, 0, 1, 1, 1]  # at 2 s it skips the first request of its time


def test_held_requests_stay_held_after_the_time_in_which_a_barrier_closes(world):
    stage, fault = begin(world, "rpc.hold", {"api": "DescribeCluster", "until": "1s"})
    asked = Asked(world)

    asked.ask(1)
    world.advance(2 * SECOND_US)
    asked.ask(2)
    stage.lift(fault)

    assert asked.order == [2, 1]


def lags_of(by):
    draw = read(Lag, by).draws(Streams(1).of("lags"))
    return [draw() for _ in range(4000)]


def test_lags_are_fixed_or_drawn_for_each_request():
    assert set(lags_of("300ms")) == {300_000}
    uniform = lags_of({"uniform": {"low": "1ms", "high": "3ms"}})
    assert (min(uniform) >= 1_000, max(uniform) <= 3_000) == (True, True)
    assert 1_900 < mean(uniform) < 2_100
    assert 18_000 < mean(lags_of({"exponential": {"mean": "20ms"}})) < 22_000
    lognormal = sorted(lags_of({"lognormal": {"median": "5ms", "p99": "80ms"}}))
    assert 4_500 < lognormal[2000] < 5_500
    assert 60_000 < lognormal[3960] < 105_000


def test_each_request_gets_a_lag_of_its_own(world):
    words = {"api": "DescribeCluster", "by": {"uniform": {"low": "1ms", "high": "1s"}}}
    begin(world, "rpc.delay", words)
    asked = Asked(world)

    for number in range(10):
        asked.ask(number)
    world.advance(SECOND_US)

    assert asked.order != list(range(10))
    assert len({at_us for _, at_us, _ in asked.answered}) == 10


@pytest.mark.parametrize(
    "by",
    [
        "300ms",
        {"uniform": {"low": "1ms", "high": "20ms"}},
        {"exponential": {"mean": "20ms"}},
        {"lognormal": {"median": "5ms", "p99": "80ms"}},
        {"of": "session", "times": 2.0},
    ],
)
def test_a_lag_is_written_as_it_is_read(by):
    assert document_of(read(VERBS["rpc.delay"], {"by": by})) == {"by": by}


@pytest.mark.parametrize(
    ("verb", "words", "message"),
    [
        ("rpc.delay", {"by": {"unifrm": {}}}, r"expected a time or .*'uniform' \(nearest\)"),
        ("rpc.delay", {"by": {"uniform": {"low": "2s", "high": "1s"}}}, "low to be at most high"),
        ("rpc.delay", {"by": {"lognormal": {"median": "0s", "p99": "1s"}}}, "expected 1us or more"),
        ("rpc.delay", {"by": {"exponential": {}}}, "expected the key 'mean'"),
        (
            "rpc.delay",
            {"by": "1s", "direction": "back"},
            "direction: expected request, reply, got 'back'",
        ),
        ("rpc.drop", {"from": "2s", "until": "1s"}, "expected from to be at most until"),
        ("rpc.reorder", {"window": 1}, "expected 2 to 1000, got 1"),
        ("rpc.error", {"code": 41, "direction": "reply"}, "unknown key 'direction'"),
    ],
)
def test_a_mistake_names_what_was_expected(verb, words, message):
    with pytest.raises(Problem, match=message):
        read(VERBS[verb], words)


IN_THE_MIDST = [
    ("rpc.drop", {"p": 0.5}),
    ("rpc.delay", {"by": {"exponential": {"mean": "1s"}}}),
    ("rpc.delay", {"by": "900ms", "direction": "reply"}),
    ("rpc.reorder", {"window": 7, "within": "3s"}),
    ("rpc.reorder", {"window": 7, "within": "3s", "direction": "reply"}),
    ("rpc.hold", {"until": "2s"}),
    ("rpc.hold", {"until": "2s", "direction": "reply"}),
    ("rpc.duplicate", {"every": 2}),
    ("rpc.error", {"code": 41, "epoch": "current", "p": 0.3}),
    ("rpc.close", {"apply": "after", "broker": 2, "p": 0.5}),
    ("rpc.corrupt", {"p": 0.2}),
    ("rpc.throttle", {"by": "1s"}),
    ("rpc.transfer", {"api": "BrokerHeartbeat", "every": 5, "apply": "after"}),
    ("rpc.forget", {"api": "BrokerHeartbeat"}),
]


@pytest.mark.parametrize(("verb", "words"), IN_THE_MIDST)
def test_a_copy_of_a_world_goes_on_with_its_faults(verb, words):
    world = running(controllers=3)
    stage, fault = begin(world, verb, {"api": ["BrokerHeartbeat", "Fetch"], **words})
    world.advance(5 * SECOND_US)
    before = fault.effects(), len(fault.log.hits)
    twin_stage, twin_fault = copied((stage, fault))

    for each, its_fault in ((twin_stage, twin_fault), (stage, fault)):
        each.world.advance(9 * SECOND_US)
        each.lift(its_fault)
        each.world.advance(20 * SECOND_US)
        if each is twin_stage:  # the original has not noticed
            assert (fault.effects(), len(fault.log.hits)) == before

    assert twin_fault.effects() == fault.effects() > before[0] - (verb == "rpc.hold")
    assert list(twin_fault.log.hits) == list(fault.log.hits)
    ours, theirs = world.journal.since(0), twin_stage.world.journal.since(0)
    assert (theirs, twin_stage.world.timeline.scheduled_count) == (
        ours,
        world.timeline.scheduled_count,
    )
