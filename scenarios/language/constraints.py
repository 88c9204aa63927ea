"""Constraints of values beyond their types: one of several words, or a number within a range.

A constraint is written beside the type, as in `Annotated[str, OneOf(STATES)]`, so that reading and
the published schema (`schema.py`) agree. `check` raises ValueError, which states the expected
and the actual value.
"""

from dataclasses import dataclass

from .suggestions import nearest


@dataclass(frozen=True)
class OneOf:
    """Constraint: the value is one of `words`."""

    words: tuple[str, ...]

    def check(self, value: object) -> None:
        """Raises ValueError with the nearest known word if the value is not one of `words`."""
        if value not in self.words:
            raise ValueError(f"expected {nearest(str(value), self.words)}, got {value!r}")

    def to_schema(self) -> dict[str, object]:
        """Returns the constraint in JSON Schema."""
        return {"enum": list(self.words)}


@dataclass(frozen=True)
class Between:
    """Constraint: the number is from `least` to `most`, both included."""

    least: float
    most: float

    def check(self, value: object) -> None:
        """Raises ValueError if the number is out of range."""
        if isinstance(value, int | float) and not self.least <= value <= self.most:
            raise ValueError(f"expected {self.least} to {self.most}, got {value}")

    def to_schema(self) -> dict[str, object]:
        """Returns the constraint in JSON Schema."""
        return {"minimum": self.least, "maximum": self.most}


@dataclass(frozen=True)
class Pair:
    """Constraint: a list has two parts. An absent list (None) is valid."""

    def check(self, value: object) -> None:
        """Raises ValueError if the list has another length than 2."""
        if isinstance(value, tuple) and len(value) != 2:
            raise ValueError(f"expected two parts, got {len(value)}")


@dataclass(frozen=True)
class Bare:
    """Allows a list of one word to be written without brackets."""

    def listed(self, value: object) -> object:
        """Returns a bare word as a list of one word, and any other value unchanged."""
        return [value] if isinstance(value, str) else value
