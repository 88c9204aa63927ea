"""Turns the cells of swept scenarios into axes and fields of phase diagrams."""

from collections.abc import Sequence
from itertools import groupby

from ..campaign.items import Item
from ..campaign.plan import Plan
from .findings import Axis, Cell, Field, Sweep


def sweeps_of(plan: Plan, cells: Sequence[Cell]) -> tuple[Sweep, ...]:
    """Returns a sweep for each scenario with several cells; values keep the order of the plan."""
    cells_by_name = {(cell.scenario, cell.cell): cell for cell in cells}
    items = [item for item in plan.items if item.cell and item.mutant is None]
    sweeps = (
        _sweep(scenario, list(group), cells_by_name)
        for scenario, group in groupby(items, key=lambda item: item.name)
    )
    return tuple(sweep for sweep in sweeps if sweep is not None)


def _sweep(
    scenario: str, items: Sequence[Item], cells: dict[tuple[str, str], Cell]
) -> Sweep | None:
    all_axes = _axes(items)
    axes = tuple(axis for axis in all_axes if len(axis.values) > 1)
    held = tuple(axis.name for axis in all_axes if len(axis.values) == 1)
    if not axes:
        return None
    fields = []
    for item in items:
        cell = cells.get((scenario, ", ".join(item.cell)))
        if cell is not None:
            values = dict(map(_split, item.cell))
            places = tuple(axis.values.index(values[axis.name]) for axis in axes)
            fields.append(
                Field(
                    places=places,
                    runs=cell.runs,
                    failed=cell.failed + cell.unended,
                    with_fence=cell.with_fence,
                )
            )
    return Sweep(scenario=scenario, held=held, axes=axes, fields=tuple(fields))


def _axes(items: Sequence[Item]) -> list[Axis]:
    values: dict[str, dict[str, None]] = {}
    for item in items:
        for name, value in map(_split, item.cell):
            values.setdefault(name, {})[value] = None
    return [Axis(name=name, values=tuple(axis_values)) for name, axis_values in values.items()]


def _split(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name, value
