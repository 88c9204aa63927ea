"""The charts of a report: bars, boxes, intervals and curves, as SVG."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .svg import LETTER, Picture, Scale, scale_of, shortened

WIDTH = 880.0
ROW = 24.0
LABEL_MAX = 46  # characters
FOOT = 34.0
Formatter = Callable[[float], str]


@dataclass(frozen=True, slots=True)
class Bar:
    """A row of a bar chart: a bar of several parts, each with a CSS class, a size and a tooltip."""

    label: str
    parts: tuple[tuple[str, float, str], ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Box:
    """A row of a box plot: five quantiles in ascending order, and one far quantile as a dot.

    `tooltip` is the tooltip.
    """

    label: str
    numbers: tuple[float, float, float, float, float]
    far: float
    note: str
    tooltip: str


@dataclass(frozen=True, slots=True)
class Whisker:
    """A row of an interval chart: a value between the ends of its interval."""

    label: str
    low: float
    middle: float
    high: float
    note: str
    class_: str = "mark"


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve: its label and its points in ascending order."""

    label: str
    points: tuple[tuple[float, float], ...]


def bars(title: str, rows: Sequence[Bar]) -> str:
    """Returns a chart of bars of equal length, for shares of a whole."""
    left, right = _margins([row.label for row in rows], [row.note for row in rows])
    picture = Picture(WIDTH, ROW * len(rows) + 4, title)
    for number, row in enumerate(rows):
        y = number * ROW
        _label(picture, left, y, row.label)
        total = sum(size for _, size, _ in row.parts) or 1.0
        x = left
        for class_, size, tooltip in row.parts:
            width = (WIDTH - right - left) * size / total
            if size:
                picture.rect((x, y + 4), (width, ROW - 8), f"{class_} bar", tooltip)
            x += width
        picture.text((WIDTH - right + 8, y + 16), row.note, "note")
    return picture.to_svg()


def boxes(title: str, rows: Sequence[Box], formatter: Formatter) -> str:
    """Returns a box plot; `formatter` formats the numbers of the axis."""
    left, right = _margins([row.label for row in rows], [row.note for row in rows])
    numbers = [number for row in rows for number in (*row.numbers, row.far)]
    scale = scale_of(numbers, left, WIDTH - right)
    picture = Picture(WIDTH, ROW * len(rows) + FOOT, title)
    _axis(picture, scale, ROW * len(rows), formatter)
    for number, row in enumerate(rows):
        y = number * ROW
        _label(picture, left, y, row.label)
        low, quarter, half, three_quarters, high = map(scale.at, row.numbers)
        picture.line((low, y + 12), (high, y + 12), "whisker")
        width = max(2.0, three_quarters - quarter)
        picture.rect((quarter, y + 5), (width, 14), "box", row.tooltip)
        picture.line((half, y + 4), (half, y + 20), "median")
        picture.dot((scale.at(row.far), y + 12), "far", row.tooltip, radius=2.5)
        picture.text((WIDTH - right + 8, y + 16), row.note, "note")
    return picture.to_svg()


def whiskers(
    title: str, rows: Sequence[Whisker], formatter: Formatter, ends: tuple[float, float]
) -> str:
    """Returns a chart of values with their intervals and a line at zero.

    `ends` are the ends of the axis, whose numbers `formatter` formats.
    """
    left, right = _margins([row.label for row in rows], [row.note for row in rows])
    scale = Scale(*ends, left, WIDTH - right)
    picture = Picture(WIDTH, ROW * len(rows) + FOOT, title)
    _axis(picture, scale, ROW * len(rows), formatter)
    zero = scale.at(0)
    picture.line((zero, 0), (zero, ROW * len(rows)), "zero")
    for number, row in enumerate(rows):
        y = number * ROW + 12
        _label(picture, left, y - 12, row.label)
        picture.line((scale.at(row.low), y), (scale.at(row.high), y), f"{row.class_} interval")
        tooltip = f"{row.label}: {row.note}"
        picture.dot((scale.at(row.middle), y), row.class_, tooltip)
        picture.text((WIDTH - right + 8, y + 4), row.note, "note")
    return picture.to_svg()


def curves(title: str, rows: Sequence[Curve], across: str, up: str) -> str:
    """Returns a chart of ascending step curves, labelled at their right ends."""
    height, foot = 300.0, FOOT + 14
    right = 20 + LETTER * max((len(row.label) for row in rows), default=0)
    far = max((x for row in rows for x, _ in row.points), default=1.0)
    high = max((y for row in rows for _, y in row.points), default=1.0)
    over, upward = Scale(0, far, 60, WIDTH - right), Scale(0, high * 1.05, height, 14)
    picture = Picture(WIDTH, height + foot, title)
    _axis(picture, over, height, lambda number: f"{number:,.0f}")
    for tick in upward.ticks():
        picture.line((60, upward.at(tick)), (WIDTH - right, upward.at(tick)), "grid")
        picture.text((52, upward.at(tick) + 4), f"{tick:,.0f}", "tick", "end")
    picture.text((60, 10), up, "tick")
    picture.text((WIDTH - right, height + foot - 6), across, "tick", "end")
    below = -ROW
    for number, row in enumerate(sorted(rows, key=lambda row: -row.points[-1][1])):
        picture.path(_steps(row, over, upward), f"curve colour-{number % 6}")
        below = max(below + 15, upward.at(row.points[-1][1]))  # labels must not overlap
        picture.text((WIDTH - right + 8, below + 4), row.label, f"note text-{number % 6}")
    return picture.to_svg()


def _steps(row: Curve, over: Scale, upward: Scale) -> list[tuple[float, float]]:
    points = [(over.at(0), upward.at(0))]
    for x, y in row.points:
        points += [(over.at(x), points[-1][1]), (over.at(x), upward.at(y))]
    return points


def _margins(labels: Sequence[str], notes: Sequence[str]) -> tuple[float, float]:
    longest = max((min(len(label), LABEL_MAX) for label in labels), default=0)
    return longest * LETTER + 14, max((len(note) for note in notes), default=0) * LETTER + 16


def _label(picture: Picture, left: float, y: float, label: str) -> None:
    picture.text((left - 10, y + 16), shortened(label, LABEL_MAX), "label", "end")


def _axis(picture: Picture, scale: Scale, y: float, formatter: Formatter) -> None:
    for tick in scale.ticks():
        x = scale.at(tick)
        picture.line((x, 0), (x, y), "grid")
        picture.text((x, y + 18), formatter(tick), "tick", "middle")
