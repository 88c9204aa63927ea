"""The HTTP paths beside the table of operations.

The table has no row for Kafka's APIs, whose messages are Kafka's own, nor for the page, health,
metrics and the OpenAPI document, which are not operations on a cluster.
"""

from kraftsim.simulation.ports import HTTP_PORT

DEFAULT_URL = f"http://127.0.0.1:{HTTP_PORT}"  # of a service on this machine
KAFKA_API = "/kafka/{api}"
PAGE, PAGE_FILES = "/", "/page/{name:.+}"
LESSONS = "/v1/lessons"  # and below: what visitors of a class may ask
LIVENESS, READINESS, OPENAPI, METRICS = "/livez", "/readyz", "/openapi.json", "/metrics"


def kafka_path(api: str) -> str:
    """Returns the path of one of Kafka's APIs, by its name."""
    return KAFKA_API.format(api=api)


GENERATION = "Kraftsim-Generation"  # header: how often the cluster was reset
