"""`kraftsim scenario run --open`: a service whose page has the run as a lesson, until Ctrl-C."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlencode

from ..api.cluster import Cluster
from ..lessons.offer import Offer
from .up import run_until_signalled, serve


def open_run(offer: Offer, at_us: int) -> None:
    """Serves the offered run on loopback, and prints the address that shows it at `at_us`.

    Returns after SIGTERM or Ctrl-C. Raises CommandError if the run is too large for the page.
    """
    kraft = Cluster(http_port=0)
    kraft.offer = offer
    run_until_signalled(serve(kraft, _announced(kraft, offer, at_us)))


@asynccontextmanager
async def _announced(kraft: Cluster, offer: Offer, at_us: int) -> AsyncIterator[None]:
    """Prints the address of the page, once the run is ready to be shown."""
    await kraft.lessons.story(offer.name, offer.seed)
    place = urlencode({"lesson": offer.name, "seed": offer.seed, "t": at_us})
    print(f"Open {kraft.http_url}/#{place} in a browser; Ctrl-C ends it", file=sys.stderr)
    yield
