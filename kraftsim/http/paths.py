"""The HTTP paths beside the table of operations.

Kafka's APIs take and return Kafka's own messages. Health and the OpenAPI document are no verbs of
a cluster.
"""

KAFKA_API = "/kafka/{api}"
LIVENESS, READINESS, OPENAPI = "/livez", "/readyz", "/openapi.json"


def kafka_path(api: str) -> str:
    """Returns the path of one of Kafka's APIs, by its name."""
    return KAFKA_API.format(api=api)
