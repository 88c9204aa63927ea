"""HTTP: the operations, Kafka's APIs as JSON, server-sent events, OpenAPI, and the CLI's client."""
