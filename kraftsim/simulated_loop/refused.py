"""What an event loop offers and a simulated one refuses, in words that name the way out."""

from typing import Any, NoReturn

from .errors import NotSimulated

OUTSIDE = "run it outside, with clock='auto'"
WAYS_OUT = {
    "subprocess_exec": f"a subprocess is not simulated: {OUTSIDE}",
    "subprocess_shell": f"a subprocess is not simulated: {OUTSIDE}",
    "create_datagram_endpoint": f"UDP is not simulated, only TCP is: {OUTSIDE}",
    "create_unix_connection": "UNIX sockets are not simulated: use a port of TCP",
    "create_unix_server": "UNIX sockets are not simulated: use a port of TCP",
    "connect_accepted_socket": "a socket of the real system is not simulated: use create_server",
    "connect_read_pipe": f"a pipe is not simulated: {OUTSIDE}",
    "connect_write_pipe": f"a pipe is not simulated: {OUTSIDE}",
    "sock_recv": "the bytes of a socket are not simulated: use streams, or create_connection",
    "sock_recv_into": "the bytes of a socket are not simulated: use streams, or create_connection",
    "sock_recvfrom": f"UDP is not simulated, only TCP is: {OUTSIDE}",
    "sock_recvfrom_into": f"UDP is not simulated, only TCP is: {OUTSIDE}",
    "sock_sendall": "the bytes of a socket are not simulated: use streams, or create_connection",
    "sock_sendto": f"UDP is not simulated, only TCP is: {OUTSIDE}",
    "sock_accept": "the bytes of a socket are not simulated: use create_server",
    "sock_sendfile": "the bytes of a socket are not simulated: use streams, or create_connection",
    "sendfile": "sendfile is not simulated: write the bytes to the transport",
    "add_reader": "loop.add_reader is not simulated: it waits for the real system",
    "remove_reader": "loop.add_reader is not simulated: it waits for the real system",
    "add_writer": "loop.add_writer is not simulated: it waits for the real system",
    "remove_writer": "loop.add_writer is not simulated: it waits for the real system",
    "add_signal_handler": "signals are not simulated: Ctrl-C cancels the main task",
    "remove_signal_handler": "signals are not simulated: Ctrl-C cancels the main task",
}


def _refusal(text: str) -> Any:
    def refuse(self: object, *args: object, **options: object) -> NoReturn:
        raise NotSimulated(text)

    return refuse


class Refused:
    """A base of the loop that refuses each method of WAYS_OUT."""

    locals().update({name: _refusal(text) for name, text in WAYS_OUT.items()})
