"""The bases of requests and responses about stored messages, groups and transactions."""

from ..message import Request, Response


class DataPlaneResponse(Response):
    """A response of one of these APIs; without arguments it says that there is nothing."""

    __slots__ = ()


class DataPlaneRequest(Request):
    """A request of one of these APIs."""

    __slots__ = ()
