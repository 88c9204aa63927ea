"""A run as one file of HTML, which opens without a network and can still be rewound.

It is the page itself: its modules are data URLs in an import map, and its lesson is embedded.
"""

import base64
import gzip
import json
import re
from typing import Final

from ..answers import Answers
from ..documents import Film, Story, Why
from ..page_files import INDEX, page_files

FILM_US: Final = 5_000_000  # as `FILM_US` of page/lesson_source.js
POLICY: Final = "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'"
_IMPORT = re.compile(r'(from\s+|import\s+)"\./([\w/.-]+)"')


def films_of(answers: Answers, story: Story) -> list[Film]:
    """Returns films of all of a run, each of five seconds."""
    name, seed = story["scenario"], story["seed"]
    return [
        answers.film(name, seed, "", "[]", from_us, from_us + FILM_US - 1)
        for from_us in range(0, story["endUs"] + 1, FILM_US)
    ]


def html_of(answers: Answers, story: Story, films: list[Film]) -> str:
    """Returns the page with a run in itself: its story, its films, and the causes of its events."""
    name, seed = story["scenario"], story["seed"]
    whys: dict[int, Why] = {
        event["seq"]: answers.why(name, seed, "", "[]", event["seq"]) for event in story["events"]
    }
    branch = {"name": name, "seed": seed, "profile": "", "acts": []}
    return _page({"branch": branch, "story": story, "films": films, "whys": whys})


def _page(lesson: dict[str, object]) -> str:
    files = {path: data.decode() for path, data in page_files().items()}
    packed = gzip.compress(json.dumps(lesson).encode(), mtime=0)
    imports = {f"kraftsim/{path}": _module(text) for path, text in files.items() if ".js" in path}
    head = (
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">\n'
        f"  <style>{files['style.css']}</style>\n"
        f'  <script type="importmap">{json.dumps({"imports": imports})}</script>\n'
        '  <script type="module">import "kraftsim/main.js";</script>'
    )
    data = base64.b64encode(packed).decode()
    page = files[INDEX].replace('<link rel="stylesheet" href="/page/style.css">', head)
    page = page.replace('<script type="module" src="/page/main.js"></script>\n', "")
    return page.replace(
        "</body>", f'<script id="export" type="text/plain">{data}</script>\n</body>'
    )


def _module(text: str) -> str:
    """Returns a module as a data URL, whose imports are names of the import map."""
    named = _IMPORT.sub(r'\1"kraftsim/\2"', text)
    return "data:text/javascript;base64," + base64.b64encode(named.encode()).decode()
