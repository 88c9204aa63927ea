"""The peer of the heartbeat benchmark: a uvloop server that sends back the bytes it reads."""

import asyncio
import sys

import uvloop


class Echo(asyncio.Protocol):
    """Sends back the bytes that it receives."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keeps the transport."""
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """Sends the bytes back."""
        self._transport.write(data)


async def serve() -> None:
    """Prints the port and serves forever."""
    server = await asyncio.get_running_loop().create_server(Echo, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    sys.exit(uvloop.run(serve()))
