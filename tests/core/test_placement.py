"""Where replicas go: rules 4.40 to 4.49."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kraftsim.controller.core.errors import ApiError
from kraftsim.controller.core.partitions.placement import Candidate, Placer, candidates, layout_of
from kraftsim.controller.core.profile import KAFKA_4_3
from tests.builders import ControllerUnderTest, directory_of

ALL_FENCED = "All brokers are currently fenced, or have all their log directories cordoned."


def brokers(*racks, fenced=()):
    """Brokers 0, 1, 2 ... in these racks."""
    return [Candidate(i, rack, i in fenced) for i, rack in enumerate(racks)]


def placed(found, partitions, factor, seed=1):
    placer = Placer(layout_of(found), random.Random(seed).random)
    return placer.place(partitions=partitions, replication_factor=factor)


def in_order(*draws):
    """Entropy that begins with these; then 0."""
    left = list(draws)
    return lambda: left.pop(0) if left else 0.0


@pytest.mark.slow
@settings(deadline=None, max_examples=150)
@given(
    st.lists(st.tuples(st.sampled_from((None, "a", "b", "c")), st.booleans()), min_size=1,
             max_size=9),
    st.integers(1, 30),
    st.integers(1, 9),
    st.integers(0, 99),
)  # fmt: skip
@pytest.mark.rule("4.43", "4.46", "4.48", "4.49", "9.28")
def test_no_broker_twice_and_a_live_one_first(found, partitions, factor, seed):
    candidates_ = [Candidate(i, rack, fenced) for i, (rack, fenced) in enumerate(found)]
    live = {c.broker_id for c in candidates_ if not c.fenced}
    if not live or factor > len(candidates_):
        with pytest.raises(ApiError):
            placed(candidates_, partitions, factor, seed)
        return

    result = placed(candidates_, partitions, factor, seed)

    assert partitions == len(result)
    for replicas in result:
        assert factor == len(replicas) == len(set(replicas))
        assert replicas[0] in live


@pytest.mark.rule("4.49", "4.42")
@pytest.mark.parametrize("seed", range(20))
def test_racks_of_equal_size_share_replicas_equally(seed):
    found = brokers("a", "b", "c", "a", "b", "c")

    for replicas in placed(found, 12, 3, seed):
        assert {"a", "b", "c"} == {found[r].rack for r in replicas}


@pytest.mark.rule("4.49", "4.47")
@pytest.mark.parametrize("seed", range(20))
def test_rack_spread_beats_liveness(seed):
    found = brokers("a", "a", "b", fenced=(2,))

    for replicas in placed(found, 6, 2, seed):
        assert 2 == replicas[1]


@pytest.mark.rule("4.47", "4.49")
@pytest.mark.parametrize("seed", range(20))
def test_within_a_rack_the_live_come_first(seed):
    found = brokers(None, None, None, None, fenced=(0, 1))

    assert all({2, 3} == set(replicas) for replicas in placed(found, 6, 2, seed))
    assert all({2, 3} == set(replicas[:2]) for replicas in placed(found, 6, 3, seed))


@pytest.mark.rule("4.45", "4.46", "4.48")
@pytest.mark.parametrize("seed", range(20))
def test_every_live_broker_leads_once_before_any_leads_twice(seed):
    leaders = [replicas[0] for replicas in placed(brokers(*[None] * 5), 10, 3, seed)]

    assert set(range(5)) == set(leaders[:5]) == set(leaders[5:])


@pytest.mark.rule("4.45")
def test_after_one_round_the_order_is_drawn_anew():
    rounds = placed(brokers(*[None] * 4), 40, 2)

    assert 1 < len({tuple(rounds[i : i + 4]) for i in range(0, 40, 4)})


@pytest.mark.rule("4.42", "4.45", "4.48")
def test_placement_begins_where_the_dice_say():
    start_at_second = in_order(0.5)  # of four brokers, the third

    placer = Placer(layout_of(brokers(*[None] * 4)), start_at_second)
    result = placer.place(partitions=3, replication_factor=2)

    assert [(2, 3), (3, 0), (0, 1)] == result


@pytest.mark.rule("4.42", "4.46", "4.47")
def test_racks_take_turns_in_order_of_name_the_unnamed_first():
    found = brokers("b", "a", None)

    result = Placer(layout_of(found), in_order()).place(partitions=3, replication_factor=3)

    assert [(2, 1, 0), (1, 0, 2), (0, 2, 1)] == result


@pytest.mark.rule("4.46", "4.47")
def test_the_rack_of_the_first_replica_is_skipped_once():
    found = brokers("a", "b", "b", fenced=(0,))

    result = Placer(layout_of(found), in_order()).place(partitions=1, replication_factor=3)

    assert [(1, 0, 2)] == result


@pytest.mark.rule("4.43")
@pytest.mark.parametrize(
    ("found", "factor", "text"),
    [
        (
            brokers(fenced=()),
            0,
            "Invalid replication factor 0: the replication factor must be positive.",
        ),
        (brokers(None, fenced=(0,)), 2, ALL_FENCED),
        (brokers(), 1, ALL_FENCED),
        (
            brokers(None, None, fenced=(1,)),
            3,
            "The target replication factor of 3 cannot be reached because only 2 broker(s) are "
            "registered or some brokers have all their log directories cordoned.",
        ),
    ],
)
def test_what_cannot_be_placed_is_refused_in_this_order(found, factor, text):
    with pytest.raises(ApiError) as refused:
        placed(found, 1, factor)

    assert text == refused.value.message


@pytest.mark.rule("4.40")
def test_the_fenced_are_candidates_and_those_who_shut_down_are_not():
    cluster = ControllerUnderTest()
    cluster.unfenced(1, 2, rack="r")
    cluster.registered(3)
    cluster.created("t", (1,))
    cluster.heartbeat(1, want_shut_down=True)

    expected = [Candidate(2, "r", False), Candidate(3, None, True)]
    assert expected == candidates(cluster.node.state)


@pytest.mark.rule("4.40", "2.27")
def test_a_broker_that_finished_its_shutdown_is_placed_as_a_last_resort():
    """Bug 9 of an independent implementation."""
    cluster = ControllerUnderTest()
    cluster.unfenced(1, 2, 3)
    cluster.created("t", (1, 2, 3))
    cluster.heartbeat(1, want_shut_down=True)
    cluster.heartbeat(2)
    cluster.heartbeat(3)
    assert cluster.heartbeat(1, want_shut_down=True).should_shut_down

    cluster.created("u", num_partitions=6, replication_factor=3)

    leaders = Counter(cluster.partition("u", p).leader for p in range(6))
    assert {2, 3} == set(leaders)
    assert all(1 not in cluster.partition("u", p).isr for p in range(6))


@pytest.mark.rule("4.40", "4.43", "4.55")
def test_a_wholly_cordoned_broker_gets_replicas_by_hand_only():
    """Golden 4.3.1 A5, offsets 84, 85 and 96. Kafka 4.4 refuses the second topic, too (kept/)."""
    cluster = ControllerUnderTest(KAFKA_4_3)
    cluster.unfenced(1, 2)
    cluster.heartbeat(1, cordoned_log_dirs=(directory_of(1),))

    refused = cluster.create_topic("t", num_partitions=1, replication_factor=2)

    assert "only 1 broker(s) are registered or some brokers have" in refused.error_message
    assert 0 == cluster.create_topic("u", (1, 2)).error_code


@pytest.mark.rule("4.40", "4.39")
def test_a_broker_with_one_directory_left_is_a_candidate():
    cluster = ControllerUnderTest()
    cluster.unfenced(1, log_dirs=(directory_of(1), directory_of(1, 1)))
    cluster.heartbeat(1, cordoned_log_dirs=(directory_of(1),))

    assert 0 == cluster.create_topic("t").error_code
