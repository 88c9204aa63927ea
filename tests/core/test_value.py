"""Values behave as dataclasses do, although their methods are generated at the first call."""

import copy
import pickle
from dataclasses import field, fields, replace

import pytest

from kraftsim.controller.core.value import slotted, value


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


@slotted(eq=False)
class Counter:
    """An object that changes, with an identity."""

    count: int = 0
    seen: list[int] = field(default_factory=list)
    missed: int = field(default=7, init=False)


@slotted(unsafe_hash=True)
class Place:
    """An object with a field that is no argument."""

    name: str
    length: int = field(init=False)

    def __post_init__(self) -> None:
        self.length = len(self.name)


def test_an_object_that_changes_has_its_identity_or_its_fields() -> None:
    counter = Counter()
    counter.count += 1
    counter.seen.append(counter.count)

    assert (counter.count, counter.seen, Counter(3).seen) == (1, [1], [])
    assert Counter() != Counter()
    assert {Place("a"), Place("a")} == {Place("a")}
    with pytest.raises(TypeError, match="takes 2 positional arguments but 3 were given"):
        Place("a", 1)  # type: ignore[call-arg]  # what is refused
    assert repr(Place("ab")) == "Place(name='ab', length=2)"


def test_the_hundredth_object_is_like_the_first() -> None:
    """The first objects are filled without a generated `__init__`."""
    made = [Counter(number) for number in range(250)]

    assert [counter.count for counter in made] == [*range(250)]
    assert all((counter.seen, counter.missed) == ([], 7) for counter in made)
    assert made[0].seen is not made[1].seen
    with pytest.raises(TypeError, match="unexpected keyword argument 'number'"):
        Counter(number=1)  # type: ignore[call-arg]  # what is refused


@pytest.mark.parametrize(
    ("arguments", "named", "error"),
    [
        ((), {}, "missing 1 required positional argument: 'low'"),
        ((1, 2, 3), {}, "takes from 2 to 3 positional arguments but 4 were given"),
        ((1,), {"low": 1}, "multiple values for argument 'low'"),
        ((1,), {"size": 1}, "unexpected keyword argument 'size'"),
    ],
)
def test_the_first_object_of_a_class_refuses_wrong_arguments(
    arguments: tuple[int, ...], named: dict[str, int], error: str
) -> None:
    @value(kw_only=False)
    class Fresh:
        """A class without objects."""

        low: int
        high: int = 9

    with pytest.raises(TypeError, match=error):
        Fresh(*arguments, **named)
