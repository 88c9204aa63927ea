"""Formats the HTML elements of a report's page: sections, figures, tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

TABLE_MAX = 200  # rows of a table; --json has all


@dataclass(frozen=True, slots=True)
class Code:
    """A table cell in monospace, such as a command to copy."""

    text: str


Cell = str | int | Code | None


def section(key: str, title: str, *inside: str) -> str:
    """Returns a section with an anchor and a title."""
    return f'<section id="{key}"><h2>{escape(title)}</h2>{"".join(inside)}</section>'


def sentence(text: str, class_: str = "soft") -> str:
    """Returns a paragraph."""
    return f'<p class="{class_}">{escape(text)}</p>'


def figure(svg: str, legend: str = "") -> str:
    """Returns a figure with an optional caption, which is HTML."""
    caption = f"<figcaption>{legend}</figcaption>" if legend else ""
    return f"<figure>{svg}{caption}</figure>"


def legend(*keys: tuple[str, str]) -> str:
    """Returns a legend of CSS classes and their meanings."""
    return "".join(
        f'<span class="key {class_}"></span>{escape(meaning)}' for class_, meaning in keys
    )


def subtitle(text: str) -> str:
    """Returns a heading within a section."""
    return f"<h3>{escape(text)}</h3>"


def folded(title: str, *inside: str) -> str:
    """Returns content that is collapsed until it is clicked."""
    return f"<details><summary>{escape(title)}</summary>{''.join(inside)}</details>"


def table(heads: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Returns a table with at most TABLE_MAX rows; columns of integers are right-aligned."""
    shown = rows[:TABLE_MAX]
    numbers = {index for index in range(len(heads)) if shown and isinstance(shown[0][index], int)}
    head = "".join(_cell("th", index in numbers, escape(head)) for index, head in enumerate(heads))
    body = "".join(
        f"<tr>{''.join(_cell('td', n in numbers, _text(name)) for n, name in enumerate(row))}</tr>"
        for row in shown
    )
    text = f'<div class="wide"><table><tr>{head}</tr>{body}</table></div>'
    if len(rows) > TABLE_MAX:
        text += sentence(f"{len(rows) - TABLE_MAX:,} more rows: the JSON of --json has them")
    return text


def _cell(tag: str, is_number: bool, inside: str) -> str:
    return f"<{tag}{' class=number' if is_number else ''}>{inside}</{tag}>"


def _text(cell: Cell) -> str:
    match cell:
        case None:
            return ""
        case Code():
            return f"<code>{escape(cell.text)}</code>"
        case int():
            return f"{cell:,}"
        case _:
            return escape(cell)
