"""The live page: an overview of a cluster, laid out for a terminal of any size."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from kraftsim.controller.wire.json.document import Document

from ...printable import printable
from ..tables import STATES, cell_text
from ..terminal import COLOURS
from .layout import Section, shares
from .next_steps import TITLE
from .overview import Overview

BLACK = 30  # the number of the terminal's first colour; rich counts from it
TABLES_LINES_MIN = 10  # with fewer lines for tables, the next steps are left out
NODE_COLUMNS_MIN = 80  # below, events are shown without their node, which kind and detail imply
KEPT = ("controller", "broker", "epoch", "offset", "time", "event", "since", *STATES)  # never cut


def page(overview: Overview, steps: Sequence[str], width: int, height: int) -> RenderableType:
    """Returns the page for a terminal of `width` columns and `height` lines.

    The next steps are not cut, so that they work as printed; a low terminal has no room for them.
    """
    parts: list[RenderableType] = [*(_line(text, "bold") for text in overview.heading), Text()]
    bottom = [_line(TITLE, "bold"), *(Text(f"  {step}", overflow="fold") for step in steps)]
    lines = height - len(parts)
    of_steps = sum(-(-cell_len(line.plain) // width) for line in bottom)
    if lines - of_steps < TABLES_LINES_MIN:
        return Group(*parts, *_sections(overview, width, lines))
    return Group(*parts, *_sections(overview, width, lines - of_steps), *bottom)


def _sections(overview: Overview, width: int, lines: int) -> Sequence[RenderableType]:
    """Returns controllers, brokers, events and lines of the log, in at most so many lines."""
    sections = (
        Section(len(overview.controllers), least=3),
        Section(overview.broker_count, least=3),
        Section(len(overview.log_lines), least=2),
        Section(len(overview.events), least=3),
    )
    of_controllers, of_brokers, of_log, of_events = shares(lines, sections)
    parts = [
        *_first(overview.controllers, of_controllers, len(overview.controllers), "controller"),
        *_first(overview.brokers, of_brokers, overview.broker_count, "broker"),
    ]
    if of_events:
        hidden = "node" if width < NODE_COLUMNS_MIN else None
        parts += [_table(overview.events[-of_events:], hidden), Text()]
    if of_log:
        parts += [_line("log", "bold"), *map(_line, overview.log_lines[-of_log:]), Text()]
    return parts


def _first(rows: Sequence[Document], lines: int, count: int, noun: str) -> Sequence[RenderableType]:
    """Returns a table of all rows by id, or of the first rows and the number of the others.

    `count` is the number of all rows, `noun` the column of the id.
    """
    if not lines:
        return ()
    if count <= lines:
        return (_table(sorted(rows, key=lambda row: int(str(row[noun])))), Text())
    return (_table(rows[: lines - 1]), _line(f"{count - lines + 1:,} more {noun}s"), Text())


def _table(rows: Sequence[Document], hidden: str | None = None) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    filled = {key for row in rows for key, value in row.items() if value is not None}
    keys = [key for key in rows[0] if key in filled and key != hidden] if rows else []
    for key in keys:
        table.add_column(key, no_wrap=key in KEPT)
    for row in rows:
        table.add_row(*(_cell(key, row[key]) for key in keys))
    return table


def _cell(key: str, value: object) -> Text:
    text = cell_text(key, value, utc=False)
    colour = COLOURS.get(text.partition(",")[0]) if key in STATES else None
    style = "" if colour is None else f"color({colour - BLACK})"
    return Text(text, style, no_wrap=True, overflow="ellipsis")


def _line(text: str, style: str = "") -> Text:
    return Text(printable(text), style, no_wrap=True, overflow="ellipsis")
