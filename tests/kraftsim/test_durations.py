"""Durations as people write them."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kraftsim.scenarios.language.durations import DURATION_US_MAX, microseconds


@pytest.mark.parametrize(
    ("text", "expected_us"),
    [
        ("11s", 11_000_000),
        ("250ms", 250_000),
        ("2m", 120_000_000),
        ("1h", 3_600_000_000),
        ("7us", 7),
        ("1.5s", 1_500_000),
        ("0.25ms", 250),
        ("0s", 0),
        ("20", 20_000_000),
        (20, 20_000_000),
        (0.5, 500_000),
        (" 3 s ", 3_000_000),
        ("366", 366_000_000),
    ],
)
def test_a_number_and_a_unit_are_microseconds(text: str | float, expected_us: int) -> None:
    assert microseconds(text) == expected_us


@pytest.mark.parametrize(
    "text", ["", "s", "-1s", "1 week", "1s 2s", "1,5s", "0x1s", "1e3", "nan", "inf", "1S", ".5s"]
)
def test_anything_else_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="expected a duration such as 11s, 250ms or 2m, got"):
        microseconds(text)


@pytest.mark.parametrize("text", ["9" * 400, "8785h", "1000000h"])
def test_a_duration_is_at_most_a_year(text: str) -> None:
    with pytest.raises(ValueError, match="at most a year") as refused:
        microseconds(text)
    assert len(str(refused.value)) < 100


@given(st.integers(0, DURATION_US_MAX))
def test_whole_microseconds_come_back_exactly(count: int) -> None:
    assert microseconds(f"{count}us") == count


@given(st.text())
def test_a_text_is_a_duration_within_a_year_or_refused(text: str) -> None:
    with suppress(ValueError):
        assert 0 <= microseconds(text) <= DURATION_US_MAX
