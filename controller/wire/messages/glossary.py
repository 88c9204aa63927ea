"""What fields are that have the same name and meaning in many messages, by name."""

GLOSSARY = {
    "throttle_time_ms": "how long the client shall wait before its next request, in milliseconds",
    "error_code": "Kafka's number of the error; 0 is success",
    "error_message": "what was expected and what came; null or empty on success",
}
