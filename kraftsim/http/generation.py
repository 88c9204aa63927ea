"""The generation of the cluster in every response, and the refusal of calls that came late.

A reset makes a new cluster at the old address. A test that has ended may still have a call under
way, which must not change the cluster of the next test.
"""

from typing import TYPE_CHECKING

from aiohttp import web
from aiohttp.typedefs import Middleware

from .guard import Handler
from .paths import GENERATION
from .responses import refusal

if TYPE_CHECKING:
    from ..api.cluster import Cluster


def only_of_generation(kraft: "Cluster") -> Middleware:
    """Returns the middleware that refuses a request with the number of another generation."""

    @web.middleware
    async def check(request: web.Request, handler: Handler) -> web.StreamResponse:
        sent = request.headers.get(GENERATION)
        if sent in (None, str(kraft.generation)):
            return await handler(request)
        text = (
            f"{GENERATION}: expected {kraft.generation}, got {sent[:20]!r}: the cluster was reset "
            "since; a call of an earlier test came late"
        )
        return refusal(409, text, "STALE_GENERATION")

    return check


def announce_generation(kraft: "Cluster", application: web.Application) -> None:
    """Adds the number of the cluster's generation to every response."""

    async def add(_: web.Request, response: web.StreamResponse) -> None:
        response.headers[GENERATION] = str(kraft.generation)

    application.on_response_prepare.append(add)
