"""Help texts of the parameters of operations, for the CLI and for OpenAPI."""

from typing import Final

from .api.broker_states import STATES

PARAMETER_TEXTS: Final = {
    "broker": "id of the broker to wait for",
    "event": "number of the event, as `kraftsim events` prints it",
    "from_": "first offset or event number to return (default: the first one that is kept)",
    "id": "node id",
    "leader": "controller to wait for until it is active: an id, or any",
    "limit": "number of records or events to return at most (1 to 10000, default 1000)",
    "on": "true starts dropping, false stops it (default true)",
    "rack": "rack of the new broker (default: none)",
    "state": f"state to wait for: {', '.join(STATES)}",
    "timeout": "stop waiting after this long (default 20s; a bare number is seconds)",
    "to": "id of the controller that shall lead (default -1: the voter with the longest log)",
}
