"""Pictures as SVG. Their colours are classes of the style sheet, which has a dark mode."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from math import ceil, floor, log10

Point = tuple[float, float]
LETTER = 6.6  # approximate width of a letter of a label, in pixels


def element(tag: str, inside: str = "", **attributes: object) -> str:
    """Returns an XML element; an attribute's trailing `_` is removed, other `_` become `-`."""
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(_attribute_text(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    return f"<{tag}{written}>{inside}</{tag}>"


@dataclass(slots=True)
class Picture:
    """A picture with lengths in pixels; y points down. `title` is for screen readers."""

    width: float
    height: float
    title: str
    parts: list[str] = field(default_factory=list)

    def line(self, begin: Point, end: Point, class_: str) -> None:
        """Adds a line."""
        (x1, y1), (x2, y2) = begin, end
        self.parts.append(element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=class_))

    def path(self, points: Sequence[Point], class_: str) -> None:
        """Adds a line through several points."""
        text = " ".join(f"{_attribute_text(x)},{_attribute_text(y)}" for x, y in points)
        self.parts.append(element("polyline", points=text, class_=class_))

    def rect(
        self,
        corner: Point,
        size: Point,
        class_: str,
        tooltip: str = "",
        opacity: float | None = None,
    ) -> None:
        """Adds a rectangle; `tooltip` is its tooltip."""
        (x, y), (width, height) = corner, size
        title = element("title", escape(tooltip)) if tooltip else ""
        self.parts.append(
            element(
                "rect",
                title,
                x=x,
                y=y,
                width=max(0.0, width),
                height=height,
                class_=class_,
                fill_opacity=opacity,
            )
        )

    def dot(self, middle: Point, class_: str, tooltip: str = "", radius: float = 4) -> None:
        """Adds a circle; `tooltip` is its tooltip."""
        x, y = middle
        title = element("title", escape(tooltip)) if tooltip else ""
        self.parts.append(element("circle", title, cx=x, cy=y, r=radius, class_=class_))

    def text(self, at: Point, string: str, class_: str = "label", anchor: str = "start") -> None:
        """Adds a text."""
        x, y = at
        self.parts.append(
            element("text", escape(string), x=x, y=y, class_=class_, text_anchor=anchor)
        )

    def to_svg(self) -> str:
        """Returns the picture as an SVG element."""
        box = f"0 0 {_attribute_text(self.width)} {_attribute_text(self.height)}"
        inside = element("title", escape(self.title)) + "".join(self.parts)
        return element("svg", inside, viewBox=box, width=self.width, role="img")


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps numbers to pixels, linearly or logarithmically."""

    low: float
    high: float
    begin: float
    end: float
    is_log: bool = False

    def at(self, number: float) -> float:
        """Returns the pixel of a number, limited to the range of the scale."""
        low, high, middle = self.low, self.high, min(max(number, self.low), self.high)
        if self.is_log:
            low, high, middle = log10(low), log10(high), log10(middle)
        return self.begin + (middle - low) / ((high - low) or 1) * (self.end - self.begin)

    def ticks(self) -> list[float]:
        """Returns about five round numbers, or the powers of ten of a logarithmic scale."""
        if self.is_log:
            powers = range(ceil(log10(self.low)), floor(log10(self.high)) + 1)
            return [10.0**power for power in powers]
        step = _round_step((self.high - self.low) / 5)
        first = ceil(self.low / step - 1e-9)
        return [number * step for number in range(first, floor(self.high / step + 1e-9) + 1)]


def scale_of(numbers: Sequence[float], begin: float, end: float) -> Scale:
    """Returns a scale for all the numbers, with a margin.

    It is logarithmic if they are positive and the largest is more than 30 times the smallest.
    """
    low, high = min(numbers, default=0.0), max(numbers, default=1.0)
    if low > 0 and high / low > 30:
        return Scale(10 ** floor(log10(low)), 10 ** ceil(log10(high)), begin, end, is_log=True)
    room = (high - low or abs(high) or 1.0) * 0.05
    return Scale(low - room, high + room, begin, end)


def shortened(text: str, letters: int) -> str:
    """Returns the text, cut to `letters` characters."""
    return text if len(text) <= letters else text[: letters - 1] + "…"


def _round_step(step: float) -> float:
    power = 10.0 ** floor(log10(step or 1))
    return next(number * power for number in (1, 2, 5, 10) if number * power >= step * 0.999)


def _attribute_text(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)
