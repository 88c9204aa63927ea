"""Leads the requests of a Kafka listener through the rules about requests, while there are any."""

from collections.abc import Callable

from kraftsim.controller.core.node_id import NodeId
from kraftsim.controller.core.rpc import Request
from kraftsim.controller.raft.protocol import Reply
from kraftsim.controller.server.kafka_connection import KafkaConnection
from kraftsim.controller.server.kafka_listener import KafkaListener
from kraftsim.controller.wire.frames import RequestHeader
from kraftsim.simulation.arrival import Arrival
from kraftsim.simulation.request_rules import RequestRules


def intercept(listener: KafkaListener, rules: RequestRules, node: NodeId) -> None:
    """Makes the listener of `node` ask the rules about each request of an armed type."""

    def on_request(connection: KafkaConnection, header: RequestHeader, request: Request) -> None:
        version = header.api_version

        def submit(request: Request, reply_to: Callable[[Reply], None]) -> None:
            listener.handle(request, version, reply_to)

        def reply_to(reply: Reply | None) -> None:
            if reply is None:
                connection.end()
            else:
                connection.reply(reply)

        rules.handle(
            Arrival(
                request,
                node,
                submit,
                reply_to,
                lambda _: connection.fall_silent(),
                client_id=header.client_id,
                version=version,
                send_damaged=connection.reply_damaged,
            )
        )

    listener.intercepted, listener.intercept = rules.armed, on_request
