"""Expressions of client metrics that strangers write cost a bounded time (docs/security.md)."""

import pytest

from kraftsim.broker_agent.client_match import (
    CHARS_MAX,
    EXPRESSION_CHARS_MAX,
    STEPS_MAX,
    ClientMatch,
)

GROWS_EXPONENTIALLY = "(a|aa)+$"
LONGEST_CLIENT_ID = "a" * 32_766 + "!"


def test_no_expression_keeps_the_service_from_others() -> None:
    # with an engine that goes back this test would not end
    assert not ClientMatch()(GROWS_EXPONENTIALLY, LONGEST_CLIENT_ID)
    assert not ClientMatch()("(?:(x*)*){1000}y", "x" * 32_767)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("a" * (EXPRESSION_CHARS_MAX + 1), "a" * (EXPRESSION_CHARS_MAX + 1)),
        ("(?:a{1000}){1000}", "a" * 1_000_000),
        ("(?:a?){900}", "a" * (STEPS_MAX // 900 + 1)),
        ("(?:\U0001f600?){100}.*", "\U0001f600" * 1_000),
    ],
    ids=["too long", "too large", "too many steps", "too many steps of four bytes"],
)
def test_an_expression_beyond_its_bounds_matches_nothing(expression: str, text: str) -> None:
    assert not ClientMatch()(expression, text)


def test_all_expressions_for_one_client_have_bounds_together() -> None:
    long, dear = "a?" * (EXPRESSION_CHARS_MAX // 2), "(?:a?){300}"
    of_chars, of_steps = ClientMatch(), ClientMatch()

    found = [of_chars(f"{number:04}|{long[6:]}", "a") for number in range(20)]
    assert found == [True] * (CHARS_MAX // EXPRESSION_CHARS_MAX) + [False] * 10
    found = [of_steps(dear + "|b" * number, "a" * 300) for number in range(20)]
    assert (found[0], found[-1]) == (True, False)
    assert ClientMatch()(dear + "|b" * 19, "a" * 300)


def test_what_comes_again_costs_nothing() -> None:
    matches = ClientMatch()

    assert all(matches("a?" * (EXPRESSION_CHARS_MAX // 2), "a") for _ in range(20))


def test_within_its_bounds_an_expression_matches_long_texts() -> None:
    assert ClientMatch()("a" * 900, "a" * 900)
    assert ClientMatch()("(a|b)*", "ab" * 10_000)
    assert ClientMatch()("(?:a?){900}", "a" * 500)


@pytest.mark.parametrize("expression", ["(?=a)a", "(a)\\1", "a++", "(", "\\h"])
def test_what_the_engine_cannot_parse_matches_nothing(expression: str) -> None:
    assert not ClientMatch()(expression, "a")
