"""Serves the files of the page; it fetches everything else from the operations.

The content security policy lets the browser load nothing from elsewhere, and run no script that
stands in a document.
"""

from functools import cache
from pathlib import Path
from typing import Final

from aiohttp import web

from ..lessons.page_files import INDEX, MEDIA_TYPES, page_files

POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}


@cache
def served_files() -> dict[str, bytes]:
    """Returns the files by their paths; the page names all its modules.

    So a browser fetches them side by side, and not each after the one that imports it.
    """
    files = page_files()
    modules = sorted(path for path in files if path.endswith(".js"))
    links = "".join(f'  <link rel="modulepreload" href="/page/{path}">\n' for path in modules)
    index = files[INDEX].replace(b"</head>", links.encode() + b"</head>")
    return files | {INDEX: index}


async def page_file(request: web.Request) -> web.StreamResponse:
    """Returns the page, or one of its files."""
    files, name = served_files(), request.match_info.get("name", INDEX)
    if name not in files:
        raise web.HTTPNotFound
    response = web.Response(
        body=files[name],
        content_type=MEDIA_TYPES[Path(name).suffix],
        charset="utf-8",
        headers=HEADERS,
    )
    response.enable_compression()
    return response
