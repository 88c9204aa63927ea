"""How sure a number is; held against worked examples of the papers, and against drawn histories."""

from random import Random

import pytest

from kraftsim.pipeline.analysis.statistics import (
    difference,
    expected_new,
    paired_difference,
    quantile_bounds,
    share_of,
    sign_test,
)


def test_the_interval_of_a_share_is_wilson_s() -> None:
    """Newcombe 1998, table I: 81 of 263, 15 of 148, 0 of 20."""
    for hits, of, low, high in ((81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605)):
        share = share_of(hits, of)
        assert (low, high) == (round(share.low, 4), round(share.high, 4))
    none = share_of(0, 20)
    assert (0.0, 0.1611) == (none.low, round(none.high, 4))


def test_of_nothing_nothing_is_known() -> None:
    assert (0.0, 1.0) == (share_of(0, 0).low, share_of(0, 0).high)


def test_the_interval_of_a_difference_is_newcombe_s() -> None:
    """Newcombe 1998, table II, method 10: 56 of 70 against 48 of 80; 9 of 10 against 3 of 10."""
    for first, other, low, high in (
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
    ):
        found = difference(share_of(*first), share_of(*other))
        assert (low, high) == (round(found.low, 4), round(found.high, 4))
        assert found.is_clear


def test_a_difference_that_may_be_none_is_not_clear() -> None:
    found = difference(share_of(5, 10), share_of(4, 10))

    assert not found.is_clear
    assert found.least < 0


def test_an_uneven_split_is_as_likely_as_coins_say() -> None:
    assert 0.109375 == sign_test(8, 2)
    assert 1.0 == sign_test(0, 0)
    assert 1.0 == sign_test(5, 5)
    assert sign_test(600, 400) == pytest.approx(sign_test(601, 400), rel=0.2)  # exact, and not


def test_pairs_that_change_both_ways_alike_differ_by_nothing() -> None:
    found = paired_difference(7, 7, 100)

    assert 0 == found.by
    assert found.low < 0 < found.high
    assert paired_difference(20, 1, 100).is_clear


def test_the_true_quantile_lies_between_its_bounds_about_as_often_as_said() -> None:
    random, held = Random(1), 0
    for _ in range(400):
        drawn = sorted(random.random() for _ in range(200))
        low, high = quantile_bounds(0.9, 200)
        held += drawn[int(low * 199)] <= 0.9 <= drawn[min(199, int(high * 199) + 1)]

    assert 0.9 < held / 400 <= 1.0


def test_of_few_numbers_the_end_of_an_interval_is_not_known() -> None:
    assert (None, None) == quantile_bounds(0.5, 1)
    low, high = quantile_bounds(0.99, 300)
    assert low is not None
    assert high is None  # the largest of 300 may well lie below it
    assert None not in quantile_bounds(0.99, 400)


def history(random: Random, runs: int) -> list[set[int]]:
    """Runs that show some of 300 kinds of things, a few of them often and most of them rarely."""
    return [
        {kind for kind in range(1, 300) if random.random() < 2 / kind**1.4} for _ in range(runs)
    ]


def counts(runs: list[set[int]]) -> dict[int, int]:
    found: dict[int, int] = {}
    for shown in runs:
        for kind in shown:
            found[kind] = found.get(kind, 0) + 1
    return found


def test_what_half_of_the_runs_let_expect_the_other_half_shows() -> None:
    """Good and Turing's share, and how many new kinds there will be: about right on average."""
    random = Random(2)
    said = shown = expected = found = 0.0
    for _ in range(30):
        first, second = history(random, 60), history(random, 60)
        seen = counts(first)
        once = {kind for kind, runs in seen.items() if runs == 1}
        said += share_of(sum(1 for number in first if number & once), 60).share
        shown += sum(1 for number in second if number - seen.keys()) / 60
        twice = sum(1 for runs in seen.values() if runs == 2)
        expected += expected_new(len(once), twice, 60, 60)
        found += len(set().union(*second) - seen.keys())

    assert shown == pytest.approx(said, rel=0.1)
    assert found == pytest.approx(expected, rel=0.2)


def test_who_has_seen_all_there_is_expects_nothing_new() -> None:
    assert 0 == expected_new(0, 5, 100, 100)
