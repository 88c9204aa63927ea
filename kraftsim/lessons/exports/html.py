"""Runs as one file of HTML, which opens without a network and can still be rewound.

It is the page itself: its modules are data URLs in an import map, and the branches of a lesson that
were open are embedded.
"""

import base64
import gzip
import json
import re
from typing import Final

from ..answers import Answers
from ..documents import Film, Story, Why
from ..link import Link, LinkedBranch
from ..page_files import INDEX, page_files

FILM_US: Final = 5_000_000  # as `FILM_US` of page/lesson_source.js
POLICY: Final = "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'"
_IMPORT = re.compile(r'(from\s+|import\s+)"\./([\w/.-]+)"')


def films_of(answers: Answers, link: Link, branch: LinkedBranch, story: Story) -> list[Film]:
    """Returns films of all of a branch, each of five seconds."""
    return [
        answers.film(
            link.name, link.seed, branch.profile, branch.acts, from_us, from_us + FILM_US - 1
        )
        for from_us in range(0, story["endUs"] + 1, FILM_US)
    ]


def html_of(answers: Answers, link: Link) -> str:
    """Returns the page with every branch of a link in itself, open at the place of the link."""
    return _page(
        {
            "link": _document(link),
            "tapes": [_tape(answers, link, branch) for branch in link.branches],
        }
    )


def _tape(answers: Answers, link: Link, branch: LinkedBranch) -> dict[str, object]:
    """Returns a branch, its story, its films, and the causes of its events."""
    words = (link.name, link.seed, branch.profile, branch.acts)
    story = answers.story(*words)
    whys: dict[int, Why] = {
        event["seq"]: answers.why(*words, event["seq"]) for event in story["events"]
    }
    films = films_of(answers, link, branch, story)
    named = {"name": link.name, "seed": link.seed, **_named(branch)}
    return {"branch": named, "story": story, "films": films, "whys": whys}


def _document(link: Link) -> dict[str, object]:
    """Returns a link as `readAddress` of page/address.js does."""
    place: dict[str, object] = {} if link.at_us is None else {"us": link.at_us}
    return place | {
        "name": link.name,
        "seed": link.seed,
        "branches": [_named(branch) for branch in link.branches],
        "active": link.active,
        "beside": list(link.beside),
    }


def _named(branch: LinkedBranch) -> dict[str, object]:
    return {"profile": branch.profile, "acts": json.loads(branch.acts)}


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
