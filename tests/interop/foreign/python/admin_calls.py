"""Calls every method of a client for Python once, as conversation.py says.

python -m tests.interop.foreign.python.admin_calls CLIENT SERVERS TOPIC TARGET GHOST
"""

import os
import sys

from tests.interop.foreign.python.calling import Scene

CLIENTS = ("confluent", "kafka-python", "aiokafka")


def main(client: str, servers: str, topic: str, target: str, ghost: str) -> None:
    """Makes the calls; each client is imported only in its own process."""
    match client:
        case "confluent":
            from tests.interop.foreign.python import confluent_calls as calls
        case "kafka-python":
            from tests.interop.foreign.python import kafka_python_calls as calls
        case "aiokafka":
            from tests.interop.foreign.python import aiokafka_calls as calls
        case _:
            sys.exit(f"expected one of {', '.join(CLIENTS)}, got {client}")
    calls.make_calls(Scene(servers, topic, int(target), int(ghost), calls.code))
    os._exit(0)  # a call that hangs keeps its thread


if __name__ == "__main__":
    main(*sys.argv[1:])
