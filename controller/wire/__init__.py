"""Kafka's bytes, and their JSON, for the dataclasses of `core`: tables, and what is made of them.

`apis` and `records` hold the tables; `codec` compiles a table for one version, `json` walks it.
Nothing in here decides anything. Bad bytes raise `DecodeError`.
"""
