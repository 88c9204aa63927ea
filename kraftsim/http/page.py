"""Serves the files of the page; it fetches everything else from the operations.

The content security policy lets the browser load nothing from elsewhere, and run no script that
stands in a document.
"""

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


async def page_file(request: web.Request) -> web.StreamResponse:
    """Returns the page, or one of its files."""
    files, name = page_files(), request.match_info.get("name", INDEX)
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
