"""A listener in virtual time, and connections to it in memory."""

import asyncio
from typing import Any

from kraftsim.controller.core.rpc import ApiVersionsRequest, ApiVersionsResponse
from kraftsim.controller.server import api_versions
from kraftsim.controller.server.kafka_listener import KafkaListener
from kraftsim.controller.server.runtime import Runtime
from kraftsim.simulation.streams import Streams
from kraftsim.simulation.topology import Topology
from kraftsim.simulation.world import World


class Wire(asyncio.Transport):
    """The other end of a connection, in memory: keeps what was written, reads on or not."""

    def __init__(self, address: str = "127.0.0.1") -> None:
        super().__init__(extra={"peername": (address, 1)})
        self.written = bytearray()
        self.reading = True
        self.closing = False

    def write(self, data: Any) -> None:
        assert not self.closing, "written after the end"
        self.written += data

    def close(self) -> None:
        self.closing = True

    def abort(self) -> None:
        self.closing = True

    def is_closing(self) -> bool:
        return self.closing

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True

    def is_reading(self) -> bool:
        return self.reading

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self.protocol = protocol

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass


def listening(world: World) -> KafkaListener:
    listener = KafkaListener("controller", "controller")
    node = world.controller.node

    def describe(request: ApiVersionsRequest, version: int) -> ApiVersionsResponse:
        return api_versions.answer(
            request, version, listener="controller", image=node.committed, profile=node.profile
        )

    listener.serve(Runtime(world.timeline, speed=0.0), describe, world.dispatch, node.profile)
    return listener


def world() -> World:
    made = World(Topology(cluster_id="kraftsimTestCluster001"), streams=Streams(1))
    made.start()
    return made
