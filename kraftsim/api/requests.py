"""The requests that clients have sent to a cluster, through Kafka's listeners and through HTTP."""

from ..service import request_search
from ..service.request_search import RequestDocument, conditions_in
from .argument_checks import PAGE, check_requests
from .documents import RequestCount
from .running.live import Live
from .views.list_pages import Page


class Requests:
    """The newest requests of clients: `await kraft.requests.count("CreateTopics")`."""

    def __init__(self, live: Live) -> None:
        self._live = live

    async def list(
        self, api: str | None = None, where: str | None = None, from_: int = 0, limit: int = PAGE
    ) -> Page[RequestDocument, int]:
        """Returns at most `limit` requests that clients have sent, from number `from_` on.

        The `next` of the page is the number at which the next page begins, never below `from_`.

        `api` is Kafka's name of an API (None: every API), `where` a list of conditions such as
        "brokerId=1,topics.name=orders" (None: no condition). Raises UsageError for an unknown
        API, a condition without "=" or a limit outside 1 to 10,000.
        """
        check_requests(api, where, from_, limit)
        journal = self._live.service.requests
        following = max(journal.next_number, from_)  # of before the search, during which it grows
        requests: Page[RequestDocument, int] = Page([], following)
        async for request in request_search.find(journal, api, conditions_in(where), from_):
            requests.append(request)
            if len(requests) == limit:
                requests.next = request["number"] + 1
                break
        return requests

    async def count(self, api: str | None = None, where: str | None = None) -> RequestCount:
        """Returns the number of requests that clients have sent, with near misses if it is 0.

        The parameters and errors are those of `list`. A near miss is a request of the API with the
        conditions that it does not meet.
        """
        check_requests(api, where)
        journal, conditions = self._live.service.requests, conditions_in(where)
        count = 0
        async for _ in request_search.find(journal, api, conditions, 0):
            count += 1
        misses = [] if count else await request_search.near_misses(journal, api, conditions)
        return {"count": count, "nearMisses": misses}
