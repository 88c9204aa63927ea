"""Kafka's binary and JSON encoding of the dataclasses of `core`.

`apis` and `records` have the schemas; `codec` compiles a schema for one version, `json` interprets
it. No decision is made here. Malformed bytes raise `DecodeError`.
"""
