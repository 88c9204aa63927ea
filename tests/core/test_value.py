"""Values behave as dataclasses do, although their methods are generated at the first call."""

import copy
import pickle
from dataclasses import field, fields, replace

import pytest

from kraftsim.controller.core.value import value


@value
class Point:
    """A value with defaults before fields without one."""

    x: int = 0
    y: int
    tags: tuple[str, ...] = field(default=(), compare=False)
    notes: list[str] = field(default_factory=list, compare=False)


@value(kw_only=False)
class Range:
    """A value that checks its fields, which are given by position."""

    low: int
    high: int = 9

    def __post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError(f"expected low <= {self.high}, got {self.low}")


def test_fields_have_their_defaults() -> None:
    point = Point(y=2)

    assert (point.x, point.y, point.tags, point.notes) == (0, 2, (), [])
    assert point.notes is not Point(y=2).notes
    assert [item.name for item in fields(Point)] == ["x", "y", "tags", "notes"]
    assert repr(Range(3)) == "Range(low=3, high=9)"


def test_values_are_compared_and_hashed_by_their_fields() -> None:
    assert Point(y=2, tags=("a",)) == Point(x=0, y=2)
    assert Point(y=2) != Point(y=3)
    assert Range(1) != Point(y=1)
    assert {Range(1), Range(1, 9), Range(2)} == {Range(1), Range(2)}


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'y'"):
        Point(x=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="positional"):
        Point(1, 2)  # type: ignore[call-arg, misc]
    with pytest.raises(ValueError, match="expected low <= 9, got 10"):
        Range(10)


def test_values_are_copied_with_changes_and_survive_pickling() -> None:
    assert replace(Point(y=2), x=1) == Point(x=1, y=2)
    assert pickle.loads(pickle.dumps(Range(1))) == copy.deepcopy(Range(1)) == Range(1)


def test_a_value_has_no_other_attributes() -> None:
    with pytest.raises(AttributeError):
        Point(y=2).z = 3  # type: ignore[attr-defined]
