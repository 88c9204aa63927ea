"""Parts of the page: sections, pictures with what they show, tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

TABLE_MAX = 200  # rows; the rest is in --json


@dataclass(frozen=True, slots=True)
class Code:
    """A cell that is to be copied."""

    text: str


Cell = str | int | Code | None


def section(key: str, title: str, *inside: str) -> str:
    return f'<section id="{key}"><h2>{escape(title)}</h2>{"".join(inside)}</section>'


def sentence(text: str, class_: str = "soft") -> str:
    return f'<p class="{class_}">{escape(text)}</p>'


def figure(svg: str, legend: str = "") -> str:
    caption = f"<figcaption>{legend}</figcaption>" if legend else ""
    return f"<figure>{svg}{caption}</figure>"


def legend(*keys: tuple[str, str]) -> str:
    """Of classes, each with what it means."""
    return "".join(f'<span class="key {class_}"></span>{escape(said)}' for class_, said in keys)


def subtitle(text: str) -> str:
    return f"<h3>{escape(text)}</h3>"


def folded(title: str, *inside: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{''.join(inside)}</details>"


def table(heads: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Numbers stand to the right; heads name units."""
    shown = rows[:TABLE_MAX]
    numbers = {place for place in range(len(heads)) if shown and isinstance(shown[0][place], int)}
    head = "".join(_cell("th", place in numbers, escape(one)) for place, one in enumerate(heads))
    body = "".join(
        f"<tr>{''.join(_cell('td', place in numbers, _text(one)) for place, one in enumerate(row))}"
        "</tr>"
        for row in shown
    )
    text = f'<div class="wide"><table><tr>{head}</tr>{body}</table></div>'
    if len(rows) > TABLE_MAX:
        text += sentence(f"and {len(rows) - TABLE_MAX:,} more: --json has them")
    return text


def _cell(tag: str, is_number: bool, inside: str) -> str:
    return f"<{tag}{' class=number' if is_number else ''}>{inside}</{tag}>"


def _text(one: Cell) -> str:
    match one:
        case None:
            return ""
        case Code():
            return f"<code>{escape(one.text)}</code>"
        case int():
            return f"{one:,}"
        case _:
            return escape(one)
