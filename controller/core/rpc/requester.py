"""The client that sent a request, for the quotas that apply to it."""

from ..value import value

ANONYMOUS = "ANONYMOUS"
"""The user of every client, because no listener authenticates."""


@value
class Requester:
    """A client, and the version in which it speaks; None stands for the newest.

    It is no field of the wire: the request's header has it, and the request carries it to the
    active controller.
    """

    user: str = ANONYMOUS
    client_id: str = ""
    version: int | None = None


NOBODY = Requester()
