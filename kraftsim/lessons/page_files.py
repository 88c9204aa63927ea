"""The files of the page: HTML, scripts and styles, with those of others in the folder `vendor`."""

from functools import cache
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).resolve().parents[1] / "page"
INDEX: Final = "index.html"
MEDIA_TYPES: Final = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}


@cache
def page_files() -> dict[str, bytes]:
    """Returns the files of the page by their paths."""
    paths = (path for path in FOLDER.rglob("*") if path.suffix in MEDIA_TYPES)
    return {path.relative_to(FOLDER).as_posix(): path.read_bytes() for path in paths}
