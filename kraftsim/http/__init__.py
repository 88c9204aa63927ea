"""The HTTP interface: the application, its OpenAPI document, Kafka's APIs as JSON, a client."""
