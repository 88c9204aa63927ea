"""The default ports of a cluster; apart from the topology, because the CLI has to start fast."""

FIRST_CONTROLLER_PORT, FIRST_BROKER_PORT, HTTP_PORT = 9990, 9092, 8090
PORT_MAX = 65535
