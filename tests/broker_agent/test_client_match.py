"""Expressions of client metrics that strangers write cost a bounded time (docs/security.md)."""

import pytest

from kraftsim.broker_agent.client_match import (
    EXPRESSION_CHARS_MAX,
    STEPS_MAX,
    matches_fully,
)

GROWS_EXPONENTIALLY = "(a|aa)+$"
LONGEST_CLIENT_ID = "a" * 32_766 + "!"


def test_no_expression_keeps_the_service_from_others() -> None:
    # with an engine that goes back this test would not end
    assert not matches_fully(GROWS_EXPONENTIALLY, LONGEST_CLIENT_ID)
    assert not matches_fully("(?:(x*)*){1000}y", "x" * 32_767)


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("a" * (EXPRESSION_CHARS_MAX + 1), "a" * (EXPRESSION_CHARS_MAX + 1)),
        ("(?:a{1000}){1000}", "a" * 1_000_000),
        ("(?:a?){900}", "a" * (STEPS_MAX // 900 + 1)),
    ],
    ids=["too long", "too large", "too many steps"],
)
def test_an_expression_beyond_its_bounds_matches_nothing(expression: str, text: str) -> None:
    assert not matches_fully(expression, text)


def test_within_its_bounds_an_expression_matches_long_texts() -> None:
    assert matches_fully("a" * 900, "a" * 900)
    assert matches_fully("(a|b)*", "ab" * 10_000)
    assert matches_fully("(?:a?){900}", "a" * 500)


@pytest.mark.parametrize("expression", ["(?=a)a", "(a)\\1", "a++", "(", "\\h"])
def test_what_the_engine_cannot_parse_matches_nothing(expression: str) -> None:
    assert not matches_fully(expression, "a")
