"""What a link shows in a file for a viewer."""

import json
from collections.abc import Callable, Mapping
from typing import Final

from ...errors import UsageError
from ..answers import Answers
from ..documents import ExportDocument
from ..link import LETTERS, Link, read_link
from .html import films_of, html_of
from .perfetto import trace_of
from .shiviz import log_of


def text_of(answers: Answers, link: Link, format: str) -> str:
    """Returns the text of a file: HTML has every branch of a link, the others have the shown one.

    Raises UsageError for an unknown format.
    """
    if format not in _TEXTS:
        raise UsageError(f"format: expected {', '.join(_TEXTS)}, got {format[:64]!r}")
    return _TEXTS[format](answers, link)


def export(answers: Answers, link: str, format: str) -> ExportDocument:
    """Returns the file for a viewer of what a link shows, with its name."""
    read = read_link(link)
    text = text_of(answers, read, format)
    name = f"{read.name}-{LETTERS[read.active]}.{_ENDINGS[format]}"
    return {"name": name, "text": text}


def _perfetto(answers: Answers, link: Link) -> str:
    story = answers.story(link.name, link.seed, link.shown.profile, link.shown.acts)
    return json.dumps(trace_of(story, films_of(answers, link, link.shown, story)))


def _shiviz(answers: Answers, link: Link) -> str:
    story = answers.story(link.name, link.seed, link.shown.profile, link.shown.acts)
    return "\n".join(log_of(story, films_of(answers, link, link.shown, story))) + "\n"


_TEXTS: Final[Mapping[str, Callable[[Answers, Link], str]]] = {
    "html": html_of,
    "perfetto": _perfetto,
    "shiviz": _shiviz,
}
_ENDINGS: Final = {"html": "html", "perfetto": "json", "shiviz": "log"}
