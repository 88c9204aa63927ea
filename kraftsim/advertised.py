"""The addresses that the listeners of a cluster advertise, which may differ from the bound ones."""

import re
from collections.abc import Collection, Mapping

from kraftsim.controller.core.value import value
from kraftsim.simulation.ports import PORT_MAX

_ANY_ADDRESS = "0.0.0.0"
_ADDRESS = r"\[?([0-9a-zA-Z\-%._:]*?)\]?(?::([0-9]{1,5}))?"


@value(kw_only=False)
class Advertised:
    """The advertised address of a listener of the first node; each further node has the next port.

    A port of None is the port that is bound.
    """

    host: str
    port: int | None = None

    def at(self, position: int, bound_port: int) -> tuple[str, int]:
        """Returns host and port of the node at `position`."""
        return self.host, bound_port if self.port is None else self.port + position


def advertised_of(
    texts: Mapping[str, object], names: Collection[str], count: int
) -> dict[str, Advertised]:
    """Parses HOST or HOST:PORT by listener; raises ValueError for one that `names` lacks."""
    found = {}
    for name, text in texts.items():
        if name not in names:
            raise ValueError(
                f"advertised_listeners: expected one of {', '.join(names)}, got {name!r}"
            )
        found[name] = _parsed(name, text, PORT_MAX - max(count - 1, 0))
    return found


def _parsed(name: str, text: object, port_max: int) -> Advertised:
    match = re.fullmatch(_ADDRESS, text) if isinstance(text, str) else None
    port = int(match[2]) if match and match[2] else None
    if (
        match is None
        or match[1] in ("", _ANY_ADDRESS)
        or not 0 < (1 if port is None else port) <= port_max
    ):
        raise ValueError(
            f"advertised_listeners: expected HOST or HOST:PORT for {name}, a host that clients can "
            f"reach and a port of at most {port_max}, got {text!r}"
        )
    return Advertised(match[1], port)
