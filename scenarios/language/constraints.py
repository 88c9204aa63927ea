"""What a value must be beyond its type: one of some words, a number within a range.

Written beside the type, as `Annotated[str, OneOf(STATES)]`, so that reading and the published
schema (`schema.py`) say the same. `check` raises ValueError with what was expected and what came.
"""

from dataclasses import dataclass

from .suggestions import nearest


@dataclass(frozen=True)
class OneOf:
    words: tuple[str, ...]

    def check(self, value: object) -> None:
        if value not in self.words:
            raise ValueError(f"expected {nearest(str(value), self.words)}, got {value!r}")

    def to_schema(self) -> dict[str, object]:
        return {"enum": list(self.words)}


@dataclass(frozen=True)
class Between:
    least: float
    most: float

    def check(self, value: object) -> None:
        if isinstance(value, int | float) and not self.least <= value <= self.most:
            raise ValueError(f"expected {self.least} to {self.most}, got {value}")

    def to_schema(self) -> dict[str, object]:
        return {"minimum": self.least, "maximum": self.most}


@dataclass(frozen=True)
class Pair:
    """Of a list that may be left out: if it is there it has two parts."""

    def check(self, value: object) -> None:
        if isinstance(value, tuple) and len(value) != 2:
            raise ValueError(f"expected two parts, got {len(value)}")


@dataclass(frozen=True)
class Bare:
    """A list of one word may be written without its brackets."""

    def listed(self, value: object) -> object:
        return [value] if isinstance(value, str) else value
