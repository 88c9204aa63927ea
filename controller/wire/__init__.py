"""Kafka's binary and JSON encoding of the requests, responses and records of `core`.

`messages` declares their fields as text; `codec` makes a schema of a text and compiles it for one
version; `json` interprets the schema. `apis` has the table of all APIs, `records` the batches of
the log. No decision is made here. Malformed bytes raise `DecodeError`.
"""
