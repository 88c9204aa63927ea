"""Phase diagrams: a field per combination of swept values, and the theoretical boundary."""

import re
from collections.abc import Sequence

from .amounts import percent
from .findings import Axis, Field, Sweep
from .svg import LETTER, Picture, shortened
from .theory import Boundary, boundary_of

WIDE, HIGH = 880.0, 34.0
FIELD_MAX = 120.0
LEFT_MAX = 30  # characters
TIMES_MS = {"us": 0.001, "ms": 1.0, "s": 1000.0, "m": 60_000.0, "h": 3_600_000.0}
_TIME = re.compile(r"(\d+(?:\.\d+)?)(us|ms|s|m|h)?")


def phase_diagram(sweep: Sweep, *, of_fences: bool) -> str:
    """Returns the diagram of a sweep: the share of runs with a fence, or of failed runs.

    The first axis is horizontal and the second vertical; values of further axes are merged.
    """
    across, up = (*sweep.axes, Axis(name="", values=("",)))[:2]
    boundary = boundary_of(sweep)
    letters = max(len(shortened(name, LEFT_MAX)) for name in (*up.values, up.name))
    left = 24.0 + LETTER * letters
    size: float = min(FIELD_MAX, (WIDE - left) / len(across.values))
    height = HIGH * len(up.values)
    title = f"{sweep.scenario}: {'fences' if of_fences else 'failures'} by {across.name} {up.name}"
    picture = Picture(left + size * len(across.values) + 12, height + 64, title)
    for (x, y), fields in _together(sweep.fields).items():
        corner = left + x * size, 20 + height - (y + 1) * HIGH
        _field(picture, corner, size, fields, of_fences=of_fences)
    for number, value in enumerate(across.values):
        label = shortened(value, max(4, int(size / LETTER)))
        picture.text((left + (number + 0.5) * size, height + 38), label, "tick", "middle")
    for number, value in enumerate(up.values):
        middle = 20 + height - (number + 0.5) * HIGH + 4
        picture.text((left - 10, middle), shortened(value, LEFT_MAX), "tick", "end")
    picture.text((left + size * len(across.values), height + 58), f"{across.name} →", "axis", "end")
    picture.text((left - 10, 12), f"{up.name} ↑" if up.name else "", "axis", "end")
    if boundary is not None and (across.name, up.name) == (boundary.across, boundary.along):
        _theory(picture, boundary, (across, up), (left, size, 20 + height))
    return picture.to_svg()


def _together(fields: Sequence[Field]) -> dict[tuple[int, int], list[Field]]:
    merged: dict[tuple[int, int], list[Field]] = {}
    for field in fields:
        x, y = (*field.places, 0)[:2]
        merged.setdefault((x, y), []).append(field)
    return merged


def _field(
    picture: Picture,
    corner: tuple[float, float],
    size: float,
    fields: Sequence[Field],
    *,
    of_fences: bool,
) -> None:
    runs = sum(field.runs for field in fields)
    hits = sum(field.with_fence if of_fences else field.failed for field in fields)
    share = hits / runs if runs else 0.0
    class_ = "hot" if of_fences else "fail"
    outcome = "had a fence" if of_fences else "failed"
    picture.rect(corner, (size - 2, HIGH - 2), "ground")
    tooltip = f"{hits} of {runs} runs {outcome}"
    picture.rect(corner, (size - 2, HIGH - 2), class_, tooltip, opacity=0.08 + 0.92 * share)
    x, y = corner
    shade = "inside dark" if share > 0.55 else "inside"
    picture.text((x + size / 2 - 1, y + HIGH / 2 + 4), percent(share), shade, "middle")


# Theory


def _theory(
    picture: Picture,
    boundary: Boundary,
    axes: tuple[Axis, Axis],
    origin: tuple[float, float, float],
) -> None:
    across, up = (_times_ms(axis.values) for axis in axes)
    if across is None or up is None:
        return
    left, size, bottom = origin
    never = [sum(number <= boundary.never(value_ms) for number in across) for value_ms in up]
    always = [sum(number < boundary.always(value_ms) for number in across) for value_ms in up]
    for steps, class_ in ((never, "never"), (always, "always")):
        points = []
        for row, number in enumerate(steps):
            x = left + number * size - 1
            points += [(x, bottom - row * HIGH), (x, bottom - (row + 1) * HIGH)]
        picture.path(points, f"theory {class_}")


def _times_ms(values: Sequence[str]) -> list[float] | None:
    """Parses the values as milliseconds; None if one of them is not a time or a number."""
    matches = [_TIME.fullmatch(value) for value in values]
    return (
        [float(match[1]) * TIMES_MS[match[2] or "ms"] for match in matches if match]
        if all(matches)
        else None
    )
